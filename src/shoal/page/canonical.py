"""The body written out again in canonical form, for those who have time to read it with care.

1. The canonical form is regular: every ``<`` begins a tag that ends with the next ``>``,
   attribute values are in double quotes, and no element is left whose content is not markup.
   That is why regular expressions may read it.
2. Headings, articles and asides are marked in it by single control characters.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

OPEN: Final = "\x01"
CLOSE: Final = "\x02"
HEADING: Final = "\x03"
ASIDE_OPEN: Final = "\x04"
ASIDE_CLOSE: Final = "\x05"
ARTICLE_OPEN: Final = "\x06"
ARTICLE_CLOSE: Final = "\x07"
BREAK: Final = "\x0b"
"""Between two blocks."""
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
_ANCHOR: Final = re.compile(r"<a(?: [^>]*|)>")


def canonical(tree: LexborHTMLParser) -> str:
    """The body as text with marks and tags. Takes ``tree`` apart."""
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
    return _ANCHOR.sub(OPEN, markup).replace("</a>", CLOSE)


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
