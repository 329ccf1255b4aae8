"""The document tree: parsed once, within bounds, and without characters that mark anything.

1. Parsing takes bounded time and memory. Lexbor needs time quadratic in the depth of a tree and in
   the number of attributes of one tag, so what lies behind ``MAX_TAGS`` tags, or behind a tag of
   ``MAX_ATTRIBUTES``, is not read. HTML has a parser open every formatting element that was left
   open anew in each paragraph, so 40 kB of ``<b id=1><b id=2>...`` before ``<p>x<p>x...`` are
   millions of elements: where there could be more than ``MAX_REOPENED``, formatting is left out.
2. No control character is left in the tree but tab, newline and form feed: the readers of this
   room put marks of their own between its words.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

MAX_TAGS: Final = 30_000
MAX_ATTRIBUTES: Final = 1_000
MAX_REOPENED: Final = 500_000
# The letters first, because most tags begin with none of them.
_FORMATTING: Final = (
    rb"(?=[bcefinstu])(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])"
)
_OPENED: Final = re.compile(rb"<" + _FORMATTING, re.IGNORECASE)
# No "<" within, and not the end of a comment: what holds one may be something else, such as script.
_REMOVED: Final = re.compile(rb"</?" + _FORMATTING + rb"[^<>]*+(?<!--)>", re.IGNORECASE)
_FLOOD_SIZE: Final = 65_536
# Possessive all through: there is nothing to go back for, and going back is what would be slow.
_ATTRIBUTE_FLOOD: Final = re.compile(
    rb"<[a-zA-Z][^\s/>]*+"
    rb"(?:[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+))?+)"
    b"{%d}+" % MAX_ATTRIBUTES
)
_SPACES: Final = bytes.maketrans(
    bytes(byte for byte in (*range(32), 127) if byte not in b"\t\n\f"),
    b"".join(b"\n" if byte == 13 else b" " for byte in (*range(32), 127) if byte not in b"\t\n\f"),
)
_HIGH_CONTROL: Final = re.compile(rb"\xc2[\x80-\x9f]")
_CONTROL_REFERENCE: Final = re.compile(
    rb"&#(?:0*(?:[0-8]|1[1-9]|2[0-9]|3[01]|127|129|141|143|144|157)(?![0-9])"
    rb"|[xX]0*(?:[0-8bBd-fD-F]|1[0-9a-fA-F]|7[fF]|81|8[dDfF]|90|9[dD])(?![0-9a-fA-F]));?"
)


def parse_html(html: bytes) -> LexborHTMLParser:
    """The tree of ``html``, which is UTF-8, as far as it can be read in bounded time."""
    if len(html) > MAX_TAGS and html.count(b"<") > MAX_TAGS:
        html = html[: len(html) - len(html.split(b"<", MAX_TAGS + 1)[-1]) - 1]
    if len(html) > _FLOOD_SIZE:
        flood = _ATTRIBUTE_FLOOD.search(html)
        if flood:
            html = html[: flood.start()]
    html = html.translate(_SPACES)
    if b"\xc2" in html:
        html = _HIGH_CONTROL.sub(b" ", html)
    if b"&#" in html:
        html = _CONTROL_REFERENCE.sub(b" ", html)
    html = _without_flood_of_formatting(html)
    # Without events a tree is what the markup says, and changing it is cheaper.
    return LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS.value)


def _without_flood_of_formatting(html: bytes) -> bytes:
    """``html``, or what is left of it where its formatting could be reopened too often. Which tags
    are closed cannot be told without parsing, so all count."""
    tags = html.count(b"<")
    # At worst one half opens elements, and the other half opens each of them again.
    if tags * tags // 4 < MAX_REOPENED:
        return html
    most = MAX_REOPENED // tags
    if len(_OPENED.findall(html)) <= most:
        return html
    html = _REMOVED.sub(b"", html)
    left = [found.start() for found in _OPENED.finditer(html)]
    return html if len(left) <= most else html[: left[most]]
