"""The figures of one run, from the pages that it fetched."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import msgspec

from shoal.lab import measures
from shoal.lab.plan import Cell, Quest
from shoal.lab.walked import UNKNOWN, Walk

CURVE_POINTS = 100
DIGITS = 10
"""Decimal places in results: more would be the noise of adding floats up."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What a run had come to after so many pages. The words are those of ``measures``."""

    pages: int
    """The pages that it was allowed."""
    fetched: int
    """The pages that it fetched; fewer where nothing was left to fetch."""
    relevant: int
    """How many of them have a wanted label."""
    harvest: float
    """Relevant pages by fetched pages."""
    recall: float
    """The share of all relevant pages of the web that was fetched."""
    area: float
    """The mean, over each number of pages, of how many relevant ones were fetched by then."""
    oracle_ratio: float | None
    """That area by the oracle's; None where the oracle finds nothing."""
    similar: int
    """How many are more similar to a positive page than the threshold."""
    harvest_ratio: float
    """The share of these."""
    average_similarity: float
    """The mean of the largest cosines to a positive page."""
    average_relevance: float | None
    """The mean of what the crawl's Topic said; None where it judged none of them."""
    recent_50: float
    """Harvest of the last 50 pages."""
    recent_500: float
    """Harvest of the last 500 pages."""
    own_harvest: float
    """Pages that the crawl's own Topic held relevant, by fetched pages."""
    own_recent_50: float
    """The same of the last 50 pages."""
    own_recent_500: float
    """The same of the last 500 pages."""
    pages_per_relevant_site: float | None
    """Fetched pages by sites with a relevant page; None where there is none."""


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """The course of a run: each list has a value for each number of pages in ``fetched``."""

    fetched: list[int]
    """Numbers of pages, the fewest first."""
    relevant: list[int]
    """Relevant pages by then."""
    harvest: list[float]
    """Harvest so far."""
    average_similarity: list[float]
    """Average similarity so far."""
    recall: list[float]
    """Target recall so far."""
    recent_50: list[float]
    """Harvest of the last 50 pages."""
    recent_500: list[float]
    """Harvest of the last 500 pages."""
    own_harvest: list[float]
    """Harvest so far, by what the crawl's own Topic held relevant; empty for the oracle."""
    own_recent_50: list[float]
    """The same of the last 50 pages."""
    own_recent_500: list[float]
    """The same of the last 500 pages."""


class Row:
    """A run as the measures want it: a value a fetched page."""

    def __init__(self, quest: Quest, pages: Sequence[int]) -> None:
        targets, cosines, sites = quest.targets, quest.cosines, quest.terrain.survey.sites
        self.pages = list(pages)
        self.relevant = [n != UNKNOWN and bool(targets[n]) for n in pages]
        self.similarities = [0.0 if n == UNKNOWN else float(cosines[n]) for n in pages]
        # A page that the Survey does not know is on no known site: it counts as one of its own.
        self.sites = [-1 - at if n == UNKNOWN else int(sites[n]) for at, n in enumerate(pages)]


def figures_at(cell: Cell, walk: Walk, pages: int) -> Figures:
    """The figures after ``pages`` pages of a run."""
    quest = cell.quest
    row = Row(quest, walk.pages[:pages])
    oracle = Row(quest, quest.oracle(cell.seeds.numbers, cell.pages)).relevant
    judged = [value for value in walk.judged[:pages] if value is not None]
    own = measures.own(walk.judged[:pages])
    ratio = measures.oracle_ratio(row.relevant, oracle, pages)
    per_site = measures.pages_per_relevant_site(row.sites, row.relevant)
    harvest_ratio = measures.harvest_ratio(row.similarities, quest.similar_from)
    return Figures(
        pages=pages,
        fetched=len(row.pages),
        relevant=sum(row.relevant),
        harvest=_round(measures.harvest(row.relevant)),
        recall=_round(measures.recall(row.relevant, int(quest.targets.sum()))),
        area=_round(measures.area(row.relevant, pages)),
        oracle_ratio=None if ratio is None else _round(ratio),
        similar=sum(value > quest.similar_from for value in row.similarities),
        harvest_ratio=_round(harvest_ratio),
        average_similarity=_round(measures.average_similarity(row.similarities)),
        average_relevance=_round(measures.average_relevance(judged)) if judged else None,
        recent_50=_round(measures.recent_harvest(row.relevant, 50)),
        recent_500=_round(measures.recent_harvest(row.relevant, 500)),
        own_harvest=_round(measures.harvest(own)),
        own_recent_50=_round(measures.recent_harvest(own, 50)),
        own_recent_500=_round(measures.recent_harvest(own, 500)),
        pages_per_relevant_site=None if per_site is None else _round(per_site),
    )


def curve_of(
    quest: Quest, pages: Sequence[int], limit: int, judged: Sequence[float | None] | None = None
) -> Curve:
    """The course of a row of pages, at ``CURVE_POINTS`` places and at its end. A row that ended
    before ``limit`` ends there."""
    row = Row(quest, pages)
    step = max(1, limit // CURVE_POINTS)
    places = sorted({*range(step, len(row.pages) + 1, step), len(row.pages)} - {0})
    relevant = list(accumulate(map(int, row.relevant)))
    similar = list(accumulate(row.similarities))
    targets = int(quest.targets.sum())
    own = None if judged is None else measures.own(judged)
    return Curve(
        fetched=places,
        relevant=[relevant[n - 1] for n in places],
        harvest=[_round(relevant[n - 1] / n) for n in places],
        average_similarity=[_round(similar[n - 1] / n) for n in places],
        recall=[_round(relevant[n - 1] / targets) for n in places],
        recent_50=_recent(row.relevant, places, 50),
        recent_500=_recent(row.relevant, places, 500),
        own_harvest=[] if own is None else _recent(own, places, len(own)),
        own_recent_50=[] if own is None else _recent(own, places, 50),
        own_recent_500=[] if own is None else _recent(own, places, 500),
    )


def _recent(hits: Sequence[bool], places: Sequence[int], window: int) -> list[float]:
    """The harvest of the last ``window`` pages, at each of the places."""
    found = [0, *accumulate(map(int, hits))]
    return [_round((found[n] - found[max(0, n - window)]) / min(n, window)) for n in places]


def _round(value: float) -> float:
    return round(value, DIGITS)
