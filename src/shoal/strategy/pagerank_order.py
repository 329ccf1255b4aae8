"""PageRank order: the Url with the highest PageRank, among the links that the crawl has seen.

(Cho, Garcia-Molina and Page, "Efficient crawling through URL ordering".)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shoal.model import Judgement, Lease, Link, Page, Part, Priority, Waiting
from shoal.rank.graph import PageLinks
from shoal.rank.pagerank import DAMPING, GrowingPageRank
from shoal.strategy.link_memory import LinkMemory
from shoal.strategy.recipe import Recipe, check_range
from shoal.url import Url

PAGE_LINKS: Final = 20_000
"""Links that are looked at after each page while a round is on: 0.3 ms of work."""
RESCORE_PAGES: Final = 50
"""What waits is weighed anew once in so many pages."""
_NAME: Final = "pagerank"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRankOptions:
    damping: float = DAMPING
    """How likely the random surfer follows a link rather than jumps anywhere."""
    iterations: int = 5
    """Sweeps over all links each time."""
    growth: float = 0.1
    """By what share the links must have grown before they are swept again."""

    def __post_init__(self) -> None:
        check_range("damping", self.damping, 0.01, 0.99)
        check_range("iterations", self.iterations, 1, 1000)
        check_range("growth", self.growth, 0.001, 10)


class PageRankOrder:
    """Estimates rise at once by what a new page gives, and move both ways with each round."""

    def __init__(self, options: PageRankOptions) -> None:
        self._memory = LinkMemory()
        self._ranks = GrowingPageRank(
            self._memory.graph, options.damping, options.iterations, options.growth
        )
        self._least = _priority(1.0 - options.damping)
        self._due = False

    def seed(self, url: Url) -> Priority:
        del url
        return self._least

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del judgement, lease
        told = self._memory.tell(page, links)
        self._rank(told)
        ranks = self._ranks.scores[told.targets].tolist()
        return [_priority(rank) for rank in ranks]

    def rescore_due(self) -> bool:
        return self._due

    def rescore(self, waiting: Sequence[Waiting]) -> Sequence[Priority]:
        self._due = False
        nodes, scores = self._memory.find(waiting).tolist(), self._ranks.scores
        return [
            item.priority if node < 0 else _priority(float(scores[node]))
            for item, node in zip(waiting, nodes, strict=True)
        ]

    def knowledge(self) -> Mapping[str, bytes]:
        return self._memory.knowledge()

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        for told in self._memory.recall(read):
            self._rank(told)

    def _rank(self, told: PageLinks) -> None:
        self._ranks.add(told)
        self._ranks.work(PAGE_LINKS)
        self._due = self._memory.pages % RESCORE_PAGES == 0


def _priority(rank: float) -> Priority:
    return Priority(rank, (Part(_NAME, rank),))


RECIPE = Recipe(
    "pagerank",
    "The Link to what has the highest PageRank in the links seen so far.",
    PageRankOptions,
    lambda _brief, options: PageRankOrder(options),
)
