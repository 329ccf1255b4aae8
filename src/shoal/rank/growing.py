"""An array of numbers that grows at its end."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST: Final = 1024


class Growing:
    """Holds ``size`` numbers; growing by one is cheap, for room is made for half as many again."""

    def __init__(self, kind: DTypeLike) -> None:
        self._room: NDArray[Any] = np.zeros(_FIRST, kind)
        self.size = 0

    @property
    def values(self) -> NDArray[Any]:
        """A view: what is written there is written here. It ends being one at the next growth."""
        return self._room[: self.size]

    def grow(self, size: int, fill: float = 0) -> None:
        """Have at least ``size`` numbers; the new ones are ``fill``."""
        if size <= self.size:
            return
        if size > len(self._room):
            wider = np.zeros(max(size, len(self._room) * 3 // 2), self._room.dtype)
            wider[: self.size] = self.values
            self._room = wider
        self._room[self.size : size] = fill
        self.size = size

    def append(self, more: NDArray[Any]) -> None:
        before = self.size
        self.grow(before + len(more))
        self._room[before : self.size] = more
