"""Sitemaps: what a site says it has.

Reads the XML of sitemaps.org (``urlset`` and ``sitemapindex``), RSS and Atom feeds, and plain
lists, each also as gzip. What is promised:

1. Any bytes give a Sitemap, without an error and in time linear in their length: what is broken
   is read as far as it makes sense.
2. No more than 50 MB are unpacked and no more than 50,000 entries returned, as the protocol
   allows, nor more than a million tags read; where there was more, ``cut`` says so.
3. Only the five entities of XML and character references are undone. Nothing a document declares
   is ever expanded or loaded.

The reader is our own for the sake of the third promise and of the first: an XML parser stops at
the first mistake, and an HTML parser does not know that an RSS ``link`` has content.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

SIZE_LIMIT_BYTES: Final = 50 * 1024 * 1024
ENTRY_LIMIT: Final = 50_000
TAG_LIMIT: Final = 1_000_000
LOCATION_LIMIT: Final = 2_048
"""Characters in an address; longer ones are left out, as the protocol forbids them."""

_LASTMOD_LIMIT: Final = 64
_BLANK: Final = " \t\r\n\0\ufeff"
_GZIP: Final = b"\x1f\x8b"
_ENCODINGS_BY_MARK: Final = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_DECLARED: Final = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})")
_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_NOT_CHARSETS: Final = frozenset(
    {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"}
)
"""Codecs of Python that are no encodings of documents."""

_ENTITY: Final = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));")
_NAMED: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_TAG_NAME: Final = re.compile(r"/?\s{0,8}([A-Za-z_][\w.-]{0,60}(?::[\w.-]{1,60})?)")
_ATTRIBUTE: Final = re.compile(r"""([\w:.-]{1,60})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')""")

_ENTRIES: Final = {"url": "loc", "sitemap": "loc", "item": "link", "entry": "link"}
"""Elements that stand for an entry, and the element inside that has its address."""
_DATES: Final = frozenset({"lastmod", "pubdate", "updated", "date", "modified"})
_PARENTS: Final = {"url": "urlset", "sitemap": "sitemapindex"}
_ROOTS: Final = frozenset({"urlset", "sitemapindex", "rss", "rdf", "feed", "html"})


class SitemapEntry(NamedTuple):
    """An address as it stands in the sitemap, and what is said of its last change."""

    location: str
    lastmod: str | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What one sitemap names, in its order."""

    entries: tuple[SitemapEntry, ...] = ()
    """Pages."""
    nested: tuple[SitemapEntry, ...] = ()
    """Further sitemaps."""
    cut: bool = False
    """There was more than the limits allow."""


def read_sitemap(body: bytes, media_type: str | None = None) -> Sitemap:
    """Read a sitemap of any kind. ``media_type`` is the Content-Type, parameters and all."""
    body, cut = _unpack(body)
    text = _decode(body, media_type)
    is_list = not text.lstrip(_BLANK).startswith("<")
    marks = _marks("" if is_list else text)
    named = _listed(text) if is_list else _xml_entries(islice(marks, TAG_LIMIT))
    pages: list[SitemapEntry] = []
    nested: list[SitemapEntry] = []
    for kind, entry in named:
        if len(pages) + len(nested) == ENTRY_LIMIT:
            cut = True
            break
        (nested if kind == "sitemap" else pages).append(entry)
    return Sitemap(tuple(pages), tuple(nested), cut or next(marks, None) is not None)


# --------------------------------------------------------------------------- bytes to text


def _unpack(body: bytes) -> tuple[bytes, bool]:
    """Undo gzip, even if it is torn, up to the limit; a second layer is no sitemap."""
    if body.startswith(_GZIP):
        # 31 is zlib's largest window with a gzip header.
        unpacker = zlib.decompressobj(wbits=31)
        parts = []
        size_bytes = 0
        try:
            # In pieces, so that what comes before a damaged place is kept.
            for start in range(0, len(body), 16_384):
                part = unpacker.decompress(
                    body[start : start + 16_384], SIZE_LIMIT_BYTES + 1 - size_bytes
                )
                parts.append(part)
                size_bytes += len(part)
                if unpacker.eof or size_bytes > SIZE_LIMIT_BYTES:
                    break
        except zlib.error:
            # Damaged from here on: guarantee 1 asks for what makes sense.
            parts.append(b"")
        body = b"".join(parts)
    return body[:SIZE_LIMIT_BYTES], len(body) > SIZE_LIMIT_BYTES


def _decode(body: bytes, media_type: str | None) -> str:
    for mark, encoding in _ENCODINGS_BY_MARK:
        if body.startswith(mark):
            return body.decode(encoding, "replace")
    declared = _DECLARED.match(body.lstrip()[:300])
    named = _CHARSET.search(media_type or "")
    for found in (named[1] if named else None, declared[1].decode("ascii") if declared else None):
        if found is None or found.lower().replace("_", "-") in _NOT_CHARSETS:
            continue
        try:
            return body.decode(found, "replace")
        except (LookupError, UnicodeError):
            # An encoding nobody knows, or that is wrong about itself: UTF-8 is the protocol's own.
            continue
    return body.decode("utf-8", "replace")


# --------------------------------------------------------------------------- text to entries


def _listed(text: str) -> Iterator[tuple[str, SitemapEntry]]:
    """A plain list: one address a line."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start : min(end, start + 2 * LOCATION_LIMIT)].strip(_BLANK)
        # Some lists say more after the address.
        location = line.partition("\t")[0]
        is_address = location[:8].lower().startswith(("http://", "https://"))
        if is_address and len(location) <= LOCATION_LIMIT:
            yield "url", SitemapEntry(location)
        start = end + 1


class _Mark(NamedTuple):
    """A tag, with the text between it and the next one."""

    prefix: str
    name: str
    closing: bool
    attributes: str
    text: str


def _marks(document: str) -> Iterator[_Mark]:
    """The tags of a document, in order. Comments, instructions and declarations are skipped,
    CDATA is text."""
    position = document.find("<")
    while position >= 0:
        if document.startswith("<!--", position):
            position = _after(document, "-->", position + 4)
        elif document.startswith(("<?", "<!"), position):
            position = _after(document, ">", position)
        else:
            end = document.find(">", position)
            if end < 0:
                return
            tag = document[position + 1 : min(end, position + 10_000)]
            text, position = _text_from(document, end + 1)
            name = _TAG_NAME.match(tag)
            if name is not None:
                prefix, _, local = name[1].rpartition(":")
                yield _Mark(prefix, local.lower(), tag.startswith("/"), tag[name.end() :], text)
            continue
        position = document.find("<", position) if position >= 0 else -1


def _text_from(document: str, start: int) -> tuple[str, int]:
    """The text from ``start`` to the next tag, CDATA included, and where that tag begins."""
    parts: list[str] = []
    while True:
        end = document.find("<", start)
        # Longer text is of no interest here, so it is not copied.
        stop = min(len(document) if end < 0 else end, start + 2 * LOCATION_LIMIT)
        parts.append(_undo_entities(document[start:stop]))
        if not document.startswith("<![CDATA[", end):
            return "".join(parts), end
        close = document.find("]]>", end)
        if close < 0:
            return "".join(parts), -1
        parts.append(document[end + 9 : min(close, end + 9 + 2 * LOCATION_LIMIT)])
        start = close + 3


def _after(document: str, what: str, start: int) -> int:
    found = document.find(what, start)
    return found + len(what) if found >= 0 else -1


class _Draft:
    """An entry being read."""

    __slots__ = ("kind", "lastmod", "location", "prefix")

    def __init__(self, kind: str, prefix: str) -> None:
        self.kind = kind
        self.prefix = prefix
        self.location: str | None = None
        self.lastmod: str | None = None

    def take(self, mark: _Mark) -> None:
        """Learn from a tag inside the entry. The address has the entry's own prefix: others,
        such as ``image:loc``, are not addresses of pages."""
        text = mark.text.strip()
        if mark.name in _DATES:
            self.lastmod = self.lastmod or text[:_LASTMOD_LIMIT] or None
        elif mark.name == _ENTRIES[self.kind] and mark.prefix == self.prefix:
            self.location = self.location or text or _alternate(mark.attributes)

    def entry(self) -> SitemapEntry | None:
        if self.location is None or len(self.location) > LOCATION_LIMIT:
            return None
        return SitemapEntry(self.location, self.lastmod)


def _xml_entries(marks: Iterable[_Mark]) -> Iterator[tuple[str, SitemapEntry]]:
    root: str | None = None
    draft: _Draft | None = None
    for mark in marks:
        if mark.name in _ROOTS and not mark.closing:
            root = root or mark.name
        elif root == "html":
            continue
        elif mark.name in _ENTRIES and (root is None or _PARENTS.get(mark.name, root) == root):
            # The next entry begins where the one before was not closed, too.
            if draft is not None and (entry := draft.entry()) is not None:
                yield draft.kind, entry
            draft = None if mark.closing else _Draft(mark.name, mark.prefix)
        elif draft is not None and not mark.closing:
            draft.take(mark)
    if draft is not None and (entry := draft.entry()) is not None:
        yield draft.kind, entry


def _alternate(attributes: str) -> str | None:
    """The address in the attributes of an Atom link, if it is that of the entry itself."""
    found = {name: double or single for name, double, single in _ATTRIBUTE.findall(attributes)}
    if found.get("rel", "alternate") != "alternate":
        return None
    return _undo_entities(found.get("href", "")).strip() or None


def _undo_entities(text: str) -> str:
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    decimal, hexadecimal, named = entity.groups()
    if named is not None:
        return _NAMED[named]
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    # Neither control characters nor halves of surrogate pairs are text.
    return chr(code) if 32 <= code < 0xD800 or 0xDFFF < code <= 0x10FFFF else "\ufffd"
