"""WarcShelf and FolderShelf: the contract, which capture is chosen, and what is refused."""

from __future__ import annotations

import gzip
import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from shoal.archive import WarcArchive
from shoal.clock import VirtualClock
from shoal.model import Response
from shoal.ports import Shelf
from shoal.settings import ArchiveSettings
from shoal.shelf.shelves import BadShelf, FolderShelf, WarcShelf, open_shelf
from shoal.testing.archive import response
from shoal.testing.shelf import ShelfContract
from shoal.url import parse_url
from tests.shared_data import shared


def write_warc(folder: Path, *responses: Response, rotate_bytes: int = 1_000_000) -> Path:
    archive = WarcArchive(folder, ArchiveSettings(rotate_bytes=rotate_bytes), VirtualClock())
    for item in responses:
        archive.append(item)
    archive.close()
    return folder / "shoal-00001.warc.gz"


def write_pages(root: Path) -> Path:
    for name, text in {
        "example.org/index.html": "<p>home</p>",
        "example.org/about/index.html": "<p>about</p>",
        "example.org/a b.txt": "plain",
        "example.org/page.html?id=2": "<p>two</p>",
        "example.org/page.html": "<p>one</p>",
        "example.org/index.html?q=1": "<p>answer</p>",
        "example.org/bare": "<!DOCTYPE html><p>bare</p>",
        "docs.example.org/paper.pdf": "%PDF-1.4",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


class WithFolder(ShelfContract):
    folder: Path

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "web"


class TestWarcShelf(WithFolder):
    def open_shelf(self) -> Shelf:
        pages = [response(f"http://example.org/{n}", f"page {n % 7}".encode()) for n in range(20)]
        if not self.folder.exists():
            write_warc(self.folder, *pages, rotate_bytes=3_000)
        return open_shelf(self.folder)


class TestPlainWarcShelf(WithFolder):
    def open_shelf(self) -> Shelf:
        packed = write_warc(self.folder / "a", response(), response("http://example.org/2"))
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
        for path in (self.folder / "a").iterdir():
            if path.suffix == ".cdxj":
                path.unlink()
        return open_shelf(self.folder / "a")

    @pytest.fixture(autouse=True)
    def _again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        original = self.open_shelf

        def once() -> Shelf:
            ready = self.folder / "a" / "shoal-00001.warc"
            return open_shelf(ready) if ready.exists() else original()

        monkeypatch.setattr(self, "open_shelf", once)


class TestFolderShelf(WithFolder):
    def open_shelf(self) -> Shelf:
        return open_shelf(self.folder if self.folder.exists() else write_pages(self.folder))


class TestWholeFileGzip(WithFolder):
    def open_shelf(self) -> Shelf:
        packed = self.folder / "whole.warc.gz"
        if not packed.exists():
            records = write_warc(self.folder / "a", response(), response("http://example.org/2"))
            packed.write_bytes(gzip.compress(gzip.decompress(records.read_bytes())))
        return open_shelf(packed)


def find(shelf: Shelf, address: str) -> Response:
    found = shelf.find(parse_url(address))
    assert found is not None
    return found


# ---------------------------------------------------------------------- which capture


def test_a_page_goes_before_the_redirect_to_it(tmp_path: Path) -> None:
    moved = response(
        "http://example.org/x", b"", status=301, headers=(("Location", "https://example.org/x"),)
    )
    path = write_warc(tmp_path, moved, response("https://example.org/x", b"here"))
    assert find(open_shelf(path), "http://example.org/x").payload == b"here"


def test_the_very_path_goes_before_one_that_only_has_the_same_surt(tmp_path: Path) -> None:
    moved = response("http://example.org/a", b"", status=301, headers=(("Location", "/a/"),))
    path = write_warc(
        tmp_path,
        response("http://example.org/a/", b"with slash"),
        moved,
        response("http://example.org/B", b"upper"),
        response("http://example.org/b", b"lower"),
    )
    shelf = open_shelf(path)
    assert find(shelf, "http://example.org/a").status == 301
    assert find(shelf, "http://example.org/a/").payload == b"with slash"
    assert find(shelf, "http://example.org/B").payload == b"upper"
    assert find(shelf, "http://example.org/b").payload == b"lower"


def test_a_revisit_has_its_payload(tmp_path: Path) -> None:
    write_warc(
        tmp_path,
        response("http://example.org/1", b"same"),
        response("http://example.org/2", b"same"),
        rotate_bytes=1,
    )
    found = find(open_shelf(tmp_path), "http://example.org/2")
    assert (found.payload, found.body, found.url.path) == (b"same", b"same", "/2")


def test_time_is_as_recorded_or_as_told(tmp_path: Path) -> None:
    path = write_warc(tmp_path, response())
    assert find(open_shelf(path), "http://example.org/").elapsed_s == 0.125
    packed = gzip.decompress(path.read_bytes()).replace(b"X-Shoal-Elapsed", b"X-Other-Elapsed")
    plain = tmp_path / "plain.warc"
    plain.write_bytes(packed)
    assert find(WarcShelf((plain,), elapsed_s=2.0), "http://example.org/").elapsed_s == 2.0


def test_a_crawl_is_a_frozen_web(tmp_path: Path) -> None:
    write_warc(tmp_path / "crawl" / "archive", response())
    assert find(open_shelf(tmp_path / "crawl"), "http://example.org/").status == 200


# ---------------------------------------------------------------------- what is refused


def test_what_cannot_be_a_frozen_web_says_why(tmp_path: Path) -> None:
    with pytest.raises(BadShelf, match="no such file or folder; give"):
        open_shelf(tmp_path / "missing")
    with pytest.raises(BadShelf, match="an empty folder; put"):
        open_shelf(tmp_path)
    empty = tmp_path / "empty.warc.gz"
    empty.touch()
    with pytest.raises(BadShelf, match="an empty file"):
        open_shelf(empty)
    other = tmp_path / "other.warc"
    other.write_bytes(b"<html>no WARC</html>\r\n\r\n")
    with pytest.raises(BadShelf, match="not a WARC file"):
        open_shelf(other)
    page = tmp_path / "page.html"
    page.write_text("words")
    with pytest.raises(BadShelf, match="would end in"):
        open_shelf(page)


def test_a_warc_without_pages_is_refused(tmp_path: Path) -> None:
    path = write_warc(tmp_path, response(status=304, payload=b""))
    with pytest.raises(BadShelf, match="no captured pages"):
        open_shelf(path)


@pytest.mark.parametrize("lost_bytes", [1, 30, 500])
def test_a_truncated_warc_says_how_to_mend_it(tmp_path: Path, lost_bytes: int) -> None:
    path = write_warc(tmp_path, response(), response("http://example.org/2", os.urandom(2_000)))
    path.write_bytes(path.read_bytes()[:-lost_bytes])
    with pytest.raises(BadShelf, match=r"truncate --size=(\d+)") as caught:
        open_shelf(path)
    size = int(str(caught.value).partition("--size=")[2].split()[0])
    os.truncate(path, size)
    assert find(open_shelf(path), "http://example.org/").status == 200


def test_a_damaged_whole_file_gzip_is_refused(tmp_path: Path) -> None:
    records = write_warc(tmp_path / "a", response(), response("http://example.org/2"))
    packed = tmp_path / "whole.warc.gz"
    packed.write_bytes(gzip.compress(gzip.decompress(records.read_bytes()))[:-12])
    with pytest.raises(BadShelf, match=r"whole\.warc\.gz"):
        open_shelf(packed)


# ---------------------------------------------------------------------- folders


def test_a_folder_of_hosts(tmp_path: Path) -> None:
    shelf = FolderShelf(write_pages(tmp_path))
    assert find(shelf, "http://www.example.org/").body == b"<p>home</p>"
    assert find(shelf, "http://example.org/about/").header("content-type") == "text/html"
    moved = find(shelf, "http://example.org/about")
    assert (moved.status, moved.header("location")) == (301, "/about/")
    assert find(shelf, "http://example.org/a%20b.txt").header("content-type") == "text/plain"
    assert find(shelf, "http://example.org/page.html?id=2").body == b"<p>two</p>"
    assert find(shelf, "http://example.org/page.html?id=3").body == b"<p>one</p>"
    assert find(shelf, "http://example.org/?q=1").body == b"<p>answer</p>"
    assert find(shelf, "http://example.org/bare").header("content-type") == "text/html"
    pdf = find(shelf, "https://docs.example.org/paper.pdf")
    assert pdf.header("content-type") == "application/pdf"
    assert shelf.find(parse_url("http://other.org/")) is None


def test_any_other_folder_is_one_host(tmp_path: Path) -> None:
    root = tmp_path / "My Notes"
    (root / "deep").mkdir(parents=True)
    (root / "deep" / "one.html").write_text("words")
    shelf = FolderShelf(root)
    assert list(shelf.urls()) == ["http://my-notes.example/deep/one.html"]
    assert find(shelf, "http://my-notes.example/deep/one.html").body == b"words"


def test_no_path_leads_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "web" / "example.org"
    root.mkdir(parents=True)
    (root / "index.html").write_text("home")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "up").symlink_to(tmp_path)
    shelf = FolderShelf(tmp_path / "web")
    assert list(shelf.urls()) == ["http://example.org/"]
    for path in (
        "link.txt", "up/secret.txt", "..%2f..%2fsecret.txt", "%2e%2e/%2e%2e/secret.txt",
        "..%5c..%5csecret.txt", "x%00",
        "a" * 5_000, "a/" * 5_000, "é" * 200, "?" + "/../" * 4 + "secret.txt",
    ):  # fmt: skip
        found = shelf.find(parse_url(f"http://example.org/{path}"))
        assert found is None or b"secret" not in found.payload, path


# ---------------------------------------------------------------------- real pages


class TestDocuments(ShelfContract):
    def open_shelf(self) -> Shelf:
        return open_shelf(shared("corpora", "documents.warc.gz"))


def test_real_pages_open_in_seconds() -> None:
    path = shared("corpora", "sites.warc.gz")
    began_s = time.process_time()
    shelf = open_shelf(path)
    assert time.process_time() - began_s < 10.0
    assert isinstance(shelf, WarcShelf)
    assert len(shelf) == 7_943
    assert find(shelf, "https://www.directory.example/").body.startswith(b"<!doctype html>")
    shelf.close()


def test_the_archives_of_a_team_are_one_web(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / "crawlers" / f"crawler-{number}" / "archive"
        write_warc(folder, response(f"http://example.org/{number}", b"words"))
    (tmp_path / "team.sqlite").write_bytes(b"a state")
    with closing(open_shelf(tmp_path)) as shelf:
        assert list(shelf.urls()) == ["http://example.org/1", "http://example.org/2"]
