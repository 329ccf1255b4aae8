"""What the topic is, as the pages found so far tell it: pseudo-relevance feedback.

The Topic's own words stand on some relevant pages only. The most similar of the pages found tell
the other words that go with them (Rocchio's method, with the best pages taken for relevant ones):

    e = q + p / |p| - b * n / |n|,    negative weights left out, length 1

q is the vector of the Topic's words, p the sum of the best pages, weighed by a power of
relevance,
n that of all pages, weighed by what they lack of relevance. A page's opinion mixes the Judgement of
the Topic with its cosine to e, the more so the more good pages there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from shoal.strategy.learning.memory import Memory
from shoal.strategy.learning.rates import totals
from shoal.strategy.learning.words import NUMBERS, Floats, Ints

BEST_SHARE: Final = 0.2
BEST_LEAST: Final = 5
"""The best pages: a share of all, and so many at least."""
AGAINST: Final = 0.3
"""How much of the vector of all other pages is taken away."""
GOODNESS: Final = 4
"""The power of its relevance with which a page counts among the best: those at the border hardly
count, so a crawl that has found nothing yet is not led astray by what it took for something."""
FULL_VECTOR: Final = 3.0
"""So many good pages, and their words count as much as those of the Topic."""
FULL_TRUST: Final = 5.0
"""So many, and the opinion counts as much as it ever does ..."""
TRUST: Final = 0.4
"""... which is this share, beside the Judgement."""
BORDER: Final = 0.5
"""At this share of a good page's cosine a page is as likely relevant as not."""
STEEPNESS: Final = 3.0
SCALE_LEAST: Final = 0.05


@dataclass(frozen=True)
class Opinion:
    """The enriched topic at one moment."""

    vector: Floats
    scale: float = 1.0
    """The cosine of a page that is as good as the best ones."""
    trust: float = 0.0
    """How much it counts beside the Topic's own Judgement."""

    def of(self, relevance: Floats, words: Ints, weights: Floats) -> Floats:
        """How relevant pages are, in [0, 1]."""
        if not self.trust:
            return relevance
        cosines = (self.vector[words] * weights).sum(axis=1)
        odds = (np.clip(cosines / self.scale, 0.0, 1.5) / BORDER) ** STEEPNESS
        found: Floats = self.trust * odds / (1.0 + odds) + (1.0 - self.trust) * relevance
        return found


def first_opinion(words: list[tuple[int, float]]) -> Opinion:
    """That of the Topic's own words."""
    vector = np.zeros(NUMBERS)
    for number, weight in words:
        vector[number] += weight
    return Opinion(vector)


def form_opinion(first: Opinion, memory: Memory) -> Opinion:
    """That of all pages so far."""
    pages = memory.pages
    if not pages:
        return first
    relevance = memory.relevance.all
    best = np.argsort(-memory.similarity.all, kind="stable")[
        : max(BEST_LEAST, int(pages * BEST_SHARE))
    ]
    good = np.zeros(pages)
    good[best] = relevance[best] ** GOODNESS
    total = float(good.sum())
    if total <= 0.0:
        return first
    vector = (
        first.vector
        + min(1.0, total / FULL_VECTOR) * _direction(memory, good)
        - AGAINST * _direction(memory, 1.0 - relevance)
    )
    vector = np.maximum(vector, 0.0)
    vector /= _length(vector) or 1.0
    cosines = (vector[memory.words.all] * memory.weights.all).sum(axis=1)
    scale = max(SCALE_LEAST, float(cosines @ good) / total)
    return Opinion(vector, scale, TRUST * min(1.0, total / FULL_TRUST))


def _direction(memory: Memory, shares: Floats) -> Floats:
    weights = memory.weights.all * shares[:, None]
    vector = totals(memory.words.all.ravel(), weights.ravel(), NUMBERS)
    found: Floats = vector / (_length(vector) or 1.0)
    return found


def _length(vector: Floats) -> float:
    return float(np.sqrt(np.sum(vector * vector)))
