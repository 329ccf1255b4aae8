"""Backlink count: the Url that most of the pages read so far link to.

    priority(u) = pages read that link to u

In a Team whose Crawlers tell one another what they count (``team.carries = "counts"``), the pages
that the others keep count as well.

(Cho, Garcia-Molina and Page, "Efficient crawling through URL ordering".)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from shoal.model import Judgement, Lease, Link, LinkCount, Page, Part, Priority, Waiting
from shoal.rank.numbers import Digests, digests
from shoal.strategy.link_memory import LinkMemory
from shoal.strategy.recipe import NoOptions, Recipe
from shoal.strategy.told_counts import ToldCounts
from shoal.url import Url

_NONE = Priority(0.0)
EVERY_PAGES: Final = 10
"""Pages between two times that what waits is weighed anew."""


class BacklinkCount:
    """Counts only ever grow, so an Offer of a Url that waits already raises it to its count. What
    others tell raises no Offer: it is brought to bear on what waits from time to time."""

    def __init__(self) -> None:
        self._memory = LinkMemory()
        self._told = ToldCounts()
        self._news = 0
        """Counts that were told since what waits was weighed."""

    def seed(self, url: Url) -> Priority:
        del url
        return _NONE

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del judgement, lease
        told = self._memory.tell(page, links)
        here = self._memory.graph.in_degrees[told.targets].astype(np.int64)
        elsewhere = self._told.of(digests(link.target.text for link in links))
        return list(map(_priority, here.tolist(), elsewhere.tolist()))

    # ------------------------------------------------------------------ ports.LinkCounter

    def counted(self, urls: Sequence[Url]) -> Sequence[int]:
        found: list[int] = self._here(digests(url.text for url in urls)).tolist()
        return found

    def told(self, by: str, counts: Sequence[LinkCount]) -> None:
        self._news += self._told.take(by, counts)

    # ------------------------------------------------------------------ ports.Rescorer

    def rescore_due(self) -> bool:
        return self._news > 0 and self._memory.pages % EVERY_PAGES == 0

    def rescore(self, waiting: Sequence[Waiting]) -> Sequence[Priority]:
        self._news = 0
        keys = digests(item.url.text for item in waiting)
        here, elsewhere = self._here(keys).tolist(), self._told.of(keys).tolist()
        return [
            _priority(*counts) if sum(counts) > item.priority.value else item.priority
            for item, counts in zip(waiting, zip(here, elsewhere, strict=True), strict=True)
        ]

    # ------------------------------------------------------------------ ports.Learner

    def knowledge(self) -> Mapping[str, bytes]:
        return {**self._memory.knowledge(), **self._told.knowledge()}

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        for _ in self._memory.recall(read):
            pass
        # Whether they were brought to bear before is not known.
        self._news = self._told.recall(read)

    def _here(self, keys: Digests) -> NDArray[np.int64]:
        graph = self._memory.graph
        nodes = graph.find(keys)
        known = nodes >= 0
        found = np.zeros(len(keys), np.int64)
        found[known] = graph.in_degrees[nodes[known]]
        return found


def _priority(here: int, elsewhere: int) -> Priority:
    if not elsewhere:
        return Priority(float(here), (Part("backlinks", float(here)),))
    parts = (Part("backlinks", float(here)), Part("told", float(elsewhere)))
    return Priority(float(here + elsewhere), parts)


RECIPE = Recipe(
    "backlink-count",
    "The Link to what most of the pages read link to.",
    NoOptions,
    lambda _brief, _options: BacklinkCount(),
    counts_links=True,
)
