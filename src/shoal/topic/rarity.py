"""How telling a word is: its inverse document frequency, from a table that ships.

A focused crawler has seen too few pages to count in how many of them a word stands, and a count
that grows would judge the same Page differently tomorrow. So the frequency of a word in English
comes from the word lists of ``wordfreq``, and the share of documents that hold it follows by
assuming that words fall into documents of ``DOCUMENT_WORDS`` words independently:

    N_j / N = 1 - exp(-frequency_j * DOCUMENT_WORDS),    idf_j = log(N / N_j)
"""

from __future__ import annotations

from functools import cached_property
from math import expm1, log

import Stemmer
import wordfreq

DOCUMENT_WORDS = 400
"""Words in an ordinary web page. The ranking hardly depends on it: it shifts every idf alike."""

FLOOR = 1e-8
"""The frequency of a word that the list does not know: the list's own lower end."""


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
        frequencies = wordfreq.get_frequency_dict(self._language, "large")
        stems = self._stemmer.stemWords(list(frequencies))
        total: dict[str, float] = {}
        for stem, frequency in zip(stems, frequencies.values(), strict=True):
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
