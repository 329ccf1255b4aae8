"""What the elements of the head say, read in one walk over the tree, as they may stand anywhere."""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser


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


def read_head(tree: LexborHTMLParser) -> Head:
    title = base = ""
    metas: dict[str, str] = {}
    refreshes: list[str] = []
    links: list[HeadLink] = []
    for node in tree.css("title,base[href],meta[content],link[href]"):
        tag = node.tag
        if tag == "title":
            title = title or node.text()
            continue
        told = {name: value or "" for name, value in node.attributes.items()}
        if tag == "link":
            links.append(HeadLink(told["href"], told.get("rel", ""), told.get("title", "")))
        elif tag == "base":
            base = base or told["href"]
        elif told.get("http-equiv", "").lower() == "refresh":
            refreshes.append(told["content"])
        else:
            name = (told.get("name") or told.get("property") or "").strip().lower()
            if name in metas:
                metas[name] = f"{metas[name]}, {told['content']}"[:10_000]
            elif name:
                metas[name] = told["content"]
    root = tree.root
    language = (root.attributes.get("lang") or "") if root is not None else ""
    return Head(title, metas, refreshes, links, base, language)
