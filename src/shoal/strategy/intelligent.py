"""Intelligent crawling: which signs go with relevant pages is learnt as ratios of interest.

The interest ratio of a sign E, in a crawl that looks for C, is how much likelier it makes C:

    I(C, E) = P(C | E) / P(C)

Four kinds of signs of a Url are combined, each logarithm by its weight:

    priority(u) = w_c log I_content(u) + w_u log I_url(u) + w_l log I_link(u) + w_s log I_sibling(u)

content: the words of the pages that link to u; url: the tokens of its address; link: whether pages
that link to u are relevant; sibling: how many of the fetched Urls beside which u was linked are
relevant. All probabilities are counted over what the crawl has fetched. After Aggarwal, Al-Garawi
and Yu, "Intelligent crawling on the World Wide Web with arbitrary predicates" (WWW 2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from shoal.errors import UsageError
from shoal.model import Part, Priority
from shoal.strategy.learning.learner import LearningStrategy
from shoal.strategy.learning.memory import NEVER, Memory
from shoal.strategy.learning.rates import drawn, totals
from shoal.strategy.learning.record import Recorder
from shoal.strategy.learning.words import NUMBERS, Flags, Floats, Ints, Numbering
from shoal.strategy.recipe import Brief, Recipe

RELEVANT_FROM: Final = 0.5
"""The border of every Judgement."""
PULL: Final = 2.0
"""So many pages of average luck are added to what a sign was seen with."""
FIRST_MEAN: Final = 0.1
KINDS: Final = ("content", "url", "link", "sibling")


@dataclass(frozen=True, slots=True, kw_only=True)
class IntelligentOptions:
    """What may be set of ``intelligent``."""

    content_weight: float = 1.0
    """How much the words of linking pages count."""
    url_weight: float = 1.0
    """How much the tokens of the address count."""
    link_weight: float = 1.0
    """How much the relevance of linking pages counts."""
    sibling_weight: float = 1.0
    """How much the relevance of Urls linked from the same pages counts."""
    significance: float = 2.0
    """How many standard deviations a word or token must be from the mean to count at all."""


class IntelligentModel:
    """``learning.learner.Model``."""

    def __init__(self, options: IntelligentOptions) -> None:
        self._weights = np.array(
            (
                options.content_weight,
                options.url_weight,
                options.link_weight,
                options.sibling_weight,
            )
        )
        self._significance = options.significance
        self._mean = FIRST_MEAN
        self._words = np.zeros(NUMBERS)
        """The log of the interest ratio of each word of a linking page ..."""
        self._tokens = np.zeros(NUMBERS)
        """... and of each token of an address."""
        self._from_relevant = self._from_other = 0.0
        """The log of the interest ratio of a Link from such a page."""
        self._sums = np.zeros((0, 5))
        """Of each Url over the pages that link to it: how many they are, their content, their
        links, and how many Urls that they link to were relevant, and fetched."""
        self._url = np.zeros(0)

    def renew(self, memory: Memory) -> None:
        is_relevant: Flags = memory.relevance.all >= RELEVANT_FROM
        became = memory.became.all
        is_fetched: Flags = became != NEVER
        is_hit = np.zeros(memory.urls, np.bool_)
        is_hit[is_fetched] = is_relevant[became[is_fetched]]
        page, url = memory.link_page.all, memory.link_url.all
        tried = totals(page, is_fetched[url], memory.pages)
        hits = totals(page, is_hit[url], memory.pages)
        chosen = is_relevant[~memory.is_seed.all]
        self._mean = float(drawn(chosen.sum(), len(chosen), PULL, FIRST_MEAN))
        self._words = self._ratios(
            totals(memory.words.all.ravel(), _spread(hits, memory), NUMBERS),
            totals(memory.words.all.ravel(), _spread(tried, memory), NUMBERS),
        )
        owner, token = memory.paths.owner.all, memory.paths.word.all
        self._tokens = self._ratios(
            totals(token, is_hit[owner], NUMBERS),
            totals(token, is_fetched[owner], NUMBERS),
        )
        self._from_relevant, self._from_other = (
            float(np.log(drawn(hits[of].sum(), tried[of].sum(), PULL, self._mean) / self._mean))
            for of in (is_relevant, ~is_relevant)
        )
        self._sums = np.zeros((memory.urls, 5))
        self._add_links(memory, 0, hits, tried)
        self._url = memory.paths.meant(self._tokens, 0, memory.urls)

    def add(self, memory: Memory, links: int) -> None:
        first = len(self._sums)
        self._sums = np.vstack((self._sums, np.zeros((memory.urls - first, 5))))
        own = memory.paths.meant(self._tokens, first, memory.urls)
        self._url = np.concatenate((self._url, own))
        nothing = np.zeros(memory.pages)
        self._add_links(memory, len(memory.link_url) - links, nothing, nothing)

    def evidence(self, url: int) -> list[float]:
        del url
        return []

    def values(self, urls: Ints) -> Floats:
        found: Floats = self._logs(urls).sum(axis=1)
        return found

    def priorities(self, urls: Ints) -> list[Priority]:
        return [
            Priority(sum(row), tuple(map(Part, KINDS, row))) for row in self._logs(urls).tolist()
        ]

    def _logs(self, urls: Ints) -> Floats:
        sums = self._sums[urls]
        count = np.maximum(1.0, sums[:, 0])
        logs = np.column_stack(
            (
                sums[:, 1] / count,
                self._url[urls],
                sums[:, 2] / count,
                np.log(drawn(sums[:, 3], sums[:, 4], PULL, self._mean) / self._mean),
            )
        )
        found: Floats = logs * self._weights
        return found

    def _ratios(self, hits: Floats, tried: Floats) -> Floats:
        """The log of each sign's interest ratio, where it is significant; else 0."""
        mean = self._mean
        share = drawn(hits, tried, PULL, mean)
        deviation = np.sqrt(mean * (1.0 - mean) / np.maximum(tried, 1.0))
        ratios: Floats = np.log(np.maximum(share, 1e-9) / mean)
        return np.where(np.abs(share - mean) >= self._significance * deviation, ratios, 0.0)

    def _add_links(self, memory: Memory, first: int, hits: Floats, tried: Floats) -> None:
        url, page = memory.link_url.all[first:], memory.link_page.all[first:]
        if not len(url):
            return
        start = int(page[0])
        words, weights = memory.words.all[start:], memory.weights.all[start:]
        said = np.where(weights > 0.0, self._words[words], 0.0)
        content = said.sum(axis=1) / np.maximum(1, (said != 0.0).sum(axis=1))
        is_relevant = memory.relevance.all[page] >= RELEVANT_FROM
        link = np.where(is_relevant, self._from_relevant, self._from_other)
        columns = (np.ones(len(url)), content[page - start], link, hits[page], tried[page])
        for column, values in enumerate(columns):
            self._sums[:, column] += totals(url, values, len(self._sums))


def _spread(values: Floats, memory: Memory) -> Floats:
    """A value of each page, for each of its words; nothing for empty places."""
    found: Floats = np.where(memory.weights.all > 0.0, values[:, None], 0.0).ravel()
    return found


def _make(brief: Brief, options: IntelligentOptions) -> LearningStrategy:
    if options.significance < 0.0:
        raise UsageError("strategy.significance: it cannot be less than 0")
    return LearningStrategy(Recorder(brief.topic, Numbering(brief.idf)), IntelligentModel(options))


RECIPE = Recipe(
    "intelligent",
    "The Link whose signs went with relevant pages so far: words, address, links, siblings.",
    IntelligentOptions,
    _make,
)
