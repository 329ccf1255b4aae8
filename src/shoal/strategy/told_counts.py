"""How many pages link to a Url, as other Crawlers of the Team have told it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from shoal.model import LinkCount
from shoal.rank.numbers import Digests

PIECE_COUNTS: Final = 4_096
"""A piece holds so many counts: it is written again until it is full."""
_BITS: Final = (1 << 64) - 1

_Told = tuple[str, list[LinkCount]]
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[_Told]).decode


class ToldCounts:
    """The sum over those who told, of the latest count that each gave.

    1. A count replaces an earlier one of the same Crawler and Url, unless it is smaller.
    2. ``knowledge`` gives the pieces that changed since it was asked last; ``recall`` takes all of
       them in again.
    """

    def __init__(self) -> None:
        self._latest: dict[tuple[str, int], int] = {}
        self._sums: dict[int, int] = {}
        self._open: list[_Told] = []
        """What is in the piece that is not full."""
        self._open_size = 0
        self._full = 0
        self._changed: dict[str, bytes] = {}

    def take(self, by: str, counts: Sequence[LinkCount]) -> int:
        """Returns how many were news."""
        news = []
        for url, pages in counts:
            before = self._latest.get((by, url), 0)
            if pages > before:
                self._latest[by, url] = pages
                key = url & _BITS
                self._sums[key] = self._sums.get(key, 0) + pages - before
                news.append(LinkCount(url, pages))
        if news:
            self._open.append((by, news))
            self._open_size += len(news)
            self._changed[_name(self._full)] = b""
            if self._open_size >= PIECE_COUNTS:
                self._changed[_name(self._full)] = _encode(self._open)
                self._open, self._open_size = [], 0
                self._full += 1
        return len(news)

    def of(self, keys: Digests) -> NDArray[np.int64]:
        """How often each was linked to elsewhere."""
        if not self._sums:
            return np.zeros(len(keys), np.int64)
        return np.array([self._sums.get(key, 0) for key in keys.tolist()], np.int64)

    def knowledge(self) -> dict[str, bytes]:
        changed, self._changed = self._changed, {}
        open_name = _name(self._full)
        if open_name in changed:
            # Packed once a batch, however many counts it brought.
            changed[open_name] = _encode(self._open)
        return changed

    def recall(self, read: Callable[[str], bytes | None]) -> int:
        """Returns how many counts there are."""
        for by, counts in self._pieces(read):
            self.take(by, counts)
        self._changed = {}
        return len(self._latest)

    def _pieces(self, read: Callable[[str], bytes | None]) -> Iterator[_Told]:
        number = 0
        while (piece := read(_name(number))) is not None:
            yield from _decode(piece)
            number += 1


def _name(number: int) -> str:
    return f"told/{number}"
