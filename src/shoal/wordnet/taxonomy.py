"""The graph of what is a kind of what: distances in it, and how deep a concept lies.

1. The depth of a concept is the length of the longest way down to it from a concept that is a kind
   of nothing. So what is a kind of something always lies deeper than that.
2. Wordnets of the wild have circles. In one, the concept of the lowest number counts as its top.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.wordnet.tables import Numbers


def gather(starts: Numbers, items: Numbers, rows: Numbers) -> Numbers:
    """The items of some rows, one row after another."""
    counts = starts[rows + 1] - starts[rows]
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    places = np.arange(total) + np.repeat(starts[rows] - ends + counts, counts)
    found: Numbers = items[places]
    return found


def transposed(starts: Numbers, items: Numbers, size: int) -> tuple[Numbers, Numbers]:
    """For each of the ``size`` items the rows that have it, in their order."""
    rows = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    back = np.zeros(size + 1, np.int32)
    np.cumsum(np.bincount(items, minlength=size), out=back[1:])
    return back, rows[np.argsort(items, kind="stable")]


@dataclass(frozen=True)
class Taxonomy:
    """Concepts by their numbers, and the parents of each."""

    parent_starts: Numbers
    parents: Numbers

    @property
    def size(self) -> int:
        return len(self.parent_starts) - 1

    @cached_property
    def depths(self) -> Numbers:
        starts, children = self._children
        open_parents = np.diff(self.parent_starts).tolist()
        depths = [0] * self.size
        bounds, below = starts.tolist(), children.tolist()
        settled = [False] * self.size
        ready = [concept for concept, count in enumerate(open_parents) if not count]
        for top in range(self.size + 1):
            while ready:
                concept = ready.pop()
                settled[concept] = True
                for child in below[bounds[concept] : bounds[concept + 1]]:
                    if settled[child]:
                        continue
                    depths[child] = max(depths[child], depths[concept] + 1)
                    open_parents[child] -= 1
                    if not open_parents[child]:
                        ready.append(child)
            if top < self.size and not settled[top]:
                ready.append(top)
        return np.array(depths, np.int32)

    def rings(self, start: Numbers) -> Iterator[Numbers]:
        """The concepts at distance 0 from the nearest of ``start``, then those at 1, and so on:
        distance counts steps up or down."""
        yield from self._rings(start, (self._up, self._children))

    def subsumer_depths(self, concept: int) -> Numbers:
        """For every concept, the depth of the deepest one that it and ``concept`` are both kinds
        of (either of them itself included); 0 also where they have none in common."""
        found = np.zeros(self.size, np.int32)
        above = np.concatenate(list(self._rings(np.array([concept], np.int32), (self._up,))))
        depths = self.depths[above]
        for ancestor in above[np.argsort(depths, kind="stable")]:
            depth = self.depths[ancestor]
            if depth:
                for ring in self._rings(np.array([ancestor], np.int32), (self._children,)):
                    found[ring] = depth
        return found

    def _rings(
        self, start: Numbers, ways: tuple[tuple[Numbers, Numbers], ...]
    ) -> Iterator[Numbers]:
        seen: NDArray[np.bool_] = np.zeros(self.size, np.bool_)
        ring = np.unique(start)
        while len(ring):
            seen[ring] = True
            yield ring
            near = np.concatenate([gather(starts, items, ring) for starts, items in ways])
            ring = np.unique(near[~seen[near]])

    @property
    def _up(self) -> tuple[Numbers, Numbers]:
        return self.parent_starts, self.parents

    @cached_property
    def _children(self) -> tuple[Numbers, Numbers]:
        return transposed(self.parent_starts, self.parents, self.size)
