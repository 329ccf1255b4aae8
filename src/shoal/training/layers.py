"""The layers of a context graph, and a naive Bayes classifier that tells them apart.

Diligenti, Coetzee, Lawrence, Giles and Gori, "Focused crawling using context graphs", VLDB 2000:
layer i holds the pages from which a relevant page is i Links away, layer 0 the relevant pages. A
page is represented by the few words of its highest ``tf * idf``, and

    P(layer | page) = P(layer) * product over its words of P(word | layer), divided by the sum
    P(word | layer) = (1 + pages of the layer with the word) / (words + sum of these over all words)

with every layer equally likely before a word was seen, as the paper has it: how many pages of a
layer the training set has says how somebody browsed, not how the web is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import UsageError
from shoal.model import Page
from shoal.training.space import Numbers, Space, Vector
from shoal.training.training_set import TrainingSet


class Layer(NamedTuple):
    """Where a page most likely belongs."""

    distance: int
    probability: float


@dataclass(frozen=True)
class Layers:
    space: Space
    distances: tuple[int, ...]
    """Of each layer, the nearest first."""
    likelihoods: Numbers
    """log P(word | layer): a row a layer, a column a stem. Stems that represent no page of the
    training set are columns of noughts: they speak for no layer."""
    words: int
    """So many words represent a page."""

    @classmethod
    def of(
        cls, training: TrainingSet, idf: Callable[[str], float], most: int, words: int
    ) -> Layers:
        """Layers up to ``most`` Links away. Raises UsageError where there is one alone."""
        space = Space.with_idf(training, idf)
        found = training.distances()
        there = tuple(sorted({far for far in found if far is not None and far <= most}))
        if len(there) < 2:
            raise UsageError(
                "no page of the training set links to a relevant one, so there are no layers to "
                "tell apart; record a path that leads to relevant pages"
            )
        counts = np.zeros((len(there), len(space.stems)))
        for page, far in zip(training.pages, found, strict=True):
            if far in there:
                counts[there.index(far), telling(space.vector(page.terms), words)] += 1
        used = counts.any(axis=0)
        totals = counts.sum(axis=1, keepdims=True)
        likelihoods = np.log((1 + counts) / (int(used.sum()) + totals)) * used
        return cls(space, there, likelihoods, words)

    def layer_of(self, page: Page) -> Layer | None:
        """None for a page without any of the words."""
        columns = telling(self.space.vector(page.terms), self.words)
        columns = columns[self.likelihoods[0, columns] != 0.0]
        if not len(columns):
            return None
        scores = self.likelihoods[:, columns].sum(axis=1)
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        best = int(np.argmax(shares))
        return Layer(self.distances[best], float(shares[best]))


def telling(vector: Vector, words: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The columns of the highest weights; of equal ones the first in the alphabet."""
    heavy = vector.columns[vector.values > 0.0]
    return heavy[np.argsort(-vector.values[vector.values > 0.0], kind="stable")][:words]
