"""A topic map that is being read: topics, names, types and associations, merged as they must be.

Topics are one where they share an identifier (the Topic Maps Data Model, ISO 13250-2). A name's
language is its scope's, where a theme of it stands for one; a sort name is no label, for it is
made for machines. An association type is taxonomic by its published subject: superclass-subclass
(XTM 1.0), supertype-subtype (ISO 13250), or an instance of the hierarchical relation type that
editors mark trees with. References into other topic maps are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import Final, NamedTuple

from shoal.ontology.draft import Draft, last_part
from shoal.ontology.model import Label, LabelKind, Ontology, RelationKind

TAXONOMIC: Final = {"superclass-subclass", "supertype-subtype", "broader-narrower"}
HIERARCHICAL: Final = "hierarchical-relation-type"
ABOVE: Final = {"superclass", "supertype", "superordinate-role-type", "broader"}
INSTANCE: Final = {"class-instance", "type-instance"}
CLASS_ROLES: Final = {"class", "type"}
SORT: Final = "sort"
_LANGUAGE: Final = re.compile(
    r"(?:iso[-/]?639|language\.xtm|/language/)[^#]*[#/]([a-z]{2,3})$", re.IGNORECASE
)

ID: Final = "id "
INDICATOR: Final = "indicator "
LOCATOR: Final = "locator "
"""What an identifier begins with. One address as two kinds is two topics."""


class Role(NamedTuple):
    player: str
    type: str | None


class _Name(NamedTuple):
    topic: str
    text: str
    scope: tuple[str, ...]
    kind: LabelKind


class TopicMap:
    """Identifiers are texts that begin with ID, INDICATOR or LOCATOR."""

    def __init__(self) -> None:
        self.names: list[_Name] = []
        self.types: list[tuple[str, str]] = []
        self.associations: list[tuple[str | None, Sequence[Role]]] = []
        self.imports: list[str] = []
        self._topics: dict[str, None] = {}
        self._above: dict[str, str] = {}

    def topic(self, identifiers: Sequence[str]) -> str:
        """Make a topic known by all of these; returns one of them."""
        first = identifiers[0]
        self._topics[first] = None
        for identifier in identifiers:
            one, other = self.find(first), self.find(identifier)
            if one != other:
                self._above[other] = one
        return first

    def name(
        self, topic: str, text: str, scope: Iterable[str] = (), *, variant: bool = False
    ) -> None:
        """A name, or a variant of one; not what a variant for sorting is."""
        themes = tuple(scope)
        if variant and any(last_part(theme) == SORT for theme in themes):
            return
        kind = LabelKind.ALTERNATIVE if variant else LabelKind.PREFERRED
        self.names.append(_Name(topic, text, themes, kind))

    def instance(self, topic: str, type_: str) -> None:
        self.types.append((topic, type_))

    def association(self, type_: str | None, roles: Sequence[Role]) -> None:
        self.associations.append((type_, roles))

    def merge(self, address: str) -> None:
        self.imports.append(address)

    def finish(self) -> Ontology:
        return _Merged(self).ontology()

    def find(self, identifier: str) -> str:
        """The identifier that stands for the whole topic."""
        path = []
        while (above := self._above.get(identifier)) is not None:
            path.append(identifier)
            identifier = above
        for one in path:
            self._above[one] = identifier
        return identifier

    def identifiers(self) -> dict[str, list[str]]:
        """Of each topic all its identifiers, by the one that stands for it."""
        found: dict[str, list[str]] = {self.find(topic): [] for topic in self._topics}
        for identifier in dict.fromkeys((*self._topics, *self._above)):
            found[self.find(identifier)].append(identifier)
        return found


class _Merged:
    """The same when everything is read: what was one topic has one key."""

    def __init__(self, topic_map: TopicMap) -> None:
        self._map = topic_map
        self._find = topic_map.find

    @cached_property
    def _identifiers(self) -> dict[str, list[str]]:
        return self._map.identifiers()

    @cached_property
    def _types(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for topic, type_ in self._map.types:
            found.setdefault(self._find(topic), []).append(self._find(type_))
        return found

    def ontology(self) -> Ontology:
        draft = Draft()
        for key, own in self._identifiers.items():
            ids = [one.removeprefix(ID) for one in own if one.startswith(ID)]
            rest = [one.split(" ", 1)[1] for one in own if not one.startswith(ID)]
            draft.concept(key, last_part((ids or rest)[0]), rest)
        self._label(draft)
        for topic, types in self._types.items():
            for type_ in types:
                draft.relation(topic, type_, RelationKind.INSTANCE, "instance of")
        for association, roles in self._map.associations:
            self._relate(draft, association, roles)
        for address in self._map.imports:
            draft.imports(address)
        return draft.finish()

    def _label(self, draft: Draft) -> None:
        """A topic's first name in a language is preferred; its others are alternatives."""
        preferred: set[tuple[str, str | None]] = set()
        for name in self._map.names:
            key = self._find(name.topic)
            language = self._language(name.scope)
            kind = name.kind
            if kind is LabelKind.PREFERRED:
                if (key, language) in preferred or (name.scope and language is None):
                    kind = LabelKind.ALTERNATIVE
                else:
                    preferred.add((key, language))
            draft.label(key, Label(name.text, language, kind))

    def _language(self, scope: Sequence[str]) -> str | None:
        for theme in scope:
            for identifier in self._subjects(theme):
                if found := _LANGUAGE.search(identifier):
                    return found[1].lower()
        return None

    def _relate(self, draft: Draft, association: str | None, roles: Sequence[Role]) -> None:
        kind = self._kind(association)
        name = "association"
        if association is not None:
            key = self._find(association)
            name = key if key in self._identifiers else last_part(key)
        above = {RelationKind.TAXONOMIC: ABOVE, RelationKind.INSTANCE: CLASS_ROLES}.get(kind, set())
        for one, other in combinations(roles, 2):
            turned = one.type is not None and self._is(one.type, above)
            source, target = (other, one) if turned else (one, other)
            draft.relation(self._find(source.player), self._find(target.player), kind, name)

    def _kind(self, association: str | None) -> RelationKind:
        if association is None:
            return RelationKind.OTHER
        if self._is(association, TAXONOMIC) or any(
            self._is(type_, {HIERARCHICAL}) for type_ in self._types_of(association)
        ):
            return RelationKind.TAXONOMIC
        return RelationKind.INSTANCE if self._is(association, INSTANCE) else RelationKind.OTHER

    def _is(self, topic: str, subjects: set[str]) -> bool:
        """Whether a topic, or what it is an instance of, is one of these published subjects."""
        return any(
            last_part(identifier) in subjects
            for one in (topic, *self._types_of(topic))
            for identifier in self._subjects(one)
        )

    def _types_of(self, topic: str) -> Sequence[str]:
        return self._types.get(self._find(topic), ())

    def _subjects(self, topic: str) -> Sequence[str]:
        return self._identifiers.get(self._find(topic), (topic,))
