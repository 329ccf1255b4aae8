"""Terms: how often each word stands in a text.

A word is a run of at least two letters, in lower case: digits, signs and single letters are none,
as Topics have it. A run in a script written without spaces counts as its pairs of neighbours.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from string import ascii_lowercase
from typing import Final

LONGEST_WORD: Final = 64
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_UNSPACED_RUN: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]+"
)
# Bytes, because their translation is the fastest way to cut a text into words. What is not ASCII
# passes through, as Latin-1 letters that stand for bytes of UTF-8, and is looked at once for each
# different word; the two bytes that are white space in Latin-1 pass in disguise.
_LETTERS: Final = bytes(
    {0x85: 0x01, 0xA0: 0x02}.get(byte, byte)
    if byte > 127
    else (byte | 0x20 if chr(byte).isalpha() else 0x20)
    for byte in range(256)
)
_DISGUISED: Final = bytes.maketrans(b"\x01\x02", b"\x85\xa0")


def count_terms(text: str) -> dict[str, int]:
    if text.isascii():
        words = text.encode().translate(_LETTERS).decode("ascii").split()
        counts: dict[str, int] = Counter(words)
        _drop_odd_sizes(counts)
        return counts
    if "Σ" in text:
        # The one letter whose lower case depends on what stands beside its word.
        text = text.lower()
    words = text.encode("utf-8", "replace").translate(_LETTERS).decode("latin_1").split()
    counts = Counter(words)
    _drop_odd_sizes(counts)
    for odd in [word for word in counts if not word.isascii()]:
        times = counts.pop(odd)
        word = odd.encode("latin_1").translate(_DISGUISED).decode().lower()
        for part in (word,) if _is_plain(word) else _parts(word):
            counts[part] = counts.get(part, 0) + times
    return counts


def _drop_odd_sizes(counts: dict[str, int]) -> None:
    for letter in ascii_lowercase:
        counts.pop(letter, None)
    if max(map(len, counts), default=0) > LONGEST_WORD:
        for word in [word for word in counts if len(word) > LONGEST_WORD and word.isascii()]:
            del counts[word]


def _is_plain(word: str) -> bool:
    return 1 < len(word) <= LONGEST_WORD and word.isalpha() and not _UNSPACED_RUN.search(word)


def _parts(word: str) -> list[str]:
    """The words in a run of letters and signs beyond ASCII."""
    found: list[str] = []
    for run in _WORD.findall(word):
        rest = _UNSPACED_RUN.split(run)
        found.extend(part for part in rest if 2 <= len(part) <= LONGEST_WORD)
        if len(rest) > 1:
            for unspaced in _UNSPACED_RUN.findall(run):
                found.extend(first + second for first, second in pairwise(unspaced))
    return found
