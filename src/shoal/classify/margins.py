"""The default: for each category the plane that separates its pages from all others, widest.

A linear support vector machine a category (squared hinge loss) over two vectors of length 1 side
by side: the terms of the whole text, and those of its lead, each weighing (1 + log n) * idf. A page
of several categories is an example of each. Examples are weighed so that the few pages of a small
category together count as much as all others.

What it learns is a distance to each plane, not a probability: see ``calibrate``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.svm import LinearSVC

from shoal.classify.linear import Block, Place, Scores
from shoal.classify.vocabulary import Counts
from shoal.classify.weighing import Frequency, Scale, Weighing, smooth_idf


@dataclass(frozen=True, slots=True)
class Margins:
    cost: float = 1.0
    """How much a page on the wrong side of a plane costs, against the width of the margin."""
    rounds: int = 5_000

    def learn(self, counts: Counts, belongs: NDArray[np.bool_]) -> Scores:
        texts = _weighing(counts.text)
        leads = _weighing(counts.lead)
        side_by_side = hstack([texts.weigh(counts.text), leads.weigh(counts.lead)]).tocsr()
        planes = [self._plane(side_by_side, members) for members in belongs.T]
        learnt = np.stack([plane for plane, _ in planes], axis=1)
        border = counts.text.shape[1]
        blocks = (
            Block(Place.TEXT, texts, learnt[:border]),
            Block(Place.LEAD, leads, learnt[border:]),
        )
        return Scores(blocks, np.array([bias for _, bias in planes]))

    def _plane(
        self, pages: csr_matrix, members: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], float]:
        separator = LinearSVC(
            C=self.cost, class_weight="balanced", max_iter=self.rounds, random_state=0
        )
        separator.fit(pages, members)
        return separator.coef_[0], float(separator.intercept_[0])


def _weighing(counts: csr_matrix) -> Weighing:
    return Weighing(Frequency.LOGARITHM, Scale.LENGTH, smooth_idf(counts))
