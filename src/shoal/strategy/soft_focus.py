"""Soft focus: the Link whose page is most relevant.

    priority(link) = relevance(page)

The relevance is the Topic's own judgement, as a probability: with a trained category it is the sum
of the probabilities of what is wanted. Where many pages link to a Url the most relevant one counts.
(Chakrabarti, van den Berg and Dom, "Focused crawling: a new approach to topic-specific Web
resource discovery".)
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.strategy.best_first import SEED
from shoal.strategy.recipe import NoOptions, Recipe
from shoal.url import Url


class SoftFocus:
    """All Links of a page are equal: the first found comes first."""

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del page, lease
        relevance = judgement.relevance
        return [Priority(relevance, (Part("relevance", relevance),))] * len(links)


RECIPE = Recipe(
    "soft-focus",
    "The Link whose page is judged most relevant.",
    NoOptions,
    lambda _brief, _options: SoftFocus(),
)
