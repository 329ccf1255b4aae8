"""The hybrid of hidden Markov model and page content.

    priority(link) = (similarity(page, c_r) + priority_hmm(page)) / 2        (equation 11)

c_r is the centroid of the relevant pages of the training set. Pages of one cluster so differ, and
the many kinds of pages that are not relevant need no clusters for it. Batsakis, Petrakis and
Milios, "Improving the performance of focused web crawlers", and section 3.4.2 of the thesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.strategy.hmm import SEED, HmmOptions, guide_by_k_means
from shoal.strategy.recipe import Recipe
from shoal.url import Url

if TYPE_CHECKING:
    from shoal.training.guide import Guide


class HmmContent:
    """Looks at pages and how they were come by: all Links of a page are equal."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del judgement
        reading = self._guide.read(page, lease.parts)
        content = self._guide.likeness(reading.vector)
        parts = (
            Part("content", content / 2), Part("hmm", reading.priority / 2), *reading.parts,
        )  # fmt: skip
        return [Priority((content + reading.priority) / 2, parts)] * len(links)


RECIPE = Recipe(
    "hmm-content",
    "The same as hmm, half and half with the page's likeness to the relevant pages.",
    HmmOptions,
    lambda brief, options: HmmContent(guide_by_k_means("hmm-content", brief, options)),
)
