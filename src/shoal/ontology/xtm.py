"""Reads XML Topic Maps: XTM 1.0, and XTM 2.0 and 2.1.

One topic or association is held at a time. The two families name things differently (``baseName``
and ``name``, ``member`` and ``role``) and are told apart by their namespace; what a topic map asks
to be merged with is remembered by its address and not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Final
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from shoal.ontology.model import Ontology, OntologyError
from shoal.ontology.topic_map import ID, INDICATOR, LOCATOR, Role, TopicMap

XTM_1: Final = "http://www.topicmaps.org/xtm/1.0/"
XTM_2: Final = "http://www.topicmaps.org/xtm/"
PAGE: Final = "urn:shoal:page:"
"""What the item identity of a topic begins with that Shoal wrote for a page: it is no concept."""
_HREF: Final = "{http://www.w3.org/1999/xlink}href"
_REFERENCES: Final = {
    "topicRef": ID,
    "subjectIndicatorRef": INDICATOR,
    "subjectIdentifierRef": INDICATOR,
    "subjectLocatorRef": LOCATOR,
    "resourceRef": LOCATOR,
}
_IDENTITIES: Final = {
    "itemIdentity": ID,
    "subjectIdentifier": INDICATOR,
    "subjectLocator": LOCATOR,
}


def read_xtm(file: IO[bytes]) -> Ontology:
    """What ``xml_guard`` has found harmless. Raises OntologyError."""
    made = TopicMap()
    depth = 0
    root: ET.Element | None = None
    try:
        for event, element in ET.iterparse(file, ("start", "end")):  # noqa: S314 - xml_guard has refused entities and DTDs
            if event == "start":
                root = element if root is None else root
                depth += 1
                continue
            depth -= 1
            if depth == 1 and root is not None:
                _take(made, element)
                root.clear()
    except ET.ParseError as error:
        raise OntologyError(f"it is not well-formed XML: {error}") from error
    return made.finish()


def _take(made: TopicMap, element: ET.Element) -> None:
    kind = _local(element)
    if kind == "topic":
        _topic(made, element)
    elif kind == "association":
        _association(made, element)
    elif kind == "mergeMap" and (href := _href(element)):
        made.merge(href)


def _topic(made: TopicMap, element: ET.Element) -> None:
    identifiers = [f"{ID}#{element.get('id')}"] if element.get("id") else []
    for child in element:
        name = _local(child)
        if name in _IDENTITIES and (href := _href(child)):
            identifiers.append(_IDENTITIES[name] + href)
        elif name == "subjectIdentity":
            identifiers += _references(child)
    if not identifiers or any(one.startswith(ID + PAGE) for one in identifiers):
        return
    topic = made.topic(identifiers)
    for child in element:
        name = _local(child)
        if name == "instanceOf":
            for type_ in _references(child):
                made.instance(topic, type_)
        elif name in {"baseName", "name"}:
            _name(made, topic, child)


def _name(made: TopicMap, topic: str, element: ET.Element) -> None:
    scope: list[str] = []
    for child in element:
        name = _local(child)
        if name == "scope":
            scope = list(_references(child))
        elif name in {"baseNameString", "value"}:
            made.name(topic, child.text or "", scope)
        elif name == "variant":
            _variant(made, topic, child, scope)


def _variant(made: TopicMap, topic: str, element: ET.Element, above: list[str]) -> None:
    """Variants may stand in variants, and are in the scope of all above them."""
    scope = list(above)
    for child in element:
        name = _local(child)
        if name in {"parameters", "scope"}:
            scope += _references(child)
        elif name == "variantName":
            for data in child:
                if _local(data) == "resourceData":
                    made.name(topic, data.text or "", scope, variant=True)
        elif name == "resourceData":
            made.name(topic, child.text or "", scope, variant=True)
        elif name == "variant":
            _variant(made, topic, child, scope)


def _association(made: TopicMap, element: ET.Element) -> None:
    type_: str | None = None
    roles: list[Role] = []
    for child in element:
        name = _local(child)
        if name in {"instanceOf", "type"}:
            type_ = next(_references(child), type_)
        elif name in {"member", "role"}:
            role: str | None = None
            for part in child:
                if _local(part) in {"roleSpec", "type"}:
                    role = next(_references(part), None)
            roles += [Role(player, role) for player in _references(child)]
    made.association(type_, roles)


def _references(element: ET.Element) -> Iterator[str]:
    """The identifiers that the references right below an element make."""
    for child in element:
        kind = _REFERENCES.get(_local(child))
        if kind is not None and (href := _href(child)):
            yield kind + href


def _href(element: ET.Element) -> str | None:
    found = element.get(_HREF) or element.get("href")
    return unquote(found.strip()) if found else None


def _local(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]
