"""Hubs and authorities of a graph that grows: HITS (see ``hits``), a little at a time.

Scores are scaled so that the best hub and the best authority have 1: only their order and their
ratios mean anything, and a length of 1 would make all of them smaller with each new node.
"""

from __future__ import annotations

import numpy as np

from shoal.rank.flow import Scores, pour
from shoal.rank.graph import LinkGraph, PageLinks
from shoal.rank.growing import Growing


class GrowingHits:
    """Kept near while the graph grows, as ``GrowingPageRank`` is.

    1. The links of a new page count at once: as much as a hub is worth that links to what it does.
    2. When the graph has grown by ``growth`` since the last round began, the next one begins:
       ``sweeps`` times from hubs to authorities and back. A sweep looks at each link twice.
    3. ``work`` looks at no more links than it is told; only where half a sweep begins or ends it
       looks at every node once.
    4. The estimates follow from what was told and worked, in that order, and from nothing else.
    """

    def __init__(self, graph: LinkGraph, sweeps: int, growth: float) -> None:
        self._graph = graph
        self._sweeps = sweeps
        self._growth = growth
        self._hubs = Growing(np.float64)
        self._authorities = Growing(np.float64)
        self._best_hub = self._best_authority = 0.0
        """Before they were scaled last: what a score of 1 stands for."""
        self._round_links = 0
        self._left = 0
        """Halves of sweeps that this round has yet to end; at an even number hubs give."""
        self._at = self._end = 0
        self._sums: Scores = np.empty(0)

    @property
    def scores(self) -> Scores:
        """The authority of each node, in [0, 1]; 0 for one that nothing is known of."""
        return self._authorities.values

    @property
    def hubs(self) -> Scores:
        return self._hubs.values

    def add(self, page: PageLinks) -> None:
        """The links of a page, as the graph has just taken them."""
        self._hubs.grow(self._graph.nodes)
        self._authorities.grow(self._graph.nodes)
        if len(page.distinct) and self._best_hub and self._best_authority:
            authorities = self._authorities.values
            hub = min(1.0, float(authorities[page.distinct].sum()) / self._best_hub)
            self._hubs.values[page.source] = hub
            authorities[page.distinct] = np.minimum(
                1.0, authorities[page.distinct] + hub / self._best_authority
            )

    def work(self, links: int) -> bool:
        """Go on with the round, if there is one. True when it has come to its end."""
        if not self._left:
            if self._graph.links <= self._round_links * (1.0 + self._growth):
                return False
            if not self._round_links:
                self._hubs.values[:] = 1.0
            self._round_links = self._graph.links
            self._left = 2 * self._sweeps
            self._begin()
        while links > 0 and self._left:
            end = min(self._at + links, self._end)
            self._pour(slice(self._at, end))
            links -= end - self._at
            self._at = end
            if self._at == self._end:
                self._end_half()
        return not self._left

    def _begin(self) -> None:
        self._at, self._end = 0, self._graph.links
        self._sums = np.zeros(self._graph.nodes)

    def _pour(self, here: slice) -> None:
        sources, targets = self._graph.sources[here], self._graph.targets[here]
        if self._left % 2:
            pour(self._authorities.values, targets, sources, self._sums)
        else:
            pour(self._hubs.values, sources, targets, self._sums)

    def _end_half(self) -> None:
        """What was told since it began is added to what it found."""
        missing = self._graph.nodes - len(self._sums)
        self._sums = np.concatenate((self._sums, np.zeros(missing)))
        self._pour(slice(self._end, self._graph.links))
        best = float(self._sums.max(initial=0.0))
        scaled = self._sums / best if best else self._sums
        if self._left % 2:
            self._hubs.values[:], self._best_hub = scaled, best
        else:
            self._authorities.values[:], self._best_authority = scaled, best
        self._left -= 1
        if self._left:
            self._begin()
