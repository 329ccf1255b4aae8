"""The hidden Markov model crawler with X-means, which chooses how many clusters there are.

Section 3.4.1, variant b, of the thesis behind Batsakis, Petrakis and Milios: as ``hmm``, but for
the clusters; idf is that of the training set, and relevant pages may share a cluster with others.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import UsageError
from shoal.strategy.hmm import Hmm, check
from shoal.strategy.recipe import Brief, Recipe
from shoal.strategy.trained import read_training


@dataclass(frozen=True, slots=True, kw_only=True)
class HmmXMeansOptions:
    """What can be set."""

    training: str | None = None
    """The training set: a file that `shoal record` made."""
    most_clusters: int = 20
    """X-means makes no more clusters of pages than this."""
    states: int = 4
    """So many distances from a relevant page are told apart; the last one is any that is farther,
    or no way."""
    neighbours: int = 5
    """So many of the nearest pages of the training set tell the cluster of a page."""
    epsilon: float = 0.01
    """Priorities that differ by less are told apart by the chance of a relevant page in two steps;
    0 turns this off."""


def _make(brief: Brief, options: HmmXMeansOptions) -> Hmm:
    if options.most_clusters < 2:
        raise UsageError(f"strategy.most_clusters must be at least 2, not {options.most_clusters}")
    check(options.states, options.neighbours, options.epsilon)
    training = read_training("hmm-x-means", options.training)
    # Imported when it is wanted: scipy and scikit-learn take a second to load.
    from shoal.training.guide import Counts, Guide

    counts = Counts(options.states, options.neighbours, options.epsilon, brief.random_seed)
    return Hmm(Guide.by_x_means(training, options.most_clusters, counts))


RECIPE = Recipe(
    "hmm-x-means",
    "The same, with as many clusters of pages as X-means finds.",
    HmmXMeansOptions,
    _make,
)
