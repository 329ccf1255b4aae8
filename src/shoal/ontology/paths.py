"""How many Relations lie between Concepts, whichever way they point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shoal.ontology.model import Ontology, RelationKind

EVERY_KIND: Final = frozenset(RelationKind)
IS_A: Final = frozenset({RelationKind.TAXONOMIC, RelationKind.INSTANCE})
"""What says that one thing is another: a kind of it, or an instance."""


def rings(
    ontology: Ontology, concept: str, kinds: frozenset[RelationKind] = EVERY_KIND
) -> Iterator[tuple[str, ...]]:
    """The Concepts at distance 0 (the one itself), 1, 2 ... over Relations of these kinds, each
    once; what hangs together with it in no way is in none."""
    ring: tuple[str, ...] = (concept,)
    seen = {concept}
    while ring:
        yield ring
        found = dict.fromkeys(
            end
            for one in ring
            for relation in ontology.near(one)
            if relation.kind in kinds
            for end in (relation.source, relation.target)
            if end not in seen
        )
        ring = tuple(found)
        seen.update(ring)
