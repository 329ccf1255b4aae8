"""The figures of a team's run, from who fetched what.

The definitions are those of the C4 thesis (000, 3.1): a Link is local where its target belongs,
before it is fetched, to the crawler that kept the page it stands on (3.1.1); a page is local where
it belongs to the crawler that fetched it (3.1.2). Coverage and overlap are Cho's: overlap is
(N - I) / I for N pages fetched, I of them different.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from shoal.lab.score import CURVE_POINTS, DIGITS
from shoal.lab.survey import Survey
from shoal.lab.team_walk import Mark, TeamWalk
from shoal.lab.truth import half_of
from shoal.lab.walked import UNKNOWN
from shoal.rank.pagerank import pagerank

Numbers = NDArray[np.int64]


class TeamFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What a team had come to after so many pages."""

    pages: int | None
    """The pages that it was allowed; null for as many as it finds."""
    fetched: int
    """The pages that it fetched, a page twice where two crawlers did."""
    distinct: int
    """The different pages among them."""
    coverage: float
    """The share of the web's pages that was fetched."""
    overlap: float
    """Pages fetched once more, by the different ones."""
    rank_share: float
    """PageRank that lies on the different pages, on all Links of the web: 1 is all there is. The
    harvest of a crawl for what is linked to most."""
    local_url: float | None
    """The share of admitted Links on kept pages whose target belonged, before it was fetched, to
    the crawler that kept the page (000, definition 3.1.1)."""
    local_page: float | None
    """The share of the classifiable pages fetched that stay with the crawler that fetched them
    (000, definition 3.1.2); of one half of the web, where the experiment says so."""
    chance_even: float
    """What chance gives among equal shares: 1/N."""
    chance_squares: float | None
    """What chance gives among shares as they are: the sum of their squares, of the same pages as
    ``local_page``."""
    fetched_by: list[float]
    """The share of the different pages that exactly 1, 2, ... N crawlers fetched."""
    exported_bytes: int
    """What was sent, packed and compressed."""
    imported_bytes: int
    """What was received of that."""
    downloaded_bytes: int
    """What was fetched, as it came."""
    handed_bytes: int
    """The bytes, as they came, of the pages that had to be handed over."""
    per_byte: float | None
    """Bytes sent and received by bytes downloaded, as a Team sends them."""
    plain_per_byte: float | None
    """The same where pages travel as they came: what hashing's 2(N-1)/N is to be compared with."""
    unclassifiable: dict[str, int]
    """Fetches that brought nothing to classify, by kind: ``empty`` (nothing came), ``invalid``
    (another status than 2XX), ``no_text``, ``few_terms``. The first two are not among
    ``fetched``."""
    matrix: list[list[int]]
    """How many pages each crawler (a row) fetched for each crawler (a column)."""
    tau: float | None
    """Kendall's tau of PageRank on the Links among a crawler's own pages against PageRank on those
    among the pages of the whole team, over the pages that it keeps: the mean over crawlers (002,
    figure 7)."""
    taus: list[float | None]
    """Of each crawler."""
    tau_outward: float | None
    """The same where Links to pages that are not kept, or that others keep, count too."""


class TeamCurve(msgspec.Struct, frozen=True, kw_only=True):
    """The course of a run: each list has a value for each number of pages in ``fetched``."""

    fetched: list[int]
    """Numbers of pages, the fewest first."""
    coverage: list[float]
    """Coverage so far."""
    overlap: list[float]
    """Overlap so far."""
    local_page: list[float | None]
    """Local pages so far."""
    local_url: list[float | None]
    """Local Links so far."""


def team_figures_at(
    survey: Survey, walk: TeamWalk, allowed: float, half: int | None
) -> TeamFigures:
    """The figures after ``allowed`` pages of a run."""
    size = len(walk.pages) if allowed == np.inf else min(int(allowed), len(walk.pages))
    crawlers = len(walk.crawlers)
    pages, by, to = (np.array(row[:size], np.int64) for row in (walk.pages, walk.by, walk.to))
    sizes = np.array(walk.sizes[:size], np.int64)
    counted = _counted(survey, walk, half)[:size]
    mark = _mark_at(walk.marks, size)
    matrix = np.zeros((crawlers, crawlers), np.int64)
    np.add.at(matrix, (by, to), 1)
    once = np.unique(pages * crawlers + by)
    times = np.unique(once // crawlers, return_counts=True)[1]
    distinct = len(times)
    downloaded, handed = int(sizes.sum()), int(sizes[by != to].sum())
    kinds = Counter(walk.odd[page] for page in pages.tolist() if page in walk.odd)
    shares = np.bincount(to[counted], minlength=crawlers) / max(1, int(counted.sum()))
    taus = rank_agreement(survey, pages, to, crawlers, outward=False)
    outward = rank_agreement(survey, pages, to, crawlers, outward=True)
    return TeamFigures(
        pages=None if allowed == np.inf else int(allowed),
        fetched=size,
        distinct=distinct,
        coverage=_round(distinct / survey.pages),
        overlap=_round((size - distinct) / distinct) if distinct else 0.0,
        rank_share=_rank_share(survey, np.unique(pages)),
        local_url=_share(mark.own_links, mark.links),
        local_page=_share(int((by == to)[counted].sum()), int(counted.sum())),
        chance_even=_round(1 / crawlers),
        chance_squares=_round(float((shares**2).sum())) if counted.any() else None,
        fetched_by=[
            _round(float(count) / max(1, distinct))
            for count in np.bincount(times, minlength=crawlers + 1)[1:]
        ],
        exported_bytes=mark.exported_bytes,
        imported_bytes=mark.imported_bytes,
        downloaded_bytes=downloaded,
        handed_bytes=handed,
        per_byte=_share(mark.exported_bytes + mark.imported_bytes, downloaded),
        plain_per_byte=_share(2 * handed, downloaded),
        unclassifiable={
            "empty": mark.empty,
            "invalid": mark.invalid,
            **dict(sorted(kinds.items())),
        },
        matrix=matrix.tolist(),
        tau=_mean(taus),
        taus=taus,
        tau_outward=_mean(outward),
    )


def team_curve(survey: Survey, walk: TeamWalk, half: int | None) -> TeamCurve:
    """The course of a run, at about ``CURVE_POINTS`` places and at its end."""
    every = max(1, len(walk.marks) // CURVE_POINTS)
    marks = walk.marks[::-1][::every][::-1]
    counted = _counted(survey, walk, half)
    local = np.array(walk.by, np.int64) == np.array(walk.to, np.int64)
    so_far, local_so_far = np.cumsum(counted), np.cumsum(counted & local)
    first = np.zeros(len(walk.pages), np.bool_)
    first[np.unique(np.array(walk.pages, np.int64), return_index=True)[1]] = True
    distinct = np.cumsum(first)
    places = [mark.fetched for mark in marks]
    return TeamCurve(
        fetched=places,
        coverage=[_round(int(distinct[n - 1]) / survey.pages) for n in places],
        overlap=[_round((n - int(distinct[n - 1])) / int(distinct[n - 1])) for n in places],
        local_page=[_share(int(local_so_far[n - 1]), int(so_far[n - 1])) for n in places],
        local_url=[_share(mark.own_links, mark.links) for mark in marks],
    )


def rank_agreement(
    survey: Survey, pages: Numbers, owners: Numbers, crawlers: int, *, outward: bool
) -> list[float | None]:
    """Of each crawler, Kendall's tau of PageRank on the Links among the pages that it keeps against
    PageRank on those among all that were kept, over its pages; None where it has too few.
    ``outward`` also counts Links to other pages."""
    known = pages != UNKNOWN
    kept = dict(zip(pages[known].tolist(), owners[known].tolist(), strict=True))
    everything = _ranks(survey, list(kept), outward)
    found: list[float | None] = []
    for crawler in range(crawlers):
        own = [page for page, owner in kept.items() if owner == crawler]
        ranks = _ranks(survey, own, outward)
        tau = (
            float(kendalltau([ranks[n] for n in own], [everything[n] for n in own]).statistic)
            if len(own) > 1
            else float("nan")
        )
        found.append(None if np.isnan(tau) else _round(tau))
    return found


Nodes = NDArray[np.uint32]


class _Edges(NamedTuple):
    """A rank.flow.Graph."""

    nodes: int
    sources: Nodes
    targets: Nodes
    out_degrees: Nodes


def _ranks(survey: Survey, pages: Sequence[int], outward: bool) -> dict[int, float]:
    if not pages:
        return {}
    rows = [survey.links.row(page) for page in pages]
    sources = np.repeat(np.array(pages, np.int64), [len(row) for row in rows])
    targets = np.concatenate(rows).astype(np.int64)
    counts = np.full(len(survey.urls), outward)
    counts[list(pages)] = True
    counted = counts[targets] & (sources != targets)
    links = np.concatenate((sources[counted], targets[counted]))
    names, numbers = np.unique(np.concatenate((pages, links)), return_inverse=True)
    own, givers, takers = np.split(numbers, [len(pages), len(pages) + int(counted.sum())])
    degrees = np.bincount(givers, minlength=len(names))
    edges = (row.astype(np.uint32) for row in (givers, takers, degrees))
    scores = pagerank(_Edges(len(names), *edges))
    return dict(zip(pages, scores[own].tolist(), strict=True))


def _rank_share(survey: Survey, pages: Numbers) -> float:
    everything = _ranks(survey, range(len(survey.urls)), outward=False)
    total = sum(everything.values())
    found = sum(everything[page] for page in pages.tolist() if page != UNKNOWN)
    return _round(found / total) if total else 0.0


def _counted(survey: Survey, walk: TeamWalk, half: int | None) -> NDArray[np.bool_]:
    """Which of the fetches count for ``local_page``."""
    halves: dict[int, bool] = {}

    def counts(page: int) -> bool:
        if page in walk.odd:
            return False
        if half is None:
            return True
        if page not in halves:
            halves[page] = page != UNKNOWN and half_of(survey.urls[page]) == half
        return halves[page]

    return np.fromiter(map(counts, walk.pages), np.bool_, len(walk.pages))


def _mark_at(marks: Sequence[Mark], size: int) -> Mark:
    """The last one that was noted up to there."""
    return max(
        (mark for mark in marks if mark.fetched <= size),
        key=lambda mark: mark.fetched,
        default=Mark(0, 0, 0, 0, 0, 0, 0),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    told = [value for value in values if value is not None]
    return _round(sum(told) / len(told)) if told else None


def _share(part: int, whole: int) -> float | None:
    return _round(part / whole) if whole else None


def _round(value: float) -> float:
    return round(value, DIGITS)
