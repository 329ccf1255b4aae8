"""WARC records as bytes in a file: each with its place, none believed before it is whole.

What is promised:

1. Records come in file order, each with its fields, its block and where it stands.
2. What is not a whole WARC record raises BrokenArchive, naming file and offset, after everything
   before it was given out. Bytes before that offset are whole.
3. Memory is bounded by ``block_limit_bytes``, however large a record or a compressed member.

Plain files, files with one gzip member a record, and files compressed as a whole all read the same;
only the last kind has no Positions, because nothing can be read from its middle.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol, cast

from isal import isal_zlib

from shoal.errors import StorageError

# The stub of isal types its exception class as an instance.
_DAMAGED: Final = cast("type[Exception]", isal_zlib.error)
_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = 31
_READ_BYTES: Final = 1 << 18
_PIECE_BYTES: Final = 1 << 14
_FILL_BYTES: Final = 1 << 18
_FIELDS_LIMIT_BYTES: Final = 1 << 18
_FIELDS_END: Final = re.compile(rb"\r?\n\r?\n")
_FIELD: Final = re.compile(r"^([^:\s]+)[ \t]*:[ \t]*([^\r\n]*)", re.MULTILINE)
_CONTINUED: Final = re.compile(rb"\r?\n[ \t]+")
BLOCK_LIMIT_BYTES: Final = 1 << 27
"""The longest block kept of one record unless told otherwise."""


class BrokenArchive(StorageError):
    """A WARC file is not what it should be from ``offset`` on; everything before is whole."""

    def __init__(self, path: Path | str, offset: int, reason: str) -> None:
        super().__init__(f"{path}: {reason} (at byte {offset})")
        self.path = path
        self.offset = offset
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Record:
    """One WARC record."""

    fields: dict[str, str]
    """Field values by lower-case name."""
    block: bytes
    offset: int
    """Where it begins in the file; for a file compressed as a whole, where its member begins."""
    length: int | None
    """Its bytes in the file; None where it cannot be read on its own."""
    cut: bool = False
    """The block is longer in the file than the limit allowed to keep."""

    @property
    def kind(self) -> str:
        return self.fields.get("warc-type", "").lower()

    @property
    def uri(self) -> str:
        return self.fields.get("warc-target-uri", "").strip("<>")

    @property
    def date(self) -> str:
        return self.fields.get("warc-date", "")


class _Torn(Exception):
    """Internal: the reason why a record is not whole, before it is known where."""


class _Source(Protocol):
    """Bytes of one segment: a gzip member, or the rest of a plain file."""

    def fill(self) -> bytes:
        """Some more bytes; empty when the segment (not necessarily the file) has ended."""

    def next_segment(self) -> bool:
        """Go on to the next segment; False at the end of the file."""

    def position(self) -> int:
        """How many bytes of the file have been handed out or passed."""


class _Plain:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read_bytes = 0

    def fill(self) -> bytes:
        data = os.read(self._descriptor, _READ_BYTES)
        self._read_bytes += len(data)
        return data

    def next_segment(self) -> bool:
        return False

    def position(self) -> int:
        return self._read_bytes


class _Gzip:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._at = 0
        self._read_bytes = 0
        self._inflate: isal_zlib.Decompress | None = None

    def fill(self) -> bytes:
        inflate = self._inflate
        while inflate is not None and not inflate.eof:
            self._refill()
            # Small pieces, because the decoder copies what it did not use of its input.
            piece = self._buffer[self._at : self._at + _PIECE_BYTES]
            try:
                out = inflate.decompress(piece, _FILL_BYTES)
            except _DAMAGED as error:
                raise _Torn(f"its compression is damaged: {error}") from error
            left = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
            self._at += len(piece) - len(left)
            if out:
                return out
            if not piece and not inflate.eof:
                raise _Torn("the file ends within this record")
        return b""

    def next_segment(self) -> bool:
        if not self._refill():
            return False
        self._inflate = isal_zlib.decompressobj(_GZIP_WINDOW)
        return True

    def position(self) -> int:
        return self._read_bytes - (len(self._buffer) - self._at)

    def _refill(self) -> bool:
        if self._at == len(self._buffer):
            self._buffer = os.read(self._descriptor, _READ_BYTES)
            self._at = 0
            self._read_bytes += len(self._buffer)
        return self._at < len(self._buffer)


class _Cursor:
    """A buffer over a source: what a record parser asks for."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._buffer = b""
        self._at = 0

    def position(self) -> int:
        """Of a plain file: exact. Of a gzip file: exact when the buffer is empty."""
        return self._source.position()

    def buffered(self) -> int:
        return len(self._buffer) - self._at

    def more(self) -> bool:
        """Get more bytes of this segment or the next one."""
        data = self._source.fill()
        while not data and self._source.next_segment():
            data = self._source.fill()
        self._push(data)
        return bool(data)

    def more_of_segment(self) -> bool:
        data = self._source.fill()
        self._push(data)
        return bool(data)

    def _push(self, data: bytes) -> None:
        if data:
            self._buffer = self._buffer[self._at :] + data
            self._at = 0

    def fields(self) -> bytes:
        """Everything up to and including the first empty line."""
        while True:
            found = _FIELDS_END.search(self._buffer, self._at)
            if found:
                taken = self._buffer[self._at : found.end()]
                self._at = found.end()
                return taken
            if self.buffered() > _FIELDS_LIMIT_BYTES:
                raise _Torn("its fields have no end")
            if not self.more():
                raise _Torn("the file ends within this record")

    def take(self, size: int, keep: int) -> bytes:
        """The next ``size`` bytes, of which the first ``keep`` are returned."""
        kept: list[bytes] = []
        while size > 0:
            if not self.buffered() and not self.more():
                raise _Torn("the file ends within this record")
            piece = self._buffer[self._at : self._at + size]
            self._at += len(piece)
            size -= len(piece)
            if keep > 0:
                kept.append(piece[:keep])
                keep -= len(kept[-1])
        return kept[0] if len(kept) == 1 else b"".join(kept)

    def skip_newlines(self) -> None:
        """Pass the empty lines that end a record, without leaving its segment."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in b"\r\n":
                self._at += 1
            if self.buffered() or not self.more_of_segment():
                return


def parse_fields(path: Path | str, offset: int, head: bytes) -> dict[str, str]:
    """The fields of a record by lower-case name, the first of each. Raises BrokenArchive."""
    if not head.startswith(b"WARC/"):
        raise BrokenArchive(path, offset, "no WARC record begins here")
    if b"\n " in head or b"\n\t" in head:
        head = _CONTINUED.sub(b" ", head)
    found = _FIELD.findall(head.decode("utf-8", "replace"))
    # From the last to the first, so that of a repeated field the first stays.
    fields = {name.lower(): value.rstrip() for name, value in reversed(found)}
    if not fields.get("content-length", "").isdigit():
        raise BrokenArchive(path, offset, "a record without a Content-Length")
    return fields


def read_records(
    path: Path, *, start: int = 0, block_limit_bytes: int = BLOCK_LIMIT_BYTES
) -> Iterator[Record]:
    """The records of one file from byte ``start`` on, which must be where a record begins."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield from read_open(descriptor, path, start=start, block_limit_bytes=block_limit_bytes)
    finally:
        os.close(descriptor)


def read_open(
    descriptor: int, path: Path | str, *, start: int = 0, block_limit_bytes: int = BLOCK_LIMIT_BYTES
) -> Iterator[Record]:
    """The same of an open file, which stays open; ``path`` is its name in messages."""
    compressed = os.pread(descriptor, 2, 0) == _GZIP_MAGIC
    os.lseek(descriptor, start, os.SEEK_SET)
    source: _Source = _Gzip(descriptor) if compressed else _Plain(descriptor)
    return _records(path, _Cursor(source), start, compressed, block_limit_bytes)


def _records(
    path: Path | str, cursor: _Cursor, start: int, compressed: bool, block_limit_bytes: int
) -> Iterator[Record]:
    offset = start
    alone = True
    while True:
        # In a plain file every record stands alone; in a gzip file the first of a member.
        if not compressed:
            offset = start + cursor.position() - cursor.buffered()
        elif not cursor.buffered():
            offset = start + cursor.position()
            alone = True
        try:
            if not cursor.buffered() and not cursor.more():
                return
            fields = parse_fields(path, offset, cursor.fields())
            size = int(fields["content-length"])
            block = cursor.take(size, block_limit_bytes)
            cursor.skip_newlines()
        except _Torn as torn:
            raise BrokenArchive(path, offset, str(torn)) from torn.__cause__
        length: int | None = start + cursor.position() - cursor.buffered() - offset
        if compressed and (cursor.buffered() or not alone):
            length, alone = None, False
        yield Record(fields, block, offset, length, cut=size > block_limit_bytes)


class Place(NamedTuple):
    """Bytes of an open file that hold one record."""

    descriptor: int
    path: Path
    offset: int
    length: int


def read_at(place: Place, block_limit_bytes: int = BLOCK_LIMIT_BYTES) -> Record:
    """The one record at a place. Safe from several threads. Raises BrokenArchive."""
    data = os.pread(place.descriptor, place.length, place.offset)
    return one_record(data, place.path, place.offset, place.length, block_limit_bytes)


def one_record(
    data: bytes,
    path: Path | str,
    offset: int,
    length: int,
    block_limit_bytes: int = BLOCK_LIMIT_BYTES,
) -> Record:
    """The record whose ``length`` bytes these should be. Raises BrokenArchive."""
    if len(data) < length:
        raise BrokenArchive(path, offset, "the file ends within this record")
    if data.startswith(_GZIP_MAGIC):
        inflate = isal_zlib.decompressobj(_GZIP_WINDOW)
        try:
            data = inflate.decompress(data, block_limit_bytes + _FIELDS_LIMIT_BYTES)
        except _DAMAGED as error:
            raise BrokenArchive(path, offset, f"its compression is damaged: {error}") from error
    end = _FIELDS_END.search(data)
    if end is None:
        raise BrokenArchive(path, offset, "no WARC record begins here")
    fields = parse_fields(path, offset, data[: end.end()])
    size = int(fields["content-length"])
    block = data[end.end() : end.end() + min(size, block_limit_bytes)]
    if len(block) < min(size, block_limit_bytes):
        raise BrokenArchive(path, offset, "the record is shorter than it says")
    return Record(fields, block, offset, length, cut=size > block_limit_bytes)
