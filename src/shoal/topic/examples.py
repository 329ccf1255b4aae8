"""A Topic given by example pages: what is like these, and unlike those.

A text is a vector over words, with the weights ``(1 + log tf) * idf`` and length 1. The examples
that are wanted have a centroid P, those that are not a centroid N, and

    score(d) = cos(d, P) - cos(d, N)

is Rocchio's rule, with both kinds of example counting the same. Relevance is made of the score by
what was seen when each example was left out of its own centroid:

- alike enough: ``odds = (cos(d, P) / border) ** STEEPNESS``, as for a Topic by words, where the
  border is ``BORDER_SHARE`` of the median cosine of the wanted examples themselves;
- and, where there are unwanted examples, more like the wanted ones: ``odds = exp(slope * (score -
  middle))``, with the slope and the middle under which the examples are likeliest to be what they
  are, both kinds counting the same.

Relevance is the lesser of the two: a page that is like neither is not wanted.

``similarity`` is the cosine to P alone: it says what a text is like, and the unwanted say nothing
of an anchor of three words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import exp, sqrt
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from shoal.errors import UsageError
from shoal.model import Judgement, Page, Part
from shoal.topic.keywords import WORD, relevance_of
from shoal.topic.rarity import Rarity

BORDER_SHARE: Final = 0.9
"""Of the median cosine of an example to the others, below which a page is too unlike: measured by
benches/example_border.py, see docs/explanation/judging.md."""
LEAST_EXAMPLES: Final = 2
"""Different pages of a kind: from one, nothing can be learnt of how alike they are."""
MOST_TERMS: Final = 500
"""So many terms a centroid: those beyond weigh next to nothing and are the examples' own."""
REASONS: Final = 10
_STEEPEST: Final = 8.0
"""The logarithm of the steepest slope, for scores that spread by 1."""
_LARGEST: Final = 700.0
"""Beyond this exponent a number is too large to be one."""

Counts = Mapping[str, int]
Vector = Mapping[str, float]


class BadExamples(UsageError):
    """Nothing can be learnt from these example pages."""


@dataclass(frozen=True, eq=False)
class ExampleTopic:
    """Judges Pages and anchors by what example pages have in common.

    1. Deterministic: what was judged before does not matter.
    2. The similarities of anchors are kept in a bounded cache, for a site repeats its menus.
    """

    wanted: Vector
    """P, with length 1."""
    unwanted: Vector
    """N, with length 1, or nothing."""
    border: float
    """The cosine to P below which a page is not alike enough."""
    slope: float
    """0 where there are no unwanted examples."""
    middle: float
    rarity: Rarity
    cache_anchors: int = 100_000
    _anchors: dict[str, float] = field(default_factory=dict, repr=False)

    def judge(self, page: Page) -> Judgement:
        shares = vector_of(page.terms, self.rarity)
        similarity = _cosine(shares, self.wanted)
        against = _cosine(shares, self.unwanted)
        return Judgement(
            self._relevance(similarity, against) if shares else 0.0,
            similarity,
            self._reasons(shares),
        )

    def similarity(self, words: str) -> float:
        known = self._anchors.get(words)
        if known is None:
            counts = Counter(WORD.findall(words.lower()))
            known = _cosine(vector_of(counts, self.rarity), self.wanted)
            if len(self._anchors) >= self.cache_anchors:
                self._anchors.clear()
            self._anchors[words] = known
        return known

    def _relevance(self, similarity: float, against: float) -> float:
        alike = relevance_of(similarity, self.border)
        if not self.slope or not similarity:
            return alike
        ahead = self.slope * (similarity - against - self.middle)
        return min(alike, 1.0 / (1.0 + exp(min(_LARGEST, -ahead))))

    def _reasons(self, shares: Vector) -> tuple[Part, ...]:
        """The terms that moved the score most, whichever way."""
        found = [
            Part(term, share * ahead)
            for term, share in shares.items()
            if (ahead := self.wanted.get(term, 0.0) - self.unwanted.get(term, 0.0))
        ]
        return tuple(sorted(found, key=lambda part: (-abs(part.value), part.name))[:REASONS])


def learn_examples(
    wanted: Sequence[Counts], unwanted: Sequence[Counts], rarity: Rarity
) -> ExampleTopic:
    """Of how often each lower-case word stands in each example. Copies count once. Raises
    BadExamples."""
    likes = _different(wanted, rarity)
    unlikes = _different(unwanted, rarity)
    for kind, given, found in (("wanted", wanted, likes), ("unwanted", unwanted, unlikes)):
        if len(found) < LEAST_EXAMPLES and (given or kind == "wanted"):
            same = ", all with the same words" if len(given) > 1 else ""
            raise BadExamples(
                f"{len(given)} {kind} example{'s' if len(given) != 1 else ''}{same}: give at least "
                f"{LEAST_EXAMPLES} pages that differ"
            )
    p, n = _centroid(likes), _centroid(unlikes)
    alike = [_cosine(one, _centroid(likes, without=one)) for one in likes]
    border = BORDER_SHARE * median(alike)
    if border <= 0.0:
        raise BadExamples(
            "the example pages have no words in common, so there is nothing to look for; give "
            "pages about one thing"
        )
    if not unlikes:
        return ExampleTopic(p, n, border, 0.0, 0.0, rarity)
    inside = [cosine - _cosine(one, n) for cosine, one in zip(alike, likes, strict=True)]
    outside = [_cosine(one, p) - _cosine(one, _centroid(unlikes, without=one)) for one in unlikes]
    slope, middle = _calibrate(np.array(inside), np.array(outside))
    return ExampleTopic(p, n, border, slope, middle, rarity)


def vector_of(counts: Counts, rarity: Rarity) -> dict[str, float]:
    """The share of each word in a text: a vector of length 1, or nothing."""
    idf = np.fromiter(map(rarity.idf, counts), np.float64, len(counts))
    often = np.fromiter(counts.values(), np.float64, len(counts))
    weights = (1.0 + np.log(np.maximum(often, 1.0))) * idf
    length = sqrt(float(weights @ weights))
    return dict(zip(counts, (weights / length).tolist(), strict=True)) if length else {}


def _different(pages: Sequence[Counts], rarity: Rarity) -> list[Vector]:
    """In an order that does not hang on the one they came in."""
    kept = {frozenset(counts.items()): counts for counts in pages if counts}
    ordered = sorted(kept.values(), key=lambda counts: sorted(counts.items()))
    return [vector_of(counts, rarity) for counts in ordered]


def _centroid(vectors: Sequence[Vector], without: Vector | None = None) -> Vector:
    total: dict[str, float] = {}
    for one in vectors:
        if one is not without:
            for term, share in one.items():
                total[term] = total.get(term, 0.0) + share
    largest = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:MOST_TERMS]
    length = sqrt(sum(share * share for _, share in largest))
    return {term: share / length for term, share in largest} if length else {}


def _cosine(shares: Vector, centroid: Vector) -> float:
    if not centroid:
        return 0.0
    return min(
        1.0, sum(map(float.__mul__, shares.values(), map(centroid.get, shares, repeat(0.0))))
    )


def _calibrate(inside: NDArray[np.float64], outside: NDArray[np.float64]) -> tuple[float, float]:
    """Slope and middle. As in Platt's method the aim is not quite certainty but (n+1)/(n+2), so
    that a few examples all told right do not make the slope endless."""
    scores = np.concatenate([inside, outside])
    spread = float(scores.std()) or 1.0
    sure = (len(inside) + 1) / (len(inside) + 2), (len(outside) + 1) / (len(outside) + 2)
    aims = np.concatenate([np.full(len(inside), sure[0]), np.full(len(outside), 1.0 - sure[1])])
    counts = np.concatenate(
        [np.full(len(inside), 0.5 / len(inside)), np.full(len(outside), 0.5 / len(outside))]
    )
    middle = float((inside.mean() + outside.mean()) / 2)

    def loss(given: NDArray[np.float64]) -> float:
        odds = np.exp(given[0]) * ((scores - middle) / spread - given[1])
        return float(counts @ (np.logaddexp(0.0, odds) - aims * odds))

    bounds = [(-_STEEPEST, _STEEPEST), (-3.0, 3.0)]
    best = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=bounds).x
    return float(np.exp(best[0])) / spread, middle + float(best[1]) * spread
