"""The part of an Ontology around some Concepts, small enough to be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shoal.ontology.model import Ontology, Relation


@dataclass(frozen=True)
class Neighbourhood:
    """Concepts by their distance from the middle, and every Relation between two of them."""

    rings: tuple[tuple[str, ...], ...]
    """Ids: the middle itself, what is directly related to it, and so on."""
    relations: tuple[Relation, ...]
    left_out: int
    """Concepts of the Ontology that are not in it."""

    @property
    def concepts(self) -> tuple[str, ...]:
        return tuple(concept for ring in self.rings for concept in ring)


def neighbourhood(ontology: Ontology, middle: Sequence[str], most: int) -> Neighbourhood:
    """At most so many Concepts, the nearest first; of those equally near, the ones that are related
    to a Concept of few Relations, for what everything is related to tells little. Without a middle
    it begins with the Concept that has the most. What hangs together with none comes last."""
    kept: dict[str, None] = {}
    rings: list[tuple[str, ...]] = []
    for ring in _rings(ontology, middle):
        rings.append(ring[: most - len(kept)])
        kept.update(dict.fromkeys(rings[-1]))
        if len(kept) >= most:
            break
    near = (relation for concept in kept for relation in ontology.near(concept))
    relations = tuple(
        dict.fromkeys(one for one in near if one.source in kept and one.target in kept)
    )
    return Neighbourhood(tuple(rings), relations, len(ontology.concepts) - len(kept))


def _rings(ontology: Ontology, middle: Sequence[str]) -> Iterator[tuple[str, ...]]:
    concepts = ontology.concepts
    start = middle or (max(concepts, key=lambda concept: len(ontology.near(concept))),)
    ring = tuple(dict.fromkeys(start))
    seen = set(ring)
    while ring:
        yield ring
        found: dict[str, None] = {}
        for concept in sorted(ring, key=lambda one: len(ontology.near(one))):
            for relation in ontology.near(concept):
                found.update(dict.fromkeys(relation[:2]))
        ring = tuple(concept for concept in found if concept not in seen)
        seen.update(ring)
    yield tuple(concept for concept in concepts if concept not in seen)
