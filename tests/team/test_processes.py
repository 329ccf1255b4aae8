"""Teams of one machine: what they find together, and what is left when some are killed."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from shoal.archive.reader import read_record
from shoal.compose.reading import archive_files, open_ledger
from shoal.compose.team import run_team
from shoal.crawl.stop import StopReason
from shoal.directory import ChangedSettingsError, CrawlDirectory
from shoal.errors import BusyError, ShoalError, UsageError
from shoal.events import CrawlerTrouble, Event, Started, Stopped
from shoal.frontier.lock import DirectoryLock
from shoal.model import Outcome
from shoal.settings import Settings
from shoal.url import parse_url
from tests.crawl import killing

LEFT = frozenset({Outcome.HANDED_OVER, Outcome.ELSEWHERE})
PATIENCE_S = 60.0


class Ear:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def see(self, event: Event) -> None:
        self.events.append(event)

    def close(self) -> None: ...


def team_settings(partition: str, crawlers: int = 2, **crawl: Any) -> Settings:
    made = killing.settings(11, **crawl)
    return replace(
        made,
        team=replace(made.team, crawlers=crawlers, partition=partition),
        # Twins are looked for by each Crawler in what it has: which is first depends on who goes.
        duplicates=replace(made.duplicates, near=False),
    )


def run_by(engine: str, made: Settings) -> Settings:
    return replace(made, team=replace(made.team, engine=engine))


def run(made: Settings, path: Path, ear: Ear | None = None) -> StopReason:
    watchers = [] if ear is None else [ear]
    return run_team(made, CrawlDirectory(path), watchers, Flag()).reason


def crawl(made: Settings, path: str) -> None:
    """What the killed process runs."""
    os.setpgid(0, 0)
    run(made, Path(path))


@dataclass(frozen=True)
class Remains:
    """What a Team left, whoever of it did what."""

    settled: frozenset[str]
    fetched: Counter[str]


def remains(path: Path) -> Remains:
    """Nothing is settled twice, and everything that was kept is in an archive."""
    directory = CrawlDirectory(path)
    ends: Counter[str] = Counter()
    fetched: Counter[str] = Counter()
    refused: set[str] = set()
    files = archive_files(directory)
    with open_ledger(directory) as ledger:
        for known, visit in ledger.visits():
            if visit.outcome is Outcome.RETRY:
                continue
            if visit.fetched_by is None and visit.status is not None:
                fetched[known.url] += 1
            if visit.outcome is Outcome.ROBOTS:
                # Each that knows of it is told so; nobody fetches it.
                refused.add(known.url)
            elif visit.outcome not in LEFT:
                ends[known.url] += 1
            if visit.position is not None:
                response = read_record(files, visit.position)
                assert response.url == parse_url(known.url)
    twice = {url: count for url, count in ends.items() if count > 1}
    assert not twice, f"settled more than once: {twice}"
    return Remains(frozenset(ends) | refused, fetched)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """What one Crawler settles."""
    path = tmp_path_factory.mktemp("alone") / "crawl"
    made = replace(team_settings("url"), team=killing.settings(11).team)
    killing.crawl(made, str(path))
    return killing.check(path).settled


@pytest.mark.parametrize(
    ("partition", "engine"), [("content", "processes"), ("url", "processes"), ("content", "inline")]
)
def test_a_team_finds_what_one_crawler_finds_each_url_once(
    partition: str, engine: str, alone: frozenset[str], tmp_path: Path
) -> None:
    ear = Ear()
    made = run_by(engine, team_settings(partition))
    assert run(made, tmp_path / "team", ear) is StopReason.FINISHED
    left = remains(tmp_path / "team")
    assert left.settled == alone
    assert set(left.fetched.values()) == {1}
    assert [type(event) for event in ear.events].count(Started) == 1
    assert isinstance(ear.events[-1], Stopped)


def test_the_archives_of_a_team_in_a_store(alone: frozenset[str], tmp_path: Path) -> None:
    made = team_settings("content")
    made = replace(made, archive=replace(made.archive, store=f"file://{tmp_path}/store"))
    assert run(made, tmp_path / "team") is StopReason.FINISHED
    assert remains(tmp_path / "team").settled == alone
    names = CrawlDirectory(tmp_path / "team").crawlers()
    assert sorted(path.name for path in (tmp_path / "store").iterdir()) == names
    assert not list((tmp_path / "team").rglob("*.warc.gz"))


def test_a_team_stops_at_the_pages_asked_for_and_goes_on(tmp_path: Path) -> None:
    made = team_settings("url", pages=40)
    assert run(made, tmp_path / "team") is StopReason.PAGES
    directory = CrawlDirectory(tmp_path / "team")
    with open_ledger(directory) as ledger:
        assert len(list(ledger.visits(frozenset({Outcome.PAGE})))) == 40
        assert ledger.fact("stop_reason") == "pages"
    more = replace(made, crawl=replace(made.crawl, pages=60))
    stop = run_team(more, directory, [], Flag(), accept_changes=True)
    assert stop.reason is StopReason.PAGES
    with open_ledger(directory) as ledger:
        assert len(list(ledger.visits(frozenset({Outcome.PAGE})))) == 60


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(child)
        for child in found
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def test_a_team_killed_at_random_points_ends_as_an_unkilled_one(
    alone: frozenset[str], tmp_path: Path
) -> None:
    """Now one of its Crawlers, now the process that keeps them, now all at once."""
    made, path = team_settings("content"), tmp_path / "team"
    chance = random.Random(5)
    context = multiprocessing.get_context("forkserver")
    for kill in ("crawler", "keeper", "all"):
        process = context.Process(target=crawl, args=(made, str(path)))
        process.start()
        assert process.pid is not None
        until_s = time.monotonic() + PATIENCE_S
        while len(children(process.pid)) < 2 and time.monotonic() < until_s:
            time.sleep(0.02)
        workers = children(process.pid)
        process.join(chance.uniform(1.0, 3.0))
        if kill == "crawler" and process.is_alive():
            os.kill(chance.choice(workers), signal.SIGKILL)
            process.join(PATIENCE_S)
            assert process.exitcode == 0
        elif process.is_alive():
            targets = [process.pid] if kill == "keeper" else [process.pid, *workers]
            for pid in targets:
                os.kill(pid, signal.SIGKILL)
            process.join()
            # Who lost their keeper end by themselves: the next Team needs their directories.
            while any(Path(f"/proc/{pid}").exists() for pid in workers):
                time.sleep(0.02)
                assert time.monotonic() < until_s, "a crawler outlived its keeper"
    assert run(made, path) is StopReason.FINISHED
    left = remains(path)
    assert left.settled == alone


def test_a_crawler_that_ends_is_started_again(tmp_path: Path) -> None:
    ear = Ear()

    class Killer(Ear):
        def see(self, event: Event) -> None:
            if isinstance(event, Started):
                os.kill(children(os.getpid())[0], signal.SIGKILL)
            ear.see(event)

    assert run(team_settings("url"), tmp_path / "team", Killer()) is StopReason.FINISHED
    # On a busy machine one may be late besides.
    troubles = [event.why for event in ear.events if isinstance(event, CrawlerTrouble)]
    assert sum("is started again" in why for why in troubles) == 1


def test_a_team_keeps_its_number_and_its_partition(tmp_path: Path) -> None:
    made, path = team_settings("url", pages=5), tmp_path / "team"
    run(made, path)
    for other in (team_settings("url", 3, pages=5), team_settings("host", pages=5)):
        with pytest.raises(ChangedSettingsError, match=r"team\."):
            run_team(other, CrawlDirectory(path), [], Flag(), accept_changes=True)


def test_what_stops_one_crawler_stops_the_team_in_its_words(tmp_path: Path) -> None:
    made, path = team_settings("url", pages=5), tmp_path / "team"
    run(made, path)
    with DirectoryLock(path / "crawlers" / "crawler-1"), pytest.raises(ShoalError) as caught:
        run(made, path)
    assert "already at work" in str(caught.value)
    assert caught.value.exit_code == BusyError.exit_code


def test_an_inline_team_ends_when_asked_to_and_goes_on_in_processes(tmp_path: Path) -> None:
    made, halt = run_by("inline", team_settings("content")), Flag()

    class Stopper(Ear):
        def see(self, event: Event) -> None:
            if isinstance(event, Started):
                halt.set()

    stop = run_team(made, CrawlDirectory(tmp_path / "team"), [Stopper()], halt)
    assert stop.reason is StopReason.INTERRUPTED
    assert not [thread for thread in threading.enumerate() if "crawler" in thread.name]
    made = run_by("processes", made)
    assert run(made, tmp_path / "team") is StopReason.FINISHED


def test_what_stops_an_inline_crawler_stops_its_team(tmp_path: Path) -> None:
    made, path = run_by("inline", team_settings("url", pages=5)), tmp_path / "team"
    run(made, path)
    with (
        DirectoryLock(path / "crawlers" / "crawler-1"),
        pytest.raises(ShoalError, match="already at work"),
    ):
        run(made, path)
    assert not [thread for thread in threading.enumerate() if "crawler" in thread.name]


def test_a_crawl_alone_does_not_become_a_team(tmp_path: Path) -> None:
    made = killing.settings(11, pages=5)
    killing.crawl(made, str(tmp_path / "crawl"))
    with pytest.raises(UsageError, match="a crawl of one crawler"):
        run_team(
            team_settings("url", pages=5), CrawlDirectory(tmp_path / "crawl"), [], Flag(), True
        )
