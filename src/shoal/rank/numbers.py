"""Numbers for addresses: 0, 1, 2 ... in the order in which they are first met.

An address is known by a digest of 64 bits. Among ten million addresses two have the same one with
a probability of 3 in a million; they would then be one node of a graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import xxhash
from numpy.typing import NDArray

Digests = NDArray[np.uint64]
Nodes = NDArray[np.int64]

UNKNOWN: Final = -1
_SORTED_SHARE: Final = 8
_FRESH_MIN: Final = 4096


def digests(addresses: Iterable[str]) -> Digests:
    return np.fromiter((xxhash.xxh3_64_intdigest(one.encode()) for one in addresses), np.uint64)


class Numbers:
    """From digests to numbers.

    1. A number is never changed.
    2. About 26 bytes an address: most stand in sorted arrays, an eighth of them in a dict.
    """

    def __init__(self) -> None:
        self._sorted: Digests = np.empty(0, np.uint64)
        self._numbers: NDArray[np.uint32] = np.empty(0, np.uint32)
        self._fresh: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._sorted) + len(self._fresh)

    def find(self, keys: Digests) -> Nodes:
        """The number of each, UNKNOWN where it has none."""
        found = np.full(len(keys), UNKNOWN, np.int64)
        if len(self._sorted):
            places = np.searchsorted(self._sorted, keys)
            places[places == len(self._sorted)] = 0
            met = self._sorted[places] == keys
            found[met] = self._numbers[places[met]]
        if self._fresh:
            for place in np.flatnonzero(found == UNKNOWN).tolist():
                found[place] = self._fresh.get(int(keys[place]), UNKNOWN)
        return found

    def take(self, keys: Digests) -> Nodes:
        """The number of each; what has none gets the next one."""
        found = self.find(keys)
        for place in np.flatnonzero(found == UNKNOWN).tolist():
            found[place] = self._fresh.setdefault(int(keys[place]), len(self))
        if len(self._fresh) > max(_FRESH_MIN, len(self._sorted) // _SORTED_SHARE):
            self._merge()
        return found

    def _merge(self) -> None:
        size = len(self._fresh)
        keys = np.fromiter(self._fresh, np.uint64, size)
        numbers = np.fromiter(self._fresh.values(), np.uint32, size)
        order = np.argsort(keys)
        keys, numbers = keys[order], numbers[order]
        places = np.searchsorted(self._sorted, keys)
        self._sorted = np.insert(self._sorted, places, keys)
        self._numbers = np.insert(self._numbers, places, numbers)
        self._fresh = {}
