"""What the semantic strategies share: a Topic's kin among all words, and Links by their anchors.

Every sum over pairs of terms, one of a text and one of the Topic, is

    sum_j sum_k sim(t_j, t_k) w_j w_k  =  sum_j w_j kinship(t_j),
    kinship(t)  =  sum_k sim(t, t_k) w_k

and the Topic is the same all through a crawl. So sim is worked out once, from each of the Topic's
terms to every entry of the WordNet at a time; what is left for a page is to look its words up.

The similarity of two terms is that of their most similar senses. Terms of one stem, or that are
forms of one entry, are the same term: their similarity is 1, in the WordNet or not. Terms of which
one is in no WordNet are not alike otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from shoal.errors import UsageError
from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.strategy.recipe import Brief
from shoal.strategy.semantic_terms import Term, TermReader
from shoal.url import Url
from shoal.wordnet.lexicon import Lexicon
from shoal.wordnet.similarity import Measure

KNOWN_ANCHORS: Final = 100_000
"""How many anchors' scores are remembered, for a site repeats its menus."""


class Kinship:
    """How alike each word is to a Topic of weighted terms. Memory: 0.6 MB a term of the Topic."""

    def __init__(
        self,
        lexicon: Lexicon,
        measure: Measure,
        wanted: Sequence[Term],
        weights: Sequence[float],
        senses: int | None = None,
    ) -> None:
        self._lexicon = lexicon
        self._weights = np.array(weights, np.float64)
        self._places = {term.stem: place for place, term in enumerate(wanted)}
        self._rows = np.zeros((len(wanted), len(lexicon.words)), np.float32)
        for row, term in zip(self._rows, wanted, strict=True):
            entries = list(lexicon.entries_of(term.word))
            if entries:
                synsets = lexicon.synsets_of(entries, senses)
                alike = measure.to_all(lexicon.taxonomy, synsets)
                row[:] = lexicon.best_of_entries(alike, senses)
                row[entries] = 1.0
        self._known: dict[str, float] = {}

    def of(self, term: Term) -> float:
        known = self._known.get(term.word)
        if known is None:
            if len(self._known) >= KNOWN_ANCHORS:
                self._known.clear()
            known = self._known[term.word] = self._work_out(term)
        return known

    def _work_out(self, term: Term) -> float:
        entries = list(self._lexicon.entries_of(term.word))
        alike = self._rows[:, entries].max(axis=1, initial=0.0).astype(np.float64)
        place = self._places.get(term.stem)
        if place is not None:
            alike[place] = 1.0
        return float(alike @ self._weights)


class ByAnchor:
    """A Link is worth what its anchor is, or a weighted mean of that, of what the text of its page
    is worth in the same way, and of its page's cosine.

    A seed is worth what a Link would be whose anchor is the Topic itself, on a page that is.
    """

    def __init__(
        self,
        topic_words: Sequence[str],
        score: Callable[[str], float],
        content_share: float,
        page_share: float = 0.0,
    ) -> None:
        self._topic_words = topic_words
        self._score = score
        self._content_share = content_share
        self._page_share = page_share
        self._anchor_share = 1.0 - content_share - page_share
        self._known: dict[str, float] = {}

    def seed(self, url: Url) -> Priority:
        del url
        terms = (1.0 - self._content_share) * self._score(" ".join(self._topic_words))
        value = terms + self._content_share
        return Priority(value, (Part("seed", value),))

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del lease
        content = self._content_share * judgement.similarity
        parts: tuple[Part, ...] = (Part("content", content),) if self._content_share else ()
        if self._page_share:
            of_page = self._page_share * self._score(page.text)
            content += of_page
            parts += (Part("page", of_page),)
        found = []
        for link in links:
            anchor = self._anchor_share * self._score_of(link.anchor)
            own = (Part("anchor", anchor),) if anchor else ()
            found.append(Priority(content + anchor, (*parts, *own)))
        return found

    def _score_of(self, anchor: str) -> float:
        known = self._known.get(anchor)
        if known is None:
            if len(self._known) >= KNOWN_ANCHORS:
                self._known.clear()
            known = self._known[anchor] = self._score(anchor)
        return known


def wanted_terms(brief: Brief, reader: TermReader) -> list[Term]:
    """The Topic's terms. Raises UsageError where it is not given by words that say anything."""
    found = reader.read(brief.words)
    if not found:
        raise UsageError(
            "a semantic strategy compares words: give the topic by words (--topic), and not by "
            "such alone as stand everywhere"
        )
    return found


def check_share(name: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise UsageError(f"strategy.{name} lies between 0 and 1, not {value}")


def check_senses(senses: int | None) -> None:
    if senses is not None and senses < 1:
        raise UsageError(f"strategy.senses must be at least 1, not {senses}")


def check_positive(name: str, value: float) -> None:
    if value <= 0.0:
        raise UsageError(f"strategy.{name} must be more than 0, not {value}")
