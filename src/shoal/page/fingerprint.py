"""Digest and simhash: when two pages are the same, and when they say nearly the same.

1. Equal payloads have equal digests; the digest is the one that WARC files carry.
2. The simhash depends on the terms alone. Copies that differ in a few words differ in few of its
   64 bits; ``docs/explanation/parsing.md`` has the measured figures.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Final

import numpy as np
import xxhash

_SHORTEST: Final = 4
"""In bytes. Shorter words are in every text of a language and tell nothing apart."""


def digest(payload: bytes) -> str:
    """``sha1:`` and the base-32 SHA-1 of ``payload``."""
    sha1 = hashlib.sha1(payload, usedforsecurity=False).digest()
    return "sha1:" + base64.b32encode(sha1).decode("ascii")


def simhash(terms: Mapping[str, int], min_words: int) -> int | None:
    """Charikar's fingerprint (2002) of the terms, each weighted by the root of its count; None
    below ``min_words`` words."""
    if sum(terms.values()) < max(1, min_words):
        return None
    voters = [word for word in terms if len(word) >= _SHORTEST or not word.isascii()]
    if not voters:
        return 0
    words = "\n".join(voters).encode("utf-8", "replace").split(b"\n")
    hashes = b"".join(map(xxhash.xxh3_64_digest, words))
    bits = np.unpackbits(np.frombuffer(hashes, dtype=np.uint8)).reshape(-1, 64)
    counts = map(terms.__getitem__, voters)
    weights = np.sqrt(np.fromiter(counts, np.float32, len(voters)))
    ones = np.packbits(weights @ bits * 2 > weights.sum())
    return int.from_bytes(ones.tobytes(), "big")
