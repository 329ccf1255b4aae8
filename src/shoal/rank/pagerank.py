"""PageRank: of a graph that stands, and of one that grows.

    score(p) = (1 - d) + d * sum over pages q that link to p of score(q) / links(q)

(Brin and Page, "The anatomy of a large-scale hypertextual web search engine"; so it stands in Cho,
Garcia-Molina and Page, "Efficient crawling through URL ordering".) A page that was not read has
no links yet. ``pagerank`` shares its score out among all nodes, as others write the formula: every
score is then that of the equation multiplied by one number, so the order is the same.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from shoal.rank.flow import Graph, Scores, pour
from shoal.rank.graph import LinkGraph, PageLinks
from shoal.rank.growing import Growing

DAMPING: Final = 0.85


def pagerank(
    graph: Graph,
    damping: float = DAMPING,
    tolerance: float = 1e-6,
    sweeps_max: int = 100,
) -> Scores:
    """The score of each node; they sum to 1. Ends when a sweep moves less than ``tolerance`` of
    it, or after ``sweeps_max``."""
    nodes = graph.nodes
    if not nodes:
        return np.empty(0)
    scores = np.full(nodes, 1.0 / nodes)
    degrees = np.maximum(graph.out_degrees, 1)
    for _ in range(sweeps_max):
        after = np.full(nodes, (1.0 - damping) / nodes)
        pour(damping * scores / degrees, graph.sources, graph.targets, after)
        after += (1.0 - after.sum()) / nodes
        moved = float(np.abs(after - scores).sum())
        scores = after
        if moved < tolerance:
            break
    return scores


class GrowingPageRank:
    """The PageRank of a graph, kept near while the graph grows, with a little work at a time.

    1. The links of a new page count at once: what it gives to each is added to the estimate.
    2. When the graph has grown by ``growth`` since the last round began, the next one begins:
       ``sweeps`` sweeps over all links, which start from the estimates. All rounds together look
       at a link about ``sweeps * (1 + 1 / growth)`` times.
    3. ``work`` looks at no more links than it is told; only where a sweep begins or ends it
       looks at every node once.
    4. The estimates follow from what was told and worked, in that order, and from nothing else.
    """

    def __init__(self, graph: LinkGraph, damping: float, sweeps: int, growth: float) -> None:
        self._graph = graph
        self._damping = damping
        self._sweeps = sweeps
        self._growth = growth
        self._scores = Growing(np.float64)
        self._round_links = 0
        self._left = 0
        """Sweeps that this round has yet to end."""
        self._at = self._end = 0
        self._given: Scores = np.empty(0)
        self._sums: Scores = np.empty(0)

    @property
    def scores(self) -> Scores:
        """An estimate for each node, 1 - damping for one that nothing is known of."""
        return self._scores.values

    def add(self, page: PageLinks) -> None:
        """The links of a page, as the graph has just taken them."""
        self._scores.grow(self._graph.nodes, 1.0 - self._damping)
        if len(page.distinct):
            scores = self._scores.values
            scores[page.distinct] += self._damping * scores[page.source] / len(page.distinct)

    def work(self, links: int) -> bool:
        """Go on with the round, if there is one. True when it has come to its end."""
        if not self._left:
            if self._graph.links <= self._round_links * (1.0 + self._growth):
                return False
            self._round_links = self._graph.links
            self._left = self._sweeps
            self._begin_sweep()
        while links > 0 and self._left:
            end = min(self._at + links, self._end)
            here = slice(self._at, end)
            graph = self._graph
            pour(self._given, graph.sources[here], graph.targets[here], self._sums)
            links -= end - self._at
            self._at = end
            if self._at == self._end:
                self._end_sweep()
        return not self._left

    def _begin_sweep(self) -> None:
        graph = self._graph
        self._at, self._end = 0, graph.links
        self._given = self._shares()
        self._sums = np.full(graph.nodes, 1.0 - self._damping)

    def _end_sweep(self) -> None:
        """What was told since the sweep began is added to what it found."""
        graph, scores = self._graph, self._scores.values
        swept = len(self._sums)
        scores[:swept] = self._sums
        scores[swept:] = 1.0 - self._damping
        since = slice(self._end, graph.links)
        pour(self._shares(), graph.sources[since], graph.targets[since], scores)
        self._left -= 1
        if self._left:
            self._begin_sweep()

    def _shares(self) -> Scores:
        """What each node gives along each of its links."""
        given: Scores = self._scores.values / np.maximum(self._graph.out_degrees, 1)
        given *= self._damping
        return given
