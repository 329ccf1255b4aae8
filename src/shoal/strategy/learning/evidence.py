"""What speaks for each Url that Links were seen to: one row of numbers a Url.

Everything is taken over all pages that link to the Url, for several weak recommendations are worth
more than a strong one. Shares of relevant pages are drawn towards the mean of the crawl as long as
little is known (``(sum + k * mean) / (count + k)``), so one lucky page moves nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from shoal.strategy.learning.hosts import Hosts
from shoal.strategy.learning.memory import NEVER, Memory, TextColumn
from shoal.strategy.learning.opinion import Opinion
from shoal.strategy.learning.rates import drawn, totals
from shoal.strategy.learning.words import NUMBERS, Flags, Floats, Ints

NAMES: Final = (
    "one",
    "prior",  # the largest mean of page and anchor similarity: best-first on both
    "similarity",  # the largest similarity of a page that links here
    "anchor",  # the largest similarity of an anchor
    "best page",  # the largest opinion of a page that links here
    "mean page",
    "pages",  # log of 1 + the sum by which their opinions exceed the mean of the crawl
    "links",  # log of 1 + their number
    "best hub",  # the largest share of relevant pages among what such a page led to
    "mean hub",
    "neighbours",  # the relevant ones among the fetched Links that stand beside it
    "neighbour anchors",  # the similarity of the anchors beside it
    "enriched anchor",  # cosines to the enriched topic
    "enriched context",
    "enriched path",
    "anchor words",  # log odds of the words of texts that led to relevant pages
    "context words",
    "path words",
    "directory",  # shares of relevant pages
    "host",
)
REACH: Final = 3
"""Neighbours on each side of a Link."""
FIRST_MEAN: Final = 0.3
"""What an average choice brings, before anything was chosen."""
_MEAN_PULL: Final = 2.0
_HUB_PULL: Final = 4.0
_NEIGHBOUR_PULL: Final = 1.0
_DIRECTORY_PULL: Final = 3.0
_ODDS_PULL: Final = 1.0
_ODDS_MOST: Final = 4.0

_COUNT, _OPINION, _HUB, _ANCHORS, _HITS, _TRIED = range(6)
"""Columns of sums over the Links to a Url."""
_PRIOR, _SIMILARITY, _ANCHOR, _BEST, _BEST_HUB = range(5)
"""Columns of maxima over them."""


class Evidence:
    """All rows, as of one moment (``renew``) and brought up to date for single pages (``add``)."""

    def __init__(self) -> None:
        self.opinions: Floats = np.zeros(0)
        """Of every page."""
        self.mean = FIRST_MEAN
        """The mean opinion of the pages that were chosen: what an average choice brings."""
        self._sums = np.zeros((0, 6))
        self._most = np.zeros((0, 5))
        self._texts = np.zeros((0, 6))
        self._rates = np.zeros((0, 2))
        self._hosts = Hosts()
        self._odds = [np.zeros(NUMBERS)] * 3

    def renew(self, memory: Memory, opinion: Opinion) -> None:
        """Weigh everything anew."""
        self.opinions = opinion.of(memory.relevance.all, memory.words.all, memory.weights.all)
        chosen = self.opinions[~memory.is_seed.all]
        self.mean = float(drawn(chosen.sum(), len(chosen), 5.0, FIRST_MEAN))
        url, page = memory.link_url.all, memory.link_page.all
        outcome = np.full(memory.urls, np.nan)
        became = memory.became.all
        outcome[became != NEVER] = self.opinions[became[became != NEVER]]
        fetched = outcome[url]
        known = ~np.isnan(fetched)
        hits = np.where(known, fetched, 0.0)
        pages = memory.pages
        hubs = drawn(
            totals(page, hits, pages),
            totals(page, known, pages),
            _HUB_PULL,
            _hub_guess(self.opinions),
        )
        self._sums = np.zeros((memory.urls, 6))
        self._most = np.zeros((memory.urls, 5))
        self._add_links(memory, slice(0, len(url)), hubs)
        for column, values in ((_HITS, hits), (_TRIED, known.astype(np.float64))):
            self._sums[:, column] = totals(url, _beside(page, values), memory.urls)
        self._odds = [
            _odds(text, outcome, self.mean)
            for text in (memory.anchors, memory.contexts, memory.paths)
        ]
        self._texts = self._text_rows(memory, opinion, 0)
        directories = _rates(memory.directory.all, outcome, _DIRECTORY_PULL, self.mean)
        self._hosts.renew(memory.host.all, outcome, self.mean)
        self._rates = np.column_stack(
            (directories[memory.directory.all], self._hosts.rates(memory.host.all))
        )

    def add(self, memory: Memory, opinion: Opinion, links: int) -> None:
        """Take the last page of ``memory`` in, with its ``links`` Links: its own opinion, and what
        it says of the Urls that it links to."""
        last = slice(memory.pages - 1, memory.pages)
        own = opinion.of(
            memory.relevance.all[last], memory.words.all[last], memory.weights.all[last]
        )
        self.opinions = np.append(self.opinions, own)
        url = memory.own.all[-1]
        if url != NEVER:
            self._hosts.add(int(memory.host.all[url]), float(own[0]))
        first = len(self._sums)
        new = memory.urls - first
        if new:
            self._sums = np.vstack((self._sums, np.zeros((new, 6))))
            self._most = np.vstack((self._most, np.zeros((new, 5))))
            self._texts = np.vstack((self._texts, self._text_rows(memory, opinion, first)))
            self._rates = np.vstack((self._rates, self._new_rates(memory, first)))
        if links:
            hubs = np.empty(memory.pages)
            hubs[-1] = _hub_guess(own)[0]
            self._add_links(memory, slice(len(memory.link_url) - links, None), hubs)

    def rows(self, urls: Ints) -> Floats:
        """The evidence for these Urls, in the order of NAMES."""
        sums, most = self._sums[urls], self._most[urls]
        count = np.maximum(1.0, sums[:, _COUNT])
        found = np.empty((len(urls), len(NAMES)))
        found[:, 0] = 1.0
        found[:, 1] = most[:, _PRIOR]
        found[:, 2] = most[:, _SIMILARITY]
        found[:, 3] = most[:, _ANCHOR]
        found[:, 4] = most[:, _BEST]
        found[:, 5] = drawn(sums[:, _OPINION], sums[:, _COUNT], _MEAN_PULL, self.mean)
        beyond = sums[:, _OPINION] - sums[:, _COUNT] * self.mean
        found[:, 6] = np.log1p(np.maximum(0.0, beyond))
        found[:, 7] = np.log1p(sums[:, _COUNT])
        found[:, 8] = most[:, _BEST_HUB]
        found[:, 9] = sums[:, _HUB] / count
        found[:, 10] = (
            drawn(sums[:, _HITS], sums[:, _TRIED], _NEIGHBOUR_PULL, self.mean) - self.mean
        )
        found[:, 11] = sums[:, _ANCHORS] / count
        found[:, 12:18] = self._texts[urls]
        found[:, 18:20] = self._rates[urls]
        return found

    def _new_rates(self, memory: Memory, first: int) -> Floats:
        """Of the Urls from ``first`` on. What is known of a host holds for its new Urls too."""
        rates = np.zeros((memory.urls - first, 2))
        rates[:, 1] = self._hosts.rates(memory.host.all[first:])
        return rates

    def _add_links(self, memory: Memory, links: slice, hubs: Floats) -> None:
        url, page = memory.link_url.all[links], memory.link_page.all[links]
        anchor = memory.link_anchor.all[links]
        similarity, opinion, hub = memory.similarity.all[page], self.opinions[page], hubs[page]
        sums = {
            _COUNT: np.ones(len(url)),
            _OPINION: opinion,
            _HUB: hub,
            _ANCHORS: _beside(page, anchor),
        }
        most = {
            _PRIOR: (similarity + anchor) / 2.0,
            _SIMILARITY: similarity,
            _ANCHOR: anchor,
            _BEST: opinion,
            _BEST_HUB: hub,
        }
        for column, values in sums.items():
            np.add.at(self._sums[:, column], url, values)
        for column, values in most.items():
            np.maximum.at(self._most[:, column], url, values)

    def _text_rows(self, memory: Memory, opinion: Opinion, first: int) -> Floats:
        """Of the Urls from ``first`` on."""
        texts = (memory.anchors, memory.contexts, memory.paths)
        return np.column_stack(
            [text.weighed(opinion.vector, first, memory.urls) for text in texts]
            + [
                np.clip(text.summed(odds, first, memory.urls), -_ODDS_MOST, _ODDS_MOST)
                for text, odds in zip(texts, self._odds, strict=True)
            ]
        )


def _hub_guess(opinion: Floats) -> Floats:
    """The share of relevant pages that a page will lead to, before any of them is fetched."""
    return 0.5 * opinion


def _beside(page: Ints, values: Floats) -> Floats:
    """For each Link the sum of ``values`` of its neighbours on the page, the nearest counting
    most."""
    found = np.zeros(len(values))
    for far in range(1, REACH + 1):
        same = page[far:] == page[:-far]
        found[far:] += np.where(same, values[:-far], 0.0) / far
        found[:-far] += np.where(same, values[far:], 0.0) / far
    return found


def _odds(text: TextColumn, outcome: Floats, mean: float) -> Floats:
    """The log odds of relevance that each word brings with it, by what it led to."""
    worth = outcome[text.owner.all]
    is_known = ~np.isnan(worth)
    words, worth = text.word.all[is_known], worth[is_known]
    good = totals(words, worth, NUMBERS)
    bad = totals(words, 1.0 - worth, NUMBERS)
    pull = _ODDS_PULL
    found: Floats = np.log((good + pull * mean) / (bad + pull * (1.0 - mean)))
    found -= np.log(mean / (1.0 - mean))
    return found


def _rates(groups: Ints, outcome: Floats, pull: float, mean: float) -> Floats:
    """Of each group, by how much its fetched Urls were better than the mean."""
    is_known: Flags = ~np.isnan(outcome)
    size = int(groups.max()) + 1 if len(groups) else 0
    good = totals(groups, np.where(is_known, outcome, 0.0), size)
    tried = totals(groups, is_known, size)
    found: Floats = drawn(good, tried, pull, mean) - mean
    return found
