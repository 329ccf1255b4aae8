"""Means and how sure they are: Student's t over seed sets."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from scipy.special import stdtrit

CONFIDENCE = 0.95


class Mean(NamedTuple):
    """A mean, and half the width of its confidence interval; None where one value tells nothing of
    the others."""

    value: float
    half: float | None


def mean_of(values: Sequence[float]) -> Mean:
    """The mean with its 95 % confidence interval, if the values are draws of one normal law:

    half = t(0.975, n - 1) * s / sqrt(n),    s^2 = sum((x - mean)^2) / (n - 1)
    """
    if not values:
        raise ValueError("the mean of nothing")
    count = len(values)
    mean = sum(values) / count
    if count < 2:
        return Mean(mean, None)
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / (count - 1))
    quantile = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))
    return Mean(mean, quantile * deviation / sqrt(count))
