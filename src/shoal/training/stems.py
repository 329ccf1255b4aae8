"""Words as learning strategies read them: Porter's stems, without stop words.

The stop words are English, as Porter's stems are: in another language they are words like any
other, which the inverse document frequency weighs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import Stemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

WORD: Final = re.compile(r"[^\W\d_]{2,}")
"""What counts as a word, as Parsers and Topics have it."""
_STOP: Final = frozenset(ENGLISH_STOP_WORDS)


def stemmer() -> Callable[[str], str | None]:
    """Gives the stem of a lower-case word; None for a stop word."""
    stem: Callable[[str], str] = Stemmer.Stemmer("porter").stemWord
    return lambda word: None if word in _STOP else stem(word)


def count_stems(terms: Mapping[str, int]) -> dict[str, int]:
    """How often each stem stands in a text, given how often its words do."""
    stem_of = stemmer()
    found: dict[str, int] = {}
    for word, count in terms.items():
        stem = stem_of(word)
        if stem is not None:
            found[stem] = found.get(stem, 0) + count
    return found


def commonest_forms(words: Iterable[str], idf: Callable[[str], float]) -> dict[str, float]:
    """The inverse document frequency of each stem: that of its commonest word among these, for all
    of its forms together are hardly commoner than that one."""
    stem_of = stemmer()
    found: dict[str, float] = {}
    for word in sorted(set(words)):
        stem = stem_of(word)
        if stem is not None:
            found[stem] = min(found.get(stem, float("inf")), idf(word))
    return found
