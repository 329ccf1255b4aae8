"""Rocchio-TFIDF (section 4.1.4 of the C4 thesis).

    C*(d') = argmax_C   sum over w in F of (TF(w,d') IDF(w)) (TF(w,C) IDF(w))
                        -----------------------------------------------------
                          sqrt( sum over w' in F of (TF(w',C) IDF(w'))^2 )

- ``IDF(w) = log(|D| / DF(w))``. The thesis calls |D| the size of the document; by its own section
  4.1.2 it is the number of training documents, and so we read it.
- ``TF(w,C)`` is the number of occurrences of w in the training pages of C (section 4.2.1).

The score is also divided by the length of the page's own vector, which makes it a cosine. That
changes no ranking, and is needed for one calibration to fit long and short pages.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classify.linear import Block, Place, Scores
from shoal.classify.vocabulary import Counts
from shoal.classify.weighing import Frequency, Scale, Weighing, inverse_document_frequency


@dataclass(frozen=True, slots=True)
class Rocchio:
    def learn(self, counts: Counts, belongs: NDArray[np.bool_]) -> Scores:
        idf = inverse_document_frequency(counts.text)
        profiles = (counts.text.T @ belongs.astype(np.float64)) * idf[:, np.newaxis]
        lengths = np.sqrt((profiles * profiles).sum(axis=0))
        learnt = profiles / np.where(lengths > 0.0, lengths, 1.0)
        weighing = Weighing(Frequency.COUNT, Scale.LENGTH, idf)
        return Scores((Block(Place.TEXT, weighing, learnt),), np.zeros(belongs.shape[1]))
