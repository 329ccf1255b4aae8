"""From bytes to characters.

1. Every body decodes; what no encoding explains becomes U+FFFD.
2. The order of belief is the HTML standard's: byte order mark, Content-Type, meta, content.
   Two declarations are believed only as far as the bytes allow: Latin-1, which servers claim of
   everything, gives way to valid UTF-8, and UTF-8 gives way where much of the text is not.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from resiliparse.parse.encoding import detect_encoding

from shoal.page.labels import UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, Encoding, encoding_of

PRESCAN_BYTES: Final = 16_384
"""The standard looks at 1,024 first, and starts again where a later meta element says otherwise."""
_CHARSET: Final = re.compile(
    r"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE
)
_PRESCAN: Final = re.compile(
    rb"<!--.*?-->|<(?:meta[\s/]|/?[a-z][^\s/>]*+)"
    rb"((?:[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+))?+)*+)"
    rb"[\s/]*+>|<[!/?][^>]*+>",
    re.IGNORECASE | re.DOTALL,
)
_META: Final = re.compile(rb"<meta[\s/]", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(
    rb"[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>\"'][^\s>]*+)))?+"
)
_SAMPLE_BYTES: Final = 4096
_DETECTOR_NAMES: Final = {
    "uhc": "euc-kr",
    "cp949": "euc-kr",
    "mac-cyrillic": "x-mac-cyrillic",
    "euc-tw": "big5",
}
_ASCII: Final = bytes(range(128))
_BAD_SHARE: Final = 0.1
"""With more than this share of its high bytes unreadable, text was not UTF-8."""


class Decoded(NamedTuple):
    text: str
    charset: str
    utf8: bytes
    """``text`` in UTF-8: the body itself, where it is that."""


def decode(body: bytes, content_type: str) -> Decoded:
    """``content_type`` is the header's value, or empty."""
    mark = _byte_order_mark(body)
    if mark is not None:
        encoding, size = mark
        return _replaced(body[size:], encoding)
    declared = charset_of(content_type) or _from_meta(body[:PRESCAN_BYTES])
    return _decode_as(body, declared)


def charset_of(content_type: str) -> Encoding | None:
    """The encoding that a Content-Type names."""
    found = _CHARSET.search(content_type)
    return encoding_of(found[1] or found[2] or found[3] or "") if found else None


def _byte_order_mark(body: bytes) -> tuple[Encoding, int] | None:
    if body.startswith(b"\xef\xbb\xbf"):
        return UTF_8, 3
    if body.startswith(b"\xff\xfe"):
        return UTF_16LE, 2
    return (UTF_16BE, 2) if body.startswith(b"\xfe\xff") else None


def _decode_as(body: bytes, declared: Encoding | None) -> Decoded:
    if declared is None or declared in (UTF_8, WINDOWS_1252):
        if body.isascii():
            return Decoded(body.decode("ascii"), (declared or WINDOWS_1252).name, body)
        try:
            return Decoded(body.decode("utf-8"), UTF_8.name, body)
        except UnicodeDecodeError:
            pass
        if declared is None:
            declared = _from_content(body)
        elif declared == UTF_8:
            text = body.decode("utf-8", "replace")
            high = len(body.translate(None, _ASCII))
            if text.count("\ufffd") <= max(2, high * _BAD_SHARE):
                return Decoded(text, UTF_8.name, text.encode())
            declared = _from_content(body)
    return _replaced(body, declared)


def _replaced(body: bytes, encoding: Encoding) -> Decoded:
    text = body.decode(encoding.codec, "replace")
    return Decoded(text, encoding.name, text.encode("utf-8", "replace"))


def _from_content(body: bytes) -> Encoding:
    """The likeliest encoding of bytes that are neither ASCII nor UTF-8."""
    first = next((index for index, byte in enumerate(body) if byte > 127), 0)
    start = max(0, first - 256)
    sample = body[start : start + 4 * _SAMPLE_BYTES]
    name = (detect_encoding(sample, max_len=0, html5_compatible=False) or "").lower()
    found = encoding_of(_DETECTOR_NAMES.get(name, name))
    return WINDOWS_1252 if found is None or found == UTF_8 else found


def _from_meta(head: bytes) -> Encoding | None:
    """The encoding that a meta element near the beginning declares."""
    if b"charset" not in head.lower():
        return None
    for found in _PRESCAN.finditer(head):
        if _META.match(found[0]):
            encoding = _meta_encoding(found[1])
            if encoding is not None:
                # A page that could be scanned for a meta element is not UTF-16, whatever it says.
                return UTF_8 if encoding in (UTF_16LE, UTF_16BE) else encoding
    return None


def _meta_encoding(attributes: bytes) -> Encoding | None:
    values: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(attributes):
        value = found[2] or found[3] or found[4] or b""
        values.setdefault(found[1].decode("latin_1").lower(), value.decode("latin_1"))
    if "charset" in values:
        return encoding_of(values["charset"])
    if values.get("http-equiv", "").lower() == "content-type":
        return charset_of(values.get("content", ""))
    return None
