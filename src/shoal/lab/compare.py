"""Two results side by side: where the same run came out otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import UsageError
from shoal.lab.results import Results, Run
from shoal.lab.statistics import Mean, mean_of


@dataclass(frozen=True, slots=True)
class Difference:
    """How the runs of one web and Strategy differ between two results, run by run."""

    web: str
    strategy: str
    runs: int
    """Runs that both have: the same topic, seeds and repetition."""
    first: float
    second: float
    change: Mean
    """The mean of second minus first, and how sure it is: pairs cancel what topics and seeds do."""
    better: int
    worse: int


def differences(first: Results, second: Results) -> list[Difference]:
    """By web and Strategy, of the share of the oracle's area. Raises UsageError where the two have
    no run in common."""
    found = [
        _difference(web, strategy, pairs)
        for (web, strategy), pairs in _pairs(first, second).items()
    ]
    if not found:
        raise UsageError(
            "the two results have no run in common: the same web, topic, strategy and seeds"
        )
    return found


Key = tuple[str, str]


def _pairs(first: Results, second: Results) -> dict[Key, list[tuple[float, float]]]:
    others = {_name(run): run for run in second.runs}
    found: dict[Key, list[tuple[float, float]]] = {}
    for run in first.runs:
        other = others.get(_name(run))
        if other is None or run.oracle_ratio is None or other.oracle_ratio is None:
            continue
        pair = (run.oracle_ratio, other.oracle_ratio)
        found.setdefault((run.web, run.strategy), []).append(pair)
    return found


def _name(run: Run) -> tuple[str, ...]:
    return run.web, run.topic, run.strategy, run.seeds, str(run.repetition)


def _difference(web: str, strategy: str, pairs: list[tuple[float, float]]) -> Difference:
    changes = [after - before for before, after in pairs]
    return Difference(
        web=web,
        strategy=strategy,
        runs=len(pairs),
        first=mean_of([before for before, _ in pairs]).value,
        second=mean_of([after for _, after in pairs]).value,
        change=mean_of(changes),
        better=sum(change > 0 for change in changes),
        worse=sum(change < 0 for change in changes),
    )
