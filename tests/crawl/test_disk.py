"""A disk that fills up, and one that takes no writes: the crawl says so, and goes on when it can.

It wants a small disk of its own (tmpfs), and so the right to mount one.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.compose.reading import open_ledger
from shoal.directory import CrawlDirectory
from tests.cli.command import refused, shoal, well
from tests.crawl.killing import check

WEB = "synthetic:seed=5,pages=1000,hosts=12"
SEED = "http://portal.wayfinder.example/"
PAGES = 400
FREE_BYTES = 600_000
"""Room that the first run has: enough to begin, too little for the archive of all pages."""


def mount(*arguments: str | Path) -> bool:
    done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    if not mount("-t", "tmpfs", "-o", f"size={FREE_BYTES}", "tmpfs", place):
        pytest.skip("NOT RUN: it mounts a small disk, which only root may")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def crawl(directory: Path) -> tuple[str | Path, ...]:
    where = ("--web", WEB, "--out", directory, "--pages", str(PAGES))
    return ("crawl", "dengue fever", "--seeds", SEED, *where, "--set", "crawl.batch_pages=10")


def report(directory: Path) -> dict[str, object]:
    found = json.loads(well("report", directory, "--json").out)
    assert isinstance(found, dict)
    return found


def test_a_full_disk_stops_the_crawl_and_room_lets_it_go_on(disk: Path, tmp_path: Path) -> None:
    command = crawl(disk / "c")
    ran = shoal(*command)
    assert ran.code == 3, ran.err
    assert "No space left on device" in ran.err
    assert "make room and repeat the command" in ran.err
    assert "Traceback" not in ran.err
    with open_ledger(CrawlDirectory(disk / "c")) as ledger:
        safe = {known.url for known, _ in ledger.visits()}
    assert 0 < len(safe) < PAGES

    again = shoal(*command)
    assert again.code == 3, "still full"

    assert mount("-o", "remount,size=64m", disk)
    well(*command)
    check(disk / "c")
    done = report(disk / "c")
    assert (done["pages"], done["stop_reason"]) == (PAGES, "pages")
    with open_ledger(CrawlDirectory(disk / "c")) as ledger:
        assert safe <= {known.url for known, _ in ledger.visits()}


def test_a_disk_that_takes_no_writes(disk: Path, tmp_path: Path) -> None:
    assert mount("-o", "remount,size=64m", disk)
    command = crawl(disk / "c")
    well(*command, "--pages", "20")
    assert mount("-o", "remount,ro", disk)

    ran = shoal(*command, "--accept-changes")
    refused(ran, 3, r"cannot be written \(Read-only file system\)")
    assert "20 pages" in shoal("report", disk / "c").out
    assert len(json.loads(well("pages", disk / "c", "--json").out)) == 20
    assert "kept as a page" in well("why", disk / "c", SEED).out
    well("export", disk / "c", "--format", "jsonl", "--out", tmp_path / "pages.jsonl")

    assert mount("-o", "remount,rw", disk)
    well(*command, "--accept-changes")
    check(disk / "c")
    assert report(disk / "c")["pages"] == PAGES
