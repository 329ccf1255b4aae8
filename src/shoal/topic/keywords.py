"""A Topic given by words: the vector space model over stems.

A text and the Topic are vectors of ``tf * idf``, and their similarity is the cosine. (Equations 1
and 2 of Batsakis, Petrakis and Milios, "Improving the performance of focused web crawlers". Their
tf is divided by the count of the text's most frequent term; the cosine is the same without.)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

from shoal.model import Judgement, Page, Part
from shoal.topic.rarity import Rarity

WORD = re.compile(r"[^\W\d_]{2,}", re.UNICODE)
"""What counts as a word in topics and anchors: two letters or more."""

BORDER = 0.05
"""The cosine at which relevance is 0.5: measured by benches/border.py, see
docs/explanation/judging.md."""

STEEPNESS = 2.0


def relevance_of(similarity: float) -> float:
    """A cosine on the scale of relevance: 0.5 at BORDER, rising with the odds."""
    if similarity <= 0.0:
        return 0.0
    odds: float = (similarity / BORDER) ** STEEPNESS
    return odds / (1.0 + odds)


@dataclass(frozen=True)
class KeywordTopic:
    """Judges Pages and anchors by the words of a Topic.

    1. Deterministic: what was judged before does not matter.
    2. The similarities of anchors are kept in a bounded cache, for a site repeats its menus.
    """

    words: tuple[str, ...]
    rarity: Rarity = field(default_factory=Rarity)
    cache_anchors: int = 100_000
    _anchors: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def vector(self) -> Mapping[str, float]:
        """The weight of each stem of the Topic, scaled to length 1."""
        counts: dict[str, int] = {}
        for phrase in self.words:
            for word in WORD.findall(phrase.lower()):
                counts[word] = counts.get(word, 0) + 1
        weights = weights_of(counts, self.rarity)
        length = length_of(weights)
        return {stem: weight / length for stem, weight in weights.items()} if length else {}

    def judge(self, page: Page) -> Judgement:
        weights = weights_of(page.terms, self.rarity)
        length = length_of(weights)
        if not length:
            return Judgement(0.0, 0.0)
        reasons = tuple(
            Part(stem, wanted * weights[stem] / length)
            for stem, wanted in self.vector.items()
            if stem in weights
        )
        similarity = min(1.0, sum(part.value for part in reasons))
        return Judgement(relevance_of(similarity), similarity, reasons)

    def similarity(self, words: str) -> float:
        known = self._anchors.get(words)
        if known is None:
            known = self._cosine(WORD.findall(words.lower()))
            if len(self._anchors) >= self.cache_anchors:
                self._anchors.clear()
            self._anchors[words] = known
        return known

    def _cosine(self, words: Sequence[str]) -> float:
        counts: dict[str, int] = {}
        for word in words:
            counts[word] = counts.get(word, 0) + 1
        weights = weights_of(counts, self.rarity)
        shared = sum(wanted * weights.get(stem, 0.0) for stem, wanted in self.vector.items())
        return min(1.0, shared / length_of(weights)) if shared else 0.0


def weights_of(counts: Mapping[str, int], rarity: Rarity) -> dict[str, float]:
    """tf * idf of each stem; words of one stem count together."""
    weights: dict[str, float] = {}
    weigh = rarity.weigh
    for word, count in counts.items():
        stem, idf = weigh(word)
        weights[stem] = weights.get(stem, 0.0) + count * idf
    return weights


def length_of(weights: Mapping[str, float]) -> float:
    return sqrt(sum(weight * weight for weight in weights.values()))
