"""The hidden Markov model crawler: Links of pages from which a relevant one is likely next.

    priority(link) = a(L_0, t+1)        (equations 5 and 6, and the tie rule: see training.guide)

Liu, Milios and Janssen, "Focused crawling by learning HMM from user's topic-specific browsing"
(2004), as the thesis behind Batsakis, Petrakis and Milios has it in section 3.4.1, variant a:
K-means with K = 5, no reduction of dimensions, the last cluster that of the relevant pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import UsageError
from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.strategy.recipe import Brief, Recipe
from shoal.strategy.trained import read_training
from shoal.url import Url

if TYPE_CHECKING:
    from shoal.training.guide import Guide

SEED = Priority(1.0, (Part("seed", 1.0),))


class Hmm:
    """Looks at pages and how they were come by: all Links of a page are equal."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del judgement
        reading = self._guide.read(page, lease.parts)
        return [Priority(reading.priority, reading.parts)] * len(links)


@dataclass(frozen=True, slots=True, kw_only=True)
class HmmOptions:
    """What can be set."""

    training: str | None = None
    """The training set: a file that `shoal record` made."""
    clusters: int = 5
    """K: so many clusters of pages, that of the relevant ones among them."""
    states: int = 4
    """So many distances from a relevant page are told apart; the last one is any that is farther,
    or no way."""
    neighbours: int = 5
    """So many of the nearest pages of the training set tell the cluster of a page."""
    epsilon: float = 0.01
    """Priorities that differ by less are told apart by the chance of a relevant page in two steps;
    0 turns this off."""


def guide_by_k_means(strategy: str, brief: Brief, options: HmmOptions) -> Guide:
    """Raises UsageError."""
    if options.clusters < 2:
        raise UsageError(f"strategy.clusters must be at least 2, not {options.clusters}")
    check(options.states, options.neighbours, options.epsilon)
    training = read_training(strategy, options.training)
    # Imported when it is wanted: scipy and scikit-learn take a second to load.
    from shoal.training.guide import Counts, Guide

    counts = Counts(options.states, options.neighbours, options.epsilon, brief.random_seed)
    return Guide.by_k_means(training, brief.idf, options.clusters, counts)


def check(states: int, neighbours: int, epsilon: float) -> None:
    """Raises UsageError."""
    if states < 2:
        raise UsageError(f"strategy.states must be at least 2, not {states}")
    if neighbours < 1:
        raise UsageError(f"strategy.neighbours must be at least 1, not {neighbours}")
    if not 0.0 <= epsilon < 1.0:
        raise UsageError(f"strategy.epsilon lies from 0 to below 1, not at {epsilon}")


RECIPE = Recipe(
    "hmm",
    "The Link whose page most likely links to a relevant one, by a hidden Markov model.",
    HmmOptions,
    lambda brief, options: Hmm(guide_by_k_means("hmm", brief, options)),
)
