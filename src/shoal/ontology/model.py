"""What an ontology is, whatever language it was written in. Immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from shoal.errors import UsageError


class OntologyError(UsageError):
    """An ontology that is not there, or that cannot be read."""


class LabelKind(StrEnum):
    PREFERRED = "preferred"
    """What the concept is called first, in its language."""
    ALTERNATIVE = "alternative"
    """A synonym, a variant, a plural ..."""
    HIDDEN = "hidden"
    """To be found by, and not to be shown: a common misspelling."""


class Label(NamedTuple):
    text: str
    language: str | None = None
    """As the file says, in lower case: ``en``; None where it says nothing."""
    kind: LabelKind = LabelKind.PREFERRED


class RelationKind(StrEnum):
    TAXONOMIC = "taxonomic"
    """The source is a kind of the target: subclass, subtype, narrower term."""
    INSTANCE = "instance"
    """The source is an instance of the target."""
    OTHER = "other"


class Relation(NamedTuple):
    source: str
    target: str
    kind: RelationKind
    name: str
    """What the file calls it: the label of its type where it has one."""


@dataclass(frozen=True, slots=True)
class Concept:
    id: str
    """What a user names it by: the topic's id, or the end of its address; unique in the file."""
    labels: tuple[Label, ...]
    addresses: tuple[str, ...] = ()
    """By which addresses the file itself identifies it."""

    @property
    def name(self) -> str:
        """The first preferred label, or else the first of any kind."""
        for label in self.labels:
            if label.kind is LabelKind.PREFERRED:
                return label.text
        return self.labels[0].text if self.labels else self.id


@dataclass(frozen=True)
class Ontology:
    """1. Every Concept has a label. 2. Both ends of a Relation are Concepts, and differ.
    3. Concepts and Relations stand in the order of the file, each once."""

    concepts: Mapping[str, Concept]
    """By their ids."""
    relations: tuple[Relation, ...]
    imports: tuple[str, ...] = ()
    """Addresses of other ontologies that this one builds on. None of them was read."""
    unnamed: int = field(default=0, compare=False)
    """Concepts that were left out, with their relations, for want of a label."""

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Those that any label is marked with, in order."""
        found = {label.language for one in self.concepts.values() for label in one.labels}
        return tuple(sorted(language for language in found if language))

    def near(self, concept: str) -> tuple[Relation, ...]:
        """The Relations that a Concept is an end of."""
        return self._near.get(concept, ())

    @cached_property
    def _near(self) -> Mapping[str, tuple[Relation, ...]]:
        found: dict[str, list[Relation]] = {}
        for relation in self.relations:
            found.setdefault(relation.source, []).append(relation)
            found.setdefault(relation.target, []).append(relation)
        return {concept: tuple(relations) for concept, relations in found.items()}
