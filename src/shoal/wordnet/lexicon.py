"""A WordNet to ask: entries of a word, synsets of an entry, synonyms, and the taxonomy.

Immutable. Tables of numbers stay arrays; the words alone become Python's own texts, some 15 MB for
WordNet 3.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.wordnet.morphology import base_entries
from shoal.wordnet.tables import PARTS, Numbers, Tables
from shoal.wordnet.taxonomy import Taxonomy, gather, transposed


@dataclass(frozen=True)
class Lexicon:
    """Answers by number: entries and synsets are counted from 0."""

    tables: Tables

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The word of each entry."""
        return tuple(self.tables.words.tobytes().decode().split("\n"))

    @cached_property
    def taxonomy(self) -> Taxonomy:
        return Taxonomy(self.tables.parent_starts, self.tables.parents)

    def entries_of(self, word: str) -> tuple[int, ...]:
        """The entries that a word, inflected perhaps, is a form of, of every part of speech."""
        lower = word.lower()
        found = (
            base_entries(lower, part, entries, irregular)
            for part, entries, irregular in zip(PARTS, self._entries, self._irregular, strict=True)
        )
        return tuple(chain.from_iterable(found))

    def synsets_of(self, entries: Iterable[int], senses: int | None = None) -> Numbers:
        """The synsets of some entries: of each the ``senses`` most frequent, or all."""
        starts, items = self._first(senses)
        return np.unique(gather(starts, items, np.fromiter(entries, np.int32)))

    def synonyms_of(self, word: str, senses: int | None = None) -> tuple[str, ...]:
        """The words that share a synset with a word, in order; its own base forms among them."""
        own = self.entries_of(word)
        if not own:
            return ()
        synsets = self.synsets_of(own, senses)
        starts, entries = self._members
        return tuple(sorted({self.words[entry] for entry in gather(starts, entries, synsets)}))

    def best_of_entries(
        self, of_synsets: NDArray[np.float32], senses: int | None = None
    ) -> NDArray[np.float32]:
        """For each entry the highest value among its synsets."""
        starts, items = self._first(senses)
        best: NDArray[np.float32] = np.maximum.reduceat(of_synsets[items], starts[:-1])
        return best

    def _first(self, senses: int | None) -> tuple[Numbers, Numbers]:
        starts, items = self.tables.sense_starts, self.tables.senses
        if senses is None:
            return starts, items
        counts = np.minimum(np.diff(starts), senses)
        short = np.zeros_like(starts)
        np.cumsum(counts, out=short[1:])
        within = np.arange(short[-1], dtype=np.int32) - np.repeat(short[:-1], counts)
        return short, items[np.repeat(starts[:-1], counts) + within]

    @cached_property
    def _members(self) -> tuple[Numbers, Numbers]:
        """The entries of each synset."""
        return transposed(self.tables.sense_starts, self.tables.senses, self.taxonomy.size)

    @cached_property
    def _entries(self) -> tuple[Mapping[str, int], ...]:
        starts = self.tables.part_starts.tolist()
        return tuple(
            dict(zip(self.words[begin:end], range(begin, end), strict=True))
            for begin, end in pairwise(starts)
        )

    @cached_property
    def _irregular(self) -> tuple[Mapping[str, tuple[str, ...]], ...]:
        found: dict[str, dict[str, tuple[str, ...]]] = {part: {} for part in PARTS}
        for line in self.tables.irregular.tobytes().decode().splitlines():
            part, form, base = line.split(" ")
            found[part][form] = (*found[part].get(form, ()), base)
        return tuple(found[part] for part in PARTS)
