"""Fish-search: a school of fish that breeds where there is food, and dies where there is none.

    relevant page:     the first ``widening * width`` Links have the potential 1, the others 0
    any other page:    the first ``width`` Links have the potential 0.5, the others 0

and Links more than ``depth`` pages away from the last relevant one are abandoned. (De Bra and Post,
"Information retrieval in the World-Wide Web: making client-based searching feasible"; the
potentials as Hersovici and others tell them in "The shark-search algorithm".)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.strategy.best_first import SEED
from shoal.strategy.depth import ABANDONED, DEPTH, depth_for_links
from shoal.strategy.recipe import Recipe, check_range
from shoal.url import Url

FED: Final = 1.0
HUNGRY: Final = 0.5
SURPLUS: Final = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FishSearchOptions:
    width: int = 5
    """How many Links of a page that is not relevant are followed before others."""
    widening: float = 1.5
    """How many times as many Links of a relevant page."""
    depth: int = 3
    """How many pages in a row may be not relevant before their Links are abandoned."""
    relevant_from: float = 0.5
    """The relevance from which a page is relevant."""

    def __post_init__(self) -> None:
        check_range("width", self.width, 1, 1_000_000)
        check_range("widening", self.widening, 1, 1000)
        check_range("depth", self.depth, 0, 1000)
        check_range("relevant_from", self.relevant_from, 0, 1)


class FishSearch:
    """Says the same of a Link whatever came before: what it must know, the Lease brings."""

    def __init__(self, options: FishSearchOptions) -> None:
        self._options = options
        self._wide = round(options.widening * options.width)

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del page
        options = self._options
        relevant = judgement.relevance >= options.relevant_from
        depth = depth_for_links(lease, relevant, options.depth)
        if depth is None:
            return [ABANDONED] * len(links)
        width, potential = (self._wide, FED) if relevant else (options.width, HUNGRY)
        depth_part = Part(DEPTH, float(depth))
        followed = Priority(potential, (Part("potential", potential), depth_part))
        surplus = Priority(SURPLUS, (Part("potential", SURPLUS), depth_part))
        return [followed if place < width else surplus for place in range(len(links))]


RECIPE = Recipe(
    "fish-search",
    "The first Links of relevant pages, then the first ones of others near them.",
    FishSearchOptions,
    lambda _brief, options: FishSearch(options),
)
