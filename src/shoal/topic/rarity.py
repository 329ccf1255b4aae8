"""How telling a word is: its inverse document frequency, from a table that ships.

A focused crawler has seen too few pages to count in how many of them a word stands, and a count
that grows would judge the same Page differently tomorrow. So the frequency of a word in English
comes from the word lists of ``wordfreq``, and the share of documents that hold it follows by
assuming that words fall into documents of ``DOCUMENT_WORDS`` words independently:

    N_j / N = 1 - exp(-frequency_j * DOCUMENT_WORDS),    idf_j = log(N / N_j)
"""

from __future__ import annotations

import gzip
from functools import cached_property
from importlib.util import find_spec
from math import expm1, log
from pathlib import Path

import msgspec
import Stemmer

DOCUMENT_WORDS = 400
"""Words in an ordinary web page. The ranking hardly depends on it: it shifts every idf alike."""

FLOOR = 1e-8
"""The frequency of a word that the list does not know: the list's own lower end."""


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
    return [list(row) for row in words]


class Rarity:
    """Stems of words with their inverse document frequency.

    1. ``weigh`` gives the same answer for the same word, always.
    2. Memory is bounded: the table, and a cache of ``cache_words`` words.
    """

    def __init__(self, language: str = "en", cache_words: int = 200_000) -> None:
        self._language = language
        self._cache_words = cache_words
        self._cache: dict[str, tuple[str, float]] = {}

    @cached_property
    def _stemmer(self) -> Stemmer.Stemmer:
        return Stemmer.Stemmer("porter")

    @cached_property
    def _frequency_by_stem(self) -> dict[str, float]:
        total: dict[str, float] = {}
        for centibels, words in enumerate(_word_list(self._language)):
            frequency = 10.0 ** (-centibels / 100)
            for stem in self._stemmer.stemWords(words):
                total[stem] = total.get(stem, 0.0) + frequency
        return total

    def weigh(self, word: str) -> tuple[str, float]:
        """The stem of a lower-case word, and the idf of that stem."""
        found = self._cache.get(word)
        if found is None:
            stem = self._stemmer.stemWord(word)
            frequency = self._frequency_by_stem.get(stem, FLOOR)
            found = (stem, -log(-expm1(-frequency * DOCUMENT_WORDS)))
            if len(self._cache) >= self._cache_words:
                self._cache.clear()
            self._cache[word] = found
        return found
