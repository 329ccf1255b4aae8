"""Pages written into the topic map of an Ontology: XTM 2.1.

The ontology comes first: a topic a Concept, an association a Relation. Then each page is one topic,
an instance of ``web-page``, with two occurrences: its address and its relevance. It streams.

``shoal.ontology`` reads the file back as the Ontology alone, for it knows a page by its identity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from shoal import wording
from shoal.ontology.model import Concept, Label, LabelKind, Ontology, Relation, RelationKind
from shoal.ontology.xtm import PAGE, XTM_2
from shoal.report.rows import Row

_MODEL: Final = "http://psi.topicmaps.org/iso13250/model/"
_LANGUAGE: Final = "http://www.topicmaps.org/xtm/1.0/language.xtm#"
_DECIMAL: Final = "http://www.w3.org/2001/XMLSchema#decimal"
_ID: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:\S+")
_OWN: Final = "shoal-"
"""What the ids of our own topics begin with; one of the ontology's that does so is renamed."""
_MODELLED: Final = {
    RelationKind.TAXONOMIC: ("supertype-subtype", "subtype", "supertype"),
    RelationKind.INSTANCE: ("type-instance", "instance", "type"),
}
"""Of either kind: the association, and the roles of source and target."""


class TopicMapFile:
    """A Sink: takes the rows of pages."""

    def __init__(self, path: Path, ontology: Ontology) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self._ids = _Ids(ontology)
        self._pages = 0
        self._file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self._file.write(f'<topicMap xmlns="{XTM_2}" version="2.1">\n')
        self._file.writelines(_standing(self._ids))
        self._file.writelines(map(self._concept, ontology.concepts.values()))
        self._file.writelines(map(self._association, ontology.relations))

    def write(self, row: Row) -> None:
        self._pages += 1
        title = wording.plain(row.title) or row.url
        self._file.write(
            f'<topic id="{_OWN}page-{self._pages}">'
            f'<itemIdentity href="{PAGE}{self._pages}"/>'
            f'<instanceOf><topicRef href="#{_OWN}web-page"/></instanceOf>'
            f"<name><value>{escape(title)}</value></name>"
            f'<occurrence><type><topicRef href="#{_OWN}address"/></type>'
            f"<resourceRef href={quoteattr(row.url)}/></occurrence>"
            f'<occurrence><type><topicRef href="#{_OWN}relevance"/></type>'
            f'<resourceData datatype="{_DECIMAL}">{row.relevance or 0:.6f}</resourceData>'
            "</occurrence></topic>\n"
        )

    def close(self) -> None:
        """The end is written even after an error: the file is thrown away then."""
        with self._file:
            self._file.write("</topicMap>\n")

    def _concept(self, concept: Concept) -> str:
        identities = "".join(
            f"<subjectIdentifier href={quoteattr(address)}/>"
            for address in concept.addresses
            if _ADDRESS.fullmatch(address)
        )
        names = "".join(map(self._name, _preferred_first(concept.labels)))
        return f'<topic id="{self._ids.of(concept.id)}">{identities}{names}</topic>\n'

    def _name(self, label: Label) -> str:
        scope = ""
        if label.language:
            language = self._ids.language(label.language)
            scope = f'<scope><topicRef href="#{language}"/></scope>'
        return f"<name>{scope}<value>{escape(wording.plain(label.text))}</value></name>"

    def _association(self, relation: Relation) -> str:
        association, source, target = _MODELLED.get(relation.kind, ("", "source", "target"))
        type_ = f"{_OWN}{association}" if association else self._ids.relation(relation.name)
        roles = "".join(
            f'<role><type><topicRef href="#{_OWN}{role}"/></type>'
            f'<topicRef href="#{self._ids.of(player)}"/></role>'
            for role, player in ((source, relation.source), (target, relation.target))
        )
        return f'<association><type><topicRef href="#{type_}"/></type>{roles}</association>\n'


class _Ids:
    """Ids that XML takes: a Concept's own where it is one, else one with a number."""

    def __init__(self, ontology: Ontology) -> None:
        self._of = {
            concept: concept
            if _ID.fullmatch(concept) and not concept.startswith(_OWN)
            else f"{_OWN}concept-{number}"
            for number, concept in enumerate(ontology.concepts, start=1)
        }
        others = (one.name for one in ontology.relations if one.kind is RelationKind.OTHER)
        named = {one.name: self._of[one.id] for one in ontology.concepts.values()}
        self._relations = {
            name: named.get(name, f"{_OWN}relation-{number}")
            for number, name in enumerate(dict.fromkeys(others), start=1)
        }
        self.languages = sorted({one.partition("-")[0] for one in ontology.languages})

    def of(self, concept: str) -> str:
        return self._of[concept]

    def relation(self, name: str) -> str:
        """The Concept that a relation is called after, where there is one."""
        return self._relations[name]

    def language(self, code: str) -> str:
        return f"{_OWN}language-{code.partition('-')[0]}"

    def unnamed_relations(self) -> Iterator[tuple[str, str]]:
        """The ids and names of those that no Concept stands for."""
        own = f"{_OWN}relation-"
        return ((id_, name) for name, id_ in self._relations.items() if id_.startswith(own))


def _standing(ids: _Ids) -> Iterator[str]:
    """The topics that others refer to. They have no names, so as to add none to the ontology."""
    for association, *roles in _MODELLED.values():
        for name in (association, *roles):
            yield _topic(f"{_OWN}{name}", _MODEL + name)
    for code in ids.languages:
        yield _topic(ids.language(code), _LANGUAGE + code)
    for id_, name in ids.unnamed_relations():
        yield _topic(id_, f"urn:shoal:relation:{wording.plain(name)}")
    for name in ("web-page", "address", "relevance", "source", "target"):
        yield _topic(f"{_OWN}{name}", f"urn:shoal:{name}")


def _topic(id_: str, identifier: str) -> str:
    return f'<topic id="{id_}"><subjectIdentifier href={quoteattr(identifier)}/></topic>\n'


def _preferred_first(labels: tuple[Label, ...]) -> list[Label]:
    """In a topic map the first name in a language is the preferred one."""
    return sorted(labels, key=lambda label: label.kind is not LabelKind.PREFERRED)
