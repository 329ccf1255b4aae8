"""Stepwise selection of terms (section 4.1.5 of the C4 thesis): one term at a time.

Backward (SBS) begins with all terms, and takes one out for good where the classifier does no worse
without it. Rare terms are tried first.

Forward (SFS) begins with none, and takes one in where the classifier does better with it. Common
terms are tried first.

Every term is tried once. The classifier is multinomial Naive Bayes, learnt from half of the pages;
how well it does is how many of the other half it tells right. Its score over a set S of terms,

    sum over t in S of n(d,t) * log( (N(t,c) + a) / (N(S,c) + a |S|) ),

falls apart into sums over S, so that a term costs one addition and one look at the pages, and not
one more training.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from shoal.classify.choices import Selection

_SMOOTHING = 0.1


def select_terms(
    counts: csr_matrix, belongs: NDArray[np.bool_], selection: Selection
) -> NDArray[np.intp]:
    """The columns to keep, in their order; at least one."""
    if selection is Selection.NONE:
        return np.arange(counts.shape[1])
    trial = _Trial(counts, belongs)
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    forward = selection is Selection.FORWARD
    order = np.argsort(-frequency if forward else frequency, kind="stable")
    if not forward:
        for column in order:
            trial.change(column, 1.0)
    kept = np.full(counts.shape[1], not forward)
    best = trial.right()
    for column in order:
        trial.change(column, 1.0 if forward else -1.0)
        now = trial.right() if trial.size else -1
        if now > best or (now == best and not forward):
            best = now
            kept[column] = forward
        else:
            trial.change(column, -1.0 if forward else 1.0)
    if not kept.any():
        kept[order[0]] = True
    return np.flatnonzero(kept)


class _Trial:
    """Naive Bayes over a changing set of terms."""

    def __init__(self, counts: csr_matrix, belongs: NDArray[np.bool_]) -> None:
        learn, look = np.arange(len(belongs)) % 2 == 0, np.arange(len(belongs)) % 2 == 1
        self._occurrences = counts[learn].T @ belongs[learn].astype(np.float64)
        self._pages = counts[look].tocsc()
        self._belongs = belongs[look]
        shape = self._belongs.shape
        self._sums = np.zeros(shape)
        self._lengths = np.zeros(shape[0])
        self._totals = np.zeros(shape[1])
        self._every = np.arange(shape[0])
        self.size = 0

    def change(self, column: int, sign: float) -> None:
        """Add a term to the set (1) or take it out (-1)."""
        start, end = self._pages.indptr[column : column + 2]
        rows = self._pages.indices[start:end]
        here = self._pages.data[start:end] * sign
        occurrences = self._occurrences[column]
        self._sums[rows] += np.outer(here, np.log(occurrences + _SMOOTHING))
        self._lengths[rows] += here
        self._totals += sign * occurrences
        self.size += int(sign)

    def right(self) -> int:
        """How many pages it tells right; one without any term of the set is told by chance, that
        is, wrong."""
        if not self.size:
            return 0
        below = np.log(np.maximum(self._totals, 0.0) + _SMOOTHING * self.size)
        winners = (self._sums - np.outer(self._lengths, below)).argmax(axis=1)
        return int((self._belongs[self._every, winners] & (self._lengths > 0.5)).sum())
