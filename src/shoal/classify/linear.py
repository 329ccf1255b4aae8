"""The one form that every method here has once it is trained.

Naive Bayes, Lewis's model, Rocchio and a linear separator learn by different rules, but what each
has learnt is a weight for every term in every category. So one class predicts, explains and is
stored for all of them:

    score of category c:   s_c = bias_c + sum over terms t of  weight(t, page) * learnt(t, c)
    its probability:       p_c = exp(slope_c * s_c + offset_c) / the same summed over all categories

``slope`` and ``offset`` are the calibration. They were learnt from pages that the scores were not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from shoal.classify.vocabulary import Counts, Vocabularies
from shoal.classify.weighing import Weighing
from shoal.classify.words import read_words
from shoal.model import Page, Part

BATCH_PAGES = 512
"""So many pages are weighed at once: more are no faster, and hold more memory."""


class Place(StrEnum):
    """Where on a Page the terms of a Block stand."""

    TEXT = "text"
    LEAD = "lead"


class Block(NamedTuple):
    """What was learnt about the terms in one place: ``learnt`` has a row a term, a column a
    category."""

    place: Place
    weighing: Weighing
    learnt: NDArray[np.float64]

    def weights(self, counts: Counts) -> csr_matrix:
        return self.weighing.weigh(counts.text if self.place is Place.TEXT else counts.lead)


@dataclass(frozen=True, eq=False)
class Scores:
    """What a method has learnt, before calibration."""

    blocks: tuple[Block, ...]
    bias: NDArray[np.float64]

    def of(self, counts: Counts) -> NDArray[np.float64]:
        """One row a page, one column a category: higher is likelier."""
        total: NDArray[np.float64] = np.tile(self.bias, (counts.text.shape[0], 1))
        for block in self.blocks:
            total += block.weights(counts) @ block.learnt
        return total


class Calibration(NamedTuple):
    """From scores to what probabilities are made of; one number a category each."""

    slope: NDArray[np.float64]
    offset: NDArray[np.float64]

    def log_odds(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return scores * self.slope + self.offset


@dataclass(frozen=True, eq=False)
class LinearClassifier:
    """Implements ``ports.Classifier``."""

    categories: tuple[str, ...]
    vocabularies: Vocabularies
    scores: Scores
    calibration: Calibration

    def probabilities(self, pages: Sequence[Page]) -> NDArray[np.float64]:
        parts = [self._batch(batch) for batch in _batches(pages)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.categories)))

    def _batch(self, pages: Sequence[Page]) -> NDArray[np.float64]:
        counts = self.vocabularies.count_terms([read_words(page) for page in pages])
        rows = shares(self.calibration.log_odds(self.scores.of(counts)))
        # Nothing is known of these, and the bias alone would pass for knowledge.
        rows[~counts.known] = 1.0 / len(self.categories)
        return rows

    def reasons(self, page: Page, category: str, limit: int = 10) -> tuple[Part, ...]:
        """How much each term raises the log odds of the category over the average category."""
        if category not in self.categories:
            raise KeyError(category)
        column = self.categories.index(category)
        counts = self.vocabularies.count_terms([read_words(page)])
        found: dict[str, float] = defaultdict(float)
        for block in self.scores.blocks:
            row = block.weights(counts)
            learnt = block.learnt[row.indices] * self.calibration.slope
            ahead = row.data * (learnt[:, column] - learnt.mean(axis=1))
            terms = getattr(self.vocabularies, block.place.value).terms
            for position, value in zip(row.indices, ahead, strict=True):
                found[terms[position]] += float(value)
        ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Part(term, value) for term, value in ordered[:limit] if value > 0.0)


def shares(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Softmax of each row."""
    raised = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    rows: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return rows


def _batches(pages: Sequence[Page]) -> Iterator[Sequence[Page]]:
    for start in range(0, len(pages), BATCH_PAGES):
        yield pages[start : start + BATCH_PAGES]
