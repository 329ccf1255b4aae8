"""Gathers concepts and relations by any keys, in any order, and makes an Ontology of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from shoal.ontology.model import Concept, Label, Ontology, OntologyError, Relation, RelationKind

LARGEST: Final = 2_000_000
"""Concepts, labels and relations together: some 600 bytes each while they are read."""


class Allowance:
    """How many concepts, labels and relations there may still be."""

    def __init__(self) -> None:
        self._left = LARGEST

    def take(self) -> None:
        """One more. Raises OntologyError where that is too many."""
        self._left -= 1
        if self._left < 0:
            raise OntologyError(
                f"it has more than {LARGEST:,} concepts, labels and relations together; "
                "take the part of it that the topic is about"
            )


class Draft:
    """An ontology that is being read. Keys are texts; ``suggested`` ids are made unique."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self._addresses: dict[str, tuple[str, ...]] = {}
        self._labels: dict[str, dict[Label, None]] = {}
        self._relations: dict[tuple[str, str, RelationKind, str], None] = {}
        self._imports: dict[str, None] = {}
        self._allowance = Allowance()

    def concept(self, key: str, suggested: str, addresses: Iterable[str] = ()) -> None:
        if key not in self._ids:
            self._allowance.take()
            self._ids[key] = suggested
            self._addresses[key] = tuple(dict.fromkeys(addresses))

    def label(self, key: str, label: Label) -> None:
        text = " ".join(label.text.split())
        if text:
            self._allowance.take()
            self._labels.setdefault(key, {})[label._replace(text=text)] = None

    def relation(self, source: str, target: str, kind: RelationKind, name: str) -> None:
        """``name`` is a key, or a name already."""
        self._allowance.take()
        self._relations[(source, target, kind, name)] = None

    def imports(self, address: str) -> None:
        self._imports[address] = None

    def finish(self) -> Ontology:
        """Raises OntologyError where no concept has a label."""
        named = {key: name for key, name in self._ids.items() if self._labels.get(key)}
        if not named:
            raise OntologyError("not one concept in it has a label, so there are no words in it")
        ids = _unique(named)
        concepts = {
            ids[key]: Concept(ids[key], tuple(self._labels[key]), self._addresses[key])
            for key in named
        }
        relations = dict.fromkeys(
            Relation(ids[source], ids[target], kind, self._called(name, ids, concepts))
            for source, target, kind, name in self._relations
            if source in ids and target in ids and source != target
        )
        unnamed = len(self._ids) - len(named)
        return Ontology(concepts, tuple(relations), tuple(self._imports), unnamed)

    @staticmethod
    def _called(name: str, ids: dict[str, str], concepts: dict[str, Concept]) -> str:
        return concepts[ids[name]].name if name in ids else name


def last_part(address: str) -> str:
    """What an address ends in, as an id: after the last ``#``, ``/`` or ``:``."""
    return re.split(r"[#/:]", address.rstrip("#/:"))[-1] or address


def _unique(names: dict[str, str]) -> dict[str, str]:
    """The first to ask for an id has it; the others have it with a number."""
    taken = set(names.values())
    used: set[str] = set()
    ids = {}
    for key, name in names.items():
        unique, number = name, 1
        while unique in used or (number > 1 and unique in taken):
            number += 1
            unique = f"{name}-{number}"
        used.add(unique)
        ids[key] = unique
    return ids
