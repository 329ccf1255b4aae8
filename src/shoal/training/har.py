"""A browsing path as a browser keeps it: the documents of a HAR file (HTTP Archive 1.2).

Only what a person looked at is a visit: GET requests whose answer is a page. Where the browser says
what kind of resource an entry was, frames, scripts and the like are left out by that. A HAR saved
without content has addresses only; its pages are then to be looked up elsewhere.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from shoal.errors import UsageError
from shoal.http.headers import is_accepted, media_type
from shoal.settings import PARSED_TYPES

LARGEST_BYTES: Final = 2_000_000_000


class BadHar(UsageError):
    """No HAR file, or not one of a browser's."""


@dataclass(frozen=True, slots=True)
class HarVisit:
    """A document that was looked at."""

    url: str
    came_from: str | None
    content_type: str
    body: bytes | None
    """None where the file does not keep it."""


class _Header(msgspec.Struct):
    name: str
    value: str


class _Request(msgspec.Struct):
    method: str
    url: str
    headers: list[_Header] = []


class _Content(msgspec.Struct, rename={"mime_type": "mimeType"}):
    mime_type: str = ""
    text: str | None = None
    encoding: str | None = None


class _Response(msgspec.Struct):
    status: int
    content: _Content


class _Entry(
    msgspec.Struct, rename={"started": "startedDateTime", "resource_type": "_resourceType"}
):
    started: str
    request: _Request
    response: _Response
    resource_type: str | None = None


class _Log(msgspec.Struct):
    entries: list[_Entry]


class _Har(msgspec.Struct):
    log: _Log


def read_har(path: Path) -> list[HarVisit]:
    """In the order of time. Raises BadHar."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise BadHar(f"{path} is larger than {LARGEST_BYTES:,} bytes; save a shorter session")
        content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise BadHar(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        entries = msgspec.json.decode(content, type=_Har).log.entries
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadHar(f"{path} is no HAR file: {error}") from error
    entries.sort(key=lambda entry: entry.started)
    found = [_visit(entry) for entry in entries if _is_visit(entry)]
    if not found:
        raise BadHar(f"{path}: none of its {len(entries)} entries is a page that was looked at")
    return found


def _is_visit(entry: _Entry) -> bool:
    return (
        entry.request.method == "GET"
        and entry.response.status == 200
        and is_accepted(entry.response.content.mime_type, PARSED_TYPES)
        and entry.resource_type in (None, "document")
    )


def _visit(entry: _Entry) -> HarVisit:
    headers = {header.name.lower(): header.value for header in entry.request.headers}
    content = entry.response.content
    kind, body = content.mime_type, None
    if content.text is not None:
        if content.encoding == "base64":
            body = _decoded(content.text)
        else:
            # The browser has decoded it already, whatever the server's header says.
            kind = f"{media_type(content.mime_type)}; charset=utf-8"
            body = content.text.encode("utf-8", "replace")
    return HarVisit(entry.request.url, headers.get("referer"), kind, body)


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return None
