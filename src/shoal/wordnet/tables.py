"""A WordNet as a few arrays: what is kept on disk, and what a Lexicon answers from.

An *entry* is a word as one part of speech. Entries are numbered through the parts of speech in the
order of ``PARTS``, synsets from 0. Of each pair ``..._starts`` and items, the items of number ``n``
are those from ``starts[n]`` to ``starts[n + 1]``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

PARTS: Final = ("n", "v", "a", "r")
"""Nouns, verbs, adjectives (satellites among them), adverbs."""

Numbers = NDArray[np.int32]


class Tables(NamedTuple):
    """Every field is an array, so that all are kept in one way."""

    words: NDArray[np.uint8]
    """UTF-8: the word of each entry on a line of its own, in lower case, ``_`` for a space."""
    part_starts: Numbers
    """The first entry of each part of speech, and how many entries there are."""
    sense_starts: Numbers
    senses: Numbers
    """The synsets of an entry, the most frequent sense first."""
    parent_starts: Numbers
    parents: Numbers
    """The synsets that a synset is a kind of, or an instance of."""
    irregular: NDArray[np.uint8]
    """UTF-8: lines of part of speech, inflected form and base form, as ``n geese goose``."""
