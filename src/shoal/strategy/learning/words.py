"""Texts as rows of numbered stems: the form in which thousands of short texts are weighed at once.

Stems are numbered by a hash, so that no table of words needs to be kept or agreed upon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from math import sqrt
from typing import Final

import numpy as np
import Stemmer
import xxhash
from numpy.typing import NDArray

NUMBERS: Final = 1 << 16
"""So many different numbers a stem can have. Two stems of one number are taken for one."""
WORD: Final = re.compile(r"[^\W\d_]{2,}")
_CACHED: Final = 200_000

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Numbering:
    """Gives words their numbers and weights. What it said of a word is kept in a bounded cache."""

    def __init__(self, idf: Callable[[str], float]) -> None:
        self._idf = idf
        self._stemmer = Stemmer.Stemmer("porter")
        self._known: dict[str, tuple[int, float]] = {}

    def word(self, word: str) -> tuple[int, float]:
        """The number of a lower-case word, and how telling it is."""
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= _CACHED:
                self._known.clear()
            stem = self._stemmer.stemWord(word)
            number = xxhash.xxh32_intdigest(stem.encode()) % NUMBERS
            known = self._known[word] = (number, self._idf(word))
        return known

    def text(self, text: str, most: int) -> list[tuple[int, float]]:
        """The numbers of a short text's ``most`` telling words with their weights, the length of
        all of them together being 1."""
        known, word = self._known, self.word
        found = dict([known.get(one) or word(one) for one in WORD.findall(text.lower())])
        return _of_length_one(found.items(), most)

    def counts(self, counts: Mapping[str, int], most: int) -> tuple[Ints, Floats]:
        """As ``text``, of a text given by how often each lower-case word stands in it. Forms of one
        stem stay apart."""
        if not counts:
            return np.zeros(0, np.int64), np.zeros(0)
        known = self._known
        stems, idf = zip(*[known.get(one) or self.word(one) for one in counts], strict=True)
        numbers = np.array(stems, np.int64)
        weights = np.array(idf) * (1.0 + np.log(np.array(list(counts.values()), np.float64)))
        if len(numbers) > most:
            kept = np.sort(np.argpartition(-weights, most)[:most])
            numbers, weights = numbers[kept], weights[kept]
        length = sqrt(float(np.sum(weights * weights)))
        return numbers, weights / length if length else weights


def _of_length_one(weights: Iterable[tuple[int, float]], most: int) -> list[tuple[int, float]]:
    kept = list(weights)
    if len(kept) > most:
        ordered = sorted([(-weight, number) for number, weight in kept])
        kept = [(number, -against) for against, number in ordered[:most]]
    length = sqrt(sum([weight * weight for _, weight in kept]))
    return [(number, weight / length) for number, weight in kept] if length else []
