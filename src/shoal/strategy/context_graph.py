"""Context graph: first the pages that are likely to be the fewest Links from a relevant one.

Diligenti and others (VLDB 2000) keep a queue for each layer and one for pages that fit none. A page
is put into the layer that naive Bayes finds most probable, or, where that probability is too low,
into the last queue: the crawler backs off. The next page is always taken from the queue of the
nearest layer that has any, the most probable one first:

    priority(link) = number of layers - layer of its page + probability / 2
    priority(link) = 0 where its page fits no layer

Half the probability, so that the most probable page of a layer stays behind the next nearer layer.
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
    from shoal.training.layers import Layers

_BACKED_OFF = Priority(0.0, (Part("no layer", 0.0),))


class ContextGraph:
    """Looks at pages alone: all Links of a page are equal."""

    def __init__(self, layers: Layers, confidence: float) -> None:
        self._layers = layers
        self._confidence = confidence
        self._top = layers.distances[-1] + 1

    def seed(self, url: Url) -> Priority:
        del url
        return Priority(self._top + 1.0, (Part("seed", self._top + 1.0),))

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del judgement, lease
        layer = self._layers.layer_of(page)
        if layer is None or layer.probability < self._confidence:
            return [_BACKED_OFF] * len(links)
        near = float(self._top - layer.distance)
        half = layer.probability / 2
        parts = (Part(f"layer {layer.distance}", near), Part("probability / 2", half))
        return [Priority(near + half, parts)] * len(links)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextGraphOptions:
    """What can be set."""

    training: str | None = None
    """The training set: a file that `shoal record` made."""
    layers: int = 3
    """How many Links from a relevant page the farthest layer is."""
    confidence: float = 0.5
    """A page whose layer is less probable fits none."""
    words: int = 40
    """So many words represent a page: those of the highest tf * idf."""


def _make(brief: Brief, options: ContextGraphOptions) -> ContextGraph:
    for name, least in (("layers", 1), ("words", 1)):
        if getattr(options, name) < least:
            raise UsageError(f"strategy.{name} must be at least {least}")
    if not 0.0 <= options.confidence <= 1.0:
        raise UsageError(f"strategy.confidence lies between 0 and 1, not at {options.confidence}")
    # Imported when it is wanted: scipy and scikit-learn take a second to load.
    from shoal.training.layers import Layers

    training = read_training("context-graph", options.training)
    layers = Layers.of(training, brief.idf, options.layers, options.words)
    return ContextGraph(layers, options.confidence)


RECIPE = Recipe(
    "context-graph",
    "The Link whose page is likely to be the fewest Links from a relevant one.",
    ContextGraphOptions,
    _make,
)
