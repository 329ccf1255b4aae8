"""HTTP heads, as servers send them and as archives keep them.

An archive keeps the payload with its transfer coding undone, so the head kept beside it must not
say otherwise. What would be untrue is renamed in place (``X-Shoal-Orig-``), so nothing is lost
and reading puts it back; a head of HTTP/2 or later gets the first line that replay tools read,
and the protocol is told in the record's own ``WARC-Protocol``.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final, NamedTuple

from shoal.http.headers import parse_headers, parse_status

RENAMED: Final = b"X-Shoal-Orig-"
_RENAMED_LOWER: Final = RENAMED.lower()
_CHUNK_LINE_LIMIT: Final = 64
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_UNTRUE: Final = re.compile(
    rb"^(transfer-encoding|content-length)(?=[ \t]*:)", re.IGNORECASE | re.MULTILINE
)
_SECRET: Final = re.compile(rb"^proxy-authorization[ \t]*:[^\n]*\n", re.IGNORECASE | re.MULTILINE)
_BODILESS: Final = frozenset({204, 304})
_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}


class Head(NamedTuple):
    """A status line and headers, read."""

    status: int
    headers: tuple[tuple[str, str], ...]
    http_version: str


def phrase(status: int) -> str:
    """The usual words for a status, or ``Unknown``."""
    return _PHRASES.get(status, "Unknown")


def make_head(status: int, headers: tuple[tuple[str, str], ...]) -> bytes:
    """A head for a Response that no server sent."""
    lines = [
        f"HTTP/1.1 {status} {phrase(status)}",
        *(f"{name}: {value}" for name, value in headers),
    ]
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n"


def response_head_to_keep(head: bytes, status: int, payload_bytes: int) -> bytes:
    """The form of a response head that is true of the payload kept beside it."""
    head = _ended(head)
    line, _, rest = head.partition(b"\r\n")
    if not line.startswith((b"HTTP/1.1 ", b"HTTP/1.0 ")):
        words = line.split(b" ", 2)
        reason = words[2].strip() if len(words) == 3 else b""
        line = b"HTTP/1.1 %d %s" % (status, reason or phrase(status).encode())
        head = line + b"\r\n" + rest
    return _UNTRUE.sub(lambda found: _renamed(found, head, status, payload_bytes), head)


def _renamed(found: re.Match[bytes], head: bytes, status: int, payload_bytes: int) -> bytes:
    if found[0].lower() == b"content-length":
        value = head[found.end() : head.find(b"\n", found.end())].strip(b" \t\r:")
        if status in _BODILESS or (value.isdigit() and int(value) == payload_bytes):
            return found[0]
    return RENAMED + found[0]


def request_head_to_keep(head: bytes) -> bytes:
    """The form of a request head to archive: no proxy password, a first line of HTTP/1."""
    head = _ended(_SECRET.sub(b"", head))
    line, _, rest = head.partition(b"\r\n")
    if not line.endswith((b" HTTP/1.1", b" HTTP/1.0")):
        line = line.rpartition(b" ")[0] + b" HTTP/1.1"
    return line + b"\r\n" + rest


def _ended(head: bytes) -> bytes:
    return head if head.endswith(b"\r\n\r\n") else head.rstrip(b"\r\n") + b"\r\n\r\n"


def split_head(block: bytes) -> tuple[bytes, bytes]:
    """Head (with its empty line) and the rest."""
    found = _HEAD_END.search(block)
    if found is None:
        return block, b""
    return block[: found.end()], block[found.end() :]


def restored(head: bytes) -> bytes:
    """A head as the server sent it: names that were changed for the archive put back."""
    if _RENAMED_LOWER not in head.lower():
        return head
    return re.sub(
        rb"^" + RENAMED + rb"(?=transfer-encoding|content-length)",
        b"",
        head,
        flags=re.IGNORECASE | re.MULTILINE,
    )


def parse_head(head: bytes) -> Head | None:
    """A response head, read leniently; None where the first line is no status line."""
    status = parse_status(head)
    if status is None or head[:4].upper() != b"HTTP":
        return None
    version = head.split(None, 1)[0].decode("latin-1").partition("/")[2]
    return Head(status, parse_headers(head), version or "1.0")


def unchunked(data: bytes) -> bytes:
    """A body freed of chunked transfer coding; itself where it is not chunked after all."""
    pieces: list[bytes] = []
    at = 0
    while at < len(data):
        line_end = data.find(b"\n", at, at + _CHUNK_LINE_LIMIT)
        size_text = data[at:line_end].partition(b";")[0].strip()
        try:
            size = int(size_text, 16) if line_end >= 0 else -1
        except ValueError:
            size = -1
        if size < 0:
            return data if not pieces else b"".join(pieces)
        if size == 0:
            break
        pieces.append(data[line_end + 1 : line_end + 1 + size])
        at = line_end + 1 + size
        at += 2 if data[at : at + 2] == b"\r\n" else 1
    return b"".join(pieces)
