"""A Topic given by words: the vector space model.

A text and the Topic are vectors of ``tf * idf``, and their similarity is the cosine. (Equations 1
and 2 of Batsakis, Petrakis and Milios, "Improving the performance of focused web crawlers". Their
tf is divided by the count of the text's most frequent term; the cosine is the same without.)

The words of the Topic stand for their stems: all forms of such a word are one dimension. A word
that the Topic does not have adds to the length of a text only, and is not stemmed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

from shoal.model import Judgement, Page, Part
from shoal.topic.rarity import Rarity, Stem

WORD = re.compile(r"[^\W\d_]{2,}", re.UNICODE)
"""What counts as a word in topics and anchors: two letters or more."""

BORDER = 0.05
"""The cosine at which relevance is 0.5: measured by benches/border.py, see
docs/explanation/judging.md."""

STEEPNESS = 2.0


def relevance_of(similarity: float, border: float = BORDER) -> float:
    """A cosine on the scale of relevance: 0.5 at the border, rising with the odds."""
    if similarity <= 0.0:
        return 0.0
    odds: float = (similarity / border) ** STEEPNESS
    return odds / (1.0 + odds)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One word of the Topic."""

    name: str
    stem: Stem
    weight: float
    """Its share of the Topic's vector, which has length 1."""


@dataclass(frozen=True)
class KeywordTopic:
    """Judges Pages and anchors by the words of a Topic.

    1. Deterministic: what was judged before does not matter.
    2. The similarities of anchors are kept in a bounded cache, for a site repeats its menus.
    """

    words: tuple[str, ...]
    rarity: Rarity = field(default_factory=Rarity)
    terms: Mapping[str, float] = field(default_factory=dict)
    """Further words, and what each counts beside 1 for one of ``words``."""
    border: float = BORDER
    """The cosine at which relevance is 0.5."""
    cache_anchors: int = 100_000
    _anchors: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def wanted(self) -> tuple[Wanted, ...]:
        named = Counter(word for phrase in self.words for word in WORD.findall(phrase.lower()))
        counts: dict[str, float] = dict(named)
        for phrase, count in self.terms.items():
            for word in WORD.findall(phrase.lower()):
                counts[word] = counts.get(word, 0.0) + count
        merged: dict[tuple[str, ...], tuple[str, Stem, float]] = {}
        for word, count in counts.items():
            stem = self.rarity.stem(word)
            name, _, before = merged.get(stem.forms, (word, stem, 0.0))
            merged[stem.forms] = (name, stem, before + count)
        weights = [count * stem.idf for _, stem, count in merged.values()]
        length = sqrt(sum(weight * weight for weight in weights))
        return tuple(
            Wanted(name, stem, weight / length)
            for (name, stem, _), weight in zip(merged.values(), weights, strict=True)
        )

    def judge(self, page: Page) -> Judgement:
        reasons = self.compare(page.terms)
        similarity = min(1.0, sum(part.value for part in reasons))
        return Judgement(relevance_of(similarity, self.border), similarity, reasons)

    def compare(self, counts: Mapping[str, int]) -> tuple[Part, ...]:
        """The share of each of the Topic's words in the cosine to a text."""
        found = []
        excess = 0.0
        for wanted in self.wanted:
            here = [(count, form) for form in wanted.stem.forms if (count := counts.get(form))]
            if here:
                weight = sum(count for count, _ in here) * wanted.stem.idf
                # The length counts forms apart; those of the Topic's own words belong together.
                apart = sum((count * self.rarity.idf(form)) ** 2 for count, form in here)
                excess += weight * weight - apart
                found.append((wanted, weight))
        if not found:
            return ()
        length = sqrt(self.rarity.length(counts) ** 2 + excess)
        return tuple(Part(w.name, w.weight * weight / length) for w, weight in found)

    def similarity(self, words: str) -> float:
        known = self._anchors.get(words)
        if known is None:
            parts = self.compare(Counter(WORD.findall(words.lower())))
            known = min(1.0, sum(part.value for part in parts))
            if len(self._anchors) >= self.cache_anchors:
                self._anchors.clear()
            self._anchors[words] = known
        return known
