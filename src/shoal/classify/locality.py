"""Topic locality: do pages link to pages of their own category? (Section 4.3.2 of the C4 thesis.)

A link counts when both of its ends have a category and are different pages. It is local when the
ends share one. Chance is what the share would be if every link led to some other link's end: the
sum over categories of the share of links that leave it times the share that lead to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean, pvariance
from typing import NamedTuple

BINS = 10


class Ends(NamedTuple):
    """The categories of a page, the likeliest first, and the probability of that one."""

    categories: tuple[str, ...]
    probability: float | None = None
    """None where they are labels, which are certain."""


class SureBin(NamedTuple):
    """Links from pages whose category has a probability between ``low`` and ``high``."""

    low: float
    high: float
    parents: int
    links: int
    local: float
    """The share of the links whose other end is of the same category."""


class Locality(NamedTuple):
    pages: int
    links: int
    local: float
    """The share of local links."""
    chance: float
    per_category: dict[str, float]
    """The share of local links among those that leave each category."""
    mean: float
    """Of the categories."""
    variance: float
    by_probability: tuple[SureBin, ...]
    """Whether surer pages have more local links; without probabilities there is none."""


def locality_of(
    ends: Mapping[str, Ends],
    links: Iterable[tuple[str, str]],
    targets_are: Mapping[str, Ends] | None = None,
) -> Locality:
    """``links`` are pairs of page names, source and target; a pair counts as often as it comes. Of
    a page with several categories, chance counts each with an equal share. ``targets_are`` says
    what pages are as targets, where that is to be judged by somebody else, as by their labels."""
    theirs = ends if targets_are is None else targets_are
    leaving: Counter[str] = Counter()
    local: Counter[str] = Counter()
    bins: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    parents: dict[int, set[str]] = defaultdict(set)
    sources: dict[str, float] = defaultdict(float)
    targets: dict[str, float] = defaultdict(float)
    count = together = 0
    for source, target in links:
        here, there = ends.get(source), theirs.get(target)
        if source == target or here is None or there is None:
            continue
        same = bool(set(here.categories) & set(there.categories))
        count += 1
        together += same
        for category in here.categories:
            leaving[category] += 1
            local[category] += same
            sources[category] += 1.0 / len(here.categories)
        for category in there.categories:
            targets[category] += 1.0 / len(there.categories)
        if here.probability is not None:
            place = min(int(here.probability * BINS), BINS - 1)
            bins[place][0] += 1
            bins[place][1] += same
            parents[place].add(source)
    shares = {name: local[name] / leaving[name] for name in sorted(leaving)}
    return Locality(
        len(ends),
        count,
        together / max(1, count),
        sum(sources[name] * targets[name] for name in sources) / max(1, count) ** 2,
        shares,
        fmean(shares.values()) if shares else 0.0,
        pvariance(shares.values()) if shares else 0.0,
        tuple(
            SureBin(place / BINS, (place + 1) / BINS, len(parents[place]), links_, same / links_)
            for place, (links_, same) in sorted(bins.items())
        ),
    )
