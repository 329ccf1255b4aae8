"""All records of a crawl as columns: pages, the Links between them, and the Urls these lead to.

A page, a Link and a Url are told by their numbers here, in the order in which they came. Sums over
all Links then are single operations on columns, however many Links there are.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from shoal.strategy.learning.column import Column
from shoal.strategy.learning.rates import totals
from shoal.strategy.learning.record import PAGE_WORDS, LinkRecord, PageRecord, Words
from shoal.strategy.learning.words import Floats, Ints

NEVER: Final = -1
"""In place of the page that a Url turned out to be, while it was not fetched."""


class TextColumn:
    """The words of one text for each Url."""

    def __init__(self) -> None:
        self.owner = Column(np.int64)
        self.word = Column(np.int64)
        self.weight = Column(np.float64)

    def add(self, texts: list[tuple[int, Words]]) -> None:
        self.owner.add([owner for owner, words in texts for _ in words])
        self.word.add([number for _, words in texts for number, _ in words])
        self.weight.add([weight for _, words in texts for _, weight in words])

    def weighed(self, value: Floats, first: int, urls: int) -> Floats:
        """For each Url from ``first`` on, the sum over the words of its text of ``value`` of the
        word times its weight."""
        part = self._from(first)
        products = value[self.word.all[part]] * self.weight.all[part]
        return totals(self.owner.all[part] - first, products, urls - first)

    def summed(self, value: Floats, first: int, urls: int) -> Floats:
        """The same without weights."""
        part = self._from(first)
        return totals(self.owner.all[part] - first, value[self.word.all[part]], urls - first)

    def meant(self, value: Floats, first: int, urls: int) -> Floats:
        """The mean of ``value`` over those words of each text that have one; 0 where none has."""
        part = self._from(first)
        owner, values = self.owner.all[part] - first, value[self.word.all[part]]
        count = totals(owner, values != 0.0, urls - first)
        return totals(owner, values, urls - first) / np.maximum(1.0, count)

    def _from(self, first: int) -> slice:
        return slice(int(np.searchsorted(self.owner.all, first)), None)


class Memory:
    """What was told, in columns."""

    def __init__(self) -> None:
        self.own = Column(np.int64)
        """The Url of each page; NEVER where no page before linked to it."""
        self.is_seed = Column(np.bool_)
        self.similarity = Column(np.float64)
        self.relevance = Column(np.float64)
        self.words = Column(np.int64, PAGE_WORDS)
        self.weights = Column(np.float64, PAGE_WORDS)

        self.chosen: list[int] = []
        """The pages that were chosen by evidence ..."""
        self.evidence: list[list[float]] = []
        """... and that evidence."""

        self.link_page = Column(np.int64)
        self.link_url = Column(np.int64)
        self.link_anchor = Column(np.float64)

        self.became = Column(np.int64)
        """The number of the page that each Url turned out to be."""
        self.host = Column(np.int64)
        self.directory = Column(np.int64)
        self.anchors = TextColumn()
        self.contexts = TextColumn()
        self.paths = TextColumn()

        self._urls: dict[int, int] = {}
        self._hosts: dict[int, int] = {}
        self._directories: dict[int, int] = {}

    @property
    def pages(self) -> int:
        return len(self.similarity)

    @property
    def urls(self) -> int:
        return len(self.became)

    def knows(self, number: int) -> bool:
        return number in self._urls

    def url(self, number: int) -> int | None:
        """The place of a Url in the columns, by its number in records."""
        return self._urls.get(number)

    def add(self, record: PageRecord) -> Ints:
        """Take a page in. Returns the Url that each of its Links leads to."""
        page = self.pages
        own = self._urls.get(record.url, NEVER)
        if own != NEVER and self.became.all[own] == NEVER:
            self.became.all[own] = page
        self.own.add([own])
        self.is_seed.add([record.seed])
        self.similarity.add([record.similarity])
        self.relevance.add([record.relevance])
        self._add_words(record.words, record.weights)
        if record.evidence:
            self.chosen.append(page)
            self.evidence.append(record.evidence)
        targets = self._add_urls(record.links)
        self.link_page.add(np.full(len(targets), page))
        self.link_url.add(targets)
        self.link_anchor.add([link.anchor_similarity for link in record.links])
        return targets

    def _add_words(self, words: list[int], weights: list[float]) -> None:
        self.words.add([words + [0] * (PAGE_WORDS - len(words))])
        self.weights.add([weights + [0.0] * (PAGE_WORDS - len(weights))])

    def _add_urls(self, links: list[LinkRecord]) -> Ints:
        targets = np.zeros(len(links), np.int64)
        new: list[tuple[int, LinkRecord]] = []
        for place, link in enumerate(links):
            number = self._urls.get(link.target)
            if number is None:
                number = self._urls[link.target] = len(self._urls)
                new.append((number, link))
            targets[place] = number
        self.became.add([NEVER] * len(new))
        self.host.add([_numbered(self._hosts, link.host) for _, link in new])
        self.directory.add([_numbered(self._directories, link.directory) for _, link in new])
        self.anchors.add([(number, link.anchor) for number, link in new])
        self.contexts.add([(number, link.context) for number, link in new])
        self.paths.add([(number, link.path) for number, link in new])
        return targets


def _numbered(known: dict[int, int], key: int) -> int:
    return known.setdefault(key, len(known))
