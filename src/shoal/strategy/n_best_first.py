"""N-best-first: the N best Links are fetched before any Link that they lead to is looked at.

The priority of a Link is that of best-first (equation 7). When N pages have been read the N best
of what waits are chosen, and come before everything else; Links found meanwhile wait for the next
choice. (Pant, Srinivasan and Menczer, "Crawling the Web"; with N = 1 it is best-first.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final

from shoal.model import Judgement, Lease, Link, Page, Part, Priority, Waiting
from shoal.strategy.best_first import BestFirst
from shoal.strategy.recipe import Recipe, check_range
from shoal.url import Url

CHOSEN: Final = Part("chosen", 1.0)
"""Lifts a Link above all that are not chosen, for best-first stays within [0, 1]."""
_LEFT: Final = "left"
_CHOICE_MAX: Final = 400
"""No more than this many of the foremost are surely told to a Rescorer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NBestFirstOptions:
    choice: int = 10
    """How many Links are chosen at a time (N)."""

    def __post_init__(self) -> None:
        check_range("choice", self.choice, 1, _CHOICE_MAX)


class NBestFirst:
    """Counts the pages of a choice as they are told, and asks to choose when none is left.

    Chosen Urls that bring no new page are never told. So a page that was not chosen ends a choice
    as well: it could only be fetched because no chosen one waited.
    """

    def __init__(self, best_first: BestFirst, choice: int) -> None:
        self._best_first = best_first
        self._choice = choice
        self._left = 0

    def seed(self, url: Url) -> Priority:
        return self._best_first.seed(url)

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        self._left = self._left - 1 if CHOSEN in lease.parts else 0
        return self._best_first.priorities(page, judgement, links, lease)

    def rescore_due(self) -> bool:
        return self._left <= 0

    def rescore(self, waiting: Sequence[Waiting]) -> Sequence[Priority]:
        self._left = self._choice
        best = nlargest(self._choice, waiting, key=_order)
        chosen = {item.id for item in best}
        return [_chosen(item.priority) if item.id in chosen else item.priority for item in waiting]

    def knowledge(self) -> Mapping[str, bytes]:
        return {_LEFT: str(self._left).encode()}

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        self._left = int(read(_LEFT) or b"0")


def _order(item: Waiting) -> tuple[float, int]:
    """The highest priority first, and the first known of equal ones."""
    return item.priority.value, -item.id


def _chosen(priority: Priority) -> Priority:
    if CHOSEN in priority.parts:
        return priority
    return Priority(priority.value + CHOSEN.value, (*priority.parts, CHOSEN))


RECIPE = Recipe(
    "n-best-first",
    "The N best Links of best-first, before any Link that they lead to.",
    NBestFirstOptions,
    lambda brief, options: NBestFirst(BestFirst(brief.topic), options.choice),
)
