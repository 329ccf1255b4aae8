"""Mutated real pages: no exception, bounded time and memory."""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Iterator

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from shoal.page.parser import PageParser
from shoal.testing.parser import HOSTILE, PAGE, check_page, response
from tests.shared_data import shared

SCRAPS = (
    b"<", b">", b"</", b"<a href=", b"<a href='", b'"', b"'", b"<!--", b"-->", b"<script>", b"\0",
    b"</script>", b"<table>", b"</p>", b"<svg>", b"<select>", b"<title>", b"<base href=//x>", b"&",
    b"<plaintext>", b"&#1;", b"&#x110000;", b"\xff", b"\xe2\x80", b"<?xml", b"<![CDATA[", b"\x0b",
    b"<template>", b"<frameset>", b"<meta charset=utf-16>", b"<iframe src=", b"\x01\x02\x03",
    b"<h1>",
)  # fmt: skip
TYPES = ("text/html", "text/html; charset=big5", "text/html; charset=utf-8", "text/plain", None)


def mutated(body: bytes, rng: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(rng.choice((1, 3, 10, 100))):
        at = rng.randrange(len(changed) + 1)
        size = rng.choice((0, 1, 10, 1_000))
        match rng.randrange(5):
            case 0:
                changed[at:at] = rng.choice(SCRAPS) * rng.choice((1, 1, 1, 500))
            case 1:
                del changed[at : at + size]
            case 2:
                changed[at : at + size] = rng.randbytes(size)
            case 3:
                start = rng.randrange(len(changed) + 1)
                changed[at:at] = changed[start : start + size]
            case _:
                changed[at : at + 1] = rng.choice(SCRAPS)
    return bytes(changed[:200_000])


def real_pages(limit: int, step: int) -> Iterator[bytes]:
    with shared("corpora", "sites.warc.gz").open("rb") as file:
        records = ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True)
        for number, record in enumerate(records):
            if number >= limit * step:
                return
            if number % step == 0:
                yield record.reader.read()


def survives(pages: Iterator[bytes], rounds: int, seed: int) -> None:
    parser = PageParser()
    rng = random.Random(seed)
    for page in pages:
        for _ in range(rounds):
            body = mutated(page, rng)
            before_s = time.process_time()
            check_page(parser.parse(response(body, rng.choice(TYPES))))
            assert time.process_time() - before_s < 5.0


def test_mutated_pages_of_our_own() -> None:
    survives(iter([PAGE] * 10), rounds=30, seed=1)


def test_mutated_real_pages() -> None:
    survives(real_pages(limit=60, step=7), rounds=4, seed=2)


@pytest.mark.long
def test_many_mutated_real_pages() -> None:
    survives(real_pages(limit=2_000, step=3), rounds=10, seed=3)


def test_memory_stays_bounded() -> None:
    """The peak of this process grows by less than a few copies of the largest tree."""
    parser = PageParser()
    parser.parse(response(HOSTILE["links"]))
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, body in HOSTILE.items():
        if not name.startswith("deep"):
            parser.parse(response(body))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 300_000
