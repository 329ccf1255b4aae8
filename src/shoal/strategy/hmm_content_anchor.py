"""The hybrid of hidden Markov model, page content and anchor text.

    text(link) = (similarity(page, c_r) + similarity(anchor, c_r)) / 2
    priority(link) = (priority_hmm(page) + text(link)) / 2        (equation 12)

c_r is the centroid of the relevant pages of the training set. The only one of its
family that tells the Links of a page apart. Batsakis, Petrakis and Milios, "Improving the
performance of focused web crawlers", and section 3.4.2 of the thesis behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.strategy.hmm import SEED, HmmOptions, guide_by_k_means
from shoal.strategy.recipe import Recipe
from shoal.url import Url

if TYPE_CHECKING:
    from shoal.training.guide import Guide

_ANCHORS_KEPT: Final = 100_000


class HmmContentAnchor:
    """Says the same of an anchor whatever came before; what it said is kept in a bounded cache."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide
        self._anchors: dict[str, float] = {}

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del judgement
        reading = self._guide.read(page, lease.parts)
        content = self._guide.likeness(reading.vector)
        base = reading.priority / 2 + content / 4
        parts = (
            Part("hmm", reading.priority / 2), Part("content", content / 4), *reading.parts,
        )  # fmt: skip
        found = []
        for link in links:
            anchor = self._likeness(link.anchor) / 4
            found.append(Priority(base + anchor, (Part("anchor", anchor), *parts)))
        return found

    def _likeness(self, anchor: str) -> float:
        if not anchor:
            return 0.0
        known = self._anchors.get(anchor)
        if known is None:
            known = self._guide.likeness_of_anchor(anchor)
            if len(self._anchors) >= _ANCHORS_KEPT:
                self._anchors.clear()
            self._anchors[anchor] = known
        return known


RECIPE = Recipe(
    "hmm-content-anchor",
    "The same as hmm-content, with the anchor's likeness to the relevant pages.",
    HmmOptions,
    lambda brief, options: HmmContentAnchor(guide_by_k_means("hmm-content-anchor", brief, options)),
)
