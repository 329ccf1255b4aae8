"""What is written of one Response: its records, and the line of its capture.

What is promised, wherever the bytes go:

1. Every record is one gzip member, so each can be read alone by its Position.
2. A response record stands first, then its request, then its metadata (what was decided, how long
   it took); the latter two name it in ``WARC-Concurrent-To``.
3. Memory holds ``remembered`` payload digests and nothing else that grows.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from shoal.archive import cdxj
from shoal.archive.encode import (
    RecordIds,
    base32,
    gzip_member,
    random_record_id,
    record_bytes,
    warc_date,
    warc_fields,
)
from shoal.archive.reader import ELAPSED_FIELD, ORIGINAL_FIELD
from shoal.http.heads import request_head_to_keep, response_head_to_keep
from shoal.model import Judgement, Position, Response
from shoal.ports import Clock

SAME_PAYLOAD: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED: Final = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_STANDARD: Final = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
_PROTOCOLS: Final = {"2": "h2", "3": "h3", "1.0": "http/1.0", "1.1": "http/1.1"}
_METADATA_TYPE: Final = "application/warc-fields"


class WarcFile(Protocol):
    """A WARC file that is being written."""

    @property
    def name(self) -> str: ...

    def write(self, member: bytes) -> int:
        """Append one record; returns where it begins."""

    def note(self, line: str) -> None:
        """Keep a line for the index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Who writes an archive: what its warcinfo records say."""

    software: str = "Shoal"
    operator: str | None = None
    about: tuple[tuple[str, str], ...] = ()
    """Further names and values."""
    record_ids: RecordIds = random_record_id
    remembered: int = 20_000
    """So many payloads, the last ones, are written once."""

    def facts(self) -> tuple[tuple[str, str], ...]:
        return (
            ("software", self.software),
            *((("operator", self.operator),) if self.operator else ()),
            ("format", "WARC File Format 1.1"),
            ("conformsTo", _STANDARD),
            *self.about,
        )


class _Original(NamedTuple):
    """The first record of a payload, for revisits to refer to."""

    uri: str
    date: str
    record_id: str
    position: Position


class Captures:
    """Writes Responses, as records, to whatever WarcFile is open."""

    def __init__(self, maker: Maker, level: int, clock: Clock) -> None:
        self._maker = maker
        self._clock = clock
        self._record_ids = maker.record_ids
        self._compress = gzip_member(level)
        self._originals: OrderedDict[bytes, _Original] = OrderedDict()

    def begin(self, file: WarcFile) -> None:
        """Say at the head of a file who wrote it."""
        fields = [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", f"<{self._record_ids()}>"),
            ("WARC-Date", warc_date(self._clock.now_s())),
            ("WARC-Filename", file.name),
            ("Content-Type", _METADATA_TYPE),
        ]
        file.write(self._compress(record_bytes(fields, warc_fields(self._maker.facts()))))

    def forget(self) -> None:
        """Refer to nothing that was written before: it may be gone."""
        self._originals.clear()

    def write(self, file: WarcFile, response: Response, judgement: Judgement | None) -> Position:
        """All records of a Response; returns where the first of them stands."""
        uri, date = response.url.text, warc_date(response.started_s)
        record_id = self._record_ids()
        shared = [("WARC-Target-URI", uri), ("WARC-Date", date)]
        if response.ip:
            shared.append(("WARC-IP-Address", response.ip))
        position = self._write_response(file, response, record_id, shared)
        shared.append(("WARC-Concurrent-To", f"<{record_id}>"))
        if response.request_head:
            block = request_head_to_keep(response.request_head)
            digest = base32(hashlib.sha1(block, usedforsecurity=False).digest())
            fields = [
                ("WARC-Type", "request"),
                ("WARC-Record-ID", f"<{self._record_ids()}>"),
                *shared,
                ("WARC-Block-Digest", f"sha1:{digest}"),
                ("Content-Type", "application/http; msgtype=request"),
            ]
            file.write(self._compress(record_bytes(fields, block)))
        if judgement is not None or response.cut is not None:
            block = warc_fields(_facts(response, judgement))
            fields = [
                ("WARC-Type", "metadata"),
                ("WARC-Record-ID", f"<{self._record_ids()}>"),
                *shared,
                ("Content-Type", _METADATA_TYPE),
            ]
            file.write(self._compress(record_bytes(fields, block)))
        return position

    def _write_response(
        self, file: WarcFile, response: Response, record_id: str, shared: list[tuple[str, str]]
    ) -> Position:
        payload, status = response.payload, response.status
        payload_sha1 = hashlib.sha1(payload, usedforsecurity=False).digest()
        original = self._originals.get(payload_sha1) if payload else None
        head = response_head_to_keep(response.head, status, len(payload))
        block_sha1 = hashlib.sha1(head, usedforsecurity=False)
        fields = [("WARC-Record-ID", f"<{record_id}>"), *shared]
        blocks: tuple[bytes, ...] = (head,)
        if status == 304:
            fields += [("WARC-Type", "revisit"), ("WARC-Profile", NOT_MODIFIED)]
        elif original is not None and response.cut is None:
            fields += [("WARC-Type", "revisit"), *_refers_to(original)]
        else:
            fields.append(("WARC-Type", "response"))
            blocks = (head, payload)
            block_sha1.update(payload)
        payload_digest = base32(payload_sha1)
        if status != 304:
            fields.append(("WARC-Payload-Digest", f"sha1:{payload_digest}"))
        if response.cut is not None:
            fields.append(("WARC-Truncated", response.cut.value))
        if response.http_version in _PROTOCOLS:
            fields.append(("WARC-Protocol", _PROTOCOLS[response.http_version]))
        fields += [
            ("WARC-Block-Digest", f"sha1:{base32(block_sha1.digest())}"),
            (ELAPSED_FIELD, f"{response.elapsed_s:.6f}"),
            ("Content-Type", "application/http; msgtype=response"),
        ]
        member = self._compress(record_bytes(fields, *blocks))
        offset = file.write(member)
        position = Position(file.name, offset, len(member))
        uri, date = shared[0][1], shared[1][1]
        if status != 304:
            revisit = len(blocks) == 1
            mime = "warc/revisit" if revisit else response.header("content-type") or ""
            file.note(
                cdxj.line(
                    uri=uri,
                    date=date,
                    mime=mime,
                    status=status,
                    digest=payload_digest,
                    offset=offset,
                    length=len(member),
                    file=file.name,
                )
            )
            if not revisit and payload and response.cut is None:
                self._remember(payload_sha1, _Original(uri, date, record_id, position))
        return position

    def _remember(self, digest: bytes, original: _Original) -> None:
        self._originals[digest] = original
        if len(self._originals) > self._maker.remembered:
            self._originals.popitem(last=False)


def _refers_to(original: _Original) -> list[tuple[str, str]]:
    place = original.position
    return [
        ("WARC-Profile", SAME_PAYLOAD),
        ("WARC-Refers-To", f"<{original.record_id}>"),
        ("WARC-Refers-To-Target-URI", original.uri),
        ("WARC-Refers-To-Date", original.date),
        (ORIGINAL_FIELD, f"{place.file} {place.offset} {place.length}"),
    ]


def _facts(response: Response, judgement: Judgement | None) -> list[tuple[str, str]]:
    facts = [("fetchTimeMs", str(round(response.elapsed_s * 1000)))]
    if response.cut is not None:
        facts.append(("cut", response.cut.value))
    if judgement is not None:
        facts.append(("relevance", f"{judgement.relevance:.6f}"))
        facts.append(("similarity", f"{judgement.similarity:.6f}"))
        facts += [("reason", f"{name} {value:.6f}") for name, value in judgement.reasons]
    return facts
