"""How much each Concept counts when some of them are focal.

Four classes: the focal Concepts themselves; those directly related to one by a taxonomic Relation;
those directly related by any other; the rest. A Concept that belongs to more than one has the
largest of their weights. Without focal Concepts all count the same, which is an unfocused topic.

Section 6.2 of the thesis on an ontology-focused crawler for Heritrix. An instance is no subclass:
being one is a relation of the third class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from shoal.ontology.model import Ontology, RelationKind


class Nearness(StrEnum):
    """The class of a Concept, seen from the focal ones."""

    FOCAL = "focal"
    TAXONOMIC = "taxonomic"
    OTHER = "other"
    REST = "rest"


@dataclass(frozen=True)
class Weights:
    """What a Concept of each class counts."""

    focal: float = 1.0
    taxonomic: float = 0.8
    other: float = 0.5
    rest: float = 0.1

    def of(self, nearness: Nearness) -> float:
        return {
            Nearness.FOCAL: self.focal,
            Nearness.TAXONOMIC: self.taxonomic,
            Nearness.OTHER: self.other,
            Nearness.REST: self.rest,
        }[nearness]


@dataclass(frozen=True)
class Focus:
    """Nearness and weight of every Concept of an Ontology."""

    concepts: tuple[str, ...]
    """The focal ones, by id; empty for an unfocused topic."""
    weights: Weights = field(default_factory=Weights)
    near: Mapping[str, Nearness] = field(default_factory=dict)
    """Of the Concepts that are not of the rest."""

    def nearness(self, concept: str) -> Nearness:
        return self.near.get(concept, Nearness.REST)

    def weight(self, concept: str) -> float:
        return self.weights.of(self.nearness(concept)) if self.concepts else 1.0


class Wanted(NamedTuple):
    """What somebody who asks for an Ontology's Concepts has said."""

    ontology: Ontology
    concepts: tuple[str, ...]
    """The focal ones, by id."""
    languages: frozenset[str] = frozenset()
    """Those of the labels to go by; empty is all."""


def focus_on(ontology: Ontology, concepts: Sequence[str], weights: Weights | None = None) -> Focus:
    """``concepts`` are ids."""
    weights = weights or Weights()
    near: dict[str, Nearness] = {}

    def meet(concept: str, nearness: Nearness) -> None:
        known = near.get(concept)
        if known is None or weights.of(nearness) > weights.of(known):
            near[concept] = nearness

    for focal in concepts:
        meet(focal, Nearness.FOCAL)
    for focal in concepts:
        for relation in ontology.near(focal):
            neighbour = relation.target if relation.source == focal else relation.source
            is_taxonomic = relation.kind is RelationKind.TAXONOMIC
            meet(neighbour, Nearness.TAXONOMIC if is_taxonomic else Nearness.OTHER)
    return Focus(tuple(concepts), weights, near)
