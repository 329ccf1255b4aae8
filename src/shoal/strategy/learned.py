"""``learned``: a scorer of Links that starts from the topic alone and learns while it crawls.

    priority(u) = logistic(w * x(u) + e * s(u))

x(u) is the evidence for a Url over all pages that link to it (see ``learning.evidence``). The
weights w begin at ``STARTING_WEIGHTS`` and are corrected by what the pages turned out to be:
Bayesian logistic regression, drawn towards where it began, so few pages change little. s(u) is how
uncertain that correction is about u: with e > 0 what is unlike all that was fetched is tried
sooner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from shoal.errors import UsageError
from shoal.model import Part, Priority
from shoal.strategy.learning.evidence import NAMES, Evidence
from shoal.strategy.learning.learner import LearningStrategy
from shoal.strategy.learning.memory import Memory
from shoal.strategy.learning.opinion import Opinion, first_opinion, form_opinion
from shoal.strategy.learning.record import Recorder
from shoal.strategy.learning.words import Floats, Ints, Numbering
from shoal.strategy.recipe import Brief, Recipe

STARTING_WEIGHTS: Final = {
    "one": -3.2,
    "prior": 3.0,
    "anchor": 2.8,
    "mean page": 3.0,
    "pages": 0.9,
    "links": -0.1,
    "enriched anchor": 2.0,
    "enriched context": 0.3,
    "enriched path": 5.0,
    "anchor words": 0.06,
    "context words": 0.05,
    "host": 5.4,
}
"""Of the evidence by its names; what is not named begins at 0. Fitted once, on webs and topics that
docs/explanation/strategies/adaptive.md names, and the same for every topic."""
SHOWN: Final = {
    "pages": ("prior", "similarity", "best page", "mean page", "pages", "links"),
    "list": ("best hub", "mean hub", "neighbours", "neighbour anchors"),
    "words": (
        "anchor", "enriched anchor", "enriched context", "enriched path",
        "anchor words", "context words", "path words",
    ),
    "site": ("directory", "host"),
}  # fmt: skip
"""What the parts of a Priority are called, and the evidence that each one sums up."""
TOPIC_WORDS: Final = 64
UNCERTAIN: Final = "uncertain"
_LEAST_SURE: Final = 0.05
"""A guess near 0 or 1 counts as if it were no surer than this: it is no more than a guess."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedOptions:
    """What may be set of ``learned``."""

    pull: float = 30.0
    """How strongly the weights are drawn back to those that they began with. The larger, the less
    is learnt; it must be above 0."""
    explore: float = 0.2
    """How much the uncertainty of a Link adds to its score. 0 never explores."""


class LearnedModel:
    """``learning.learner.Model``."""

    def __init__(self, first: Opinion, pull: float, explore: float) -> None:
        self._first = first
        self._opinion = first
        self._pull = pull
        self._explore = explore
        self._start = np.array([STARTING_WEIGHTS.get(name, 0.0) for name in NAMES])
        self._weights = self._start
        self._spread = np.eye(len(NAMES)) / pull
        self._evidence = Evidence()
        self._shown = np.array(
            [[float(name in summed) for summed in SHOWN.values()] for name in NAMES]
        )

    def renew(self, memory: Memory) -> None:
        self._opinion = form_opinion(self._first, memory)
        self._evidence.renew(memory, self._opinion)
        self._learn(memory)

    def add(self, memory: Memory, links: int) -> None:
        self._evidence.add(memory, self._opinion, links)

    def evidence(self, url: int) -> list[float]:
        found: list[float] = self._evidence.rows(np.array([url]))[0].tolist()
        return found

    def values(self, urls: Ints) -> Floats:
        rows = self._evidence.rows(urls)
        return _logistic(rows @ self._weights + self._uncertain(rows))

    def priorities(self, urls: Ints) -> list[Priority]:
        rows = self._evidence.rows(urls)
        uncertain = self._uncertain(rows)
        values = _logistic(rows @ self._weights + uncertain)
        parts = np.column_stack(((rows * self._weights) @ self._shown, uncertain))
        names = (*SHOWN, UNCERTAIN)
        return [
            Priority(value, tuple(map(Part, names, row)))
            for value, row in zip(values.tolist(), parts.tolist(), strict=True)
        ]

    def _uncertain(self, rows: Floats) -> Floats:
        found: Floats = self._explore * np.sqrt(np.sum((rows @ self._spread) * rows, axis=1))
        return found

    def _learn(self, memory: Memory) -> None:
        if not memory.chosen:
            return
        rows = np.array(memory.evidence)
        worth = self._evidence.opinions[memory.chosen]
        guess = _logistic(rows @ self._start)
        sure = np.maximum(guess * (1.0 - guess), _LEAST_SURE)
        # One step of Newton's method from the start, where the pull is nil.
        matrix = (rows * sure[:, None]).T @ rows + self._pull * np.eye(len(NAMES))
        self._spread = np.linalg.inv(matrix)
        self._weights = self._start + self._spread @ (rows.T @ (worth - guess))


def _logistic(score: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-score))


def _make(brief: Brief, options: LearnedOptions) -> LearningStrategy:
    if options.pull <= 0.0:
        raise UsageError("strategy.pull: it must be above 0")
    if options.explore < 0.0:
        raise UsageError("strategy.explore: it cannot be less than 0")
    numbering = Numbering(brief.idf)
    first = first_opinion(numbering.text(" ".join(brief.words), TOPIC_WORDS))
    return LearningStrategy(
        Recorder(brief.topic, numbering), LearnedModel(first, options.pull, options.explore)
    )


RECIPE = Recipe(
    "learned",
    "The Link that what was found so far speaks for most, learnt while crawling.",
    LearnedOptions,
    _make,
)
