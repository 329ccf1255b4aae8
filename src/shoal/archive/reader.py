"""WARC in: Responses from records.

``Response.body`` is decoded here, up to a limit, so a small archive cannot fill the memory.
Records that hold no HTTP answer (requests, metadata, DNS lookups) are passed over.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from shoal.archive.reading import Files, FolderFiles
from shoal.archive.records import BrokenArchive, Record, one_record, read_records
from shoal.http.coding import decode
from shoal.http.heads import make_head, parse_head, restored, split_head, unchunked
from shoal.model import Cut, Position, Response
from shoal.settings import UrlSettings
from shoal.url import BadUrl, Url, UrlParser

BODY_LIMIT_BYTES: Final = 10_000_000
"""The longest decoded body unless told otherwise."""
ELAPSED_FIELD: Final = "X-Shoal-Elapsed"
ORIGINAL_FIELD: Final = "X-Shoal-Original"
_CHUNKED: Final = re.compile(rb"^transfer-encoding[ \t]*:.*chunked", re.IGNORECASE | re.MULTILINE)
_AS_WRITTEN: Final = UrlParser(
    UrlSettings(
        drop_session_ids=False,
        drop_tracking=False,
        drop_index=False,
        sort_query=False,
        repair=False,
    )
)
"""Our own archives hold canonical addresses, whatever the policy was: it is not applied twice."""
_ORIGINALS_KEPT: Final = 65_536
_CUTS: Final = {cut.value: cut for cut in Cut}
_VERSIONS: Final = {"h2": "2", "h3": "3", "http/1.0": "1.0", "http/1.1": "1.1"}


def response_of(
    record: Record, url: Url, body_limit_bytes: int = BODY_LIMIT_BYTES
) -> Response | None:
    """The Response that a ``response``, ``resource`` or ``revisit`` record holds; None where it
    holds none. A revisit's payload is empty: see ``with_payload_of``."""
    fields = record.fields
    if record.kind == "resource":
        kind = fields.get("content-type", "application/octet-stream")
        headers = (("content-type", kind), ("content-length", str(len(record.block))))
        head, payload = make_head(200, headers), record.block
    elif record.kind in ("response", "revisit"):
        head, payload = split_head(record.block)
        if record.kind == "response" and _CHUNKED.search(head):
            payload = unchunked(payload)
        head = restored(head)
    else:
        return None
    parsed = parse_head(head)
    if parsed is None:
        return None
    cut = _CUTS.get(fields.get("warc-truncated", "").lower())
    if cut is None and "warc-truncated" in fields:
        cut = Cut.DISCONNECT
    codings = ",".join(value for name, value in parsed.headers if name == "content-encoding")
    body, too_long = decode(payload, codings, body_limit_bytes)
    return Response(
        url=url,
        status=parsed.status,
        head=head,
        headers=parsed.headers,
        payload=payload,
        body=body,
        started_s=date_s(record.date),
        elapsed_s=_elapsed_s(fields),
        ip=fields.get("warc-ip-address"),
        http_version=_VERSIONS.get(fields.get("warc-protocol", "").lower(), parsed.http_version),
        cut=Cut.LENGTH if too_long or record.cut else cut,
    )


def with_payload_of(
    revisit: Response, original: Response, body_limit_bytes: int = BODY_LIMIT_BYTES
) -> Response:
    """A revisit's own head over the payload that it shares with an earlier Response."""
    codings = ",".join(revisit.header_values("content-encoding"))
    body, too_long = decode(original.payload, codings, body_limit_bytes)
    return replace(
        revisit, payload=original.payload, body=body, cut=Cut.LENGTH if too_long else original.cut
    )


def is_payload_revisit(record: Record) -> bool:
    """A revisit whose payload stands elsewhere (one that says "not modified" has none)."""
    return record.kind == "revisit" and "server-not-modified" not in record.fields.get(
        "warc-profile", ""
    )


def original_of(record: Record) -> Position | None:
    """Where the payload of one of our own revisits stands."""
    words = record.fields.get(ORIGINAL_FIELD.lower(), "").split()
    if len(words) != 3 or not (words[1].isdigit() and words[2].isdigit()):
        return None
    # Only a name, never a path: what stands in a WARC may not lead out of its folder.
    return Position(Path(words[0]).name, int(words[1]), int(words[2]))


def read_record(
    place: Path | Files, position: Position, body_limit_bytes: int = BODY_LIMIT_BYTES
) -> Response:
    """The Response at a Position of our own Archive, in a folder or other Files; a revisit with
    the payload it refers to. Raises BrokenArchive, or OSError where the file is missing."""
    where = FolderFiles(place) if isinstance(place, Path) else place
    record = _record_at(where, position)
    response = _parsed(where.name_of(position.file), record, body_limit_bytes)
    if not is_payload_revisit(record):
        return response
    original = original_of(record)
    if original is None:
        raise BrokenArchive(
            where.name_of(position.file), position.offset, "a revisit that does not say of what"
        )
    # What a revisit refers to stands beside it; a Position may name a folder below.
    above = position.file.rpartition("/")
    beside = replace(original, file="".join(above[:2]) + original.file)
    return with_payload_of(response, _original(where, record, beside), body_limit_bytes)


def iter_responses(path: Path, body_limit_bytes: int = BODY_LIMIT_BYTES) -> Iterator[Response]:
    """Every Response of one WARC file, in order, in bounded memory. A revisit comes with its
    payload where that is in the same file or, for our own archives, the same folder; otherwise it
    is left out. Raises BrokenArchive after giving out everything that is whole."""
    originals: OrderedDict[str, Position] = OrderedDict()
    for record in read_records(path):
        digest = record.fields.get("warc-payload-digest", "")
        if is_payload_revisit(record):
            where = original_of(record)
            if where is None or not (path.parent / where.file).exists():
                # Records that were copied elsewhere, as an export does, took their originals along.
                where = originals.get(digest)
            if where is None:
                continue
            response = _parsed(path, record, body_limit_bytes)
            original = _original(FolderFiles(path.parent), record, where)
            yield with_payload_of(response, original, body_limit_bytes)
            continue
        if record.kind == "response" and digest and record.length is not None:
            originals[digest] = Position(path.name, record.offset, record.length)
            if len(originals) > _ORIGINALS_KEPT:
                originals.popitem(last=False)
        url = url_of(record)
        found = response_of(record, url, body_limit_bytes) if url else None
        if found is not None:
            yield found


def url_of(record: Record, parser: UrlParser | None = None) -> Url | None:
    """What a record is of, where that is a web address; as written, unless a parser is given."""
    if not record.uri.startswith(("http:", "https:")):
        return None
    try:
        return (parser or _AS_WRITTEN).parse(record.uri)
    except BadUrl:
        return None


def date_s(text: str) -> float:
    """A WARC-Date as seconds since 1970; 0 where it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _elapsed_s(fields: dict[str, str]) -> float:
    try:
        return max(0.0, float(fields.get(ELAPSED_FIELD.lower(), "0")))
    except ValueError:
        return 0.0


def _parsed(path: Path | str, record: Record, body_limit_bytes: int) -> Response:
    url = url_of(record)
    response = response_of(record, url, body_limit_bytes) if url else None
    if response is None:
        raise BrokenArchive(path, record.offset, f"no Response in this {record.kind} record")
    return response


def _record_at(place: Files, position: Position) -> Record:
    data = place.read(position.file, position.offset, position.length)
    return one_record(data, place.name_of(position.file), position.offset, position.length)


def _original(place: Files, revisit: Record, where: Position) -> Response:
    """What a revisit refers to, checked by digest so that no other page passes for it."""
    record = _record_at(place, where)
    expected = revisit.fields.get("warc-payload-digest", "")
    if record.fields.get("warc-payload-digest", "") != expected:
        raise BrokenArchive(
            place.name_of(where.file),
            where.offset,
            f"not the payload {expected} that a revisit means",
        )
    return _parsed(place.name_of(where.file), record, BODY_LIMIT_BYTES)
