"""Undoes content codings within a bound.

1. No more than the limit is ever decoded, whatever the input promises; memory stays within a
   small multiple of the limit, time within a small multiple of input and limit.
2. A stream that breaks or ends early gives what could be decoded of it.
3. What is not coded as its header says, or in a coding not known here, is returned as it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final, NamedTuple

import brotli
import zstandard

ACCEPT_ENCODING: Final = "gzip, br, zstd, deflate"
"""What ``decode`` undoes, as a request header says it."""

_PIECE_BYTES = 16_384
_MEMBERS = 1_000
"""More gzip members than this are no page: each costs a decoder, however empty it is."""
_CODINGS = 5
"""More codings one upon the other than this are left as they are."""
_ZSTD_WINDOW_BYTES = 8 * 1024 * 1024
"""What RFC 9659 lets a server ask of a client's memory."""


class Decoded(NamedTuple):
    """A body, and whether the limit ended it before its own end."""

    body: bytes
    cut: bool


class _NotCodedError(Exception):
    """The data is not what its label says: not a byte could be decoded."""


def decode(payload: bytes, content_encoding: str | None, limit_bytes: int) -> Decoded:
    """``payload`` with the codings of a Content-Encoding header undone, the last one first."""
    if not content_encoding:
        return Decoded(payload[:limit_bytes], len(payload) > limit_bytes)
    body = payload
    cut = False
    codings = [name.strip().lower() for name in content_encoding.split(",")]
    codings = [name for name in codings if name not in ("", "identity")]
    if len(codings) <= _CODINGS and all(name in _DECODERS for name in codings):
        for name in reversed(codings):
            try:
                decoded = _DECODERS[name](body, limit_bytes)
            except _NotCodedError:
                break
            body = decoded.body
            cut = cut or decoded.cut
    return Decoded(body[:limit_bytes], cut or len(body) > limit_bytes)


def _gunzip(data: bytes, limit_bytes: int) -> Decoded:
    # 47: either a gzip or a zlib header, for servers that confuse the two names.
    return _inflate(data, 47, limit_bytes)


def _deflate(data: bytes, limit_bytes: int) -> Decoded:
    try:
        return _inflate(data, 47, limit_bytes)
    except _NotCodedError:
        return _inflate(data, -15, limit_bytes)


def _inflate(data: bytes, window_bits: int, limit_bytes: int) -> Decoded:
    pieces: list[bytes] = []
    view = memoryview(data)
    at = 0
    room = limit_bytes
    for _ in range(_MEMBERS):
        member = _Member(view[at:], window_bits, room)
        member.read()
        if member.is_broken and not pieces and not member.size_bytes:
            raise _NotCodedError
        pieces += member.pieces
        room -= member.size_bytes
        at += member.used_bytes
        if member.is_over_limit:
            return Decoded(b"".join(pieces), cut=True)
        if member.is_broken or not member.is_ended or bytes(view[at : at + 2]) != b"\x1f\x8b":
            break
    return Decoded(b"".join(pieces), cut=False)


class _Member:
    """One gzip member or zlib stream at the start of ``view``."""

    def __init__(self, view: memoryview, window_bits: int, room_bytes: int) -> None:
        self._view = view
        self._window_bits = window_bits
        self._room_bytes = room_bytes
        self.pieces: list[bytes] = []
        self.size_bytes = 0
        self.used_bytes = 0
        self.is_ended = False
        self.is_broken = False
        self.is_over_limit = False

    def read(self) -> None:
        # A piece at a time, because zlib copies what it did not use of its input.
        try:
            self._read(len(self._view))
        except zlib.error:
            # zlib throws away what a failing call had decoded: come again up to that piece,
            # and then byte by byte to the very place of the fault.
            good_bytes = self.used_bytes
            self.pieces, self.size_bytes, self.used_bytes = [], 0, 0
            self.is_broken = True
            self._read(good_bytes, then_by_byte=True)

    def _read(self, whole_bytes: int, *, then_by_byte: bool = False) -> None:
        decoder = zlib.decompressobj(self._window_bits)
        end = len(self._view)
        while self.used_bytes < end and not (self.is_ended or self.is_over_limit):
            by_byte = then_by_byte and self.used_bytes >= whole_bytes
            piece = self._view[self.used_bytes : self.used_bytes + (1 if by_byte else _PIECE_BYTES)]
            try:
                self._feed(decoder, piece)
            except zlib.error:
                if by_byte:
                    return
                raise
            self.used_bytes += len(piece) - len(decoder.unused_data)
            self.is_ended = decoder.eof

    def _feed(self, decoder: zlib._Decompress, piece: memoryview) -> None:
        waiting: bytes | memoryview = piece
        while waiting and not decoder.eof:
            # One byte more than there is room for tells a full body from one that goes on.
            decoded = decoder.decompress(waiting, self._room_bytes - self.size_bytes + 1)
            waiting = decoder.unconsumed_tail
            self.size_bytes += len(decoded)
            if self.size_bytes > self._room_bytes:
                decoded = decoded[: self._room_bytes - self.size_bytes]
                self.size_bytes = self._room_bytes
                self.is_over_limit = True
            self.pieces.append(decoded)
            if self.is_over_limit:
                return


def _unbrotli(data: bytes, limit_bytes: int) -> Decoded:
    decoder = brotli.Decompressor()
    pieces: list[bytes] = []
    size_bytes = 0
    waiting = data
    while not decoder.is_finished() and size_bytes <= limit_bytes:
        try:
            piece = decoder.process(waiting, output_buffer_limit=65_536)
        except brotli.error as error:
            if not pieces:
                raise _NotCodedError from error
            break
        if not piece and decoder.can_accept_more_data():
            break
        waiting = b""
        pieces.append(piece)
        size_bytes += len(piece)
    return Decoded(b"".join(pieces)[:limit_bytes], size_bytes > limit_bytes)


def _unzstd(data: bytes, limit_bytes: int) -> Decoded:
    decoder = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES)
    pieces: list[bytes] = []
    size_bytes = 0
    with decoder.stream_reader(data, read_across_frames=True) as reader:
        while size_bytes <= limit_bytes:
            try:
                piece = reader.read(65_536)
            except zstandard.ZstdError as error:
                if not pieces:
                    raise _NotCodedError from error
                break
            if not piece:
                break
            pieces.append(piece)
            size_bytes += len(piece)
    return Decoded(b"".join(pieces)[:limit_bytes], size_bytes > limit_bytes)


_DECODERS: Final[dict[str, Callable[[bytes, int], Decoded]]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _deflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
