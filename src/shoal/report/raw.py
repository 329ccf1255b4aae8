"""Records copied out of an archive byte for byte.

Shoal writes each record as one gzip member: the response first, then the request and the metadata
that name it in ``WARC-Concurrent-To``. A Position covers the response alone; the others follow it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from shoal.model import Position

_READ_BYTES = 1 << 16
_FIELDS_LIMIT_BYTES = 1 << 16
_COMPANIONS = 4
_GZIP_WINDOW = 31
_GZIP_MAGIC = b"\x1f\x8b"
_ID = re.compile(rb"^WARC-Record-ID:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_OF = re.compile(rb"^WARC-Concurrent-To:\s*(\S+)", re.IGNORECASE | re.MULTILINE)

ReadBytes = Callable[[str, int, int], bytes]
"""Gives the bytes of a file, by its name, from an offset on: so many, fewer only at its end."""


def record_with_companions(read: ReadBytes, position: Position) -> bytes:
    """The response record at ``position`` and the records that belong to it, still compressed.

    Raises what ``read`` raises, ValueError where the file is not what it should be.
    """
    response = read(position.file, position.offset, position.length)
    if len(response) != position.length:
        raise ValueError(f"{position.file} ends within the record at {position.offset}")
    name = _ID.search(_fields(response))
    if name is None:
        raise ValueError(f"{position.file} has no record at {position.offset}")
    rest = _Rest(read, position.file, position.offset + position.length)
    return b"".join((response, *_companions(rest, name[1])))


@dataclass
class _Rest:
    """A file from some byte on."""

    read_bytes: ReadBytes
    file: str
    at: int

    def read(self, size: int) -> bytes:
        data = self.read_bytes(self.file, self.at, size)
        self.at += len(data)
        return data


def _companions(file: _Rest, name: bytes) -> Iterator[bytes]:
    """The gzip members from where the file stands, as long as they are of the record ``name``."""
    data = file.read(_READ_BYTES)
    for _ in range(_COMPANIONS):
        of = _OF.search(_fields(data)) if data.startswith(_GZIP_MAGIC) else None
        if of is None or of[1] != name:
            return
        inflate = zlib.decompressobj(_GZIP_WINDOW)
        kept = [data]
        inflate.decompress(data)
        while not inflate.eof:
            piece = file.read(_READ_BYTES)
            if not piece:
                return
            kept.append(piece)
            inflate.decompress(piece)
        data = inflate.unused_data
        member = b"".join(kept)
        yield member[: len(member) - len(data)]
        data += file.read(max(0, _READ_BYTES - len(data)))


def _fields(member: bytes) -> bytes:
    """The WARC fields at the head of a compressed record."""
    try:
        head = zlib.decompressobj(_GZIP_WINDOW).decompress(member, _FIELDS_LIMIT_BYTES)
    except zlib.error as error:
        raise ValueError(f"not a compressed record: {error}") from error
    return head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
