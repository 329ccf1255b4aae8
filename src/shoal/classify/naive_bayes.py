"""Naive Bayes (section 4.1.4 of the C4 thesis).

    C*(d) = argmax_i  log { Pr(C_i) * product over w in d of  W(w, C_i) ^ n(d, w) }

- ``Pr(C_i)`` is the same for all categories (section 4.2), so it drops out.
- ``W(w, C)``, the weight of a term in a category, is the share of w among all occurrences of terms
  in the category. The thesis does not say how it keeps that from nought, which would rule a
  category out for one unseen word; we add ``smoothing`` to each count.
- ``n(d, w)`` is how often w stands in d; in the binary variant it is 1.

The logarithm is divided by the sum of n(d, w). That changes no ranking, and makes long and short
pages comparable, without which no calibration would hold for both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classify.linear import Block, Place, Scores
from shoal.classify.vocabulary import Counts
from shoal.classify.weighing import Frequency, Scale, Weighing


@dataclass(frozen=True, slots=True)
class NaiveBayes:
    binary: bool = False
    smoothing: float = 0.1

    def learn(self, counts: Counts, belongs: NDArray[np.bool_]) -> Scores:
        frequency = Frequency.PRESENCE if self.binary else Frequency.COUNT
        occurrences = Weighing(frequency).weigh(counts.text).T @ belongs.astype(np.float64)
        raised = occurrences + self.smoothing
        learnt = np.log(raised / raised.sum(axis=0))
        block = Block(Place.TEXT, Weighing(frequency, Scale.SUM), learnt)
        return Scores((block,), np.zeros(belongs.shape[1]))
