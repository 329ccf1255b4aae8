"""Lewis's probabilistic model (section 4.1.4 of the C4 thesis).

    Pr(C_j=1 | d) = Pr(C_j=1) * product over all features i of
        ( Pr(W_i=1|C_j=1) Pr(W_i=1|d) / Pr(W_i=1)  +  Pr(W_i=0|C_j=1) Pr(W_i=0|d) / Pr(W_i=0) )

- ``Pr(C_j=1)`` is the same for all categories.
- ``Pr(W_i=1|d)``, how probably the feature belongs to the document, is 1 where the term stands in d
  and 0 where it does not: the thesis names no other estimate. So one of the two summands is always
  nought, and the logarithm of the product is linear in which terms stand in d:

      sum over all i of log(Pr(W_i=0|C_j)/Pr(W_i=0))
      + sum over i in d of  log(Pr(W_i=1|C_j)/Pr(W_i=1)) - log(Pr(W_i=0|C_j)/Pr(W_i=0))

- The probabilities of features are shares of the training pages, with ``smoothing`` added to the
  count of either outcome so that none is 0 or 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classify.linear import Block, Place, Scores
from shoal.classify.vocabulary import Counts
from shoal.classify.weighing import Frequency, Weighing


@dataclass(frozen=True, slots=True)
class Lewis:
    smoothing: float = 0.01

    def learn(self, counts: Counts, belongs: NDArray[np.bool_]) -> Scores:
        presence = Weighing(Frequency.PRESENCE)
        present = presence.weigh(counts.text)
        members = belongs.astype(np.float64)
        of_category = self._share(present.T @ members, members.sum(axis=0))
        of_all = self._share(present.T @ np.ones((len(members), 1)), np.array([len(members)]))
        there = np.log(of_category / of_all)
        absent = np.log((1.0 - of_category) / (1.0 - of_all))
        return Scores((Block(Place.TEXT, presence, there - absent),), absent.sum(axis=0))

    def _share(self, found: NDArray[np.float64], pages: NDArray[np.float64]) -> NDArray[np.float64]:
        return (found + self.smoothing) / (pages + 2.0 * self.smoothing)
