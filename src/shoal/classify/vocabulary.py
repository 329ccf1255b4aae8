"""The terms that a Classifier knows, and texts as rows of counts over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from shoal.classify.words import Words

_UNKNOWN = -1


@dataclass(frozen=True)
class Vocabulary:
    """Terms, each a column. Terms that are not in it do not exist for the Classifier."""

    terms: tuple[str, ...]

    @cached_property
    def columns(self) -> dict[str, int]:
        return {term: column for column, term in enumerate(self.terms)}

    def count(self, texts: Sequence[Mapping[str, int]]) -> csr_matrix:
        """One row a text."""
        total = sum(map(len, texts))
        found = map(self.columns.get, chain.from_iterable(texts), repeat(_UNKNOWN))
        columns = np.fromiter(found, np.int32, total)
        counts = np.fromiter(
            chain.from_iterable(text.values() for text in texts), np.float64, total
        )
        known = columns != _UNKNOWN
        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
        # How many known terms stand before each text's end.
        before = np.concatenate([[0], np.cumsum(known)])
        starts = np.concatenate([[0], before[ends]]).astype(np.int32)
        shape = (len(texts), len(self.terms))
        return csr_matrix((counts[known], columns[known], starts), shape=shape)


class Counts(NamedTuple):
    """Texts and their leads as rows of counts."""

    text: csr_matrix
    lead: csr_matrix

    def rows(self, chosen: NDArray[np.intp]) -> Counts:
        return Counts(self.text[chosen], self.lead[chosen])

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which rows hold a term that the Vocabularies have."""
        some: NDArray[np.bool_] = (np.diff(self.text.indptr) + np.diff(self.lead.indptr)) > 0
        return some


class Vocabularies(NamedTuple):
    """That of whole texts, and that of leads."""

    text: Vocabulary
    lead: Vocabulary

    def count_terms(self, texts: Sequence[Words]) -> Counts:
        return Counts(
            self.text.count([words.text for words in texts]),
            self.lead.count([words.lead for words in texts]),
        )
