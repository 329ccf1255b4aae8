"""The Links of a page: every target once, with the best words that any of its places has for it.

1. Every Link has a canonical target by the UrlParser; none points to the page itself.
2. Links stand in the order of the page: what the head says first, then anchors, areas and frames.
3. At most ``MAX_LINKS`` Links, each with at most ``ANCHOR_CHARACTERS`` of anchor and
   ``CONTEXT_CHARACTERS`` of context.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from shoal.model import Link, LinkKind
from shoal.page.head import Head
from shoal.page.visible import Pieces
from shoal.page.walk import Attributes, Spot
from shoal.url import Url, UrlParser

MAX_LINKS: Final = 10_000
ANCHOR_CHARACTERS: Final = 200
CONTEXT_CHARACTERS: Final = 200
_SIDE_CHARACTERS: Final = 90
"""About ten words on either side of a Link, and white space as written."""

_NEVER: Final = ("javascript:", "mailto:", "data:", "tel:")
_REFRESH: Final = re.compile(
    r"\s*+[\d.]*+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+(?:\"([^\"]*)|'([^']*)|(\S.*))",
    re.IGNORECASE | re.DOTALL,
)
_HEADER_LINK: Final = re.compile(r"<([^<>]*)>((?:\s*;\s*[\w*]+\s*=\s*(?:\"[^\"]*\"|[^\s\",;]*))*)")
_HEADER_REL: Final = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s\",;]+))", re.IGNORECASE)

_CANONICAL_RELS: Final = frozenset({"canonical"})
_ALTERNATE_RELS: Final = frozenset({"alternate", "amphtml", "shortlink"})
_OTHER_RELS: Final = frozenset(
    {
        "next", "prev", "previous", "first", "last", "start", "up", "top", "home", "contents",
        "toc", "index", "chapter", "section", "subsection", "appendix", "glossary", "bookmark",
        "author", "help", "license", "copyright", "archives", "child", "parent", "related",
    }
)  # fmt: skip
_EMBED_RELS: Final = frozenset(
    {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest", "apple-touch-icon"}
)
_EMBEDS: Final = "img[src],script[src],embed[src],source[src],audio[src],video[src],track[src]"
# Where several places have the same target, the Link is what the first of these says it is.
_RANK: Final = {
    kind: rank
    for rank, kind in enumerate(
        (
            LinkKind.REFRESH,
            LinkKind.CANONICAL,
            LinkKind.ANCHOR,
            LinkKind.AREA,
            LinkKind.FRAME,
            LinkKind.ALTERNATE,
            LinkKind.OTHER,
            LinkKind.EMBED,
        )
    )
}


class Place(NamedTuple):
    """One place that points somewhere. ``start`` and ``end`` bound its words in the page's text;
    both are negative where it has none."""

    href: str
    kind: LinkKind
    rel: tuple[str, ...] = ()
    anchor: str = ""
    start: int = -1
    end: int = -1


def head_places(head: Head, headers: Iterable[str], embeds: bool) -> list[Place]:
    """What link and meta elements and ``Link:`` headers point to."""
    places: list[Place] = []
    for value in headers:
        for found in _HEADER_LINK.finditer(value[:10_000]):
            rel = _HEADER_REL.search(found[2])
            _add_link(places, found[1], (rel[1] or rel[2] or "") if rel else "", "", embeds)
    for href, rel_text, title in head.links:
        _add_link(places, href, rel_text, title, embeds)
    for content in head.refreshes:
        href = refresh_target(content)
        if href:
            places.append(Place(href, LinkKind.REFRESH))
    return places


def embed_places(tree: LexborHTMLParser) -> list[Place]:
    """What is shown inside the page."""
    places: list[Place] = []
    for node in tree.css(_EMBEDS):
        named = node.attributes
        places.append(Place(named.get("src") or "", LinkKind.EMBED, (), named.get("alt") or ""))
    return places


def refresh_target(content: str) -> str:
    """Where a meta refresh leads; empty where it only loads the same page again."""
    found = _REFRESH.match(content.strip()[:5_000])
    if found is None:
        return ""
    return (found[1] or found[2] or found[3] or "").strip()


def _add_link(places: list[Place], href: str, rel: str, title: str, embeds: bool) -> None:
    words = tuple(rel.lower().split())
    kinds = frozenset(words)
    if kinds & _CANONICAL_RELS:
        kind = LinkKind.CANONICAL
    elif kinds & _EMBED_RELS:
        if not embeds:
            return
        kind = LinkKind.EMBED
    elif kinds & _ALTERNATE_RELS:
        kind = LinkKind.ALTERNATE
    elif kinds & _OTHER_RELS:
        kind = LinkKind.OTHER
    else:
        return
    places.append(Place(href, kind, words, " ".join(title.split())[:ANCHOR_CHARACTERS]))


def body_places(spots: list[Spot], pieces: Pieces) -> tuple[list[Place], str]:
    """Anchors, areas and frames in their order, and the text in which they stand."""
    first, anchors, rests = pieces
    if len(anchors) < len(spots):
        # A frameset has no text for its frames to stand in.
        missing = [""] * (len(spots) - len(anchors))
        anchors, rests = anchors + missing, rests + missing
    plain = [first]
    offset = len(first)
    places: list[Place] = []
    for (kind, href, told), anchor, rest in zip(spots, anchors, rests, strict=True):
        end = offset + len(anchor)
        if not href.startswith(_NEVER):
            words = " ".join(anchor.split()) or _label(told)
            rel = tuple((told["rel"] or "").lower().split()) if "rel" in told else ()
            places.append(Place(href, kind, rel, words[:ANCHOR_CHARACTERS], offset, end))
        plain.append(anchor)
        plain.append(rest)
        offset = end + len(rest)
    return places, "".join(plain)


def _label(told: Attributes) -> str:
    """Words for a place that has none of its own."""
    label = told.get("alt") or told.get("title") or told.get("aria-label") or ""
    return " ".join(label.split())


def make_links(
    source: Url, base: Url, places: list[Place], text: str, url_parser: UrlParser
) -> tuple[Link, ...]:
    """One Link a target. ``places`` are in the order of the page; ``text`` is what their bounds
    refer to."""
    best: dict[str, tuple[Url, Place]] = {}
    followed: set[str] = set()
    targets = url_parser.parse_links([place.href for place in places], base)
    for place, target in zip(places, targets, strict=True):
        if target is None or target.text == source.text:
            continue
        known = best.get(target.text)
        if known is None:
            if len(best) < MAX_LINKS:
                best[target.text] = (target, place)
        elif place.kind is not known[1].kind or len(place.anchor) > len(known[1].anchor):
            if known[1].start < 0 <= place.start:
                # What the head mentions and the body shows stands where the body shows it.
                del best[target.text]
            best[target.text] = (target, _richer(known[1], place))
        if "nofollow" not in place.rel:
            followed.add(target.text)
    last = max(1, len(best) - 1)
    return tuple(
        [
            Link(
                source,
                target,
                place.kind,
                place.anchor,
                _context(place, text) if place.start >= 0 else "",
                _without_nofollow(place.rel) if target.text in followed else place.rel,
                index / last,
            )
            for index, (target, place) in enumerate(best.values())
        ]
    )


def _richer(known: Place, place: Place) -> Place:
    kind = min(known.kind, place.kind, key=_RANK.__getitem__)
    richer = place if len(place.anchor) > len(known.anchor) else known
    return richer._replace(kind=kind)


def _without_nofollow(rel: tuple[str, ...]) -> tuple[str, ...]:
    """A target that one place recommends is not disowned by another."""
    return tuple(word for word in rel if word != "nofollow") if rel else rel


def _context(place: Place, text: str) -> str:
    start, end = place.start, place.end
    if start > _SIDE_CHARACTERS:
        # The first word is cut, unless there is but one, as in scripts without spaces.
        before = text[start - _SIDE_CHARACTERS : start]
        before = before.partition(" ")[2] or before
    else:
        before = text[:start]
    after = text[end : end + _SIDE_CHARACTERS]
    if len(after) == _SIDE_CHARACTERS:
        after = after.rpartition(" ")[0] or after
    return " ".join(f"{before} {after}".split())[:CONTEXT_CHARACTERS]
