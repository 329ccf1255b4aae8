"""A Topic that is one category of a trained Classifier.

Relevance is the category's calibrated probability, so it needs no further border. Similarity is how
far the probability lies above chance, so that a text of which nothing is known counts nothing.

A Page that can belong to no category (too few words, another language) is irrelevant, and the
reason says which rule it was: who knows the rules gives them as ``refuse``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from shoal.model import Judgement, Page, Part
from shoal.ports import Classifier
from shoal.topic.keywords import WORD
from shoal.url import parse_url

LEAST_BELIEF: Final = 0.001
"""Categories that are less likely than this are not kept with the Judgement."""
REASONS: Final = 10
_NOWHERE: Final = "http://text.example/"


@dataclass(frozen=True, eq=False)
class CategoryTopic:
    """Deterministic; the similarities of anchors are kept in a bounded cache."""

    classifier: Classifier
    category: str
    """One of the Classifier's."""
    refuse: Callable[[Page], str]
    """Why a Page can belong to no category; empty where it may."""
    cache_anchors: int = 100_000
    _anchors: dict[str, float] = field(default_factory=dict, repr=False)

    @cached_property
    def _column(self) -> int:
        return self.classifier.categories.index(self.category)

    def judge(self, page: Page) -> Judgement:
        why_not = self.refuse(page)
        if why_not:
            return Judgement(0.0, 0.0, (Part(why_not, 0.0),))
        row = self.classifier.probabilities([page])[0].tolist()
        probability = min(1.0, row[self._column])
        beliefs = sorted(
            (Part(name, min(1.0, value)) for name, value in self._named(row)),
            key=lambda part: (-part.value, part.name),
        )
        return Judgement(
            probability,
            self._above_chance(probability),
            self.classifier.reasons(page, self.category, REASONS),
            tuple(beliefs),
        )

    def similarity(self, words: str) -> float:
        known = self._anchors.get(words)
        if known is None:
            counts = Counter(WORD.findall(words.lower()))
            page = Page(parse_url(_NOWHERE), "text/plain", title=words, terms=counts)
            row = self.classifier.probabilities([page])[0]
            known = self._above_chance(float(row[self._column]))
            if len(self._anchors) >= self.cache_anchors:
                self._anchors.clear()
            self._anchors[words] = known
        return known

    def _named(self, row: list[float]) -> list[tuple[str, float]]:
        named = zip(self.classifier.categories, row, strict=True)
        return [(name, value) for name, value in named if value >= LEAST_BELIEF]

    def _above_chance(self, probability: float) -> float:
        chance = 1.0 / len(self.classifier.categories)
        return min(1.0, max(0.0, (probability - chance) / (1.0 - chance)))
