"""Media types: the header's where it can be, the bytes' where it cannot."""

from __future__ import annotations

import pytest

from shoal.page.media import media_type

HTML = b"  <!-- x --><!DOCTYPE html><p>x"
ATOM = b'<?xml version="1.0"?>\n<!-- x --><feed xmlns="http://www.w3.org/2005/Atom">'


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("text/html; charset=utf-8", b"anything", "text/html"),
        ("TEXT/HTML", b"", "text/html"),
        ("", HTML, "text/html"),
        ("", b"<p>x", "text/html"),
        ("", b"<pre>x", "text/plain"),
        ("*/*", b"plain words", "text/plain"),
        ("nonsense", b"\x00\x01", "application/octet-stream"),
        ("application/octet-stream", b"%PDF-1.7", "application/pdf"),
        ("application/octet-stream", HTML, "text/html"),
        ("text/html", b"%PDF-1.7", "application/pdf"),
        ("text/html", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("text/html", ATOM, "application/atom+xml"),
        ("text/html", b"<rss version=2>", "application/rss+xml"),
        ("text/plain", HTML, "text/html"),
        ("text/plain", b"<p>x", "text/plain"),
        ("text/plain", b"a\x00b", "application/octet-stream"),
        ("text/plain", b"\xff\xfea\x00", "text/plain"),
        ("application/xml", b'<?xml version="1.0"?><html xmlns="x">', "application/xhtml+xml"),
        ("application/xml", ATOM, "application/xml"),
        ("application/pdf", HTML, "application/pdf"),
    ],
)
def test_media_types(content_type: str, body: bytes, expected: str) -> None:
    assert media_type(content_type, body) == expected
