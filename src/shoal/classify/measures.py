"""How good answers are: accuracy, precision, recall, F1, calibration. Pure functions of numbers.

An answer is right when the likeliest category is one that the page belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BINS = 10


class CategoryMeasure(NamedTuple):
    """One category's share of a test. A measure of nothing is None: precision where no page was
    put there, accuracy and recall where none belongs there."""

    pages: int
    """How many belong there."""
    accuracy: float | None
    """The share of them that were told right, as this category or another of theirs."""
    precision: float | None
    """The share of the pages put there that belong there."""
    recall: float | None
    """The share of the pages that belong there that were put there."""
    f1: float | None


class Bin(NamedTuple):
    """Pages whose likeliest category has a probability between ``low`` and ``high``."""

    low: float
    high: float
    pages: int
    confidence: float
    """Its mean."""
    right: float
    """The share of right answers."""


class Measures(NamedTuple):
    pages: int
    accuracy: float
    """Right answers, each page counted once."""
    accuracy_mean: float
    """The mean of the categories' accuracies: each category counts once, as in C4's table."""
    accuracy_variance: float
    """Of the categories' accuracies about their mean, as fractions squared."""
    per_category: dict[str, CategoryMeasure]
    confusion: tuple[tuple[int, ...], ...]
    """A row a category that pages belong to, a column a category that they were put in. A right
    answer counts once, in its own cell; a wrong one once for each category of the page."""
    calibration: tuple[Bin, ...]
    calibration_error: float
    """The mean distance of confidence and share of right answers over the bins, by their pages."""


def measure(
    rows: NDArray[np.float64], belongs: NDArray[np.bool_], categories: Sequence[str]
) -> Measures:
    """``rows`` are probabilities, a row a page, a column a category; at least one page."""
    winners = rows.argmax(axis=1)
    every = np.arange(len(rows))
    right = belongs[every, winners]
    bins, error = calibration_of(rows[every, winners], right)
    per_category = {
        name: _category(column, winners, right, belongs) for column, name in enumerate(categories)
    }
    accuracies = [one.accuracy for one in per_category.values() if one.accuracy is not None]
    return Measures(
        len(rows),
        float(right.mean()),
        float(np.mean(accuracies)),
        float(np.var(accuracies)),
        per_category,
        _confusion(winners, right, belongs),
        bins,
        error,
    )


def calibration_of(
    confidences: NDArray[np.float64], right: NDArray[np.bool_]
) -> tuple[tuple[Bin, ...], float]:
    """Ten bins of equal width; those without pages are left out."""
    places = np.minimum((confidences * BINS).astype(int), BINS - 1)
    bins = []
    for place in range(BINS):
        here = places == place
        if here.any():
            mean = float(confidences[here].mean())
            share = float(right[here].mean())
            bins.append(Bin(place / BINS, (place + 1) / BINS, int(here.sum()), mean, share))
    distance = sum(one.pages * abs(one.confidence - one.right) for one in bins)
    return tuple(bins), distance / max(1, len(right))


def _category(
    column: int,
    winners: NDArray[np.intp],
    right: NDArray[np.bool_],
    belongs: NDArray[np.bool_],
) -> CategoryMeasure:
    members = belongs[:, column]
    put = winners == column
    both = int((members & put).sum())
    inside, chosen = int(members.sum()), int(put.sum())
    accuracy = float(right[members].mean()) if inside else None
    precision = both / chosen if chosen else None
    recall = both / inside if inside else None
    f1 = 2.0 * both / (inside + chosen) if inside + chosen else None
    return CategoryMeasure(inside, accuracy, precision, recall, f1)


def _confusion(
    winners: NDArray[np.intp], right: NDArray[np.bool_], belongs: NDArray[np.bool_]
) -> tuple[tuple[int, ...], ...]:
    size = belongs.shape[1]
    table = np.zeros((size, size), np.int64)
    np.add.at(table, (winners[right], winners[right]), 1)
    pages, labels = np.nonzero(belongs & ~right[:, np.newaxis])
    np.add.at(table, (labels, winners[pages]), 1)
    return tuple(tuple(int(cell) for cell in row) for row in table)
