"""What kind of thing a Response is, by its Content-Type and, where that cannot be, by its bytes.

The idea is that of the MIME Sniffing Standard, with the two liberties a crawler may take, as it
runs no script: HTML served as plain text is read as HTML, and so is XML that is XHTML.
"""

from __future__ import annotations

import re
from typing import Final

HTML: Final = "text/html"
PLAIN: Final = "text/plain"
XHTML: Final = "application/xhtml+xml"
BINARY: Final = "application/octet-stream"

_SNIFF_BYTES: Final = 1445
"""As many as the standard looks at."""
_TYPE: Final = re.compile(r"[\w.+!#$&^-]{1,100}/[\w.+!#$&^-]{1,100}", re.ASCII)
_MAGIC: Final = (
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"OggS\x00", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\x7fELF", BINARY),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
)
_PROLOGUE: Final = (
    rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]*(?:<\?xml[^>]{0,200}>[\t\n\x0c\r ]*)?"
    rb"(?:<!--.*?-->[\t\n\x0c\r ]*)*"
)
_HTML_START: Final = re.compile(
    _PROLOGUE + rb"<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body"
    rb"|br|p)[\t\n\x0c\r />]",
    re.IGNORECASE | re.DOTALL,
)
_DOCUMENT_START: Final = re.compile(
    _PROLOGUE + rb"<(?:!doctype html|html)[\t\n\x0c\r />]", re.IGNORECASE | re.DOTALL
)
_FEED_START: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<(?:!--.*?--|[?][^>]*)>\s*)*"
    rb"<(rss|feed|rdf:RDF)[\s>]",
    re.DOTALL,
)
_FEEDS: Final = {b"feed": "application/atom+xml"}
# Controls that text does not have: all but tab, line feed, form feed, return and escape.
_BINARY: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_UNTOLD: Final = frozenset({"", "unknown/unknown", "application/unknown", "*/*", BINARY})


def declared_type(content_type: str) -> str:
    """The media type of a Content-Type, in lower case and without parameters; else empty."""
    essence = content_type.partition(";")[0].strip().lower()
    return essence if _TYPE.fullmatch(essence) else ""


def media_type(content_type: str, body: bytes) -> str:
    """What ``body`` is."""
    told = declared_type(content_type)
    head = body[:_SNIFF_BYTES]
    if told in _UNTOLD:
        return _sniffed(head)
    if told in (HTML, XHTML, PLAIN):
        found = _magic(head)
        if found:
            return found
        if told == PLAIN:
            if _DOCUMENT_START.match(head):
                return HTML
            return BINARY if _is_binary(head) else PLAIN
        feed = _FEED_START.match(head)
        return _FEEDS.get(feed[1], "application/rss+xml") if feed else told
    if told in ("text/xml", "application/xml") and _DOCUMENT_START.match(head):
        return XHTML
    return told


def _sniffed(head: bytes) -> str:
    found = _magic(head)
    if found:
        return found
    if _HTML_START.match(head):
        return HTML
    if head.lstrip()[:5] == b"<?xml":
        return "text/xml"
    return BINARY if _is_binary(head) else PLAIN


def _magic(head: bytes) -> str | None:
    return next((kind for start, kind in _MAGIC if head.startswith(start)), None)


def _is_binary(head: bytes) -> bool:
    return not head.startswith(_UTF16_MARKS) and _BINARY.search(head) is not None
