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
from typing import Any, BinaryIO, Final

import rdflib
from rdflib.namespace import DC, DCTERMS, OWL, RDF, RDFS, SKOS
from rdflib.term import BNode, Literal, Node, URIRef

from shoal.ontology.draft import Draft, last_part
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
        self._draft = Draft()
        self._no_concepts: set[Node] = set()
        self._properties: dict[Node, str] = {}
        self._relations: list[tuple[Node, Node, Node]] = []
        self._restrictions: dict[Node, dict[str, Node]] = {}
        self._labels: list[tuple[Node, Label]] = []
        self._subjects: dict[Node, None] = {}

    def triple(self, subject: Node, predicate: Node, value: Node) -> None:
        if predicate == RDF.type and value in _NO_CONCEPTS:
            self._no_concepts.add(subject)
        elif predicate == OWL.imports:
            self._draft.imports(str(value))
        elif isinstance(subject, BNode):
            if predicate in _FILLERS or predicate == OWL.onProperty:
                part = "property" if predicate == OWL.onProperty else "filler"
                self._restrictions.setdefault(subject, {})[part] = value
        elif isinstance(value, Literal):
            if predicate in _LABELS:
                self._label(subject, str(value), value.language, _LABELS[predicate])
        elif predicate == RDF.type and value in _CLASSES:
            self._subjects[subject] = None
        elif predicate not in _SILENT:
            self._draft.grow()
            self._subjects[subject] = None
            self._relations.append((subject, predicate, value))

    def _label(self, subject: Node, text: str, language: str | None, kind: LabelKind) -> None:
        self._draft.grow()
        self._subjects[subject] = None
        self._labels.append((subject, Label(text, language and language.lower(), kind)))

    def finish(self) -> Ontology:
        draft = self._draft
        names = {subject: label.text for subject, label in reversed(self._labels)}
        for subject in self._subjects:
            if subject not in self._no_concepts and isinstance(subject, URIRef):
                draft.concept(str(subject), last_part(str(subject)), (str(subject),))
        for subject, label in self._labels:
            draft.label(str(subject), label)
        for subject, predicate, value in self._relations:
            for end, property_ in self._ends(predicate, value):
                self._relate(subject, property_, end, names)
        return draft.finish()

    def _ends(self, predicate: Node, value: Node) -> Iterator[tuple[Node, Node]]:
        """Where a property leads, through a restriction where there is one."""
        if not isinstance(value, BNode):
            yield value, predicate
        elif "property" in (found := self._restrictions.get(value, {})) and "filler" in found:
            yield found["filler"], found["property"]

    def _relate(self, subject: Node, predicate: Node, value: Node, names: dict[Node, str]) -> None:
        source, target, kind = str(subject), str(value), RelationKind.OTHER
        if predicate in _BROADER or predicate in _NARROWER:
            kind = RelationKind.TAXONOMIC
            if predicate in _NARROWER:
                source, target = target, source
            name = "narrower than" if predicate != RDFS.subClassOf else "subclass of"
        elif predicate == RDF.type:
            kind, name = RelationKind.INSTANCE, "instance of"
        else:
            name = names.get(predicate, last_part(str(predicate)))
        self._draft.relation(source, target, kind, name)
