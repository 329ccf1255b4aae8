"""Terms as the semantic strategies count them: words of two letters or more, without stop words,
all forms of a Porter stem together (section 3.1 of the thesis on focused crawlers).

A stop word is one that stands in more than a third of all documents. That follows from its idf, so
no list is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import Stemmer

STOP_IDF: Final = 1.0
"""Below, a word stands in more than 1 of e documents."""
KNOWN_WORDS: Final = 200_000
"""How many words' stems are remembered: more than a site has, some 30 MB."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


class Term(NamedTuple):
    """All forms of one stem in a text."""

    stem: str
    word: str
    """The first of the forms."""
    times: int
    idf: float


class TermReader:
    """Reads texts as Terms. The same text, the same Terms."""

    def __init__(self, idf: Callable[[str], float]) -> None:
        self._idf = idf
        self._stemmer = Stemmer.Stemmer("porter")
        self._known: dict[str, tuple[str, float]] = {}

    def read(self, texts: Iterable[str]) -> list[Term]:
        """The Terms of some texts taken together, in the order of their first forms."""
        found: dict[str, Term] = {}
        for text in texts:
            for word in _WORD.findall(text.lower()):
                stem, idf = self.look_up(word)
                if idf >= STOP_IDF:
                    before = found.get(stem, Term(stem, word, 0, idf))
                    found[stem] = before._replace(times=before.times + 1)
        return list(found.values())

    def look_up(self, word: str) -> tuple[str, float]:
        """The stem and the idf of a lower-case word."""
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= KNOWN_WORDS:
                self._known.clear()
            known = (self._stemmer.stemWord(word), self._idf(word))
            self._known[word] = known
        return known


def frequencies(terms: Iterable[Term]) -> list[float]:
    """The tf of equation 1: each count divided by the largest."""
    counts = [term.times for term in terms]
    most = max(counts, default=1)
    return [count / most for count in counts]
