"""WarcShelf: WARC files as a Shelf, found by SURT.

What is promised, beyond a Shelf's own guarantees:

1. Opening reads every file once and keeps some 30 bytes a capture; no file is written or changed.
2. Of several captures that one SURT means, those with the very path and query asked for go first
   (a SURT ignores case and a last slash), among them one that answers 200, then the first in the
   files. So a site that sends ``http`` to ``https`` is not a loop.
3. A file that is not whole is refused with a message that says how to mend it.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from shoal.archive.reader import (
    BODY_LIMIT_BYTES,
    ELAPSED_FIELD,
    is_payload_revisit,
    response_of,
    url_of,
    with_payload_of,
)
from shoal.archive.records import BrokenArchive, Place, Record, read_at, read_open
from shoal.errors import UsageError
from shoal.http.heads import parse_head, split_head
from shoal.model import Response
from shoal.url import BadUrl, Url, UrlParser

_HEAD_BYTES: Final = 1 << 16
_COPY_BYTES: Final = 1 << 20
_RECOMPRESS: Final = "mend it with: warcio recompress OLD NEW"
_ELAPSED: Final = ELAPSED_FIELD.lower()


class BadShelf(UsageError):
    """There is no frozen web where one was looked for; the message says why and what to do."""


class _Entries(NamedTuple):
    """Captures in the order of their keys, best first within a key."""

    keys: NDArray[np.uint64]
    targets: NDArray[np.uint64]
    ranks: NDArray[np.uint8]
    files: NDArray[np.uint16]
    offsets: NDArray[np.uint64]
    lengths: NDArray[np.uint32]


class WarcShelf:
    """The captures of one or more WARC files."""

    def __init__(
        self,
        files: tuple[Path, ...],
        *,
        parser: UrlParser | None = None,
        body_limit_bytes: int = BODY_LIMIT_BYTES,
        elapsed_s: float = 0.1,
    ) -> None:
        """``elapsed_s`` is how long a server is taken to have needed where the file does not say.
        Raises BadShelf."""
        self._paths = files
        self._parser = parser or UrlParser()
        self._limit_bytes = body_limit_bytes
        self._elapsed_s = elapsed_s
        self._descriptors: list[int] = []
        try:
            self._entries = self._indexed()
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        """How many captures there are."""
        return len(self._entries.keys)

    def find(self, url: Url) -> Response | None:
        asked = self._canonical(url)
        for record, _ in self._captures(asked):
            response = response_of(record, url, self._limit_bytes)
            if response is not None and is_payload_revisit(record):
                response = self._with_payload(response, record)
            if response is not None:
                return response if _ELAPSED in record.fields else self._timed(response)
        return None

    def urls(self) -> Iterator[str]:
        """See Shelf: in the order of the files, each address once, as its canonical Url."""
        entries = self._entries
        first = np.ones(len(entries.keys), dtype=bool)
        first[1:] = entries.keys[1:] != entries.keys[:-1]
        chosen = np.flatnonzero(first)
        order = np.lexsort((entries.offsets[chosen], entries.files[chosen]))
        for at in chosen[order]:
            url = url_of(self._record(int(at), _HEAD_BYTES), self._parser)
            if url is not None:
                yield url.text

    def close(self) -> None:
        """Let go of the files. Idempotent."""
        while self._descriptors:
            os.close(self._descriptors.pop())

    # ------------------------------------------------------------------ reading

    def _captures(self, asked: Url) -> Iterator[tuple[Record, Url]]:
        """The captures of an address, the best first."""
        surt = asked.surt
        for at in self._candidates(_hash(surt), _hash(asked.target)):
            record = self._record(at, self._limit_bytes)
            found = url_of(record, self._parser)
            # The hash only says where to look: what decides is the address in the record itself.
            if found is not None and found.surt == surt:
                yield record, found

    def _canonical(self, url: Url) -> Url:
        try:
            return self._parser.parse(url.text)
        except BadUrl:
            return url

    def _candidates(self, key: int, target: int) -> list[int]:
        entries = self._entries
        wanted = np.uint64(key)
        start = int(np.searchsorted(entries.keys, wanted))
        end = start
        while end < len(entries.keys) and entries.keys[end] == wanted:
            end += 1
        if end - start < 2:
            return list(range(start, end))
        exact = np.uint64(target)
        # Within a key the entries stand by rank and file, and sorting keeps that.
        return sorted(range(start, end), key=lambda at: bool(entries.targets[at] != exact))

    def _with_payload(self, revisit: Response, record: Record) -> Response | None:
        """A revisit with what it refers to, where that is on this Shelf."""
        address = record.fields.get("warc-refers-to-target-uri", "").strip("<>") or record.uri
        digest = record.fields.get("warc-payload-digest", "")
        try:
            asked = self._parser.parse(address)
        except BadUrl:
            return None
        for earlier, found in self._captures(asked):
            if earlier.kind == "response" and earlier.fields.get("warc-payload-digest") == digest:
                original = response_of(earlier, found, self._limit_bytes)
                if original is not None:
                    return with_payload_of(revisit, original, self._limit_bytes)
        return None

    def _record(self, at: int, limit_bytes: int) -> Record:
        entries = self._entries
        file = int(entries.files[at])
        place = Place(
            self._descriptors[file],
            self._paths[file],
            int(entries.offsets[at]),
            int(entries.lengths[at]),
        )
        return read_at(place, limit_bytes + _HEAD_BYTES)

    def _timed(self, response: Response) -> Response:
        return replace(response, elapsed_s=self._elapsed_s)

    # ------------------------------------------------------------------ indexing

    def _indexed(self) -> _Entries:
        keys, targets, offsets = array("Q"), array("Q"), array("Q")
        ranks, files, lengths = array("B"), array("H"), array("I")
        for number, path in enumerate(self._paths):
            for record in self._records(path):
                url = url_of(record, self._parser)
                rank = _rank(record)
                if url is None or rank is None or record.length is None:
                    continue
                keys.append(_hash(url.surt))
                targets.append(_hash(url.target))
                ranks.append(rank)
                files.append(number)
                offsets.append(record.offset)
                lengths.append(record.length)
        if not keys:
            names = ", ".join(str(path) for path in self._paths[:3])
            raise BadShelf(
                f"{names}: no captured pages in it (a frozen web needs response records)"
            )
        table = np.frombuffer(keys, dtype=np.uint64)
        rank_table = np.frombuffer(ranks, dtype=np.uint8)
        order = np.lexsort((rank_table, table))
        return _Entries(
            table[order],
            np.frombuffer(targets, dtype=np.uint64)[order],
            rank_table[order],
            np.frombuffer(files, dtype=np.uint16)[order],
            np.frombuffer(offsets, dtype=np.uint64)[order],
            np.frombuffer(lengths, dtype=np.uint32)[order],
        )

    def _records(self, path: Path) -> Iterator[Record]:
        """The records of one file, whose descriptor is then the last one open."""
        try:
            if path.stat().st_size == 0:
                raise BadShelf(f"{path}: an empty file, not a WARC")
            self._descriptors.append(os.open(path, os.O_RDONLY))
            if _is_one_member(self._descriptors[-1], path):
                self._descriptors.append(_inflated(self._descriptors.pop(), path))
            descriptor = self._descriptors[-1]
            for record in read_open(descriptor, path, block_limit_bytes=_HEAD_BYTES):
                if record.length is None:
                    raise BadShelf(
                        f"{path}: compressed neither by record nor as a whole; {_RECOMPRESS}"
                    )
                yield record
        except BrokenArchive as error:
            raise _broken(path, error) from error
        except OSError as error:
            raise BadShelf(f"{path}: cannot be read: {error.strerror or error}") from error


def _is_one_member(descriptor: int, path: Path) -> bool:
    """Whether a file was compressed as a whole, so that nothing can be read from its middle."""
    first = next(read_open(descriptor, path, block_limit_bytes=_HEAD_BYTES), None)
    return first is not None and first.length is None


def _inflated(descriptor: int, path: Path) -> int:
    """An unpacked, unnamed copy in place of a file that is of no use packed."""
    with os.fdopen(descriptor, "rb") as packed, tempfile.TemporaryFile() as plain:
        packed.seek(0)
        try:
            with gzip.open(packed, "rb") as data:
                shutil.copyfileobj(data, plain, _COPY_BYTES)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise BadShelf(f"{path}: damaged: {error}; {_RECOMPRESS}") from error
        plain.flush()
        return os.dup(plain.fileno())


def _hash(text: str) -> int:
    value: int = xxhash.xxh3_64_intdigest(text.encode())
    return value


def _rank(record: Record) -> int | None:
    """How good a capture is, 0 the best; None where it is none."""
    if record.kind == "resource":
        return 0
    if record.kind == "response" or is_payload_revisit(record):
        head = parse_head(split_head(record.block)[0])
        if head is None:
            return None
        return (0 if head.status == 200 else 2) + (record.kind != "response")
    return None


def _broken(path: Path, error: BrokenArchive) -> BadShelf:
    if error.offset == 0:
        return BadShelf(f"{path}: not a WARC file: {error.reason}")
    return BadShelf(
        f"{path}: damaged from byte {error.offset} on: {error.reason}. What comes before is whole; "
        f"to keep only that, work on a copy cut with: truncate --size={error.offset} COPY"
    )
