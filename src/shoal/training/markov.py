"""The hidden Markov model of a browsing path (001's section 2.5; Liu, Milios, Janssen 2004, 2006).

What is seen of a page is its cluster c; what is hidden is its state L_j: how many Links it is from
a relevant page, the last state being that of all that are farther, or lead to none.

    pi_j = share of pages in state j
    a_ij = share of the Links of pages in state i that lead to pages in state j
    b_jc = share of the pages in state j that are in cluster c

    a(L_j, t)     = b_{j c_t} * sum over i of a(L_i, t-1) * a_ij        (equation 5)
    a(L_j, t+1)   =             sum over i of a(L_i, t)   * a_ij        (equation 6)

and on the first page of a path a(L_j, 1) = pi_j * b_{j c_1}.

How it was read. a(L_j, t) is said to be the probability of state j *given* what was seen so far, so
it is divided by its sum after each page; the printed recursion alone gives the probability of both
together, which shrinks with every page and would rank Links by their depth. pi is said to be that
of time 1 in one place, and of time 0 in another: the first is taken, as Rabiner has it.

What a path never showed has probability 0, as printed: nothing is smoothed. Where that leaves no
state possible, the path is forgotten, and the page is the first of a new one. A page in no cluster
shows nothing: b is 1 for every state. A state from which no Link led goes on by pi.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HiddenMarkov:
    initial: Numbers
    """pi: a probability a state."""
    transition: Numbers
    """A: a row a state, each of sum 1."""
    emission: Numbers
    """B: a row a state, a column a cluster. A state that no page was in has a row of noughts."""

    def first(self, cluster: int | None) -> Numbers:
        """a(L, 1): the states of a page that nobody is known to have come to."""
        seen = self._seen(self.initial, cluster)
        return self.initial if seen is None else seen

    def follow(self, before: Numbers, cluster: int | None) -> Numbers:
        """a(L, t) of a page whose Link stood on one of states ``before``. Equation 5."""
        seen = self._seen(before @ self.transition, cluster)
        return self.first(cluster) if seen is None else seen

    def ahead(self, now: Numbers, steps: int) -> Numbers:
        """The states so many Links further on. Equation 6."""
        for _ in range(steps):
            now = now @ self.transition
        return now

    def _seen(self, expected: Numbers, cluster: int | None) -> Numbers | None:
        """What is expected together with what is seen; None where the two cannot be."""
        if cluster is None:
            return expected
        together = expected * self.emission[:, cluster]
        total = float(together.sum())
        return together / total if total > 0.0 else None


def fit_markov(
    states: Sequence[int],
    clusters: Sequence[int],
    steps: Iterable[tuple[int, int]],
    state_count: int,
) -> HiddenMarkov:
    """Counts the pages of a path and the Links between them. There is at least one page."""
    cluster_count = max(clusters) + 1
    pages = np.bincount(states, minlength=state_count).astype(np.float64)
    initial = pages / pages.sum()
    moves = np.zeros((state_count, state_count))
    for source, target in steps:
        moves[states[source], states[target]] += 1
    emission = np.zeros((state_count, cluster_count))
    for state, cluster in zip(states, clusters, strict=True):
        emission[state, cluster] += 1
    return HiddenMarkov(initial, _shares(moves, initial), _shares(emission, 0.0))


def states_of(distances: Iterable[int | None], state_count: int) -> list[int]:
    """The state of each page by its distance from a relevant one."""
    last = state_count - 1
    return [last if distance is None else min(distance, last) for distance in distances]


def _shares(counts: Numbers, otherwise: Numbers | float) -> Numbers:
    """Each row divided by its sum; rows of noughts are ``otherwise``."""
    sums = counts.sum(axis=1, keepdims=True)
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1.0), otherwise)
