"""WarcArchive: the contract, and what its files look like to others."""

from __future__ import annotations

import errno
import gzip
import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from shoal.archive import (
    BrokenArchive,
    WarcArchive,
    cdxj,
    iter_responses,
    read_record,
    read_records,
)
from shoal.archive.capture import Maker
from shoal.clock import VirtualClock
from shoal.model import ArchiveMark, Cut, Judgement, Part, Position, Response
from shoal.settings import ArchiveSettings, UrlSettings
from shoal.testing.archive import ArchiveContract, response
from shoal.url import UrlParser


def make(folder: Path, rotate_bytes: int = 1_000_000_000, prefix: str = "shoal") -> WarcArchive:
    numbers = itertools.count()
    return WarcArchive(
        folder,
        ArchiveSettings(rotate_bytes=rotate_bytes),
        VirtualClock(1_700_000_000.0),
        maker=Maker(
            operator="Ada <ada@example.org>", record_ids=lambda: f"urn:test:{next(numbers)}"
        ),
        prefix=prefix,
    )


class TestWarcArchive(ArchiveContract):
    def open_archive(self, folder: Path) -> WarcArchive:
        return make(folder)

    def read(self, folder: Path, position: Position) -> Response:
        return read_record(folder, position)


class TestRotatingWarcArchive(TestWarcArchive):
    def open_archive(self, folder: Path) -> WarcArchive:
        return make(folder, rotate_bytes=1)


ODD_RESPONSES = (
    response("http://example.org/plain", b"plain words"),
    response(
        "http://example.org/chunked",
        b"once chunked",
        headers=(("transfer-encoding", "chunked"), ("Content-Type", "text/html")),
    ),
    response(
        "http://example.org/gzip",
        gzip.compress(b"packed words"),
        headers=(("Content-Encoding", "gzip"), ("Content-Length", "12")),
    ),
    response("http://example.org/2", b"by HTTP/2", http_version="2"),
    response(
        "http://example.org/cut", b"cut sh", headers=(("Content-Length", "99"),), cut=Cut.DISCONNECT
    ),
    response("http://example.org/empty", b""),
    response("http://example.org/moved", b"", status=301, headers=(("Location", "/plain"),)),
    response("http://example.org/again", b"plain words"),
    response("http://example.org/plain", b"", status=304, headers=(("ETag", '"x"'),)),
    response("http://example.org/Ünï?q=a b", "wörds".encode()),
)


def write_odd(folder: Path) -> list[Position]:
    archive = make(folder)
    positions = [
        archive.append(item, Judgement(0.5, 0.25, (Part("w", 1.0),))) for item in ODD_RESPONSES
    ]
    archive.close()
    return positions


def warc(folder: Path, number: int = 1) -> Path:
    return folder / f"shoal-{number:05d}.warc.gz"


def check(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ``warcio check -v`` does."""

    class Arguments:
        inputs = [str(path)]  # noqa: RUF012 - a stand-in for argparse's namespace
        verbose = True

    checker = Checker(Arguments())
    checker.process_all()
    assert checker.exit_value == 0, capsys.readouterr().out


def test_warcio_finds_nothing_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_odd(tmp_path)
    check(warc(tmp_path), capsys)
    assert "digest pass" in capsys.readouterr().out


def test_odd_responses_read_back(tmp_path: Path) -> None:
    positions = write_odd(tmp_path)
    for position, sent in zip(positions, ODD_RESPONSES, strict=True):
        got = read_record(tmp_path, position)
        assert got.url == sent.url
        assert got.headers == sent.headers
        assert got.payload == sent.payload
        assert (got.status, got.cut, got.ip) == (sent.status, sent.cut, sent.ip)
        assert (got.http_version, got.elapsed_s) == (sent.http_version, sent.elapsed_s)
        if sent.http_version == "1.1":
            assert got.head == sent.head
    packed = read_record(tmp_path, positions[2])
    assert packed.body == b"packed words"


def test_the_kept_head_is_true_of_the_payload(tmp_path: Path) -> None:
    write_odd(tmp_path)
    with warc(tmp_path).open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type != "response":
                continue
            headers = record.http_headers
            assert headers.protocol in ("HTTP/1.1", "HTTP/1.0")
            assert headers.get_header("Transfer-Encoding") is None
            length = headers.get_header("Content-Length")
            payload = record.raw_stream.read()
            assert length is None or int(length) == len(payload)


def test_records_are_told_apart_and_tied_together(tmp_path: Path) -> None:
    write_odd(tmp_path)
    records = list(read_records(warc(tmp_path)))
    assert records[0].kind == "warcinfo"
    assert b"operator: Ada <ada@example.org>" in records[0].block
    ids = {record.fields["warc-record-id"] for record in records}
    assert len(ids) == len(records)
    for record in records:
        assert record.length is not None
        if record.kind in ("request", "metadata"):
            assert record.fields["warc-concurrent-to"] in ids
        if record.kind == "revisit" and "server" not in record.fields["warc-profile"]:
            assert record.fields["warc-refers-to-target-uri"] == "http://example.org/plain"
    kinds = [record.kind for record in records[1:]]
    assert kinds[:3] == ["response", "request", "metadata"]
    assert kinds.count("revisit") == 2


def test_each_record_is_a_gzip_member_of_its_own(tmp_path: Path) -> None:
    write_odd(tmp_path)
    data = warc(tmp_path).read_bytes()
    end = 0
    for record in read_records(warc(tmp_path)):
        assert record.offset == end
        assert record.length is not None
        end += record.length
        assert gzip.decompress(data[record.offset : end]).startswith(b"WARC/1.1\r\n")
    assert end == len(data)


def test_a_proxy_password_is_not_archived(tmp_path: Path) -> None:
    archive = make(tmp_path)
    secret = (
        b"GET http://example.org/ HTTP/1.1\r\nProxy-Authorization: Basic c2VjcmV0\r\nA: b\r\n\r\n"
    )
    sent = response()
    archive.append(
        Response(sent.url, 200, sent.head, sent.headers, b"x", b"x", 0.0, 0.0, request_head=secret)
    )
    archive.close()
    [request] = [r for r in read_records(warc(tmp_path)) if r.kind == "request"]
    assert request.block == b"GET http://example.org/ HTTP/1.1\r\nA: b\r\n\r\n"


def test_the_index_leads_to_every_capture(tmp_path: Path) -> None:
    write_odd(tmp_path)
    lines = (tmp_path / "shoal-00001.cdxj").read_text().splitlines()
    assert lines == sorted(lines)
    assert len(lines) == len(ODD_RESPONSES) - 1  # what was not modified is not looked up
    for text in lines:
        fields = json.loads(text[text.index("{") :])
        with (tmp_path / fields["filename"]).open("rb") as stream:
            stream.seek(int(fields["offset"]))
            record = next(iter(ArchiveIterator(stream)))
        assert record.rec_headers.get_header("WARC-Target-URI") == fields["url"]
        assert record.rec_headers.get_header("WARC-Payload-Digest") == f"sha1:{fields['digest']}"
        assert record.http_headers.get_statuscode() == fields["status"]


def test_files_rotate_and_indexes_merge(tmp_path: Path) -> None:
    archive = make(tmp_path, rotate_bytes=2_000)
    sent = {f"http://example.org/{n}": os.urandom(700) for n in range(12)}
    positions = [archive.append(response(url, payload)) for url, payload in sent.items()]
    mark = archive.sync()
    archive.close()
    assert len(mark.sizes) > 3
    assert [name for name, _ in mark.sizes] == sorted({position.file for position in positions})
    merged = list(cdxj.merge(tmp_path))
    (tmp_path / "index.cdxj").write_text("".join(merged))
    assert list(cdxj.merge(tmp_path)) == merged  # what was merged is not merged again
    assert merged == sorted(merged)
    assert len(merged) == 12
    got = {r.url.text: r.payload for name, _ in mark.sizes for r in iter_responses(tmp_path / name)}
    assert got == sent


def test_writing_goes_on_in_the_last_file(tmp_path: Path) -> None:
    archive = make(tmp_path)
    archive.append(response("http://example.org/1", b"one"))
    mark = archive.sync()
    archive.close()
    again = make(tmp_path)
    again.recover(mark)
    position = again.append(response("http://example.org/2", b"two"))
    again.close()
    assert position.file == "shoal-00001.warc.gz"
    assert [r.payload for r in iter_responses(warc(tmp_path))] == [b"one", b"two"]
    assert len((tmp_path / "shoal-00001.cdxj").read_text().splitlines()) == 2


def test_an_archive_that_was_not_recovered_is_not_written_to(tmp_path: Path) -> None:
    write_odd(tmp_path)
    before = warc(tmp_path).read_bytes()
    with pytest.raises(BrokenArchive, match="recover it first"):
        make(tmp_path).append(response())
    assert warc(tmp_path).read_bytes() == before


def test_archives_with_other_prefixes_share_a_folder(tmp_path: Path) -> None:
    one, two = make(tmp_path, prefix="shoal-1"), make(tmp_path, prefix="shoal")
    one.append(response())
    two.append(response())
    two.close()
    one.close()
    two = make(tmp_path, prefix="shoal")
    two.recover(ArchiveMark())
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "shoal-1-00001.cdxj",
        "shoal-1-00001.warc.gz",
    ]


@pytest.mark.parametrize("how", ["missing", "short"])
def test_a_mark_that_the_files_do_not_reach_is_an_error(tmp_path: Path, how: str) -> None:
    archive = make(tmp_path)
    archive.append(response())
    mark = archive.sync()
    archive.close()
    if how == "missing":
        warc(tmp_path).unlink()
    else:
        os.truncate(warc(tmp_path), mark.sizes[0][1] - 1)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BrokenArchive, match="shoal-00001"):
        make(tmp_path).recover(mark)
    assert sorted(tmp_path.iterdir()) == before


def test_a_tail_torn_at_any_byte_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Hundreds of recoveries: what is asked here is what they do, not that it lasts.
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    monkeypatch.setattr(os, "fdatasync", lambda _descriptor: None)
    archive = make(tmp_path)
    archive.append(response("http://example.org/1", b"one"))
    mark = archive.sync()
    archive.append(response("http://example.org/2", b"two"))
    archive.close()
    whole = warc(tmp_path).read_bytes()
    size = mark.sizes[0][1]
    index = (tmp_path / "shoal-00001.cdxj").read_text().splitlines()[0]
    for end in range(size, len(whole) + 1):
        folder = tmp_path / str(end)
        folder.mkdir()
        warc(folder).write_bytes(whole[:end])
        again = make(folder)
        again.recover(mark)
        again.close()
        assert warc(folder).read_bytes() == whole[:size]
        assert (folder / "shoal-00001.cdxj").read_text().splitlines() == [index]


def test_a_torn_file_gives_what_is_whole_and_then_says_where(tmp_path: Path) -> None:
    write_odd(tmp_path)
    whole = warc(tmp_path).read_bytes()
    records = list(read_records(warc(tmp_path)))
    last = records[-1]
    torn = tmp_path / "torn.warc.gz"
    for end in range(last.offset + 1, len(whole)):
        torn.write_bytes(whole[:end])
        reading = read_records(torn)
        got = list(itertools.islice(reading, len(records) - 1))
        assert [record.offset for record in got] == [record.offset for record in records[:-1]]
        with pytest.raises(BrokenArchive) as caught:
            next(reading)
        assert caught.value.offset == last.offset
        assert "torn.warc.gz" in str(caught.value)


def test_the_index_is_rebuilt_from_whatever_is_left_of_it(tmp_path: Path) -> None:
    archive = make(tmp_path)
    for number in range(6):
        archive.append(response(f"http://example.org/{number}", f"page {number}".encode()))
    mark = archive.sync()
    archive.close()
    index, journal = tmp_path / "shoal-00001.cdxj", tmp_path / "shoal-00001.cdxj.open"
    lines = index.read_text().splitlines(keepends=True)
    for left in ("", *("".join(lines[:n]) for n in (1, 3, 6)), lines[0][:-20], "\0" * 99 + "\n"):
        index.unlink()
        journal.write_text(left)
        again = make(tmp_path)
        again.recover(mark)
        again.close()
        assert index.read_text().splitlines(keepends=True) == lines
        assert not journal.exists()


def test_a_full_disk_stops_writing_until_recovered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = make(tmp_path)
    kept = archive.append(response("http://example.org/1", b"one"))
    mark = archive.sync()
    archive.append(response("http://example.org/2", b"two"))
    real_write, room = os.write, [99]

    def nearly_full(descriptor: int, data: bytes) -> int:
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real_write(descriptor, data[: room.pop()])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", nearly_full)
        with pytest.raises(OSError, match="No space"):
            archive.sync()
    with pytest.raises(OSError, match="needs recovery"):
        archive.append(response())
    with pytest.raises(OSError, match="needs recovery"):
        archive.sync()
    archive.close()
    assert warc(tmp_path).stat().st_size > mark.sizes[0][1]
    again = make(tmp_path)
    again.recover(mark)
    added = again.append(response("http://example.org/3", b"three"))
    again.close()
    assert read_record(tmp_path, kept).payload == b"one"
    assert read_record(tmp_path, added).payload == b"three"


def test_the_same_input_makes_the_same_file(tmp_path: Path) -> None:
    write_odd(tmp_path / "a")
    write_odd(tmp_path / "b")
    assert warc(tmp_path / "a").read_bytes() == warc(tmp_path / "b").read_bytes()


@pytest.mark.parametrize("prefix", ["", "a/b", "../x", ".hidden"])
def test_a_prefix_is_a_file_name(tmp_path: Path, prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        make(tmp_path, prefix=prefix)


@pytest.mark.parametrize("level", [1, 3, 4, 9])
def test_every_level_reads_back(tmp_path: Path, level: int) -> None:
    archive = WarcArchive(tmp_path, ArchiveSettings(level=level), VirtualClock())
    position = archive.append(response(payload=b"words " * 500))
    archive.close()
    assert read_record(tmp_path, position).payload == b"words " * 500


def test_an_address_is_read_back_whatever_its_policy_was(tmp_path: Path) -> None:
    parser = UrlParser(UrlSettings(drop_index=False, drop_tracking=False))
    url = parser.parse("http://example.org/index.html?utm_source=x")
    archive = make(tmp_path)
    position = archive.append(replace(response(), url=url))
    archive.close()
    assert read_record(tmp_path, position).url == url
