"""Content codings are undone within a bound."""

from __future__ import annotations

import gzip
import time
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from shoal.http.coding import Decoded, decode

TEXT = b"".join(b"<p>paragraph %d</p>" % number for number in range(5_000))
LIMIT = 1_000_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("coding", PACKERS)
def test_every_coding_is_undone(coding: str) -> None:
    assert decode(PACKERS[coding](TEXT), coding, LIMIT) == Decoded(TEXT, cut=False)
    assert decode(PACKERS[coding](b""), coding, LIMIT) == Decoded(b"", cut=False)
    assert decode(PACKERS[coding](TEXT), f" {coding.upper()} ", LIMIT).body == TEXT


@pytest.mark.parametrize("coding", PACKERS)
@given(data=st.binary(max_size=2_000), limit_bytes=st.integers(0, 2_000))
def test_the_limit_is_kept_and_told(coding: str, data: bytes, limit_bytes: int) -> None:
    decoded = decode(PACKERS[coding](data), coding, limit_bytes)
    assert decoded == Decoded(data[:limit_bytes], len(data) > limit_bytes)


@pytest.mark.parametrize("coding", [*PACKERS, "gzip, br", "odd", ""])
@given(data=st.binary(max_size=500))
def test_anything_may_come(coding: str, data: bytes) -> None:
    assert len(decode(data, coding, 1_000).body) <= 1_000


@pytest.mark.parametrize("coding", PACKERS)
def test_a_broken_stream_gives_a_beginning(coding: str) -> None:
    packed = PACKERS[coding](TEXT)
    for size_bytes in range(0, len(packed), 97):
        assert TEXT.startswith(decode(packed[:size_bytes], coding, LIMIT).body)


@pytest.mark.parametrize("coding", PACKERS)
def test_most_of_a_truncated_stream_is_kept(coding: str) -> None:
    text = TEXT * 5  # zstd decodes whole blocks of 128 KB
    body = decode(PACKERS[coding](text)[:-20], coding, LIMIT).body
    assert text.startswith(body)
    assert len(body) > len(TEXT) / 2


def test_what_stands_before_a_fault_is_kept() -> None:
    packed = bytearray(gzip.compress(TEXT))
    middle = len(packed) // 2
    packed[middle : middle + 100] = bytes(100)
    body = decode(bytes(packed), "gzip", LIMIT).body
    whole = len(TEXT) // 3
    assert body[:whole] == TEXT[:whole]


def test_a_wrong_checksum_does_not_matter() -> None:
    packed = gzip.compress(TEXT)[:-8] + b"\1" * 8
    assert decode(packed, "gzip", LIMIT) == Decoded(TEXT, cut=False)


def test_several_members_are_one_body() -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two ") + gzip.compress(TEXT)
    assert decode(packed, "gzip", LIMIT).body == b"one two " + TEXT
    assert decode(packed, "gzip", 6) == Decoded(b"one tw", cut=True)


def test_what_follows_the_last_member_is_left_out() -> None:
    assert decode(gzip.compress(TEXT) + b"\0" * 100 + b"junk", "gzip", LIMIT).body == TEXT


def test_deflate_without_its_header_is_undone() -> None:
    assert decode(raw_deflate(TEXT), "deflate", LIMIT).body == TEXT


def test_names_that_are_confused_are_undone() -> None:
    assert decode(gzip.compress(TEXT), "deflate", LIMIT).body == TEXT
    assert decode(zlib.compress(TEXT), "gzip", LIMIT).body == TEXT


def test_codings_upon_codings_are_undone() -> None:
    packed = brotli.compress(gzip.compress(TEXT))
    assert decode(packed, "gzip, identity, br", LIMIT).body == TEXT


@pytest.mark.parametrize("coding", [*PACKERS, "gzip, br"])
def test_what_is_not_coded_stays_as_it_is(coding: str) -> None:
    body = b"<html>never was coded</html>"
    assert decode(body, coding, LIMIT) == Decoded(body, cut=False)


@pytest.mark.parametrize("coding", ["odd", "gzip, odd", ", ".join(["gzip"] * 6)])
def test_unknown_codings_stay_as_they_are(coding: str) -> None:
    packed = gzip.compress(TEXT)
    assert decode(packed, coding, LIMIT).body == packed


@pytest.mark.parametrize("coding", [None, "", "identity"])
def test_no_coding_is_no_work(coding: str | None) -> None:
    assert decode(TEXT, coding, LIMIT).body is TEXT
    assert decode(TEXT, coding, 10) == Decoded(TEXT[:10], cut=True)


@pytest.mark.parametrize(
    ("coding", "hostile"),
    [
        ("gzip", gzip.compress(b"") * 500_000),
        ("zstd", zstandard.compress(b"") * 1_000_000),
        ("gzip, gzip, gzip", gzip.compress(gzip.compress(gzip.compress(bytes(50_000_000))))),
        ("gzip", gzip.compress(bytes(10_000_000))[:-20] + b"\xff" * 20),
        ("deflate", b"\x00" * 10_000_000),
        ("br", b"\x06" * 10_000_000),
    ],
    ids=["empty members", "empty frames", "nested", "late fault", "zeros", "empty brotli"],
)
def test_hostile_streams_end_soon(coding: str, hostile: bytes) -> None:
    began_s = time.process_time()
    decoded = decode(hostile, coding, 10_000_000)
    assert len(decoded.body) <= 10_000_000
    assert time.process_time() - began_s < 3.0
