"""What two texts have in common, concept by concept, on each level of abstraction.

A footprint is which Concepts a text speaks of, and in which shares. It is compared on the level on
which it was found, and on every one above: there, each Concept is replaced by what it is a kind or
an instance of, down to depth d below a root; one that stands higher stays what it is. Two texts are
alike on a level as far as their shares are the same, sum(min(share, other share)).

The more abstract the level, the more alike two texts are, never less. The idea is Oleshchuk and
Pedersen's ("Ontology based semantic similarity comparison of documents", 2003), as section 6.1 of
the thesis on an ontology-focused crawler tells it; it gives no formula, and this one is ours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from shoal.ontology.model import Ontology, RelationKind

_UPWARDS = frozenset({RelationKind.TAXONOMIC, RelationKind.INSTANCE})

Footprint = Mapping[str, float]
"""The share of each Concept, by id; the shares sum to 1, or there are none."""


class Shared(NamedTuple):
    """A Concept that both texts speak of, and how much of both."""

    concept: str
    share: float


class Level(NamedTuple):
    depth: int
    """Steps below a root; 0 is the most abstract."""
    likeness: float
    """In [0, 1]."""
    shared: tuple[Shared, ...]
    """The largest share first."""


class Comparison(NamedTuple):
    levels: tuple[Level, ...]
    """The most concrete first; none where a text speaks of no Concept."""

    def alike_from(self, likeness: float) -> Level | None:
        """The most concrete level on which they are at least so much alike."""
        return next((level for level in self.levels if level.likeness >= likeness), None)


def footprint(counts: Mapping[str, int]) -> Footprint:
    """Of how often each Concept stands in a text."""
    total = sum(counts.values())
    return {concept: count / total for concept, count in counts.items()} if total else {}


class Levels:
    """The depth of every Concept, and what it is on each level above."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology

    def compare(self, one: Footprint, other: Footprint) -> Comparison:
        if not one or not other:
            return Comparison(())
        deepest = max(self.depth(concept) for concept in (*one, *other))
        levels = []
        for depth in range(deepest, -1, -1):
            one, other = self._raise(one, depth), self._raise(other, depth)
            both = [Shared(name, min(share, other.get(name, 0.0))) for name, share in one.items()]
            shared = sorted((found for found in both if found.share), key=lambda s: -s.share)
            likeness = min(1.0, sum(found.share for found in shared))
            levels.append(Level(depth, likeness, tuple(shared)))
        return Comparison(tuple(levels))

    def depth(self, concept: str) -> int:
        """Steps below the nearest root; 0 where only a circle leads upwards."""
        return self._depths.get(concept, 0)

    def _raise(self, shares: Footprint, depth: int) -> Footprint:
        """With the Concepts one step below a level replaced; several that stand above one have
        equal parts of it."""
        raised: dict[str, float] = {}
        for concept, share in shares.items():
            above = self._above(concept) if self.depth(concept) > depth else (concept,)
            for one in above:
                raised[one] = raised.get(one, 0.0) + share / len(above)
        return raised

    def _above(self, concept: str) -> tuple[str, ...]:
        """Those of its parents that are nearer to a root."""
        depth = self.depth(concept)
        return tuple(one for one in self._parents.get(concept, ()) if self.depth(one) < depth)

    @cached_property
    def _parents(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, dict[str, None]] = {}
        for relation in self._ontology.relations:
            if relation.kind in _UPWARDS:
                found.setdefault(relation.source, {})[relation.target] = None
        return {concept: tuple(parents) for concept, parents in found.items()}

    @cached_property
    def _depths(self) -> Mapping[str, int]:
        children: dict[str, list[str]] = {}
        for child, parents in self._parents.items():
            for parent in parents:
                children.setdefault(parent, []).append(child)
        depths = dict.fromkeys((one for one in children if one not in self._parents), 0)
        waiting = deque(depths)
        while waiting:
            parent = waiting.popleft()
            for child in children.get(parent, ()):
                if child not in depths:
                    depths[child] = depths[parent] + 1
                    waiting.append(child)
        return depths
