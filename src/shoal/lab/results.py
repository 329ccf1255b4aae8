"""The results of an experiment: one entry a run. The same experiment, the same file, bit for bit.

What depends on the machine (how long a run took) is not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from shoal.atomic import write_atomically
from shoal.errors import UsageError
from shoal.lab import measures
from shoal.lab.plan import Cell, Plan, Quest, page_counts
from shoal.lab.score import DIGITS, Curve, Figures, curve_of, figures_at
from shoal.lab.walked import UNKNOWN, Walk

RESULTS_FILE: Final = "results.json"
VERSION: Final = 2


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run. The figures beside its names are those at the most pages."""

    web: str
    """Its name in the experiment."""
    topic: str
    """Its name in the experiment."""
    strategy: str
    """Its label, or else its name."""
    seeds: str
    """The name of the seed set."""
    repetition: int
    """1 is the first."""
    fetched: int
    """Pages fetched."""
    relevant: int
    """Those with a wanted label."""
    harvest: float
    """Relevant pages by fetched pages."""
    average_similarity: float
    """The mean of the largest cosines to a positive page."""
    recall: float
    """The share of all relevant pages of the web that was fetched."""
    oracle_ratio: float | None
    """The area under harvest by the oracle's."""
    stopped: str
    """``pages``, or why the crawl ended sooner: ``finished``."""
    at: list[Figures]
    """All figures, after each number of pages that the experiment names."""
    distances: dict[int, int]
    """Of the 100 pages that the crawl judged most relevant: how many stand how many Links from
    the nearest seed."""
    relevance_fractions: list[float]
    """The share of pages in each tenth of relevance."""
    curve: Curve
    """Its course."""


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """The oracle from one seed set."""

    web: str
    """The web."""
    topic: str
    """The topic."""
    seeds: str
    """The seed set."""
    curve: Curve
    """Its course."""


class Robustness(msgspec.Struct, frozen=True, kw_only=True):
    """How far runs from two seed sets come to the same pages: ``overlap`` after each number of
    ``pages``."""

    web: str
    """The web."""
    topic: str
    """The topic."""
    strategy: str
    """The Strategy of both."""
    repetition: int
    """The repetition of both."""
    first: str
    """The seed set of the one."""
    second: str
    """The seed set of the other."""
    pages: list[int]
    """Numbers of pages."""
    overlap: list[float]
    """The share of that many pages that both have."""
    relevant_overlap: float | None
    """Of the first pages that either crawl held relevant, as many as the poorer one has, the share
    that both have; None where it has none."""


class WebTold(msgspec.Struct, frozen=True, kw_only=True):
    """A web in numbers."""

    pages: int
    """How many it has."""
    budgets: list[int]
    """What ``pages`` of the experiment means here."""
    targets: dict[str, int]
    """Relevant pages of each topic."""


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """What ``results.json`` holds."""

    version: int
    """Of this form."""
    title: str
    """The experiment's."""
    webs: dict[str, WebTold]
    """By name."""
    runs: list[Run]
    """Every run, in the order of the experiment."""
    oracle: list[Course]
    """The oracle from every seed set of every topic."""
    robustness: list[Robustness]
    """Each seed set beside the next one."""


def make_results(plan: Plan, walks: Mapping[str, Walk]) -> Results:
    """Of a plan whose every cell has its Walk (by the cell's name)."""
    return Results(
        version=VERSION,
        title=plan.experiment.title,
        webs=_webs(plan),
        runs=[_run(plan, cell, walks[cell.name]) for cell in plan.cells],
        oracle=[course for quest in plan.quests for course in _courses(plan, quest)],
        robustness=list(_robustness(plan, walks)),
    )


def write_results(results: Results, folder: Path) -> None:
    text = msgspec.json.format(msgspec.json.encode(results), indent=1).decode()
    write_atomically(folder / RESULTS_FILE, text + "\n")


def read_results(path: Path) -> Results:
    """Of a folder that ``shoal lab run`` wrote, or the file itself. Raises UsageError."""
    file = path / RESULTS_FILE if path.is_dir() else path
    try:
        return msgspec.json.decode(file.read_bytes(), type=Results)
    except FileNotFoundError as error:
        raise UsageError(
            f"{path} holds no results ({RESULTS_FILE}); give what `shoal lab run --out` wrote"
        ) from error
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{file} cannot be read as results of the lab: {error}") from error


def _webs(plan: Plan) -> dict[str, WebTold]:
    found: dict[str, WebTold] = {}
    for quest in plan.quests:
        pages = quest.terrain.survey.pages
        told = found.setdefault(
            quest.terrain.name,
            WebTold(pages=pages, budgets=list(page_counts(plan.experiment, pages)), targets={}),
        )
        told.targets[quest.name] = int(quest.targets.sum())
    return found


def _run(plan: Plan, cell: Cell, walk: Walk) -> Run:
    quest = cell.quest
    budgets = page_counts(plan.experiment, quest.terrain.survey.pages)
    at = [figures_at(cell, walk, pages) for pages in budgets]
    last = at[-1]
    distance = quest.distances(cell.seeds.numbers)
    judged = [
        (value, None if page == UNKNOWN else distance.get(page))
        for page, value in zip(walk.pages, walk.judged, strict=True)
        if value is not None
    ]
    values = [value for value, _ in judged]
    return Run(
        web=quest.terrain.name,
        topic=quest.name,
        strategy=cell.strategy.shown,
        seeds=cell.seeds.name,
        repetition=cell.repetition,
        fetched=last.fetched,
        relevant=last.relevant,
        harvest=last.harvest,
        average_similarity=last.average_similarity,
        recall=last.recall,
        oracle_ratio=last.oracle_ratio,
        stopped=walk.stopped,
        at=at,
        distances=measures.seed_distances([steps for _, steps in judged], values),
        relevance_fractions=[round(f, DIGITS) for f in measures.relevance_fractions(values)],
        curve=curve_of(quest, walk.pages, cell.pages, walk.judged),
    )


def _courses(plan: Plan, quest: Quest) -> Iterable[Course]:
    pages = page_counts(plan.experiment, quest.terrain.survey.pages)[-1]
    for seeds in quest.sets:
        yield Course(
            web=quest.terrain.name,
            topic=quest.name,
            seeds=seeds.name,
            curve=curve_of(quest, quest.oracle(seeds.numbers, pages), pages),
        )


def _robustness(plan: Plan, walks: Mapping[str, Walk]) -> Iterable[Robustness]:
    """Each seed set of a run beside the next one."""
    for first, second in zip(plan.cells, plan.cells[plan.experiment.repetitions :], strict=False):
        if (first.quest, first.strategy) != (second.quest, second.strategy):
            continue
        places = [max(1, first.pages * step // 10) for step in range(1, 11)]
        one, other = walks[first.name], walks[second.name]
        told = [(n, measures.robustness(one.pages, other.pages, n)) for n in places]
        relevant = measures.relevant_robustness(
            one.pages, other.pages, measures.own(one.judged), measures.own(other.judged)
        )
        yield Robustness(
            web=first.quest.terrain.name,
            topic=first.quest.name,
            strategy=first.strategy.shown,
            repetition=first.repetition,
            first=first.seeds.name,
            second=second.seeds.name,
            pages=[n for n, overlap in told if overlap is not None],
            overlap=[round(overlap, DIGITS) for _, overlap in told if overlap is not None],
            relevant_overlap=None if relevant is None else round(relevant, DIGITS),
        )
