"""WarcArchive: everything that was received, as WARC/1.1.

What is promised, beyond the Archive's own guarantees:

1. Every record is one gzip member, so each can be read alone by its Position.
2. A response record stands first, then its request, then its metadata (what was decided, how long
   it took); the latter two name it in ``WARC-Concurrent-To``.
3. After any error nothing more is written until ``recover``: a torn record is never built upon.
4. Memory holds ``remembered`` payload digests and the bytes not yet written, nothing else that
   grows.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from pathlib import Path
from typing import Final, NamedTuple

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
from shoal.archive.files import FileNames, Volume, lines_up_to, sync_folder
from shoal.archive.reader import ELAPSED_FIELD, ORIGINAL_FIELD
from shoal.archive.records import BrokenArchive
from shoal.http.heads import request_head_to_keep, response_head_to_keep
from shoal.model import ArchiveMark, Judgement, Position, Response
from shoal.ports import Clock
from shoal.settings import ArchiveSettings

SAME_PAYLOAD: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED: Final = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_STANDARD: Final = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
_PROTOCOLS: Final = {"2": "h2", "3": "h3", "1.0": "http/1.0", "1.1": "http/1.1"}
_METADATA_TYPE: Final = "application/warc-fields"


class _Original(NamedTuple):
    """The first record of a payload, for revisits to refer to."""

    uri: str
    date: str
    record_id: str
    position: Position


class WarcArchive:
    """WARC files ``PREFIX-00001.warc.gz``, ... in one folder, each with a CDXJ index when done."""

    def __init__(
        self,
        folder: Path,
        settings: ArchiveSettings,
        clock: Clock,
        *,
        prefix: str = "shoal",
        software: str = "Shoal",
        operator: str | None = None,
        about: tuple[tuple[str, str], ...] = (),
        record_ids: RecordIds = random_record_id,
        remembered: int = 20_000,
    ) -> None:
        """``software``, ``operator`` and ``about`` (further names and values) go into each file's
        warcinfo record. Archives with different prefixes may share a folder."""
        self._settings = settings
        self._clock = clock
        self._names = FileNames(folder, prefix)
        self._about = (
            ("software", software),
            *((("operator", operator),) if operator else ()),
            ("format", "WARC File Format 1.1"),
            ("conformsTo", _STANDARD),
            *about,
        )
        self._record_ids = record_ids
        self._remembered = remembered
        self._compress = gzip_member(settings.level)
        self._originals: OrderedDict[bytes, _Original] = OrderedDict()
        self._finished: dict[int, int] = {}
        self._volume: Volume | None = None
        self._started = False
        self._failure: OSError | None = None

    def append(self, response: Response, judgement: Judgement | None = None) -> Position:
        """See Archive. Raises OSError where the disk does; then only ``recover`` helps."""
        try:
            return self._append(self._open_volume(), response, judgement)
        except OSError as error:
            self._fail(error)
            raise

    def sync(self) -> ArchiveMark:
        try:
            if self._volume is not None:
                self._healthy()
                self._volume.sync()
        except OSError as error:
            self._fail(error)
            raise
        sizes = dict(self._finished)
        if self._volume is not None:
            sizes[self._volume.number] = self._volume.size_bytes
        return ArchiveMark(tuple((self._names.warc(n).name, sizes[n]) for n in sorted(sizes)))

    def recover(self, mark: ArchiveMark) -> None:
        """See Archive. Raises BrokenArchive where a file is missing or shorter than the mark, and
        then has changed nothing."""
        if self._volume is not None:
            self._volume.abandon()
        self._volume = None
        wanted = self._checked(mark)
        for number, path in self._names.present():
            if number not in wanted:
                path.unlink()
        for number, size in sorted(wanted.items()):
            self._mend(number, size)
        if self._names.folder.is_dir():
            sync_folder(self._names.folder)
        self._finished = wanted
        self._originals.clear()
        self._failure = None
        self._started = True

    def close(self) -> None:
        """Write out and index what is open; after a failure, only let go. Idempotent."""
        volume, self._volume = self._volume, None
        if volume is None:
            return
        if self._failure is not None:
            volume.abandon()
            return
        try:
            volume.finish()
        except OSError:
            volume.abandon()
            raise
        self._finished[volume.number] = volume.size_bytes

    # ------------------------------------------------------------------ files

    def _healthy(self) -> None:
        if self._failure is not None:
            raise OSError(
                self._failure.errno, f"the archive needs recovery after: {self._failure.strerror}"
            )

    def _fail(self, error: OSError) -> None:
        if self._failure is None:
            self._failure = error

    def _open_volume(self) -> Volume:
        self._healthy()
        if self._volume is not None:
            if self._volume.size_bytes < self._settings.rotate_bytes:
                return self._volume
            self._volume.finish()
            self._finished[self._volume.number] = self._volume.size_bytes
            self._volume = None
        self._names.folder.mkdir(parents=True, exist_ok=True)
        if not self._started:
            self._claim()
        number = max(self._finished, default=0)
        size = self._finished.get(number, self._settings.rotate_bytes)
        if size < self._settings.rotate_bytes:
            lines = lines_up_to(self._names, number, size)
            self._volume = Volume(self._names, number, size, lines)
            # From here on the index would be behind the file; the journal is what counts.
            self._names.index(number).unlink(missing_ok=True)
            del self._finished[number]
            return self._volume
        self._volume = Volume(self._names, number + 1, 0, [])
        self._write_info(self._volume)
        return self._volume

    def _claim(self) -> None:
        for _, path in self._names.present():
            raise BrokenArchive(
                path, 0, "an archive is here already: recover it first, or use another folder"
            )
        self._started = True

    def _checked(self, mark: ArchiveMark) -> dict[int, int]:
        wanted: dict[int, int] = {}
        for name, size in mark.sizes:
            path = self._names.folder / name
            number = self._names.number(name)
            if number is None or path != self._names.warc(number):
                raise BrokenArchive(path, 0, "not a file of this archive")
            present = path.stat().st_size if path.is_file() else None
            if present is None:
                raise BrokenArchive(path, 0, f"missing; the crawl's state knows {size} bytes of it")
            if present < size:
                raise BrokenArchive(
                    path, present, f"damaged: the crawl's state knows {size} bytes of it"
                )
            wanted[number] = size
        return wanted

    def _mend(self, number: int, size: int) -> None:
        """Cut a file to its size and make its index say the same, in an order that can be
        interrupted anywhere: while an index names too much, it is called a journal."""
        path, index = self._names.warc(number), self._names.index(number)
        journal = self._names.journal(number)
        if path.stat().st_size > size:
            if index.exists():
                index.replace(journal)
            with path.open("r+b") as file:
                file.truncate(size)
                os.fsync(file.fileno())
        if not index.exists():
            cdxj.write_sorted(index, lines_up_to(self._names, number, size))
        journal.unlink(missing_ok=True)

    # ------------------------------------------------------------------ records

    def _write_info(self, volume: Volume) -> None:
        fields = [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", f"<{self._record_ids()}>"),
            ("WARC-Date", warc_date(self._clock.now_s())),
            ("WARC-Filename", volume.path.name),
            ("Content-Type", _METADATA_TYPE),
        ]
        volume.write(self._compress(record_bytes(fields, warc_fields(self._about))))

    def _append(self, volume: Volume, response: Response, judgement: Judgement | None) -> Position:
        uri, date = response.url.text, warc_date(response.started_s)
        record_id = self._record_ids()
        shared = [("WARC-Target-URI", uri), ("WARC-Date", date)]
        if response.ip:
            shared.append(("WARC-IP-Address", response.ip))
        position = self._write_response(volume, response, record_id, shared)
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
            volume.write(self._compress(record_bytes(fields, block)))
        if judgement is not None or response.cut is not None:
            block = warc_fields(_facts(response, judgement))
            fields = [
                ("WARC-Type", "metadata"),
                ("WARC-Record-ID", f"<{self._record_ids()}>"),
                *shared,
                ("Content-Type", _METADATA_TYPE),
            ]
            volume.write(self._compress(record_bytes(fields, block)))
        return position

    def _write_response(
        self, volume: Volume, response: Response, record_id: str, shared: list[tuple[str, str]]
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
        offset = volume.write(member)
        position = Position(volume.path.name, offset, len(member))
        uri, date = shared[0][1], shared[1][1]
        if status != 304:
            revisit = len(blocks) == 1
            mime = "warc/revisit" if revisit else response.header("content-type") or ""
            volume.note(
                cdxj.line(
                    uri=uri,
                    date=date,
                    mime=mime,
                    status=status,
                    digest=payload_digest,
                    offset=offset,
                    length=len(member),
                    file=volume.path.name,
                )
            )
            if not revisit and payload and response.cut is None:
                self._remember(payload_sha1, _Original(uri, date, record_id, position))
        return position

    def _remember(self, digest: bytes, original: _Original) -> None:
        self._originals[digest] = original
        if len(self._originals) > self._remembered:
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
