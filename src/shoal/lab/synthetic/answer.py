"""Answers of the synthetic web as a server would send them: heads, pictures, documents, gzip."""

from __future__ import annotations

import struct
import zlib
from email.utils import formatdate
from http import HTTPStatus
from typing import Final, NamedTuple

import xxhash

from shoal.model import Response
from shoal.url import Url

_DAY_S: Final = 86_400
_NOW_S: Final = 1_798_761_600
"""What the Date header says, always: the first second of 2027."""
_STORED_MAX: Final = 65_535


class Answer(NamedTuple):
    """What a server says, before it is written out."""

    status: int
    media_type: str
    body: bytes
    extra: tuple[tuple[str, str], ...] = ()


def moved(status: int, location: str) -> Answer:
    text = (
        f'<html><head><title>Moved</title></head><body><a href="{location}">Moved</a></body></html>'
    )
    return Answer(status, "text/html; charset=utf-8", text.encode(), (("location", location),))


def respond(url: Url, answer: Answer, elapsed_s: float) -> Response:
    """The Response that carries an Answer. ETag and Last-Modified depend on the body alone."""
    body = answer.body
    mark = xxhash.xxh3_64_intdigest(body)
    headers = [
        ("date", formatdate(_NOW_S, usegmt=True)),
        ("server", "synthetic"),
        ("content-type", answer.media_type),
        ("content-length", str(len(body))),
    ]
    if answer.status == HTTPStatus.OK:
        headers.append(("last-modified", formatdate(_NOW_S - mark % (900 * _DAY_S), usegmt=True)))
        headers.append(("etag", f'"{mark:016x}"'))
    headers.extend(answer.extra)
    lines = "".join(f"{name.title()}: {value}\r\n" for name, value in headers)
    status = HTTPStatus(answer.status)
    return Response(
        url=url,
        status=answer.status,
        head=f"HTTP/1.1 {status.value} {status.phrase}\r\n{lines}\r\n".encode(),
        headers=tuple(headers),
        payload=body,
        body=body,
        started_s=0.0,
        elapsed_s=elapsed_s,
    )


def gzip_stored(data: bytes) -> bytes:
    """A gzip file that stores its content: the same bytes from every version of zlib."""
    blocks = []
    for start in range(0, len(data) or 1, _STORED_MAX):
        block = data[start : start + _STORED_MAX]
        last = start + _STORED_MAX >= len(data)
        blocks.append(struct.pack("<BHH", last, len(block), len(block) ^ 0xFFFF) + block)
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    return head + b"".join(blocks) + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def picture(shade: int) -> bytes:
    """A grey PNG of 64 times 64 dots; ``shade`` is from 0 to 255."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = (b"\x00" + bytes([shade]) * 64) * 64
    packed = (
        b"\x78\x01"
        + struct.pack("<BHH", 1, len(rows), len(rows) ^ 0xFFFF)
        + rows
        + struct.pack(">I", zlib.adler32(rows))
    )
    header = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    )


def document(title: str, lines: list[str]) -> bytes:
    """A PDF of one page with a title and lines of plain text, without compression."""

    def literal(text: str) -> str:
        return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")

    text = "".join(f"({literal(line)}) Tj T*\n" for line in lines)
    stream = f"BT /F1 9 Tf 12 TL 40 800 Td\n({literal(title)}) Tj T*\n{text}ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({literal(title)}) >>",
    )
    out = "%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n"
    rows = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    out += (
        f"xref\n0 {size}\n0000000000 65535 f \n{rows}"
        f"trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\n"
        f"startxref\n{len(out)}\n%%EOF\n"
    )
    return out.encode("latin-1")
