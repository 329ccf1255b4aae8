"""Results gathered: for each web and Strategy, the mean over topics, seed sets and repetitions.

A mean over topics is taken within each seed set first. The confidence interval is over these
values, one a seed set: it says how far another draw of seeds would move the mean, not how far other
topics would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from shoal.lab.results import Results, Run
from shoal.lab.score import Figures
from shoal.lab.statistics import Mean, mean_of

Take = Callable[[Run], float | None]
"""One figure of a run; None where it has none."""


class Measure(NamedTuple):
    """A column of tables."""

    name: str
    take: Callable[[Figures], float | None]


COLUMNS = (
    Measure("share of the oracle's area", lambda f: f.oracle_ratio),
    Measure("recall", lambda f: f.recall),
    Measure("harvest", lambda f: f.harvest),
    Measure("harvest ratio", lambda f: f.harvest_ratio),
    Measure("average similarity", lambda f: f.average_similarity),
    Measure("recent 50", lambda f: f.recent_50),
    Measure("own harvest", lambda f: f.own_harvest),
    Measure("pages per relevant site", lambda f: f.pages_per_relevant_site),
)


def strategies_of(runs: Iterable[Run]) -> list[str]:
    """In the order of the experiment."""
    return list(dict.fromkeys(run.strategy for run in runs))


def webs_of(runs: Iterable[Run]) -> list[str]:
    return list(dict.fromkeys(run.web for run in runs))


def topics_of(runs: Iterable[Run]) -> list[str]:
    return list(dict.fromkeys(run.topic for run in runs))


def select(
    results: Results,
    *,
    web: str | None = None,
    strategy: str | None = None,
    topic: str | None = None,
) -> list[Run]:
    return [
        run
        for run in results.runs
        if web in (None, run.web)
        and strategy in (None, run.strategy)
        and topic in (None, run.topic)
    ]


def mean_over_seeds(runs: Sequence[Run], take: Take) -> Mean | None:
    """Of one figure over the runs of one web and Strategy; None where no run has it."""
    by_place: dict[int, list[float]] = {}
    for place, run in _placed(runs):
        value = take(run)
        if value is not None:
            by_place.setdefault(place, []).append(value)
    if not by_place:
        return None
    return mean_of([sum(values) / len(values) for values in by_place.values()])


def at(place: int, measure: Measure) -> Take:
    """A figure after the ``place``-th of the experiment's numbers of pages."""
    return lambda run: measure.take(run.at[place])


def _placed(runs: Sequence[Run]) -> Iterable[tuple[int, Run]]:
    """Each run with the place of its seed set among those of its topic: topics have different
    seed sets, and the first of one goes with the first of another."""
    places: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        names = places.setdefault((run.web, run.topic), [])
        if run.seeds not in names:
            names.append(run.seeds)
        yield names.index(run.seeds), run
