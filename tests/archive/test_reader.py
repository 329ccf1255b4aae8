"""WARC in: other people's files, and every way in which a file can be wrong."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from shoal.archive import BrokenArchive, iter_responses, read_records
from shoal.archive.reader import date_s, read_record
from shoal.archive.writer import WarcArchive
from shoal.clock import VirtualClock
from shoal.http.heads import parse_head, response_head_to_keep, restored, unchunked
from shoal.model import Cut, Position
from shoal.settings import ArchiveSettings
from shoal.testing.archive import response
from tests.shared_data import shared


def record(kind: str, block: bytes, *fields: str, version: str = "1.1") -> bytes:
    head = [f"WARC/{version}", f"WARC-Type: {kind}", *fields, f"Content-Length: {len(block)}"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


URI = "WARC-Target-URI: http://example.org/"
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>words</p>"


def write(folder: Path, *records: bytes, name: str = "a.warc") -> Path:
    path = folder / name
    path.write_bytes(b"".join(records))
    return path


def test_plain_packed_and_packed_as_a_whole_read_the_same(tmp_path: Path) -> None:
    records = [record("response", PAGE, f"{URI}{n}", "WARC-Date: 2024-01-02") for n in range(3)]
    plain = write(tmp_path, *records)
    packed = write(tmp_path, *map(gzip.compress, records), name="b.warc.gz")
    whole = write(tmp_path, gzip.compress(b"".join(records)), name="c.warc.gz")
    expected = list(iter_responses(plain))
    assert [item.url.text for item in expected] == [f"http://example.org/{n}" for n in range(3)]
    assert list(iter_responses(packed)) == list(iter_responses(whole)) == expected
    assert {item.length for item in read_records(whole)} == {None}
    for path in (plain, packed):
        for item, found in zip(read_records(path), expected, strict=True):
            assert item.length is not None
            assert read_record(tmp_path, Position(path.name, item.offset, item.length)) == found


def test_resources_and_odd_spellings(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        record("warcinfo", b"software: x\r\n"),
        record("resource", b"%PDF", URI, "Content-Type: application/pdf"),
        record("response", PAGE.replace(b"\r\n", b"\n"), "warc-target-uri: <http://example.org/2>"),
        record("response", b"\0\x01dns", "WARC-Target-URI: dns:example.org"),
        record("response", b"no HTTP at all", URI),
        record("metadata", b"a: b\r\n", URI),
        record("response", PAGE, f"{URI}3", "WARC-Truncated: unspecified"),
        record("revisit", b"HTTP/1.1 200 OK\r\n\r\n", URI, "WARC-Payload-Digest: sha1:UNKNOWN"),
    )
    found = list(iter_responses(path))
    assert [item.url.path for item in found] == ["/", "/2", "/3"]
    assert (found[0].header("content-type"), found[0].payload) == ("application/pdf", b"%PDF")
    assert found[1].payload == b"<p>words</p>"
    assert found[2].cut is Cut.DISCONNECT


def test_codings_are_undone(tmp_path: Path) -> None:
    packed = gzip.compress(b"<p>words</p>")
    chunked = b"%x;ext=1\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    path = write(
        tmp_path, record("response", head + chunked, URI), record("response", head + packed, URI)
    )
    for found in iter_responses(path):
        assert (found.payload, found.body) == (packed, b"<p>words</p>")


def test_a_bomb_is_cut(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    path = write(tmp_path, record("response", head + gzip.compress(bytes(3_000_000)), URI))
    [found] = iter_responses(path, body_limit_bytes=1_000)
    assert (len(found.body), found.cut) == (1_000, Cut.LENGTH)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"garbage", "no WARC record|ends within"),
        (b"garbage\r\n\r\n", "no WARC record"),
        (b"\0" * 4_096, "ends within"),
        (b"WARC/1.1\r\nWARC-Type: response\r\n\r\n", "Content-Length"),
        (b"WARC/1.1\r\nContent-Length: -5\r\n\r\n", "Content-Length"),
        (record("response", PAGE, URI)[:-20], "ends within"),
        (b"WARC/1.1\r\nA: " + b"x" * 600_000, "no end"),
    ],
)
def test_what_is_whole_comes_before_the_error(
    tmp_path: Path, bad: bytes, reason: str, packed: bool
) -> None:
    good = record("response", PAGE, URI)
    parts = [gzip.compress(good), gzip.compress(bad)] if packed else [good, bad]
    path = write(tmp_path, *parts)
    reading = iter_responses(path)
    assert next(reading).payload == b"<p>words</p>"
    with pytest.raises(BrokenArchive, match=reason) as caught:
        next(reading)
    assert caught.value.offset == len(parts[0])
    assert caught.value.path == path


@pytest.mark.parametrize("size", [*range((1 << 18) - 700, (1 << 18) + 20, 7), 1 << 19, 3_000_001])
def test_records_of_any_size_are_whole(tmp_path: Path, size: int) -> None:
    block = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * size
    path = write(
        tmp_path, *[gzip.compress(record("response", block, URI), 1)] * 2, name="a.warc.gz"
    )
    assert [len(found.block) for found in read_records(path)] == [len(block)] * 2


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    assert list(read_records(write(tmp_path))) == []
    with pytest.raises(FileNotFoundError):
        list(read_records(tmp_path / "missing"))


def test_a_revisit_may_not_lead_out_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    digest = "WARC-Payload-Digest: sha1:X"
    secret = record("response", PAGE, URI, digest)
    write(tmp_path, secret, name="secret.warc")
    leading_out = f"X-Shoal-Original: ../secret.warc 0 {len(secret)}"
    path = write(folder, record("revisit", b"HTTP/1.1 200 OK\r\n\r\n", URI, digest, leading_out))
    assert list(iter_responses(path)) == []


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 400))
def test_no_bytes_make_another_error(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int
) -> None:
    data = bytearray(record("response", PAGE, URI) * 3)
    data[at : at + len(junk)] = junk
    for name, written in (("a.warc", bytes(data)), ("a.warc.gz", gzip.compress(bytes(data)))):
        path = write(tmp_path_factory.getbasetemp(), written, name=name)
        try:
            for found in iter_responses(path):
                assert found.url.text.startswith("http")
        except BrokenArchive as error:
            assert 0 <= error.offset <= len(written)  # noqa: PT017 - both ends are allowed


@given(
    st.lists(
        st.sampled_from(
            [
                "Transfer-Encoding: chunked",
                "content-length: 7",
                "CONTENT-LENGTH: 5",
                "X: y",
                "E : z",
            ]
        )
    ),
    st.sampled_from([200, 204, 304, 404]),
)
def test_a_kept_head_is_true_and_can_be_restored(lines: list[str], status: int) -> None:
    head = "\r\n".join([f"HTTP/1.1 {status} Words", *lines]).encode() + b"\r\n\r\n"
    kept = response_head_to_keep(head, status, 5)
    assert restored(kept) == head
    parsed = parse_head(kept)
    assert parsed is not None
    names = dict(parsed.headers)
    assert "transfer-encoding" not in names
    assert status in (204, 304) or names.get("content-length", "5") == "5"


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (b"HTTP/2 200 ", b"HTTP/1.1 200 OK"),
        (b"HTTP/2 404", b"HTTP/1.1 404 Not Found"),
        (b"HTTP/3 999 Odd", b"HTTP/1.1 999 Odd"),
        (b"HTTP/1.0 200 Fine", b"HTTP/1.0 200 Fine"),
        (b"ICY 200 OK", b"HTTP/1.1 200 OK"),
    ],
)
def test_the_first_line_is_one_that_replay_tools_read(line: bytes, kept: bytes) -> None:
    status = int(line.split()[1])
    assert response_head_to_keep(line + b"\r\nA: b\r\n\r\n", status, 0).split(b"\r\n")[0] == kept


def test_chunks() -> None:
    assert unchunked(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n") == b"abcde"
    assert unchunked(b"3\r\nabc\r\n5\r\nde") == b"abcde"
    assert unchunked(b"not chunked") == b"not chunked"
    assert unchunked(b"") == b""


def test_dates() -> None:
    assert date_s("2024-01-02T03:04:05Z") == 1_704_164_645.0
    assert date_s("2024-01-02T03:04:05.250000Z") == 1_704_164_645.25
    assert date_s("nonsense") == 0.0


def test_files_of_other_tools_read_as_warcio_reads_them(tmp_path: Path) -> None:
    with tarfile.open(shared("conformance", "warc-sitemaps-feeds.tar.xz")) as tar:
        tar.extractall(tmp_path, filter="data")
    compared = 0
    for path in sorted((tmp_path / "warc").rglob("*.warc*")):
        ours: list[tuple[str, str]] = []
        theirs: list[tuple[str, str]] = []
        broken = False
        try:
            ours.extend((item.kind, item.uri.replace(" ", "%20")) for item in read_records(path))
        except BrokenArchive:
            broken = True
        try:
            with path.open("rb") as stream:
                for item in ArchiveIterator(stream):
                    uri = item.rec_headers.get_header("WARC-Target-URI") or ""
                    theirs.append((item.rec_type, uri))
        except ArchiveLoadFailed:
            broken = True
        if not broken:
            assert ours == theirs, path
            compared += 1
        list(_responses(path))
    assert compared >= 10


def _responses(path: Path) -> list[bytes]:
    try:
        return [found.body for found in iter_responses(path)]
    except BrokenArchive:
        return []


def test_a_revisit_that_was_copied_elsewhere_is_read_beside_its_original(tmp_path: Path) -> None:
    archive = WarcArchive(tmp_path / "archive", ArchiveSettings(), VirtualClock())
    archive.append(response("http://example.org/one", b"the same words"))
    archive.append(response("http://example.org/two", b"the same words"))
    archive.close()
    copy = tmp_path / "export.warc.gz"
    copy.write_bytes((tmp_path / "archive" / "shoal-00001.warc.gz").read_bytes())
    read = [(found.url.text, found.body) for found in iter_responses(copy)]
    assert read == [
        ("http://example.org/one", b"the same words"),
        ("http://example.org/two", b"the same words"),
    ]
