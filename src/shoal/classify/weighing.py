"""How counts of terms become weights: W(t, d) of section 4.1.2 of the C4 thesis, and later ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix


class Frequency(StrEnum):
    """What a term that stands ``n`` times in a text counts."""

    COUNT = "count"
    """n"""
    PRESENCE = "presence"
    """1"""
    LOGARITHM = "logarithm"
    """1 + log n: the second time says less than the first."""


class Scale(StrEnum):
    """What the weights of one text are divided by. It changes no ranking of a text's categories
    where nothing is added to the sum of its weights."""

    NONE = "none"
    SUM = "sum"
    """Their sum, so that they are shares."""
    LENGTH = "length"
    """The square root of the sum of their squares, so that the text is a vector of length 1."""


@dataclass(frozen=True, eq=False)
class Weighing:
    frequency: Frequency
    scale: Scale = Scale.NONE
    idf: NDArray[np.float64] | None = None
    """One a column; None where rare terms count no more than common ones."""

    def weigh(self, counts: csr_matrix) -> csr_matrix:
        """Rows of weights from rows of counts. Each row depends on itself alone."""
        if self.frequency is Frequency.PRESENCE:
            weights = np.ones(counts.nnz)
        elif self.frequency is Frequency.LOGARITHM:
            weights = 1.0 + np.log(counts.data)
        else:
            weights = counts.data.copy()
        if self.idf is not None:
            weights *= self.idf[counts.indices]
        if self.scale is not Scale.NONE:
            weights /= self._divisors(counts, weights)
        return csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape)

    def _divisors(self, counts: csr_matrix, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """One for each weight. Not nought, even where every weight of a row is."""
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        size = counts.shape[0]
        if self.scale is Scale.SUM:
            sums = np.bincount(rows, weights, size)
        else:
            sums = np.sqrt(np.bincount(rows, weights * weights, size))
        sums[sums <= 0.0] = 1.0
        divisors: NDArray[np.float64] = sums[rows]
        return divisors


def document_frequency(counts: csr_matrix) -> NDArray[np.float64]:
    """In how many rows each term stands."""
    return np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.float64)


def inverse_document_frequency(counts: csr_matrix) -> NDArray[np.float64]:
    """log(|D| / DF): the thesis's own. A term that no row has weighs nothing."""
    frequency = document_frequency(counts)
    idf: NDArray[np.float64] = np.log(counts.shape[0] / np.maximum(frequency, 1.0))
    return np.where(frequency > 0.0, idf, 0.0)


def smooth_idf(counts: csr_matrix) -> NDArray[np.float64]:
    """1 + log((1 + |D|) / (1 + DF)): never nought, so that a common term still counts a little."""
    idf: NDArray[np.float64] = 1.0 + np.log(
        (1.0 + counts.shape[0]) / (1.0 + document_frequency(counts))
    )
    return idf
