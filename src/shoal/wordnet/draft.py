"""Gathers what a reader finds, in any order, and makes Tables of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from shoal.wordnet.errors import WordNetError
from shoal.wordnet.tables import PARTS, Numbers, Tables


class Draft:
    """A WordNet that is being read. Synsets go by any names that are unique in the source."""

    def __init__(self) -> None:
        self._synsets: dict[str, int] = {}
        self._parents: list[list[str]] = []
        self._senses: tuple[dict[str, list[str]], ...] = tuple({} for _ in PARTS)
        self._irregular: dict[tuple[str, str, str], None] = {}

    def synset(self, name: str, parents: Iterable[str]) -> None:
        if name in self._synsets:
            raise WordNetError(f"the synset {name} is there twice")
        self._synsets[name] = len(self._parents)
        self._parents.append(list(dict.fromkeys(parents)))

    def senses(self, part: str, word: str, synsets: Iterable[str]) -> None:
        """The senses of a word, the most frequent one first. Told twice, the later come after."""
        self._senses[PARTS.index(part)].setdefault(_named(word), []).extend(synsets)

    def irregular(self, part: str, form: str, base: str) -> None:
        self._irregular[(part, _named(form), _named(base))] = None

    def finish(self) -> Tables:
        """Raises WordNetError for a sense or a parent that is no synset."""
        words: list[str] = []
        senses: list[Sequence[str]] = []
        part_starts = [0]
        for entries in self._senses:
            for word in sorted(entries):
                found = list(dict.fromkeys(entries[word]))
                if found:
                    words.append(word)
                    senses.append(found)
            part_starts.append(len(words))
        if not words:
            raise WordNetError("there is not one word in it")
        sense_starts, sense_numbers = self._table(senses)
        parent_starts, parents = self._table(self._parents)
        return Tables(
            _bytes(words),
            np.array(part_starts, np.int32),
            sense_starts,
            sense_numbers,
            parent_starts,
            parents,
            _bytes([" ".join(line) for line in sorted(self._irregular)]),
        )

    def _table(self, rows: Sequence[Sequence[str]]) -> tuple[Numbers, Numbers]:
        starts = np.zeros(len(rows) + 1, np.int32)
        np.cumsum([len(row) for row in rows], out=starts[1:])
        try:
            items = [self._synsets[name] for row in rows for name in row]
        except KeyError as error:
            raise WordNetError(f"the synset {error} is named, but is not there") from error
        return starts, np.array(items, np.int32)


def _named(word: str) -> str:
    """A word as entries have it."""
    normal = "_".join(word.lower().split())
    if not normal:
        raise WordNetError("a word is empty")
    return normal


def _bytes(lines: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)
