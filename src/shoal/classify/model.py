"""A trained Classifier and the facts of its training."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.classify.collapse import Collapse
from shoal.classify.features import Features
from shoal.classify.linear import LinearClassifier

PREPROCESSING = (
    "tags and scripts removed",
    "entities read as the characters they stand for",
    "lower case",
    "runs of two letters or more; no digits, signs or single letters",
    "lead: title and first 500 characters of the text",
)
"""What ``words`` and the Parser do, for whoever reads a model file with other tools."""


@dataclass(frozen=True, slots=True)
class Facts:
    """How a model came to be."""

    trained_at: str
    """ISO 8601, UTC."""
    source: str
    """What the labelled pages were, as the user named them."""
    pages: dict[str, int]
    """How many of the pages that it learnt from belong to each category."""
    distinct: int
    """How many pages that is in all: one may belong to several categories."""
    unusable: dict[str, int]
    """Pages left out, by kind."""
    copies: int
    """Pages left out because another one has the same words."""
    missing: int
    """Labels whose pages could not be found."""
    features: Features
    terms: int
    lead_terms: int
    collapse: Collapse
    accuracy_mean: float
    """Of pages held out of the training in turn: right answers, averaged over categories."""
    calibration_error: float
    """Of the same pages."""
    preprocessing: tuple[str, ...] = field(default=PREPROCESSING)


@dataclass(frozen=True, eq=False)
class Model:
    """What ``shoal model train`` makes. ``language`` is an ISO 639 code, or ``und`` for a model
    that was trained on pages of no one language."""

    classifier: LinearClassifier
    method: str
    language: str
    facts: Facts
    version: int
    """Of the file format that it was read from, or would be written in."""

    @property
    def categories(self) -> tuple[str, ...]:
        return self.classifier.categories
