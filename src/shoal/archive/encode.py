"""One WARC record as the bytes of one gzip member.

Built by hand, because this is the hottest code of a crawl that keeps everything: beside it, a
general writer spends its time on stream layers (``benches/archive.py`` has the figures).
"""

from __future__ import annotations

import base64
import time
import uuid
import zlib
from collections.abc import Callable, Sequence
from typing import Final

from isal import isal_zlib

_GZIP_WINDOW: Final = 31
_FASTEST_ZLIB_LEVEL: Final = 4

RecordIds = Callable[[], str]
"""Gives a new record id, such as ``urn:uuid:...``, at every call."""
Compress = Callable[[bytes], bytes]


def random_record_id() -> str:
    return f"urn:uuid:{uuid.uuid4()}"


def gzip_member(level: int) -> Compress:
    """What makes a gzip member at a level from 1 (fast) to 9 (small).

    Levels below 4 are ISA-L's, which at each of them is both faster and smaller than zlib.
    """
    if level < _FASTEST_ZLIB_LEVEL:
        return lambda data: isal_zlib.compress(data, level, _GZIP_WINDOW)
    return lambda data: zlib.compress(data, level, _GZIP_WINDOW)


def warc_date(time_s: float) -> str:
    """Seconds since 1970 as a WARC-Date, to the microsecond."""
    micros = round(time_s * 1_000_000)
    whole = time.gmtime(micros // 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', whole)}.{micros % 1_000_000:06d}Z"


def base32(digest: bytes) -> str:
    return base64.b32encode(digest).decode("ascii")


def record_bytes(fields: Sequence[tuple[str, str]], *blocks: bytes) -> bytes:
    """A whole record, not compressed. ``blocks`` together are its block."""
    head = "".join([f"{name}: {value}\r\n" for name, value in fields])
    size = sum(map(len, blocks))
    start = f"WARC/1.1\r\n{head}Content-Length: {size}\r\n\r\n".encode()
    return b"".join((start, *blocks, b"\r\n\r\n"))


def warc_fields(pairs: Sequence[tuple[str, str]]) -> bytes:
    """A block of type ``application/warc-fields``: one line a pair, whatever the values hold."""
    return "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in pairs).encode()
