"""Reads SKOS, OWL and RDF Schema through rdflib: RDF/XML, Turtle and N-Triples.

1. Triples are taken as rdflib finds them and are not kept: memory grows with the concepts, labels
   and relations, which have an upper limit.
2. ``owl:imports`` are remembered by their addresses and not followed.

A concept is whatever has a label and is not a property, a concept scheme or the ontology itself.
Taxonomic are ``rdfs:subClassOf`` and SKOS's broader and narrower; ``rdf:type`` makes an instance
of what has a label itself; any other property between two concepts is a relation by its own label,
and so is one that a class is restricted to (``some``, ``only``, ``value``).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from sys import intern
from typing import Any, BinaryIO, Final

import rdflib
from rdflib.namespace import DC, DCTERMS, OWL, RDF, RDFS, SKOS
from rdflib.term import BNode, Literal, Node, URIRef

from shoal.ontology.draft import Allowance, Draft, last_part
from shoal.ontology.model import Label, LabelKind, Ontology, OntologyError, RelationKind

_LABELS: Final[Mapping[Node, LabelKind]] = {
    SKOS.prefLabel: LabelKind.PREFERRED,
    RDFS.label: LabelKind.PREFERRED,
    SKOS.altLabel: LabelKind.ALTERNATIVE,
    SKOS.hiddenLabel: LabelKind.HIDDEN,
    DC.title: LabelKind.ALTERNATIVE,
    DCTERMS.title: LabelKind.ALTERNATIVE,
}
_BROADER: Final = {RDFS.subClassOf, SKOS.broader, SKOS.broaderTransitive, SKOS.broadMatch}
_NARROWER: Final = {SKOS.narrower, SKOS.narrowerTransitive, SKOS.narrowMatch}
_NO_CONCEPTS: Final = {
    RDF.Property,
    OWL.ObjectProperty,
    OWL.DatatypeProperty,
    OWL.AnnotationProperty,
    OWL.Ontology,
    SKOS.ConceptScheme,
}
_CLASSES: Final = {OWL.Class, RDFS.Class, OWL.NamedIndividual, SKOS.Concept}
_FILLERS: Final = {OWL.someValuesFrom, OWL.allValuesFrom, OWL.hasValue}
_SILENT: Final = {SKOS.inScheme, SKOS.topConceptOf, SKOS.hasTopConcept, RDFS.isDefinedBy}
"""Properties that say where a concept stands, and nothing about it."""


def read_rdf(file: BinaryIO, syntax: str, base: str) -> Ontology:
    """``syntax`` is rdflib's name of it: ``xml``, ``turtle`` or ``nt``. Raises OntologyError."""
    taken = _Taken()
    graph = _Passing(taken)
    try:
        with _quiet():
            graph.parse(file=file, format=syntax, publicID=base)
    except OntologyError:
        raise
    except Exception as error:  # rdflib's parsers raise whatever comes
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise OntologyError(f"it cannot be read as RDF ({syntax}): {said}") from error
    return taken.finish()


@contextmanager
def _quiet() -> Iterator[None]:
    """rdflib warns of each address that it could not write again, once for each time it stands
    there; it is only read here."""
    log = logging.getLogger("rdflib.term")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


class _Passing(rdflib.Graph):
    """Hands on what a parser adds, and keeps nothing."""

    def __init__(self, taken: _Taken) -> None:
        super().__init__()
        self._taken = taken

    def add(self, triple: Any) -> _Passing:
        self._taken.triple(*triple)
        return self


class _Taken:
    """Triples as they come, in any order."""

    def __init__(self) -> None:
        self._allowance = Allowance()
        self._imports: list[str] = []
        self._known: dict[Node, Node] = {}
        self._no_concepts: set[Node] = set()
        self._relations: list[tuple[Node, Node, Node]] = []
        self._restrictions: dict[Node, dict[str, Node]] = {}
        self._labels: list[tuple[Node, Label]] = []
        self._subjects: dict[Node, None] = {}

    def triple(self, subject: Node, predicate: Node, value: Node) -> None:
        if predicate == RDF.type and value in _NO_CONCEPTS:
            self._no_concepts.add(subject)
        elif predicate == OWL.imports:
            self._imports.append(str(value))
        elif isinstance(subject, BNode):
            if predicate in _FILLERS or predicate == OWL.onProperty:
                self._allowance.take()
                part = "property" if predicate == OWL.onProperty else "filler"
                self._restrictions.setdefault(subject, {})[part] = value
        elif isinstance(value, Literal):
            if predicate in _LABELS:
                self._label(subject, str(value), value.language, _LABELS[predicate])
        elif predicate == RDF.type and value in _CLASSES:
            self._subject(subject)
        elif predicate not in _SILENT:
            self._allowance.take()
            ends = self._subject(subject), self._one(predicate), self._one(value)
            self._relations.append(ends)

    def _label(self, subject: Node, text: str, language: str | None, kind: LabelKind) -> None:
        self._allowance.take()
        marked = intern(language.lower()) if language else None
        self._labels.append((self._subject(subject), Label(text, marked, kind)))

    def _subject(self, node: Node) -> Node:
        own = self._one(node)
        if own not in self._subjects:
            self._allowance.take()
            self._subjects[own] = None
        return own

    def _one(self, node: Node) -> Node:
        """The node that is equal: a parser makes a new one for each place where it stands."""
        return self._known.setdefault(node, node)

    def finish(self) -> Ontology:
        draft = Draft()
        for address in self._imports:
            draft.imports(address)
        names = {subject: label.text for subject, label in reversed(self._labels)}
        uris = (node for node in self._known if isinstance(node, URIRef))
        keys: dict[Node, str] = {uri: str(uri) for uri in uris}
        for subject in self._subjects:
            if subject not in self._no_concepts and (key := keys.get(subject)):
                draft.concept(key, last_part(key), (key,))
        for subject, label in self._labels:
            if key := keys.get(subject):
                draft.label(key, label)
        for subject, predicate, value in self._relations:
            for end, property_ in self._ends(predicate, value):
                if subject in keys and end in keys:
                    kind, turned = _kind(property_)
                    ends = (end, subject) if turned else (subject, end)
                    called = _name(property_, names)
                    draft.relation(keys[ends[0]], keys[ends[1]], kind, called)
        return draft.finish()

    def _ends(self, predicate: Node, value: Node) -> Iterator[tuple[Node, Node]]:
        """Where a property leads, through a restriction where there is one."""
        if not isinstance(value, BNode):
            yield value, predicate
        elif "property" in (found := self._restrictions.get(value, {})) and "filler" in found:
            yield found["filler"], found["property"]


def _kind(predicate: Node) -> tuple[RelationKind, bool]:
    """What kind of relation a property makes, and whether it says so from above."""
    if predicate in _BROADER or predicate in _NARROWER:
        return RelationKind.TAXONOMIC, predicate in _NARROWER
    return (RelationKind.INSTANCE if predicate == RDF.type else RelationKind.OTHER), False


def _name(predicate: Node, names: Mapping[Node, str]) -> str:
    if predicate == RDF.type:
        return "instance of"
    if predicate == RDFS.subClassOf:
        return "subclass of"
    if predicate in _BROADER or predicate in _NARROWER:
        return "narrower than"
    return intern(names.get(predicate) or last_part(str(predicate)))
