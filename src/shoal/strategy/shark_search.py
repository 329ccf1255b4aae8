"""Shark-search: what a Link inherits from the pages above it, with the words on and around it.

    potential(link)    = inheritance * inherited(link) + (1 - inheritance) * neighbourhood(link)
    inherited(link)    = decay * similarity(page)   if the page is alike to the topic at all,
                         decay * inherited(page)    otherwise
    neighbourhood      = anchor_share * similarity(anchor) + (1 - anchor_share) * context(link)
    context(link)      = 1 if the anchor is alike to the topic at all,
                         similarity(words around the link) otherwise

and Links more than ``depth`` pages away from the last relevant one are abandoned, as in
fish-search. (Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim and Ur, "The shark-search algorithm. An
application: tailored Web site mapping", where the three constants are gamma, delta and beta.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.ports import Topic
from shoal.strategy.best_first import SEED
from shoal.strategy.depth import ABANDONED, DEPTH, depth_for_links, part_of
from shoal.strategy.recipe import Recipe, check_range
from shoal.url import Url

INHERITED: Final = "inherited"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharkSearchOptions:
    inheritance: float = 0.5
    """The share of what a Link inherits in its potential (gamma)."""
    decay: float = 0.5
    """What is left of a score from one page to the next (delta)."""
    anchor_share: float = 0.8
    """The share of the anchor in the neighbourhood of a Link (beta)."""
    depth: int = 3
    """How many pages in a row may be not relevant before their Links are abandoned."""
    relevant_from: float = 0.5
    """The relevance from which a page is relevant."""

    def __post_init__(self) -> None:
        check_range("inheritance", self.inheritance, 0.01, 0.99)
        check_range("decay", self.decay, 0, 1)
        check_range("anchor_share", self.anchor_share, 0, 1)
        check_range("depth", self.depth, 0, 1000)
        check_range("relevant_from", self.relevant_from, 0, 1)


class SharkSearch:
    """Says the same of a Link whatever came before: what it must know, the Lease brings."""

    def __init__(self, topic: Topic, options: SharkSearchOptions) -> None:
        self._topic = topic
        self._options = options

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
        inherited = self._inherited(judgement, lease)
        parts = (Part(DEPTH, float(depth)), Part(INHERITED, inherited))
        return [self._priority(link, inherited, parts) for link in links]

    def _inherited(self, judgement: Judgement, lease: Lease) -> float:
        """What the Links of a page inherit; its parts travel as a share of their potential."""
        inheritance, decay = self._options.inheritance, self._options.decay
        if judgement.similarity > 0.0:
            return inheritance * decay * judgement.similarity
        return decay * (part_of(lease, INHERITED) or 0.0)

    def _priority(self, link: Link, inherited: float, parts: tuple[Part, ...]) -> Priority:
        options = self._options
        share = 1.0 - options.inheritance
        of_anchor = self._similarity(link.anchor)
        of_context = 1.0 if of_anchor > 0.0 else self._similarity(link.context)
        anchor = share * options.anchor_share * of_anchor
        context = share * (1.0 - options.anchor_share) * of_context
        if not context and not anchor:
            return Priority(inherited, parts)
        return Priority(
            inherited + anchor + context,
            (*parts, Part("anchor", anchor), Part("context", context)),
        )

    def _similarity(self, words: str) -> float:
        return self._topic.similarity(words) if words else 0.0


RECIPE = Recipe(
    "shark-search",
    "The Link that its page, the pages above it, its anchor and the words around it recommend.",
    SharkSearchOptions,
    lambda brief, options: SharkSearch(brief.topic, options),
)
