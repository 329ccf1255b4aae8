"""How telling a word is: its inverse document frequency, from a table that ships.

A focused crawler has seen too few pages to count in how many of them a word stands, and a count
that grows would judge the same Page differently tomorrow. So the frequency of a word in English
comes from the word lists of ``wordfreq``, and the share of documents that hold it follows by
assuming that words fall into documents of ``DOCUMENT_WORDS`` words independently:

    N_j / N = 1 - exp(-frequency_j * DOCUMENT_WORDS),    idf_j = log(N / N_j)
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import repeat
from math import exp, expm1, log, log1p, sqrt
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
import Stemmer

DOCUMENT_WORDS: Final = 400
"""Words in an ordinary web page. The ranking hardly depends on it: it shifts every idf alike."""

FLOOR_CENTIBELS: Final = 700
FLOOR: Final = 10.0 ** (-FLOOR_CENTIBELS / 100)
"""The frequency of any rarer word: one in ten million. Below, the list's own counts are noise."""


def _word_list(language: str) -> list[list[str]]:
    """The words of wordfreq's large list by their frequency in centibels below 1.

    Read from the package's data itself (a gzipped msgpack list with a header in front, as its
    documentation has it): importing the package loads tokenisers of forty languages, which takes
    longer than the rest of Shoal and is not needed for a table.
    """
    path = _path(language)
    header, *words = msgspec.msgpack.decode(gzip.decompress(path.read_bytes()))
    if header != {"format": "cB", "version": 1}:
        raise ValueError(f"{path} is not a word list of the format cB, version 1")
    return [list(row) for row in words[:FLOOR_CENTIBELS]]


def has_list(language: str) -> bool:
    """Whether a table ships for the language (ISO 639)."""
    return language.isalpha() and _path(language).is_file()


def _path(language: str) -> Path:
    package = find_spec("wordfreq")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("the word list is in the package wordfreq, which is missing")
    return Path(package.origin).parent / "data" / f"large_{language}.msgpack.gz"


class Stem(NamedTuple):
    """A stem with every known word that has it."""

    forms: tuple[str, ...]
    idf: float


class Rarity:
    """The inverse document frequency of words. The same word, the same idf, always."""

    def __init__(self, language: str = "en") -> None:
        self._language = language

    def idf(self, word: str) -> float:
        """Of a lower-case word as it is written."""
        return self._idf.get(word, FLOOR_IDF)

    def length(self, counts: Mapping[str, int]) -> float:
        """The length of the ``tf * idf`` vector of a text, given by how often each word stands in
        it. Every form of a word is a dimension of its own."""
        size = len(counts)
        weights = np.fromiter(map(self._idf.get, counts, repeat(FLOOR_IDF)), np.float64, size)
        weights *= np.fromiter(counts.values(), np.float64, size)
        return sqrt(float(weights @ weights))

    def stem(self, word: str) -> Stem:
        """The stem of a lower-case word, its forms counted together. Slow: not for whole texts."""
        stemmer = Stemmer.Stemmer("porter")
        stem = stemmer.stemWord(word)
        near = [known for known in self._idf if known.startswith(stem[:3])]
        same = zip(near, stemmer.stemWords(near), strict=True)
        forms = {word, *(known for known, of in same if of == stem)}
        frequency = sum(_frequency(self._idf[form]) for form in forms if form in self._idf)
        return Stem(tuple(sorted(forms)), _idf(max(FLOOR, frequency)))

    def by_stem(self, stems_of: Callable[[list[str]], list[str]]) -> dict[str, float]:
        """The idf of every stem of the table's words, all forms of a word counted together. Takes
        as long as stemming some hundred thousand words."""
        words = list(self._idf)
        frequencies: dict[str, float] = {}
        for stem, word in zip(stems_of(words), words, strict=True):
            frequencies[stem] = frequencies.get(stem, 0.0) + _frequency(self._idf[word])
        return {stem: _idf(max(FLOOR, frequency)) for stem, frequency in frequencies.items()}

    @cached_property
    def _idf(self) -> dict[str, float]:
        return _idf_table(self._language)


@lru_cache(maxsize=4)
def _idf_table(language: str) -> dict[str, float]:
    """Read once in a process, for it is large and never changes."""
    found: dict[str, float] = {}
    for centibels, words in enumerate(_word_list(language)):
        found.update(zip(words, repeat(_idf(10.0 ** (-centibels / 100)))))
    return found


def _idf(frequency: float) -> float:
    return -log(-expm1(-frequency * DOCUMENT_WORDS))


def _frequency(idf: float) -> float:
    """The inverse of ``_idf``."""
    return -log1p(-exp(-idf)) / DOCUMENT_WORDS


FLOOR_IDF: Final = _idf(FLOOR)
