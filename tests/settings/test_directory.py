"""A crawl's directory: ours, somebody else's, or unwritable."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import config
from shoal.atomic import write_atomically
from shoal.directory import (
    ChangedSettingsError,
    CrawlDirectory,
    ForeignDirectoryError,
    NoCrawlError,
)
from shoal.errors import StorageError
from shoal.settings import Settings


def settings(*assignments: str) -> Settings:
    return config.check(config.read_assignments(assignments))


def prepare(directory: CrawlDirectory, wanted: Settings, accept_changes: bool = False) -> None:
    directory.check(wanted, accept_changes)
    directory.make()
    directory.remember(wanted)


def test_it_remembers_its_settings(tmp_path: Path) -> None:
    directory = CrawlDirectory(tmp_path / "new" / "crawl")
    wanted = settings("crawl.topic=dengue", "crawl.pages=5")
    prepare(directory, wanted)
    assert directory.settings() == wanted
    prepare(directory, wanted)


def test_changed_settings_are_shown_and_refused(tmp_path: Path) -> None:
    directory = CrawlDirectory(tmp_path / "crawl")
    prepare(directory, settings("crawl.pages=5"))
    with pytest.raises(ChangedSettingsError, match=r"crawl\.pages: 5 -> 9"):
        prepare(directory, settings("crawl.pages=9"))
    prepare(directory, settings("crawl.pages=5", "watch.log=json"))
    prepare(directory, settings("crawl.pages=9"), accept_changes=True)
    assert directory.settings().crawl.pages == 9


def test_a_foreign_directory_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").write_text("years of work", encoding="utf-8")
    with pytest.raises(ForeignDirectoryError, match="holds no crawl"):
        prepare(CrawlDirectory(tmp_path), settings())
    with pytest.raises(ForeignDirectoryError, match="is a file"):
        prepare(CrawlDirectory(tmp_path / "thesis.doc"), settings())
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.doc"]


def test_an_unwritable_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="cannot write to"):
        prepare(CrawlDirectory(tmp_path / "file" / "crawl"), settings())


def test_reading_wants_a_crawl(tmp_path: Path) -> None:
    with pytest.raises(NoCrawlError, match="there is no directory"):
        CrawlDirectory(tmp_path / "absent").require()
    with pytest.raises(NoCrawlError, match="holds no crawl"):
        CrawlDirectory(tmp_path).require()


def test_atomic_writes_leave_the_old_or_the_new(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    write_atomically(target, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(target, "new\ud800")
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_a_crawl_that_ended_before_its_first_settings_is_no_stranger(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("", encoding="utf-8")
    (tmp_path / "archive").mkdir()
    CrawlDirectory(tmp_path).check(settings())
