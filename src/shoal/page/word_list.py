"""A language told by a list of its words: section 4.4.3 of the C4 thesis.

    E(w) = 1 if w, or w without its last "s", is in the list, else 0
    Pr(d is English) = sum over w in d of E(w), divided by |d|

A text is in the language of the list where that is more than a cutoff K, which C4 set to 0.5. It
knows one language only, and needs no other's words: whatever is not listed counts against it.

Words are terms, as ``words`` counts them: two letters or more, lower case, without numbers. C4 read
pages as ASCII; here letters beyond it are letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shoal.errors import UsageError

CUTOFF: Final = 0.5
"""C4's K."""
COMMON_WORDS: Final = 10_000
"""C4 had a dictionary of 45,402 words. A list by frequency that long has common words of other
languages in it, such as "der" and "und", which people quote."""


@dataclass(frozen=True, slots=True)
class WordList:
    """In lower case."""

    words: frozenset[str]

    def share(self, terms: Mapping[str, int]) -> float:
        """Of the words of a text, those in the list, each as often as it stands there; 0 for a text
        without words."""
        listed = sum(count for term, count in terms.items() if self._has(term))
        return listed / max(1, sum(terms.values()))

    def _has(self, term: str) -> bool:
        return term in self.words or (term.endswith("s") and term[:-1] in self.words)


def read_word_list(path: Path) -> WordList:
    """A word a line, in UTF-8. Raises UsageError where there is none."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a list of words: {error}") from error
    words = frozenset(line.strip().lower() for line in lines if line.strip())
    if not words:
        raise UsageError(f"{path} has no words in it; give a file with a word a line")
    return WordList(words)


def english_words(count: int = COMMON_WORDS) -> WordList:
    """The most common words of English."""
    # Imported when it is wanted: it loads tokenisers of forty languages.
    import wordfreq

    return WordList(frozenset(wordfreq.top_n_list("en", count)))
