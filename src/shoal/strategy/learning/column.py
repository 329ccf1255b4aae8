"""A column of numbers that grows, for what a crawl remembers by the hundred thousand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Kind = TypeVar("Kind", bound=np.generic)


class Column(Generic[Kind]):
    """Rows of one shape, appended at the end. ``all`` is a view of what is there: writing to it
    changes the column, and the next ``add`` may leave it behind."""

    def __init__(self, kind: type[Kind], width: int | None = None) -> None:
        self._size = 0
        shape = (64,) if width is None else (64, width)
        self._rows: NDArray[Kind] = np.zeros(shape, kind)

    def __len__(self) -> int:
        return self._size

    @property
    def all(self) -> NDArray[Kind]:
        return self._rows[: self._size]

    def add(self, rows: Sequence[Any] | NDArray[Any]) -> None:
        size = self._size + len(rows)
        if size > len(self._rows):
            grown = np.zeros(
                (max(size, 2 * len(self._rows)), *self._rows.shape[1:]), self._rows.dtype
            )
            grown[: self._size] = self._rows[: self._size]
            self._rows = grown
        if len(rows):
            self._rows[self._size : size] = rows
        self._size = size
