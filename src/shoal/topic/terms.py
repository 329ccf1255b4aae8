"""New terms for a Topic, from pages that somebody marked: Rocchio's relevance feedback.

A term's worth is its mean share in the vectors of the relevant pages less its mean share in those
of the others. What a term counts beside a word of the Topic is its worth over its idf (which the
Topic multiplies with again), on a scale where the strongest new term counts 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from shoal.topic.examples import Counts, vector_of
from shoal.topic.keywords import WORD
from shoal.topic.rarity import Rarity

LEAST_PAGES: Final = 2
"""A term that only one of the relevant pages has may be a name or a slip."""
LEAST_COUNT: Final = 0.05


def suggest_terms(
    relevant: Sequence[Counts],
    others: Sequence[Counts],
    known: Sequence[str],
    rarity: Rarity,
    limit: int,
) -> dict[str, float]:
    """At most ``limit`` words that are no forms of ``known`` ones, the strongest first."""
    worth: dict[str, float] = {}
    for pages, sign in ((relevant, 1.0), (others, -1.0)):
        for counts in pages:
            for term, share in vector_of(counts, rarity).items():
                worth[term] = worth.get(term, 0.0) + sign * share / len(pages)
    pages_with = Counter(term for counts in relevant for term in counts)
    words = [word for phrase in known for word in WORD.findall(phrase.lower())]
    taken = {form for word in words for form in rarity.stem(word).forms}
    strongest = sorted(
        (
            (term, value)
            for term, value in worth.items()
            if value > 0.0 and pages_with[term] >= LEAST_PAGES and WORD.fullmatch(term)
        ),
        key=lambda item: (-item[1], item[0]),
    )
    found: dict[str, float] = {}
    for term, value in strongest:
        if len(found) == limit:
            break
        if term not in taken:
            found[term] = value / max(rarity.idf(term), 1e-9)
            taken.update(rarity.stem(term).forms)
    return _scaled(found)


def _scaled(counts: Mapping[str, float]) -> dict[str, float]:
    largest = max(counts.values(), default=1.0)
    return {term: max(LEAST_COUNT, round(count / largest, 2)) for term, count in counts.items()}


def best_border(relevant: Sequence[float], others: Sequence[float]) -> float:
    """The cosine from which pages are held relevant so that most are right, both kinds counting
    the same: midway between the two scores that it parts."""
    scores = sorted({0.0, 1.0, *relevant, *others})
    borders = [(low + high) / 2 for low, high in pairwise(scores)]

    def right(border: float) -> float:
        above = sum(score >= border for score in relevant) / len(relevant)
        return above + sum(score < border for score in others) / len(others)

    return max(borders, key=lambda border: (right(border), -border))
