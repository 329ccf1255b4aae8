"""Pages written beside an Ontology in SKOS: Turtle.

The ontology comes first: a ``skos:Concept`` each, with its labels and relations; a relation that is
neither taxonomic nor an instance's is a property of its own below ``skos:related``. Then each page
is one ``schema:WebPage`` with two statements, its address and its relevance, and its title. It
streams, and ``shoal.ontology`` reads the file back as the Ontology alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from shoal import wording
from shoal.ontology.model import Concept, LabelKind, Ontology, RelationKind
from shoal.report.rows import Row

_PREFIXES: Final = {
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "https://schema.org/",
    "shoal": "urn:shoal:",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_LABELS: Final = {
    LabelKind.PREFERRED: "skos:prefLabel",
    LabelKind.ALTERNATIVE: "skos:altLabel",
    LabelKind.HIDDEN: "skos:hiddenLabel",
}
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:\S+")
_LANGUAGE: Final = re.compile(r"[a-z]+(-[a-z0-9]+)*")
_NOT_IN_AN_ADDRESS: Final = re.compile(r'[\x00-\x20<>"{}|^`\\]')


class SkosFile:
    """A Sink: takes the rows of pages."""

    def __init__(self, path: Path, ontology: Ontology) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self._ontology = ontology
        self._pages = 0
        self._file.writelines(f"@prefix {key}: <{iri}> .\n" for key, iri in _PREFIXES.items())
        self._file.write("\n")
        self._file.writelines(self._properties())
        self._file.writelines(map(self._concept, ontology.concepts.values()))

    def write(self, row: Row) -> None:
        self._pages += 1
        self._file.write(
            f"shoal:page-{self._pages} a schema:WebPage ;\n"
            f"  schema:name {_text(row.title)} ;\n"
            f"  schema:url {_iri(row.url)} ;\n"
            f'  shoal:relevance "{row.relevance or 0:.6f}"^^xsd:decimal .\n'
        )

    def close(self) -> None:
        self._file.close()

    def _properties(self) -> Iterator[str]:
        others = (one.name for one in self._ontology.relations if one.kind is RelationKind.OTHER)
        for name in dict.fromkeys(others):
            yield (
                f"{_property(name)} a owl:ObjectProperty ; rdfs:label {_text(name)} ;\n"
                "  rdfs:subPropertyOf skos:related .\n"
            )

    def _concept(self, concept: Concept) -> str:
        lines = [f"{self._subject(concept)} a skos:Concept"]
        for label in concept.labels:
            known = label.language and _LANGUAGE.fullmatch(label.language)
            language = f"@{label.language}" if known else ""
            lines.append(f"  {_LABELS[label.kind]} {_text(label.text)}{language}")
        for relation in self._ontology.near(concept.id):
            if relation.source == concept.id:
                property_ = {
                    RelationKind.TAXONOMIC: "skos:broader",
                    RelationKind.INSTANCE: "a",
                }.get(relation.kind) or _property(relation.name)
                target = self._ontology.concepts[relation.target]
                lines.append(f"  {property_} {self._subject(target)}")
        return " ;\n".join(lines) + " .\n"

    def _subject(self, concept: Concept) -> str:
        """The address that the ontology itself gives; else one within the file."""
        for address in concept.addresses:
            if _ADDRESS.fullmatch(address) and address.endswith(concept.id):
                return _iri(address)
        return f"<#{quote(concept.id, safe='')}>"


def _property(name: str) -> str:
    return f"<urn:shoal:relation:{quote(wording.plain(name), safe='')}>"


def _iri(address: str) -> str:
    """With what Turtle does not allow in an address written as UTF-8 in per cent."""
    safe = _NOT_IN_AN_ADDRESS.sub(lambda found: f"%{ord(found[0]):02X}", address)
    return f"<{safe}>"


def _text(text: str) -> str:
    return msgspec.json.encode(wording.plain(text)).decode()
