"""What the elements of the head say, wherever they stand."""

from __future__ import annotations

from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

_META_CHARACTERS: Final = 10_000


class HeadLink(NamedTuple):
    href: str
    rel: str
    title: str


class Head(NamedTuple):
    """Values as written, but for entities."""

    title: str
    metas: dict[str, str]
    """Contents of meta elements by lower-case name or property; repeated names are joined."""
    refreshes: list[str]
    """Contents of meta elements that refresh."""
    links: list[HeadLink]
    base: str
    language: str


class HeadReader:
    """Is shown the elements one by one, in the order of the page."""

    __slots__ = ("_base", "_links", "_metas", "_refreshes", "_title", "language")

    def __init__(self) -> None:
        self._title = self._base = self.language = ""
        self._metas: dict[str, str] = {}
        self._refreshes: list[str] = []
        self._links: list[HeadLink] = []

    def title(self, node: LexborNode) -> None:
        self._title = self._title or node.text()

    def base(self, node: LexborNode) -> None:
        self._base = self._base or node.attributes.get("href") or ""

    def link(self, node: LexborNode) -> None:
        told = node.attributes
        href = told.get("href")
        if href is not None:
            self._links.append(HeadLink(href, told.get("rel") or "", told.get("title") or ""))

    def meta(self, node: LexborNode) -> None:
        told = node.attributes
        content = told.get("content")
        if content is None:
            return
        if (told.get("http-equiv") or "").lower() == "refresh":
            self._refreshes.append(content)
            return
        name = (told.get("name") or told.get("property") or "").strip().lower()
        metas = self._metas
        if name in metas:
            if len(metas[name]) < _META_CHARACTERS:
                metas[name] = f"{metas[name]}, {content}"[:_META_CHARACTERS]
        elif name:
            metas[name] = content

    def done(self) -> Head:
        return Head(
            self._title, self._metas, self._refreshes, self._links, self._base, self.language
        )
