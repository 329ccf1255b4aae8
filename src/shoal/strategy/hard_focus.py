"""Hard focus: the Links of relevant pages, and those of others only when none of these is left.

    priority(link) = 1 if relevance(page) >= relevant_from, else 0

The relevance is the Topic's own judgement; with a trained category it is the classifier's.
(Chakrabarti, van den Berg and Dom, "Focused crawling: a new approach to topic-specific Web
resource discovery".)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.strategy.recipe import Recipe, check_range
from shoal.url import Url

FOLLOWED = Priority(1.0, (Part("relevant page", 1.0),))
LEFT = Priority(0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class HardFocusOptions:
    relevant_from: float = 0.5
    """The relevance from which a page is relevant."""

    def __post_init__(self) -> None:
        check_range("relevant_from", self.relevant_from, 0, 1)


class HardFocus:
    """Among Links that are followed, and among those that are not, the first found comes first."""

    def __init__(self, relevant_from: float) -> None:
        self._relevant_from = relevant_from

    def seed(self, url: Url) -> Priority:
        del url
        return FOLLOWED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del page, lease
        followed = judgement.relevance >= self._relevant_from
        return [FOLLOWED if followed else LEFT] * len(links)


RECIPE = Recipe(
    "hard-focus",
    "The Links of pages judged relevant, the first found first; those of others last.",
    HardFocusOptions,
    lambda _brief, options: HardFocus(options.relevant_from),
)
