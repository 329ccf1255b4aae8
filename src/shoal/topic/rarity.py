"""How telling a word is: its inverse document frequency, from a table that ships.

A focused crawler has seen too few pages to count in how many of them a word stands, and a count
that grows would judge the same Page differently tomorrow. So the frequency of a word in English
comes from the word lists of ``wordfreq``, and the share of documents that hold it follows by
assuming that words fall into documents of ``DOCUMENT_WORDS`` words independently:

    N_j / N = 1 - exp(-frequency_j * DOCUMENT_WORDS),    idf_j = log(N / N_j)
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from functools import cached_property
from importlib.util import find_spec
from itertools import repeat
from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import Stemmer
import xxhash

DOCUMENT_WORDS: Final = 400
"""Words in an ordinary web page. The ranking hardly depends on it: it shifts every idf alike."""

FLOOR_CENTIBELS: Final = 700
FLOOR: Final = 10.0 ** (-FLOOR_CENTIBELS / 100)
"""The frequency of any rarer word: one in ten million. Below, the list's own counts are noise."""

_UNKNOWN: Final = -1

Vector = npt.NDArray[np.float64]


def _word_list(language: str) -> list[list[str]]:
    """The words of wordfreq's large list by their frequency in centibels below 1.

    Read from the package's data itself (a gzipped msgpack list with a header in front, as its
    documentation has it): importing the package loads tokenisers of forty languages, which takes
    longer than the rest of Shoal and is not needed for a table.
    """
    package = find_spec("wordfreq")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("the word list is in the package wordfreq, which is missing")
    path = Path(package.origin).parent / "data" / f"large_{language}.msgpack.gz"
    header, *words = msgspec.msgpack.decode(gzip.decompress(path.read_bytes()))
    if header != {"format": "cB", "version": 1}:
        raise ValueError(f"{path} is not a word list of the format cB, version 1")
    return [list(row) for row in words[:FLOOR_CENTIBELS]]


class Weighed:
    """A text as a vector of ``tf * idf`` over stems; words of one stem count together."""

    __slots__ = ("_stems", "_weights", "length")

    def __init__(self, stems: npt.NDArray[np.int64], weights: Vector) -> None:
        self._stems = stems
        self._weights = weights
        self.length = sqrt(float(weights @ weights))

    def weight(self, stem: int) -> float:
        """The weight of a stem, by its number; 0 where the text does not have it."""
        place = int(np.searchsorted(self._stems, stem))
        if place < len(self._stems) and self._stems[place] == stem:
            return float(self._weights[place])
        return 0.0


class _Table(NamedTuple):
    """What the word list says of stems: their numbers, and the idf of each number. The last idf
    is that of every stem that the list does not have."""

    numbers: dict[str, int]
    idf: Vector


class Rarity:
    """Stems of words with their inverse document frequency. A stem is told by a number.

    1. The same text is weighed the same, always.
    2. Memory is bounded: the table, and the stems of ``memory_words`` words.
    """

    def __init__(self, language: str = "en", memory_words: int = 200_000) -> None:
        self._language = language
        self._memory_words = memory_words
        self._stem_of_word: dict[str, int] = {}

    def stem(self, word: str) -> int:
        """The number of a lower-case word's stem."""
        number = self._stem_of_word.get(word)
        return self._learn([word])[0] if number is None else number

    def idf(self, stem: int) -> float:
        idf = self._table.idf
        return float(idf[min(stem, len(idf) - 1)])

    def weigh(self, counts: Mapping[str, int]) -> Weighed:
        """A text by how often each lower-case word stands in it."""
        size = len(counts)
        known = map(self._stem_of_word.get, counts, repeat(_UNKNOWN, size))
        stems = np.fromiter(known, np.int64, size)
        missing = np.flatnonzero(stems == _UNKNOWN)
        if len(missing):
            words = list(counts)
            stems[missing] = self._learn([words[place] for place in missing.tolist()])
        idf = self._table.idf
        weights = np.fromiter(counts.values(), np.float64, size)
        weights *= idf[np.minimum(stems, len(idf) - 1)]
        distinct, place = np.unique(stems, return_inverse=True)
        merged = np.bincount(place, weights, len(distinct)).astype(np.float64, copy=False)
        return Weighed(distinct, merged)

    def _learn(self, words: list[str]) -> list[int]:
        table = self._table
        beyond = len(table.idf)
        found = [
            # Stems beyond the table need to differ, not to be counted: a hash will do.
            beyond + xxhash.xxh32_intdigest(stem.encode()) if number is None else number
            for stem in self._stemmer.stemWords(words)
            for number in (table.numbers.get(stem),)
        ]
        if len(self._stem_of_word) + len(words) > self._memory_words:
            self._stem_of_word.clear()
        self._stem_of_word.update(zip(words, found, strict=True))
        return found

    @cached_property
    def _stemmer(self) -> Stemmer.Stemmer:
        return Stemmer.Stemmer("porter")

    @cached_property
    def _table(self) -> _Table:
        total: dict[str, float] = {}
        for centibels, words in enumerate(_word_list(self._language)):
            frequency = 10.0 ** (-centibels / 100)
            for stem in self._stemmer.stemWords(words):
                total[stem] = total.get(stem, 0.0) + frequency
        numbers = {stem: number for number, stem in enumerate(total)}
        frequencies = np.array([*total.values(), FLOOR])
        return _Table(numbers, -np.log(-np.expm1(-frequencies * DOCUMENT_WORDS)))
