"""One step of any link analysis: what nodes give flows along the links and is summed up."""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
_AT_ONCE: Final = 1 << 20
"""Links in one go: bounds what a step needs beside the scores to 16 MB."""


class Graph(Protocol):
    """What an analysis looks at. A link is the same place in ``sources`` and in ``targets``."""

    @property
    def nodes(self) -> int: ...

    @property
    def sources(self) -> NDArray[np.uint32]: ...

    @property
    def targets(self) -> NDArray[np.uint32]: ...

    @property
    def out_degrees(self) -> NDArray[np.uint32]: ...


def pour(given: Scores, givers: NDArray[Any], takers: NDArray[Any], sums: Scores) -> None:
    """Add to ``sums`` of each link's taker what its giver gives along every link."""
    for start in range(0, len(givers), _AT_ONCE):
        end = start + _AT_ONCE
        np.add.at(sums, takers[start:end], given[givers[start:end]])
