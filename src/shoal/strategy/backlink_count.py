"""Backlink count: the Url that most of the pages read so far link to.

    priority(u) = pages read that link to u

(Cho, Garcia-Molina and Page, "Efficient crawling through URL ordering".)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.strategy.link_memory import LinkMemory
from shoal.strategy.recipe import NoOptions, Recipe
from shoal.url import Url

_NONE = Priority(0.0)


class BacklinkCount:
    """Counts only ever grow, so an Offer of a Url that waits already raises it to its count."""

    def __init__(self) -> None:
        self._memory = LinkMemory()

    def seed(self, url: Url) -> Priority:
        del url
        return _NONE

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del judgement, lease
        told = self._memory.tell(page, links)
        counts = self._memory.graph.in_degrees[told.targets]
        return [
            Priority(count, (Part("backlinks", count),)) for count in counts.astype(float).tolist()
        ]

    def knowledge(self) -> Mapping[str, bytes]:
        return self._memory.knowledge()

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        for _ in self._memory.recall(read):
            pass


RECIPE = Recipe(
    "backlink-count",
    "The Link to what most of the pages read link to.",
    NoOptions,
    lambda _brief, _options: BacklinkCount(),
)
