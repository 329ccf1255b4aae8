"""Breadth-first: first known, first fetched."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.model import Judgement, Lease, Link, Page, Priority
from shoal.strategy.recipe import NoOptions, Recipe
from shoal.url import Url

_EQUAL = Priority(0.0)


class BreadthFirst:
    """Every Link has the same priority, so the Frontier's order of discovery decides."""

    def seed(self, url: Url) -> Priority:
        del url
        return _EQUAL

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del page, judgement, lease
        return [_EQUAL] * len(links)


RECIPE = Recipe(
    "breadth-first",
    "The Link that was found first.",
    NoOptions,
    lambda _brief, _options: BreadthFirst(),
)
