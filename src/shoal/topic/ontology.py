"""A Topic given by an ontology: the labels of its Concepts, weighed by how near they are to the
focal ones.

    tfidf(f, d)   = tf(f, d) / TF(d) * log10(D / df(f))
    relevancy(d)  = sum_f tfidf(f, d) * w(f)  /  sum_f w(f)

f runs over the Concepts: those on the page above, all of the ontology below. tf is how often any
label of f stands on the page, TF the same of the most frequent f. (Section 6.2 of the thesis on an
ontology-focused crawler for Heritrix.) From the relevancy the relevance follows as from a cosine,
with the relevancy limit as the border.

D and df come from the table that ships, or are counted in the crawl so far, as the prototype did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from math import log, sqrt
from typing import Final, NamedTuple

from shoal.model import Judgement, Page, Part
from shoal.ontology.focus import Focus
from shoal.ontology.label_index import LabelIndex, Stems, stem_idfs
from shoal.ontology.label_reader import ENGLISH, LabelReader
from shoal.ontology.model import Concept, Ontology
from shoal.topic.crawl_counts import CrawlCounts
from shoal.topic.keywords import WORD, relevance_of
from shoal.topic.rarity import FLOOR_IDF, Rarity, has_list

LIMIT: Final = 0.01
"""The relevancy limit of most of the thesis's crawls."""
REASONS: Final = 10
_LN_10: Final = log(10)


class Idf(StrEnum):
    """Where the inverse document frequency comes from."""

    REFERENCE = "reference"
    CRAWL = "crawl"


class MostFrequent(StrEnum):
    """What tf is divided by the frequency of."""

    CONCEPT = "concept"
    WORD = "word"


@dataclass(frozen=True, eq=False)
class OntologyTopic:
    """1. Deterministic. With ``Idf.CRAWL`` a Judgement goes by the Pages that it was told to
    ``meet`` as well: judging leaves no trace. Before it has met any, it goes by the table.
    2. The similarities of anchors are kept in a bounded cache, and never depend on the crawl.
    """

    ontology: Ontology
    focus: Focus
    limit: float = LIMIT
    """The relevancy at which relevance is 0.5."""
    idf: Idf = Idf.REFERENCE
    most_frequent: MostFrequent = MostFrequent.CONCEPT
    languages: frozenset[str] = frozenset()
    """Only labels in these languages, and those that are marked with none; empty is all."""
    cache_anchors: int = 100_000
    _anchors: dict[str, float] = field(default_factory=dict, repr=False)
    _indexes: dict[str, _Read] = field(default_factory=dict, repr=False)
    _latest: list[tuple[Page, _Found]] = field(default_factory=list, repr=False)
    """The Page that was read last: one that is met is judged next."""

    def judge(self, page: Page) -> Judgement:
        counts, words_most, read = self._found(page)
        if not counts:
            return Judgement(0.0, 0.0)
        idf = self._idf_now(counts, read)
        by_word = self.most_frequent is MostFrequent.WORD
        most = words_most if by_word else max(counts.values())
        shares = [
            Part(
                self._concepts[concept].name,
                tf / most * idf[concept] * self._weights[concept] / self._total,
            )
            for concept, tf in counts.items()
        ]
        shares.sort(key=lambda part: (-part.value, part.name))
        relevancy = sum(part.value for part in shares)
        return Judgement(
            relevance_of(relevancy, self.limit),
            read.cosine(counts, page.terms),
            tuple(part for part in shares[:REASONS] if part.value),
        )

    def similarity(self, words: str) -> float:
        known = self._anchors.get(words)
        if known is None:
            read = self._read(ENGLISH)
            counts, _ = read.index.count((words,))
            known = read.cosine(counts, Counter(WORD.findall(words.lower()))) if counts else 0.0
            if len(self._anchors) >= self.cache_anchors:
                self._anchors.clear()
            self._anchors[words] = known
        return known

    def meet(self, page: Page) -> None:
        """Count a Page of the crawl, where idf comes from there."""
        if self.idf is Idf.CRAWL:
            self._met.meet(self._found(page).counts)

    def knowledge(self) -> Mapping[str, bytes]:
        return self._met.knowledge()

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        self._met.recall(read)

    def concepts_on(self, page: Page) -> dict[str, int]:
        """How often each Concept stands on a Page, by its id."""
        return {self._concepts[number].id: tf for number, tf in self._found(page).counts.items()}

    def _found(self, page: Page) -> _Found:
        if not self._latest or self._latest[0][0] is not page:
            read = self._read(page.language.code)
            self._latest[:] = [(page, _Found(*read.index.count(_texts(page)), read))]
        return self._latest[0][1]

    def _idf_now(self, counts: Mapping[int, int], read: _Read) -> Mapping[int, float]:
        if self.idf is Idf.CRAWL and self._met.pages:
            return {concept: self._met.idf(concept) for concept in counts}
        return {concept: read.index.idf(concept) / _LN_10 for concept in counts}

    def _read(self, language: str) -> _Read:
        """As labels are read for a Page in that language."""
        code = self._labels.code_for(language)
        read = self._indexes.get(code)
        if read is None:
            read = self._indexes[code] = self._stemmed(code)
        return read

    def _stemmed(self, code: str) -> _Read:
        rarity = Rarity(code if has_list(code) else ENGLISH)
        idf_of_stem = stem_idfs(rarity.by_stem(Stems(code).of_words), FLOOR_IDF)
        index = self._labels.index(code, idf_of_stem)
        shares = [weight * index.idf(one) for one, weight in enumerate(self._weights)]
        return _Read(index, rarity, shares, sqrt(sum(share * share for share in shares)))

    @cached_property
    def _labels(self) -> LabelReader:
        return LabelReader(self.ontology, self.languages)

    @cached_property
    def _met(self) -> CrawlCounts:
        return CrawlCounts(len(self.ontology.concepts))

    @cached_property
    def _concepts(self) -> list[Concept]:
        return list(self.ontology.concepts.values())

    @cached_property
    def _weights(self) -> Sequence[float]:
        return list(map(self.focus.weight, self.ontology.concepts))

    @cached_property
    def _total(self) -> float:
        return sum(self._weights)


@dataclass(frozen=True)
class _Read:
    """The ontology as it is read for one language."""

    index: LabelIndex
    rarity: Rarity
    shares: Sequence[float]
    """Weight times idf: the Topic as a vector."""
    length: float
    """Of that vector."""

    def cosine(self, counts: Mapping[int, int], words: Mapping[str, int]) -> float:
        """Of a text to the Topic. Words that are in no label add to the text's length only."""
        along = sum(tf * self.index.idf(one) * self.shares[one] for one, tf in counts.items())
        length = max(
            self.rarity.length(words),
            sqrt(sum((tf * self.index.idf(one)) ** 2 for one, tf in counts.items())),
        )
        return min(1.0, along / (length * self.length)) if length and self.length else 0.0


class _Found(NamedTuple):
    """What a Page holds."""

    counts: Mapping[int, int]
    """How often each Concept stands there."""
    words_most: int
    """How often the most frequent word does."""
    read: _Read
    """The ontology as it was read for it."""


def _texts(page: Page) -> tuple[str, ...]:
    return page.title, page.description, page.text
