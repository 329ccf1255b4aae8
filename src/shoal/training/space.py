"""The space of a training set: pages as vectors of ``tf * idf``, one dimension a stem.

Equations 1 and 2 of Batsakis, Petrakis and Milios, "Improving the performance of focused web
crawlers": the weight of a stem is its count times its idf (their division by the largest count
changes no cosine), and the similarity of two texts is the cosine. Every vector has length 1, so a
cosine is a dot product.

A word whose stem the training set does not have is in no dimension, but a text is as much longer by
it: a page is not more alike to another because most of it is about something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from math import log, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from shoal.training.stems import WORD, commonest_forms, count_stems, stemmer
from shoal.training.training_set import TrainingSet

Numbers = NDArray[np.float64]
_WORDS_KEPT: Final = 200_000
_WORDS_FIRST: Final = 4_096
_NOWHERE: Final = -1
_NEW: Final = -1


class Vector(NamedTuple):
    """The dimensions in which a text is not nought, in ascending order."""

    columns: NDArray[np.intp]
    values: Numbers

    def cosine(self, centre: Numbers) -> float:
        """To a vector of length 1 that has a number for each dimension."""
        return min(1.0, float(centre[self.columns] @ self.values))


class Space:
    """Texts as vectors. The same text, the same vector, whatever came before.

    What is known of words is kept in a bounded cache.
    """

    def __init__(self, weights: Mapping[str, float], unknown: Callable[[str], float]) -> None:
        """``weights`` is the idf of each stem; ``unknown`` that of a word with none of them."""
        self.stems: Final = tuple(sorted(weights))
        self._weights: Final = np.array([weights[stem] for stem in self.stems], np.float64)
        self._columns: Final = {stem: column for column, stem in enumerate(self.stems)}
        self._unknown = unknown
        self._stem = stemmer()
        # A word has a number, and a place in each of the two tables: one lookup a word.
        self._numbers: dict[str, int] = {}
        self._column_of = np.empty(_WORDS_FIRST, np.intp)
        self._weight_of = np.empty(_WORDS_FIRST, np.float64)

    @classmethod
    def with_idf(cls, training: TrainingSet, idf: Callable[[str], float]) -> Space:
        """With an inverse document frequency that was counted elsewhere."""
        words = (word for page in training.pages for word in page.terms)
        return cls(commonest_forms(words, idf), idf)

    @classmethod
    def with_own_idf(cls, training: TrainingSet) -> Space:
        """With ``idf = log(N / N_j)`` counted in the training set itself; a word that is nowhere in
        it weighs as one that a single page has."""
        counts = Counter(stem for page in training.pages for stem in count_stems(page.terms))
        size = len(training.pages)
        alone = log(size)
        return cls({stem: log(size / pages) for stem, pages in counts.items()}, lambda _: alone)

    def vector(self, terms: Mapping[str, int]) -> Vector:
        """Of length 1, or less by the words that have no dimension; nought without known words."""
        numbers = self._look_up(terms)
        columns, weights = self._column_of[numbers], self._weight_of[numbers]
        weights *= np.fromiter(terms.values(), np.float64, len(terms))
        known = columns != _NOWHERE
        rest = weights[~known]
        there, forms = np.unique(columns[known], return_inverse=True)
        values = np.bincount(forms, weights[known], len(there)).astype(np.float64)
        length = sqrt(float(values @ values) + float(rest @ rest))
        return Vector(there, values / length if length else values)

    def spread(self, vector: Vector) -> Numbers:
        """A number for each dimension."""
        made = np.zeros(len(self.stems))
        made[vector.columns] = vector.values
        return made

    def matrix(self, texts: Sequence[Mapping[str, int]]) -> csr_matrix:
        """The vectors of texts, a row each."""
        rows = [self.vector(terms) for terms in texts]
        starts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row.columns) for row in rows], out=starts[1:])
        columns = np.concatenate([row.columns for row in rows])
        values = np.concatenate([row.values for row in rows])
        return csr_matrix((values, columns, starts), shape=(len(rows), len(self.stems)))

    def likeness(self, text: str, centre: Sequence[float]) -> float:
        """The cosine of a short text, such as an anchor, to a vector of length 1."""
        terms = Counter(WORD.findall(text.lower()))
        numbers = self._look_up(terms)
        columns, weights = self._column_of[numbers].tolist(), self._weight_of[numbers].tolist()
        found: dict[int, float] = {}
        squares = 0.0
        for column, idf, count in zip(columns, weights, terms.values(), strict=True):
            weight = idf * count
            if column == _NOWHERE:
                squares += weight * weight
            else:
                found[column] = found.get(column, 0.0) + weight
        squares += sum(weight * weight for weight in found.values())
        if not found or not squares:
            return 0.0
        dot = sum(weight * centre[column] for column, weight in found.items())
        return min(1.0, dot / sqrt(squares))

    def _look_up(self, terms: Mapping[str, int]) -> NDArray[np.intp]:
        """The numbers of words, which get one where they have none yet."""
        size = len(terms)
        found = np.fromiter(map(self._numbers.get, terms, repeat(_NEW)), np.intp, size)
        if not (found == _NEW).any():
            return found
        if len(self._numbers) > _WORDS_KEPT:
            self._numbers.clear()
        for word in terms:
            if word not in self._numbers:
                self._learn(word)
        return np.fromiter(map(self._numbers.__getitem__, terms), np.intp, size)

    def _learn(self, word: str) -> None:
        number = len(self._numbers)
        if number == len(self._column_of):
            self._column_of = np.concatenate([self._column_of, np.empty_like(self._column_of)])
            self._weight_of = np.concatenate([self._weight_of, np.empty_like(self._weight_of)])
        stem = self._stem(word)
        column = _NOWHERE if stem is None else self._columns.get(stem, _NOWHERE)
        self._column_of[number] = column
        self._weight_of[number] = self._weight(word, stem, column)
        self._numbers[word] = number

    def _weight(self, word: str, stem: str | None, column: int) -> float:
        """The idf of its stem, or its own where that has no dimension; nought of a stop word."""
        if stem is None:
            return 0.0
        return self._unknown(word) if column == _NOWHERE else float(self._weights[column])


def centre_of(rows: csr_matrix) -> Numbers:
    """The centroid of vectors, brought to length 1; nought where they are."""
    mean = np.asarray(rows.mean(axis=0), np.float64).ravel()
    # Not by BLAS, whose sum of so many depends on the number of its threads.
    length = sqrt(float(np.square(mean).sum()))
    return mean / length if length else mean
