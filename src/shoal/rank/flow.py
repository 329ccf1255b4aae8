"""One step of any link analysis: what nodes give flows along the links and is summed up."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
_AT_ONCE: Final = 1 << 20
"""Links in one go: bounds what a step needs beside the scores to 16 MB."""


def pour(given: Scores, givers: NDArray[Any], takers: NDArray[Any], sums: Scores) -> None:
    """Add to ``sums`` of each link's taker what its giver gives along every link."""
    for start in range(0, len(givers), _AT_ONCE):
        end = start + _AT_ONCE
        np.add.at(sums, takers[start:end], given[givers[start:end]])
