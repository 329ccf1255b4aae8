"""The contract of ``ports.Parser``, to be run against any implementation.

Subclass :class:`ParserContract` in a test module, give it ``make_parser``, and pytest does the
rest. The three guarantees of the port are the three groups below, in their order.
"""

from __future__ import annotations

import random
import time
from dataclasses import fields
from typing import Final

import pytest

from shoal.model import LinkKind, Page, Response
from shoal.ports import Parser
from shoal.url import UrlParser, parse_url

PATIENCE_S: Final = 20.0
"""More CPU time than any one Response of this contract may take."""
SIZE_BYTES: Final = 2_000_000

HOSTILE: Final = {
    "deep": b"<div>" * (SIZE_BYTES // 5),
    "deep formatting": b"<b><i><font>" * (SIZE_BYTES // 12),
    "formatting left open": b"<p>"
    + b"".join(b"<b id=%d>" % number for number in range(10_000))
    + b"</p>"
    + b"<p>x" * 19_000,
    "formatting left open, hidden": b"<p>"
    + b"".join(b'<b x="<" id=%d>' % number for number in range(5_000))
    + b"</p>"
    + b"<p>x" * 10_000,
    "deep lists": b"<ul><li>" * (SIZE_BYTES // 8),
    "deep tables": b"<table><tr><td>" * (SIZE_BYTES // 15),
    "links": b"<a href=x>y" * (SIZE_BYTES // 11),
    "different links": b"".join(b"<a href=%d>y</a>" % number for number in range(100_000)),
    "attributes": b"<a " + b" ".join(b"a%d=1" % number for number in range(200_000)) + b">",
    "quoted attributes": b"<a " + b" ".join(b"a%d='>'" % n for n in range(150_000)) + b">",
    "zeros": b"\0" * SIZE_BYTES,
    "controls": bytes(range(32)) * (SIZE_BYTES // 32),
    "entities": b"&amp;" * (SIZE_BYTES // 5),
    "half entities": b"&" * SIZE_BYTES,
    "number entities": b"&#1;&#x2;&#3;" * (SIZE_BYTES // 13),
    "one word": b"a" * SIZE_BYTES,
    "words": b"word " * (SIZE_BYTES // 5),
    "open tags": b"<" * SIZE_BYTES,
    "open comment": b"<!--" * (SIZE_BYTES // 4),
    "open quote": b"<a href='" + b"x" * SIZE_BYTES,
    "open title": b"<title>" + b"x " * (SIZE_BYTES // 2),
    "meta": b"<meta name=robots content=x>" * (SIZE_BYTES // 28),
    "base": b"<base href=x>" * (SIZE_BYTES // 13),
    "templates": b"<template>" * (SIZE_BYTES // 10),
    "foreign": b"<svg><math>" * (SIZE_BYTES // 11),
    "frames": b"<frameset><frame src=a>" * (SIZE_BYTES // 23),
    "headings": b"<h1>x" * (SIZE_BYTES // 5),
    "high bytes": b"\xff\xfe\xff\xff" * (SIZE_BYTES // 4),
    "combining": "e\u0301".encode() * (SIZE_BYTES // 3),
    "unspaced": "\u6f22".encode() * (SIZE_BYTES // 3),
    "charset": b"<meta charset=" * (SIZE_BYTES // 14),
    "refresh": b"<meta http-equiv=refresh content='0;" + b" " * SIZE_BYTES + b"'>",
}
"""Bodies that cost careless parsers minutes, gigabytes or their lives."""

PAGE: Final = b"""<!DOCTYPE html><html lang=en><head><title>Tides</title><base href="/sea/">
<link rel=canonical href="http://other.test/tides"></head><body><p>The <a href="moon.html#top">moon
</a> pulls the water; <a href="http://[bad">nobody</a> <a href="mailto:a@b.test">knows</a>
<a href="javascript:go()">how</a>, <a href="ftp://files.test/x">still</a>.</p></body></html>"""


def response(
    body: bytes,
    content_type: str | None = "text/html",
    url: str = "http://www.example.test/page",
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (),
) -> Response:
    """A Response to try a Parser on."""
    told = () if content_type is None else (("content-type", content_type),)
    return Response(parse_url(url), status, b"", told + headers, body, body, 0.0, 0.0)


class ParserContract:
    """What every Parser keeps."""

    def make_parser(self) -> Parser:
        raise NotImplementedError

    # 1. never raises, bounded

    @pytest.mark.parametrize("name", HOSTILE)
    def test_hostile_html_is_parsed_in_bounded_time(self, name: str) -> None:
        parser = self.make_parser()
        before_s = time.process_time()
        page = parser.parse(response(HOSTILE[name]))
        assert time.process_time() - before_s < PATIENCE_S
        check_page(page)

    @pytest.mark.parametrize("content_type", [None, "", "text/html", "text/plain", "x", "a/b;;=;"])
    @pytest.mark.parametrize("seed", range(5))
    def test_random_bytes_are_a_page(self, content_type: str | None, seed: int) -> None:
        body = random.Random(seed).randbytes(10_000)
        check_page(self.make_parser().parse(response(body, content_type)))

    @pytest.mark.parametrize("content_type", [None, "text/html", "text/plain", "application/pdf"])
    def test_an_empty_body_is_a_page(self, content_type: str | None) -> None:
        page = self.make_parser().parse(response(b"", content_type))
        assert (page.title, page.text, page.links) == ("", "", ())

    def test_a_page_may_break_off_anywhere(self) -> None:
        parser = self.make_parser()
        for size in range(0, len(PAGE), 7):
            check_page(parser.parse(response(PAGE[:size])))

    # 2. canonical targets

    def test_links_have_canonical_targets_and_others_are_left_out(self) -> None:
        page = self.make_parser().parse(response(PAGE))
        assert {link.target.text for link in page.links} == {
            "http://other.test/tides",
            "http://www.example.test/sea/moon.html",
        }
        check_page(page)

    # 3. only HTML and plain text have words

    @pytest.mark.parametrize(
        "content_type", ["application/pdf", "image/png", "application/zip", "video/mp4"]
    )
    def test_other_media_have_no_words_and_no_links(self, content_type: str) -> None:
        page = self.make_parser().parse(response(PAGE, content_type))
        assert page.media_type == content_type
        assert (page.text, dict(page.terms), page.links) == ("", {}, ())
        assert page.digest.startswith("sha1:")

    def test_the_same_response_is_the_same_page(self) -> None:
        first, second = (self.make_parser().parse(response(PAGE)) for _ in range(2))
        for field in fields(Page):
            assert getattr(first, field.name) == getattr(second, field.name)


def check_page(page: Page) -> None:
    """What holds of every Page, whatever it was made of."""
    canonical = UrlParser()
    for link in page.links:
        assert canonical.parse(link.target.text) == link.target
        assert 0.0 <= link.position <= 1.0
        assert link.source == page.url
        assert link.kind is not LinkKind.SEED
    assert page.media_type
    assert all(count > 0 for count in page.terms.values())
    assert all(word == word.lower() for word in page.terms)
    assert 0.0 <= page.language.confidence <= 1.0
    assert page.simhash is None or 0 <= page.simhash < 1 << 64
    for text in (page.title, page.description, page.text, *page.headings):
        text.encode()
