"""Finds Concepts by words, and by the names that users give them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from shoal.ontology.model import Concept, Ontology, OntologyError

OFFERED: Final = 5
"""So many of the nearest names a message holds."""
_LIKE_ENOUGH: Final = 0.3
_WORD: Final = re.compile(r"[^\W_]+")


class UnknownConcept(OntologyError):
    """The ontology has no Concept of that name; the message offers the nearest."""


class Hit(NamedTuple):
    concept: Concept
    label: str
    """The label or id that was found."""
    likeness: float
    """1 for the very words, down to the share of letters in threes that are the same."""


def find(ontology: Ontology, words: str, limit: int) -> list[Hit]:
    """The Concepts whose labels or ids are nearest to some words, the nearest first.

    The very words come first, then labels that hold all of them, then those that are written alike.
    """
    wanted = _Wanted(words)
    hits = (
        max(
            (Hit(one, text, wanted.likeness(text)) for text in _names(one)),
            key=lambda hit: hit.likeness,
        )
        for one in ontology.concepts.values()
    )
    near = [hit for hit in hits if hit.likeness >= _LIKE_ENOUGH]
    return sorted(near, key=lambda hit: (-hit.likeness, len(hit.label)))[:limit]


def resolve(ontology: Ontology, names: Iterable[str]) -> tuple[str, ...]:
    """The ids of Concepts that are named by id, or by a label that no other one has. Raises
    UnknownConcept."""
    return tuple(dict.fromkeys(_resolve(ontology, name.strip()) for name in names))


def _resolve(ontology: Ontology, name: str) -> str:
    if name in ontology.concepts:
        return name
    folded = name.casefold()
    same = [
        one.id
        for one in ontology.concepts.values()
        if one.id.casefold() == folded or any(lab.text.casefold() == folded for lab in one.labels)
    ]
    if len(same) == 1:
        return same[0]
    if same:
        raise UnknownConcept(
            f"{name!r} is the name of {len(same)} concepts; name one by its id: "
            f"{', '.join(same[:OFFERED])}"
        )
    near = _listed(find(ontology, name, OFFERED))
    offer = f"the nearest are {near}" if near else "no name in it is near; try other words"
    raise UnknownConcept(f"the ontology has no concept {name!r}; {offer}")


def _listed(hits: Sequence[Hit]) -> str:
    return ", ".join(
        hit.concept.id if hit.label == hit.concept.id else f"{hit.concept.id} ({hit.label})"
        for hit in hits
    )


def _names(concept: Concept) -> list[str]:
    return [concept.id, *(label.text for label in concept.labels)]


class _Wanted:
    def __init__(self, words: str) -> None:
        self._folded = " ".join(words.casefold().split())
        self._words = set(_WORD.findall(self._folded))
        self._threes = _threes(self._folded)

    def likeness(self, text: str) -> float:
        folded = text.casefold()
        if folded == self._folded:
            return 1.0
        threes = _threes(folded)
        alike = 2 * len(self._threes & threes) / (len(self._threes) + len(threes))
        if self._words and self._words <= set(_WORD.findall(folded)):
            return 0.5 + alike / 2.01
        return alike / 2.01 if len(self._folded) < 3 else min(0.99, alike)


def _threes(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[at : at + 3] for at in range(max(1, len(padded) - 2))}
