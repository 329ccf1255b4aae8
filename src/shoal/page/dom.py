"""The document tree: parsed once, within bounds, and without characters that mark anything.

1. Parsing takes bounded time. Lexbor needs time quadratic in the depth of a tree and in the
   number of attributes of one tag, so what lies behind ``MAX_TAGS`` tags, or behind a tag of
   ``MAX_ATTRIBUTES``, is not read.
2. No control character is left in the tree but tab, newline and form feed: the readers of this
   room put marks of their own between its words.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

MAX_TAGS: Final = 30_000
MAX_ATTRIBUTES: Final = 1_000
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
    # Without events a tree is what the markup says, and changing it is cheaper.
    return LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS.value)
