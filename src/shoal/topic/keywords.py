"""A Topic given by words: the vector space model over stems.

A text and the Topic are vectors of ``tf * idf``, and their similarity is the cosine. (Equations 1
and 2 of Batsakis, Petrakis and Milios, "Improving the performance of focused web crawlers". Their
tf is divided by the count of the text's most frequent term; the cosine is the same without.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

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
    def vector(self) -> Mapping[int, float]:
        """The weight of each stem of the Topic, scaled to length 1."""
        weighed = self.rarity.weigh(self._counts)
        stems = {self.rarity.stem(word) for word in self._counts}
        return {stem: weighed.weight(stem) / weighed.length for stem in sorted(stems)}

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(word for phrase in self.words for word in WORD.findall(phrase.lower()))

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """Each stem of the Topic by the first word that has it: what people are told."""
        return {self.rarity.stem(word): word for word in reversed(self._counts)}

    def judge(self, page: Page) -> Judgement:
        weighed = self.rarity.weigh(page.terms)
        if not weighed.length:
            return Judgement(0.0, 0.0)
        reasons = tuple(
            Part(self._names[stem], wanted * weight / weighed.length)
            for stem, wanted in self.vector.items()
            if (weight := weighed.weight(stem))
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
        """The cosine of a few words; most anchors share none with the Topic."""
        stem = self.rarity.stem
        if not any(stem(word) in self.vector for word in words):
            return 0.0
        weighed = self.rarity.weigh(Counter(words))
        shared = sum(wanted * weighed.weight(stem) for stem, wanted in self.vector.items())
        return min(1.0, shared / weighed.length)
