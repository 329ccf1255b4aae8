"""Curves of several runs as one: the mean at each number of pages, and how sure it is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from shoal.lab.results import Run
from shoal.lab.score import Curve
from shoal.lab.statistics import Mean
from shoal.lab.summary import mean_over_seeds

Values = Callable[[Curve], Sequence[float]]
"""One list of a curve."""


class BandPoint(NamedTuple):
    """After so many pages."""

    pages: int
    mean: Mean


def band(runs: Sequence[Run], values: Values) -> list[BandPoint]:
    """The mean over topics and seed sets, with its confidence interval over seed sets. A run that
    ended early keeps its last value."""
    found = []
    for pages in sorted({pages for run in runs for pages in run.curve.fetched}):
        mean = mean_over_seeds(runs, partial(_of_run, values, pages))
        if mean is not None:
            found.append(BandPoint(pages, mean))
    return found


def value_at(curve: Curve, values: Values, pages: int) -> float | None:
    """The value after ``pages`` pages: the last one told up to there; None where none was."""
    told, known = bisect_right(curve.fetched, pages), values(curve)
    return known[told - 1] if told and known else None


def _of_run(values: Values, pages: int, run: Run) -> float | None:
    return value_at(run.curve, values, pages)
