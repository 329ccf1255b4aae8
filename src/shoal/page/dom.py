"""The document tree: parsed once, within bounds, and written out again in canonical form.

1. Parsing takes bounded time. Lexbor needs time quadratic in the depth of a tree and in the
   number of attributes of one tag, so what lies behind ``MAX_TAGS`` tags, or behind a tag of
   ``MAX_ATTRIBUTES``, is not read.
2. The canonical form is regular: every ``<`` begins a tag that ends with the next ``>``,
   attribute values are in double quotes, and no element is left whose content is not markup.
   That is why the regular expressions of this room may read it, and why one tree is enough.
3. Links, headings, articles and asides are marked in it by single control characters.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_TAGS: Final = 30_000
MAX_ATTRIBUTES: Final = 1_000
_FLOOD_SIZE: Final = 65_536
# Possessive all through: there is nothing to go back for, and going back is what would be slow.
_ATTRIBUTE_FLOOD: Final = re.compile(
    r"<[a-zA-Z][^\s/>]*+"
    r"(?:[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+))?+)"
    f"{{{MAX_ATTRIBUTES}}}+"
)

OPEN: Final = "\x01"
CLOSE: Final = "\x02"
HEADING: Final = "\x03"
ASIDE_OPEN: Final = "\x04"
ASIDE_CLOSE: Final = "\x05"
ARTICLE_OPEN: Final = "\x06"
ARTICLE_CLOSE: Final = "\x07"
PLACE: Final = "\x08"
"""Where a Link stands that is no anchor: an area or a frame."""
BREAK: Final = "\x0b"
"""Between two blocks."""
_MARKS: Final = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b"
_MARK: Final = re.compile(r"[\x00-\x08\x0b]")
_MARK_REFERENCE: Final = re.compile(r"&#(?:0*(?:[0-8]|11)(?![0-9])|[xX]0*[0-8bB](?![0-9a-fA-F]));?")

_UNREAD: Final = [
    "script", "style", "template", "iframe", "noembed", "noframes", "xmp", "plaintext",
    "select", "textarea", "svg", "math", "canvas",
]  # fmt: skip
"""Elements without words for a reader, and those whose content is not markup."""
_ARTICLE: Final = "article,main,[role=main],[itemprop=articleBody]"
_ASIDE: Final = "nav,aside,footer,form,button,dialog,body>header"
_TOLD: Final = "[hidden],[aria-hidden],[role]"
_ASIDE_ROLES: Final = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog"}
)
"""Parts of a page that are hardly ever what a reader came for, by what they are ..."""
_NAMED: Final = "div,section,ul"
_ASIDE_NAME: Final = re.compile(
    r"sidebar|navbar|breadcrumb|footer|cookie|menu|share|social|related|comment|promo|banner"
    r"|toolbar|newsletter|popup|skip-link|pagination|display: ?none",
    re.IGNORECASE,
)
"""... and by what their authors call them."""
_ANCHOR: Final = re.compile(r"<a( [^>]*|)>")
_FRAMES: Final = "area[href],iframe[src],frame[src]"


class Frame(NamedTuple):
    """An area or a frame: a Link that has no words of its own but these."""

    tag: str
    href: str
    label: str


class Canonical(NamedTuple):
    """The body as text with marks and tags."""

    markup: str
    anchors: list[str]
    """The attributes of every ``a`` element as written, in the order of their OPEN marks."""
    frames: list[Frame]
    """In the order of their PLACE marks."""


def parse_html(html: str) -> LexborHTMLParser:
    """The tree of ``html``, as far as it can be read in bounded time. No mark is in it."""
    if html.count("<") > MAX_TAGS:
        html = html[: len(html) - len(html.split("<", MAX_TAGS + 1)[-1]) - 1]
    if len(html) > _FLOOD_SIZE:
        flood = _ATTRIBUTE_FLOOD.search(html)
        if flood:
            html = html[: flood.start()]
    if any(mark in html for mark in _MARKS):
        html = _MARK.sub(" ", html)
    if "&#" in html:
        html = _MARK_REFERENCE.sub(" ", html)
    return LexborHTMLParser(html)


def canonical(tree: LexborHTMLParser) -> Canonical:
    """Takes ``tree`` apart: what else is wanted of it must be read before."""
    frames = [_frame(node) for node in tree.css(_FRAMES)]
    tree.strip_tags(_UNREAD)
    _mark_asides(tree)
    for node in tree.css(_ARTICLE):
        _surround(node, ARTICLE_OPEN, ARTICLE_CLOSE)
    for node in tree.css("img[alt]"):
        alt = node.attributes.get("alt")
        if alt:
            node.insert_before(f" {alt} ")
    body = tree.body
    markup = (body.html if body is not None else None) or ""
    if "<!--" in markup:
        markup = _without_comments(markup)
    parts = _ANCHOR.split(markup)
    return Canonical(OPEN.join(parts[::2]).replace("</a>", CLOSE), parts[1::2], frames)


def _frame(node: LexborNode) -> Frame:
    node.insert_before(PLACE)
    named = node.attributes
    href = named.get("href" if node.tag == "area" else "src") or ""
    return Frame(node.tag or "", href, named.get("alt") or named.get("title") or "")


def _mark_asides(tree: LexborHTMLParser) -> None:
    for node in tree.css(_ASIDE):
        _surround(node, ASIDE_OPEN, ASIDE_CLOSE)
    for node in tree.css(_TOLD):
        told = node.attributes
        role = told.get("role")
        if "hidden" in told or told.get("aria-hidden") == "true" or role in _ASIDE_ROLES:
            _surround(node, ASIDE_OPEN, ASIDE_CLOSE)
    is_aside = _ASIDE_NAME.search
    for node in tree.css(_NAMED):
        named = node.attributes
        names = f"{named.get('class')} {named.get('id')} {named.get('style')}"
        if is_aside(names):
            _surround(node, ASIDE_OPEN, ASIDE_CLOSE)


def _surround(node: LexborNode, before: str, after: str) -> None:
    node.insert_before(BREAK + before + BREAK)
    node.insert_after(BREAK + after + BREAK)


def _without_comments(markup: str) -> str:
    first, *rest = markup.split("<!--")
    return first + "".join(piece.partition("-->")[2] for piece in rest)
