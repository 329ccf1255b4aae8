"""Totals, and shares of which little is known yet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.strategy.learning.words import Floats, Ints


def totals(place: Ints, values: NDArray[Any], size: int) -> Floats:
    """The sum of the values at each of ``size`` places."""
    return np.bincount(place, values, size).astype(np.float64)


def drawn(total: Any, count: Any, pull: float, towards: Any) -> Any:
    """A mean that is drawn towards another as long as it is one of few. Of numbers or of columns
    of numbers, whichever it is given."""
    return (total + pull * towards) / (count + pull)
