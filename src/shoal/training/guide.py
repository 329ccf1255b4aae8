"""What an HMM crawler knows, put to use on a page: its cluster, its states, its priority.

Figure 9 of 001, step by step: cluster the training set; count pi, A and B; find the page's cluster
by its nearest neighbours; the probabilities of its state now (equation 5) and after the next Link
(equation 6); that of state 0, a relevant page, is the priority of its Links.

The tie rule. Where priorities differ by less than epsilon, the one whose Links lead to a relevant
page with higher probability in two steps is higher. Being almost equal is no order (a to b and b to
c, yet not a to c), so priorities are sorted into steps of epsilon, and by the second probability
within a step. Two that are almost equal may so be told apart by the border of a step.

The states of a page travel to the pages behind its Links in the parts of the Priority.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from shoal.model import Page, Part
from shoal.training.clusters import relevant_apart, x_means
from shoal.training.markov import HiddenMarkov, fit_markov, states_of
from shoal.training.space import Numbers, Space, Vector, centre_of
from shoal.training.training_set import TrainingSet

_X_MEANS_FEWEST = 2


class Counts(NamedTuple):
    """Numbers that somebody chose."""

    states: int
    neighbours: int
    epsilon: float
    random_seed: int


class Reading(NamedTuple):
    """What was read out of a page."""

    priority: float
    """priority_hmm of its Links."""
    parts: tuple[Part, ...]
    """For the pages behind them, and for whoever asks why."""
    vector: Vector


@dataclass(frozen=True)
class Guide:
    space: Space
    rows: csr_matrix
    """The pages of the training set."""
    clusters: Sequence[int]
    """That of each of them."""
    markov: HiddenMarkov
    centre: Numbers
    """The centroid of the relevant pages, of length 1."""
    neighbours: int
    epsilon: float

    @classmethod
    def by_k_means(
        cls,
        training: TrainingSet,
        idf: Callable[[str], float],
        cluster_count: int,
        counts: Counts,
    ) -> Guide:
        """Variant a: the relevant pages are a cluster of their own; idf was counted elsewhere."""
        space = Space.with_idf(training, idf)
        rows = space.matrix([page.terms for page in training.pages])
        clusters = relevant_apart(rows, _relevant(training), cluster_count, counts.random_seed)
        return cls._of(training, space, rows, clusters.tolist(), counts)

    @classmethod
    def by_x_means(cls, training: TrainingSet, most_clusters: int, counts: Counts) -> Guide:
        """Variant b: relevant pages are clustered with the others, in as many clusters as there
        are; idf is that of the training set."""
        space = Space.with_own_idf(training)
        rows = space.matrix([page.terms for page in training.pages])
        clusters = x_means(rows, _X_MEANS_FEWEST, most_clusters, counts.random_seed)
        return cls._of(training, space, rows, clusters.tolist(), counts)

    @classmethod
    def _of(
        cls,
        training: TrainingSet,
        space: Space,
        rows: csr_matrix,
        clusters: Sequence[int],
        counts: Counts,
    ) -> Guide:
        states = states_of(training.distances(), counts.states)
        markov = fit_markov(states, clusters, training.steps(), counts.states)
        centre = centre_of(rows[_relevant(training)])
        return cls(space, rows, clusters, markov, centre, counts.neighbours, counts.epsilon)

    def read(self, page: Page, handed_down: Sequence[Part]) -> Reading:
        """``handed_down`` are the parts by which the page itself was come by."""
        vector = self.space.vector(page.terms)
        cluster = self.cluster_of(vector)
        before = self._states_in(handed_down)
        markov = self.markov
        now = markov.first(cluster) if before is None else markov.follow(before, cluster)
        after = markov.ahead(now, 1)
        one, two = float(after[0]), float(markov.ahead(after, 1)[0])
        parts = (
            Part("relevant in one", one),
            Part("relevant in two", two),
            *(Part(name, float(share)) for name, share in zip(self._names, now, strict=True)),
        )
        return Reading(with_ties(one, two, self.epsilon), parts, vector)

    def cluster_of(self, vector: Vector) -> int | None:
        """That of its nearest neighbours, each counted by its cosine; of equal ones that of the
        nearest. None for a page that is like none of them."""
        cosines = self.rows @ self.space.spread(vector)
        count = min(self.neighbours, len(cosines))
        # Of those that are as near as the last one of them, the first in the training set.
        border = np.partition(cosines, len(cosines) - count)[len(cosines) - count]
        candidates = np.flatnonzero(cosines >= border)
        nearest = candidates[np.argsort(-cosines[candidates], kind="stable")][:count]
        votes: dict[int, float] = {}
        for place in nearest.tolist():
            if cosines[place] > 0.0:
                cluster = self.clusters[place]
                votes[cluster] = votes.get(cluster, 0.0) + float(cosines[place])
        return max(votes, key=lambda cluster: votes[cluster]) if votes else None

    def likeness(self, vector: Vector) -> float:
        """similarity(p, c_r)."""
        return vector.cosine(self.centre)

    def likeness_of_anchor(self, anchor: str) -> float:
        """similarity(a, c_r)."""
        return self.space.likeness(anchor, self._centre_list)

    @cached_property
    def _centre_list(self) -> list[float]:
        # Single numbers are faster to look up in a list.
        listed: list[float] = self.centre.tolist()
        return listed

    @cached_property
    def _names(self) -> tuple[str, ...]:
        last = len(self.markov.initial) - 1
        near = (f"{links} links away" for links in range(last))
        return (*near, f"{last} or more links away")

    def _states_in(self, parts: Sequence[Part]) -> Numbers | None:
        told: Mapping[str, float] = dict(parts)
        if not all(name in told for name in self._names):
            return None
        return np.array([told[name] for name in self._names])


def with_ties(one: float, two: float, epsilon: float) -> float:
    """The probability of a relevant page in one step, to the step of epsilon below it, and within
    the step by that in two."""
    if not epsilon:
        return one
    return floor(one / epsilon) * epsilon + epsilon * two / 2


def _relevant(training: TrainingSet) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.fromiter((page.relevant for page in training.pages), np.bool_, len(training.pages))
