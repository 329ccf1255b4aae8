"""Best-first on page and anchor, with the synonyms of the Topic and of the anchor from WordNet.

    priority(link) = (similarity(page, topic^) + similarity(anchor^, topic^)) / 2     (equation 10)

where ``^`` is a text with the words of its words' synsets added, and similarity is the cosine of
equation 2. An added word counts as often as the word that brought it; one that is there already
is not counted again. Batsakis (2007), section 3.3.3, printed as 3.2.3.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.ports import Strategy
from shoal.strategy.best_first import SEED
from shoal.strategy.recipe import Brief, Recipe
from shoal.strategy.semantic import KNOWN_ANCHORS, check_senses, wanted_terms
from shoal.strategy.semantic_terms import STOP_IDF, TermReader
from shoal.url import Url
from shoal.wordnet.lexicon import Lexicon

Vector = dict[str, float]
"""Weights by stem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpansionOptions:
    wordnet: str | None = None
    """A WordNet to read: a folder or archive of database files, or a WN-LMF file. Without it, one
    is looked for in the usual places."""
    senses: int | None = None
    """Only this many senses of a word and part of speech, the most frequent ones; all of them
    where nothing is said."""


class SynsetExpansion:
    """Says the same of a Link whatever came before."""

    def __init__(
        self,
        lexicon: Lexicon,
        words: Sequence[str],
        reader: TermReader,
        senses: int | None = None,
    ) -> None:
        self._lexicon = lexicon
        self._reader = reader
        self._senses = senses
        self._synonyms: dict[str, tuple[str, ...]] = {}
        self._anchors: dict[str, float] = {}
        self._topic = self.expanded(words)

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del judgement, lease
        content = self._cosine(self._plain(page.terms)) / 2.0
        content_part = Part("content", content)
        found = []
        for link in links:
            anchor = self._of_anchor(link.anchor) / 2.0
            own = (Part("anchor", anchor),) if anchor else ()
            found.append(Priority(content + anchor, (content_part, *own)))
        return found

    def expanded(self, texts: Sequence[str]) -> Vector:
        """The vector of some texts with their synonyms."""
        terms = self._reader.read(texts)
        counts = {term.stem: (term.times, term.idf) for term in terms}
        for term in terms:
            for word in self._synonyms_of(term.word):
                stem, idf = self._reader.look_up(word)
                before = counts.get(stem)
                if idf >= STOP_IDF and (before is None or term.times > before[0]):
                    counts[stem] = (term.times, idf if before is None else before[1])
        return {stem: count * idf for stem, (count, idf) in counts.items()}

    def _of_anchor(self, anchor: str) -> float:
        known = self._anchors.get(anchor)
        if known is None:
            if len(self._anchors) >= KNOWN_ANCHORS:
                self._anchors.clear()
            known = self._anchors[anchor] = self._cosine(self.expanded([anchor]))
        return known

    def _synonyms_of(self, word: str) -> tuple[str, ...]:
        """Those of one word: others are no terms, and their parts mean something else."""
        known = self._synonyms.get(word)
        if known is None:
            if len(self._synonyms) >= KNOWN_ANCHORS:
                self._synonyms.clear()
            found = self._lexicon.synonyms_of(word, self._senses)
            known = self._synonyms[word] = tuple(one for one in found if one.isalpha())
        return known

    def _plain(self, counts: Mapping[str, int]) -> Vector:
        found: Vector = {}
        look_up = self._reader.look_up
        for word, count in counts.items():
            stem, idf = look_up(word)
            if idf >= STOP_IDF:
                found[stem] = found.get(stem, 0.0) + count * idf
        return found

    def _cosine(self, vector: Vector) -> float:
        product = sum(weight * vector.get(stem, 0.0) for stem, weight in self._topic.items())
        if not product:
            return 0.0
        return min(1.0, product / (_length(vector) * _length(self._topic)))


def _length(vector: Vector) -> float:
    return sqrt(sum(weight * weight for weight in vector.values()))


def _make(brief: Brief, options: ExpansionOptions) -> Strategy:
    # Imported when it is wanted: an ordinary crawl reads no archives of WordNet.
    from shoal.wordnet.opening import open_wordnet

    check_senses(options.senses)
    reader = TermReader(brief.idf)
    wanted_terms(brief, reader)
    lexicon = open_wordnet(options.wordnet, os.environ)
    return SynsetExpansion(lexicon, brief.words, reader, options.senses)


RECIPE = Recipe(
    "synset-expansion",
    "The Link whose page and anchor are most alike to the topic, synonyms from WordNet added.",
    ExpansionOptions,
    _make,
)
