"""The results of an experiment with teams. The same experiment, the same file, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from shoal.atomic import write_atomically
from shoal.lab.results import RESULTS_FILE
from shoal.lab.team_experiment import PARTITION
from shoal.lab.team_plan import TeamCell, TeamPlan, team_limits
from shoal.lab.team_score import TeamCurve, TeamFigures, team_curve, team_figures_at
from shoal.lab.team_walk import TeamWalk

VERSION: Final = 1


class TeamRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run. The figures beside its names are those at the most pages."""

    web: str
    """Its name in the experiment."""
    seeds: str
    """The name of the seed set."""
    partition: str
    """Its label, or else its name."""
    crawlers: int
    """How many there were."""
    names: list[str]
    """Theirs, in the order of the matrix."""
    claims: bool
    """Whether each page was fetched by one crawler only."""
    carries: str
    """``pages`` or ``urls``."""
    repetition: int
    """1 is the first."""
    local_url: float | None
    """The share of Links that stay."""
    local_page: float | None
    """The share of pages that stay."""
    fetched_by: list[float]
    """The share of pages that exactly 1, 2, ... N crawlers fetched."""
    exported_bytes: int
    """Bytes sent."""
    imported_bytes: int
    """Bytes received."""
    tau: float | None
    """How far PageRank on a crawler's own Links orders its pages as PageRank on all does."""
    stopped: str
    """``pages``, or why the crawl ended sooner: ``finished``."""
    at: list[TeamFigures]
    """All figures, after each number of pages that the experiment names."""
    curve: TeamCurve
    """Its course."""


class TeamWeb(msgspec.Struct, frozen=True, kw_only=True):
    """A web in numbers."""

    pages: int
    """How many it has."""
    budgets: list[int | None]
    """What ``pages`` of the experiment means here; null is as many as are found."""


class TeamResults(msgspec.Struct, frozen=True, kw_only=True):
    """What ``results.json`` holds."""

    version: int
    """Of this form."""
    kind: str
    """``partition``."""
    title: str
    """The experiment's."""
    half: int | None
    """The half of the web that ``local_page`` counts; null for all of it."""
    webs: dict[str, TeamWeb]
    """By name."""
    runs: list[TeamRun]
    """Every run, in the order of the experiment."""


def make_team_results(plan: TeamPlan, walks: Mapping[str, TeamWalk]) -> TeamResults:
    """Of a plan whose every cell has its TeamWalk (by the cell's name)."""
    return TeamResults(
        version=VERSION,
        kind=PARTITION,
        title=plan.experiment.title,
        half=plan.experiment.half,
        webs={
            name: TeamWeb(
                pages=terrain.survey.pages,
                budgets=[
                    None if limit == float("inf") else int(limit)
                    for limit in team_limits(plan.experiment, terrain.survey.pages)
                ],
            )
            for name, terrain in plan.terrains.items()
        },
        runs=[_run(cell, walks[cell.name]) for cell in plan.cells],
    )


def write_team_results(results: TeamResults, folder: Path) -> None:
    text = msgspec.json.format(msgspec.json.encode(results), indent=1).decode()
    write_atomically(folder / RESULTS_FILE, text + "\n")


def _run(cell: TeamCell, walk: TeamWalk) -> TeamRun:
    survey = cell.terrain.survey
    at = [team_figures_at(survey, walk, limit, cell.half) for limit in cell.limits]
    last = at[-1]
    return TeamRun(
        web=cell.terrain.name,
        seeds=cell.seeds.name,
        partition=cell.partition.shown,
        crawlers=len(walk.crawlers),
        names=walk.crawlers,
        claims=cell.claims,
        carries=cell.carries,
        repetition=cell.repetition,
        local_url=last.local_url,
        local_page=last.local_page,
        fetched_by=last.fetched_by,
        exported_bytes=last.exported_bytes,
        imported_bytes=last.imported_bytes,
        tau=last.tau,
        stopped=walk.stopped,
        at=at,
        curve=team_curve(survey, walk, cell.half),
    )
