"""The contract of ``ports.Archive``, to be run against any implementation.

Subclass :class:`ArchiveContract` and give it ``open_archive`` and ``read``::

    class TestWarcArchive(ArchiveContract):
        def open_archive(self, folder):
            return WarcArchive(folder, ArchiveSettings(), VirtualClock())

        def read(self, folder, position):
            return read_record(folder, position)

The guarantees of the port are the groups below, in their order.
"""

from __future__ import annotations

from pathlib import Path

from shoal.model import ArchiveMark, Cut, Judgement, Part, Position, Response
from shoal.ports import Archive
from shoal.url import parse_url


def response(
    address: str = "http://example.org/",
    payload: bytes = b"<p>words</p>",
    *,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),),
    http_version: str = "1.1",
    cut: Cut | None = None,
    started_s: float = 1_700_000_000.25,
) -> Response:
    """A Response as a server would have sent it, for tests."""
    lines = [f"HTTP/{http_version} {status} OK", *(f"{name}: {value}" for name, value in headers)]
    return Response(
        url=parse_url(address),
        status=status,
        head="\r\n".join(lines).encode() + b"\r\n\r\n",
        headers=tuple((name.lower(), value) for name, value in headers),
        payload=payload,
        body=payload,
        started_s=started_s,
        elapsed_s=0.125,
        request_head=b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
        ip="192.0.2.7",
        http_version=http_version,
        cut=cut,
    )


class ArchiveContract:
    """Four guarantees, checked. Subclasses give ``open_archive`` and ``read``; those of an Archive
    elsewhere than in a folder also what is there: ``peek``, ``put`` and ``names``."""

    def open_archive(self, folder: Path) -> Archive:
        """An Archive over a folder that may be empty, or hold what an earlier one left there."""
        raise NotImplementedError

    def read(self, folder: Path, position: Position) -> Response:
        raise NotImplementedError

    def peek(self, folder: Path, name: str) -> bytes | None:
        """A file of the archive as it is on disk; None where there is none."""
        path = folder / name
        return path.read_bytes() if path.is_file() else None

    def put(self, folder: Path, name: str, data: bytes) -> None:
        """Somebody else's file."""
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)

    def names(self, above: Path) -> set[str]:
        """Every file below ``above``, by its path from there."""
        return {str(path.relative_to(above)) for path in above.rglob("*") if path.is_file()}

    def append(
        self, archive: Archive, item: Response, judgement: Judgement | None = None
    ) -> Position:
        """Append to an Archive that keeps what it is given."""
        position = archive.append(item, judgement)
        assert position is not None
        return position

    def numbered(self, number: int) -> Response:
        return response(f"http://example.org/{number}", f"page {number} ".encode() * 50)

    # 1. A record whose Position was returned is readable once sync has returned.

    def test_what_was_appended_is_read_back_after_sync(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        sent = [self.numbered(number) for number in range(5)]
        positions = [self.append(archive, item) for item in sent]
        archive.sync()
        for item, position in zip(sent, positions, strict=True):
            got = self.read(tmp_path / "a", position)
            assert (got.url, got.status, got.payload) == (item.url, item.status, item.payload)
            assert got.body == item.body
            assert got.headers == item.headers
            assert abs(got.started_s - item.started_s) < 1e-3
        archive.close()

    def test_a_payload_seen_before_reads_back_the_same(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        first = self.append(archive, response("http://example.org/one", b"the same words"))
        second = self.append(archive, response("http://example.org/two", b"the same words"))
        archive.close()
        assert first != second
        got = self.read(tmp_path / "a", second)
        assert (got.url.text, got.payload) == ("http://example.org/two", b"the same words")
        assert got.body == b"the same words"

    def test_a_cut_is_kept(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        places = [
            (
                cut,
                self.append(
                    archive, response(f"http://example.org/{cut}", cut.encode() * 9, cut=cut)
                ),
            )
            for cut in Cut
        ]
        archive.close()
        for cut, position in places:
            assert self.read(tmp_path / "a", position).cut is cut

    def test_a_judgement_changes_nothing_of_the_response(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        judgement = Judgement(0.75, 0.5, (Part("words\r\nX: y", 0.5),))
        position = self.append(archive, self.numbered(1), judgement)
        archive.close()
        assert self.read(tmp_path / "a", position).payload == self.numbered(1).payload

    # 2. sync returns only when every byte before its mark is on disk.

    def test_the_mark_is_what_is_on_disk(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        assert archive.sync() == ArchiveMark()
        for number in range(3):
            self.append(archive, self.numbered(number))
            for name, size in archive.sync().sizes:
                assert len(self.peek(tmp_path / "a", name) or b"") >= size
        archive.close()

    # 3. recover leaves exactly the records before the mark.

    def test_recover_cuts_what_came_after_the_mark(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        kept = self.append(archive, self.numbered(1))
        mark = archive.sync()
        self.append(archive, self.numbered(2))
        archive.close()
        again = self.open_archive(tmp_path / "a")
        again.recover(mark)
        assert again.sync() == mark
        for name, size in mark.sizes:
            assert len(self.peek(tmp_path / "a", name) or b"") == size
        assert self.read(tmp_path / "a", kept).payload == self.numbered(1).payload
        added = self.append(again, self.numbered(3))
        again.close()
        assert self.read(tmp_path / "a", kept).payload == self.numbered(1).payload
        assert self.read(tmp_path / "a", added).payload == self.numbered(3).payload

    def test_recover_to_nothing_leaves_nothing_of_it(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        position = self.append(archive, self.numbered(1))
        archive.sync()
        archive.close()
        again = self.open_archive(tmp_path / "a")
        again.recover(ArchiveMark())
        assert self.peek(tmp_path / "a", position.file) is None
        again.close()

    def test_recover_twice_is_recover_once(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        self.append(archive, self.numbered(1))
        mark = archive.sync()
        self.append(archive, self.numbered(2))
        archive.close()
        for _ in range(2):
            again = self.open_archive(tmp_path / "a")
            again.recover(mark)
            assert again.sync() == mark
            again.close()

    def test_recover_of_a_live_archive_forgets_what_is_gone(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        mark = archive.sync()
        self.append(archive, response("http://example.org/one", b"the same words"))
        archive.sync()
        archive.recover(mark)
        position = self.append(archive, response("http://example.org/two", b"the same words"))
        archive.close()
        assert self.read(tmp_path / "a", position).payload == b"the same words"

    def test_files_of_others_are_left_alone(self, tmp_path: Path) -> None:
        folder = tmp_path / "a"
        others = ("notes.txt", "other.warc.gz", "x-00001.warc.gz")
        for name in others:
            self.put(folder, name, b"not ours")
        archive = self.open_archive(folder)
        archive.recover(ArchiveMark())
        self.append(archive, self.numbered(1))
        archive.close()
        assert [self.peek(folder, name) for name in others] == [b"not ours"] * 3

    # 4. File names never come from the web.

    def test_no_address_makes_a_file_name(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        position = self.append(archive, response("http://example.org/..%2f..%2fetc/passwd"))
        archive.close()
        assert "passwd" not in position.file
        assert Path(position.file).name == position.file
        assert {name.partition("/")[0] for name in self.names(tmp_path)} == {"a"}
        assert not any("passwd" in name for name in self.names(tmp_path))

    def test_close_is_idempotent(self, tmp_path: Path) -> None:
        archive = self.open_archive(tmp_path / "a")
        position = self.append(archive, self.numbered(1))
        archive.close()
        archive.close()
        assert self.read(tmp_path / "a", position).payload == self.numbered(1).payload
