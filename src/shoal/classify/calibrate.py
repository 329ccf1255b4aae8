"""From scores to probabilities that can be believed.

Scores of pages that a method has learnt from flatter it. So the training pages are cut into folds,
each fold is scored by what was learnt from the others, and the calibration is fitted to these
scores. No page outside the training pages is looked at.

- ``one_slope``: all scores times one number, the one under which the right categories are
  likeliest. It changes no ranking.
- ``own_slopes``: for methods whose scores mean something else in each category. Each category gets
  a slope and an offset, those under which the right categories are likeliest when every category
  counts the same, however many pages it has: uniform priors, as C4 has them. Then one slope for
  all, as above, fitted to the pages as they come.

The loss that is made small is, over the pages, minus the logarithm of the probability that the
likely categories are right ones. As in Platt's method the aim is not quite certainty but
(n+1)/(n+2), so that a few pages all told right do not make slopes endless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import logsumexp

from shoal.classify.linear import Calibration, Scores
from shoal.classify.vocabulary import Counts

FOLDS = 5
_STEEPEST = 8.0
"""The logarithm of the steepest slope, for scores that spread by 1."""
_SLOPES_ALIKE = 1e-3
"""How much it costs that the slopes of two categories differ: enough to hold that of a category of
a dozen pages near the others."""

Learn = Callable[[Counts, NDArray[np.bool_]], Scores]
Calibrate = Callable[[NDArray[np.float64], NDArray[np.bool_]], Calibration]


def folds_of(belongs: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The fold of each page. The pages of each combination of categories are dealt out in turn, so
    that every fold has some of each where there are enough."""
    folds = np.empty(len(belongs), np.intp)
    dealt: dict[bytes, int] = {}
    for page, row in enumerate(belongs):
        key = row.tobytes()
        # Combinations begin at different folds, lest all that is rare meets in the first.
        turn = dealt.get(key, len(dealt))
        folds[page] = turn % FOLDS
        dealt[key] = turn + 1
    return folds


def held_out_scores(
    learn: Learn, counts: Counts, belongs: NDArray[np.bool_], folds: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """For each fold its pages, and their scores by what was learnt from the other folds."""
    for fold in range(FOLDS):
        held = np.flatnonzero(folds == fold)
        rest = np.flatnonzero(folds != fold)
        if held.size:
            yield held, learn(counts.rows(rest), belongs[rest]).of(counts.rows(held))


def one_slope(scores: NDArray[np.float64], belongs: NDArray[np.bool_]) -> Calibration:
    size = scores.shape[1]
    return Calibration(np.full(size, _slope(scores, belongs)), np.zeros(size))


def own_slopes(scores: NDArray[np.float64], belongs: NDArray[np.bool_]) -> Calibration:
    size = scores.shape[1]
    telling = _telling(belongs)
    if not telling.any():
        return one_slope(scores, belongs)
    middle, spread = scores.mean(axis=0), np.maximum(scores.std(axis=0), 1e-300)
    standard, inside = ((scores - middle) / spread)[telling], belongs[telling]
    priors = np.maximum(inside.mean(axis=0), 1.0 / len(inside))
    rarity = (inside / priors).sum(axis=1) / inside.sum(axis=1)

    def loss(given: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        slopes, offsets = np.exp(given[:size]), given[size:]
        uneven = given[:size] - given[:size].mean()
        value, down = _loss(standard * slopes + offsets, inside, rarity)
        steps = np.concatenate([(down * standard).sum(axis=0) * slopes, down.sum(axis=0)])
        steps[:size] += 2.0 * _SLOPES_ALIKE * uneven
        return value + _SLOPES_ALIKE * float(uneven @ uneven), steps

    bounds = [(-_STEEPEST, _STEEPEST)] * size + [(None, None)] * size
    best = minimize(loss, np.zeros(2 * size), jac=True, method="L-BFGS-B", bounds=bounds).x
    slopes = np.exp(best[:size]) / spread
    offsets = best[size:] - slopes * middle
    slope = _slope(scores * slopes + offsets, belongs)
    return Calibration(slopes * slope, offsets * slope)


def _slope(log_odds: NDArray[np.float64], belongs: NDArray[np.bool_]) -> float:
    telling = _telling(belongs)
    spread = float(np.abs(log_odds - log_odds.mean(axis=1, keepdims=True)).mean())
    if not telling.any() or not spread:
        return 1.0
    standard, inside = log_odds[telling] / spread, belongs[telling]
    alike = np.ones(len(inside))

    def loss(logarithm: float) -> float:
        return _loss(standard * np.exp(logarithm), inside, alike)[0]

    best = minimize_scalar(loss, bounds=(-_STEEPEST, _STEEPEST), method="bounded")
    return float(np.exp(best.x)) / spread


def _telling(belongs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which pages an answer can be wrong for: not those of every category."""
    some: NDArray[np.bool_] = np.logical_not(belongs.all(axis=1))
    return some


def _loss(
    log_odds: NDArray[np.float64], belongs: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """The loss of log odds, and how it changes with each of them."""
    weights = weights / weights.sum()
    doubt = 1.0 / (len(belongs) + 2.0)
    rows = log_odds - logsumexp(log_odds, axis=1, keepdims=True)
    right = logsumexp(np.where(belongs, rows, -np.inf), axis=1, keepdims=True)
    wrong = logsumexp(np.where(belongs, -np.inf, rows), axis=1, keepdims=True)
    value = -float(weights @ ((1.0 - doubt) * right + doubt * wrong)[:, 0])
    wanted = np.where(belongs, (1.0 - doubt), doubt) * np.exp(
        rows - np.where(belongs, right, wrong)
    )
    return value, weights[:, np.newaxis] * (np.exp(rows) - wanted)
