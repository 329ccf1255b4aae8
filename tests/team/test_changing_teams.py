"""Teams of real processes that change while they crawl, by the commands that change them."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from dataclasses import replace
from pathlib import Path
from threading import Event as Flag

import pytest

from shoal.compose.reading import open_ledger
from shoal.compose.roster import change_team
from shoal.compose.team import run_team
from shoal.crawl.stop import StopReason
from shoal.directory import CrawlDirectory
from shoal.errors import BusyError, UsageError
from shoal.events import Committed, Event
from shoal.frontier.lock import DirectoryLock
from shoal.model import Outcome
from shoal.settings import Settings
from shoal.team import roster as rosters
from shoal.team.orders import Add, Drain, Move, Order, OrderFolder
from shoal.team.roster import MemberState, Roster
from tests.cli.command import refused, shoal, well
from tests.crawl import killing
from tests.team.test_processes import PATIENCE_S, children, remains, run, team_settings

WEB = "synthetic:seed=11,pages=420,hosts=8,topics=4,island_pages=10,tunnel_max=1"


def settings(partition: str = "url", crawlers: int = 2, **crawl: object) -> Settings:
    return team_settings(partition, crawlers, web=WEB, **crawl)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """What one Crawler settles."""
    path = tmp_path_factory.mktemp("alone") / "crawl"
    killing.crawl(replace(settings(), team=killing.settings(11).team), str(path))
    return killing.check(path).settled


class Commander:
    """Gives one order after another while it watches, each when the one before was answered."""

    def __init__(self, path: Path, orders: list[Order]) -> None:
        self._folder = OrderFolder(CrawlDirectory(path).orders_folder)
        self._orders = orders
        self._given: str | None = None
        self.answers: list[tuple[str, ...]] = []

    def see(self, event: Event) -> None:
        if not isinstance(event, Committed):
            return
        answer = self._folder.answer_to(self._given) if self._given else None
        if answer is not None:
            self.answers.append(answer.lines)
            self._given = None
        if self._given is None and self._orders:
            self._given = self._folder.give(self._orders.pop(0))

    def close(self) -> None: ...


def roster_of(path: Path) -> Roster:
    found = rosters.read(CrawlDirectory(path).roster_file)
    assert found is not None
    return found


def test_a_team_that_changes_in_mid_crawl_ends_as_one_that_does_not(
    alone: frozenset[str], tmp_path: Path
) -> None:
    path = tmp_path / "team"
    disk = tmp_path / "disk"
    orders: list[Order] = [Add(), Drain("crawler-1"), Move("crawler-2", str(disk))]
    commander = Commander(path, [*orders])
    stop = run_team(settings(), CrawlDirectory(path), [commander], Flag())
    assert stop.reason is StopReason.FINISHED
    # On a fast machine the crawl may be over first; what was ordered is done all the same.
    for order in orders[len(commander.answers) :]:
        if order in commander._orders:
            change_team(CrawlDirectory(path), order, PATIENCE_S)
    run(settings(), path)
    left = remains(path)
    assert left.settled == alone
    assert set(left.fetched.values()) == {1}
    roster = roster_of(path)
    assert roster.active == ("crawler-2", "crawler-3")
    assert roster.members[0].state is MemberState.RETIRED
    assert (path / "crawlers" / "crawler-2").resolve() == disk / "crawler-2"
    with open_ledger(CrawlDirectory(path)) as ledger:
        kept = len(list(ledger.visits(frozenset({Outcome.PAGE}))))
        assert ledger.fact("stop_reason") == "finished"
    # All that reads a crawl reads those who have left, and those who have moved.
    assert f"{kept} pages" in well("report", path).out
    assert len(well("pages", path, "--json", "--limit", "9999").out.splitlines()) >= kept
    exported = well("export", path, "--format", "jsonl", "--out", tmp_path / "all.jsonl")
    assert exported.code == 0


def crawl(made: Settings, path: str) -> None:
    """What the killed process runs."""
    os.setpgid(0, 0)
    run(made, Path(path))


def test_killed_while_it_changes_a_team_ends_as_one_that_does_not(
    alone: frozenset[str], tmp_path: Path
) -> None:
    """One of its Crawlers, the process that keeps them, or all at once, just when it was told to
    change; and the change is made by whoever goes on."""
    made, path = settings("content"), tmp_path / "team"
    chance = random.Random(2)
    context = multiprocessing.get_context("forkserver")
    orders: dict[str, Order] = {
        "crawler": Add("third"),
        "keeper": Drain("crawler-1"),
        "all": Move("crawler-2", str(tmp_path / "disk")),
    }
    folder = OrderFolder(CrawlDirectory(path).orders_folder)
    for kill, order in orders.items():
        process = context.Process(target=crawl, args=(made, str(path)))
        process.start()
        assert process.pid is not None
        until_s = time.monotonic() + PATIENCE_S
        while len(children(process.pid)) < 2 and process.is_alive():
            assert time.monotonic() < until_s
            time.sleep(0.02)
        path.mkdir(exist_ok=True)
        folder.give(order)
        process.join(chance.uniform(0.5, 3.0))
        workers = children(process.pid) if process.is_alive() else []
        if workers and kill == "crawler":
            os.kill(chance.choice(workers), signal.SIGKILL)
            process.join(PATIENCE_S)
            assert process.exitcode == 0
        elif process.is_alive():
            for pid in [process.pid] if kill == "keeper" else [process.pid, *workers]:
                os.kill(pid, signal.SIGKILL)
            process.join()
            while any(Path(f"/proc/{pid}").exists() for pid in workers):
                time.sleep(0.02)
                assert time.monotonic() < until_s, "a crawler outlived its keeper"
    assert run(made, path) is StopReason.FINISHED
    left = remains(path)
    assert left.settled == alone
    roster = roster_of(path)
    assert roster.active == ("crawler-2", "third")
    assert roster.leaving == ()
    assert (path / "crawlers" / "crawler-2").resolve() == tmp_path / "disk" / "crawler-2"


def test_a_hierarchy_that_is_balanced_while_it_crawls_loses_nothing(
    alone: frozenset[str], tmp_path: Path
) -> None:
    """How often it is divided anew is a matter of the machine; that it ends the same is not."""
    made, path = settings("hierarchy"), tmp_path / "team"
    made = replace(made, team=replace(made.team, balance=1.05, balance_every_s=0.5))
    assert run(made, path) is StopReason.FINISHED
    left = remains(path)
    assert left.settled == alone
    assert set(left.fetched.values()) == {1}


# --------------------------------------------------------------------------- the commands


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of a Team that has ended, with something left to do."""
    path = tmp_path_factory.mktemp("ended") / "team"
    assert run(settings(pages=40), path) is StopReason.PAGES
    return path


def test_a_team_that_does_not_crawl_is_changed_all_the_same(ended: Path, tmp_path: Path) -> None:
    said = well("team", "add", ended, "more").out
    assert "more joins the team: it takes about 1/3 of what is shared by url" in said
    said = well("team", "drain", ended, "more").out
    assert "more is leaving: it hands what waits with it on to crawler-1, crawler-2" in said
    # Nothing ever waited with it.
    well("team", "move", ended, "crawler-1", "--to", tmp_path / "disk")
    status = json.loads(well("team", "status", ended, "--json").out)
    assert [one["name"] for one in status["crawlers"]] == ["crawler-1", "crawler-2", "more"]
    assert status["running"] is False
    assert status["version"] == 3
    assert sum(one["pages"] for one in status["crawlers"]) == 40
    assert sum(one["waiting"] for one in status["crawlers"]) > 0
    assert status["crawlers"][0]["folder"] == str(tmp_path / "disk" / "crawler-1")
    shown = well("team", "status", ended).out
    assert "2 crawlers, shared by url  not crawling" in shown
    assert "crawler-2  owns 1/2 by url" in shown
    assert "more  owns nothing; left to crawler-1, crawler-2" in shown
    more = settings(pages=60)
    stop = run_team(more, CrawlDirectory(ended), [], Flag(), accept_changes=True)
    assert stop.reason is StopReason.PAGES
    assert roster_of(ended).member("more") is not None
    assert roster_of(ended).leaving == ()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("drain", "crawler-9"), "there is no crawler 'crawler-9'; did you mean"),
        (("drain", "crawler-2", "--to", "crawler-1"), "--to is for teams that share by topic"),
        (("add", "crawler-2"), "names are not used twice"),
        (("add", "--category", "news"), "--category is for teams that share by topic"),
        (("split", "news", "--model", "no.model"), "--model: there is no file no.model"),
        (("move", "crawler-2", "--to", "/dev/null"), "/dev/null is a file"),
    ],
)
def test_what_cannot_be_is_told_and_changes_nothing(
    ended: Path, words: tuple[str, ...], message: str
) -> None:
    before = roster_of(ended)
    refused(shoal("team", words[0], ended, *words[1:]), 2, message)
    assert roster_of(ended) == before
    assert not list((ended / "orders").glob("*"))


def test_only_a_team_is_changed(tmp_path: Path) -> None:
    refused(shoal("team", "status", tmp_path), 2, "holds no crawl")
    killing.crawl(killing.settings(11, pages=3), str(tmp_path / "crawl"))
    refused(shoal("team", "add", tmp_path / "crawl"), 2, "a crawl of one crawler")


def test_a_team_that_does_not_answer_is_left_as_it_is(ended: Path) -> None:
    before = roster_of(ended)
    with DirectoryLock(ended), pytest.raises(BusyError, match="did not answer within 0 s"):
        change_team(CrawlDirectory(ended), Add("late"), 0.3)
    assert roster_of(ended) == before


def test_settings_of_a_team_say_which_command_changes_it(ended: Path) -> None:
    with pytest.raises(UsageError, match=r"shoal team add .*team, shoal team drain"):
        run(settings(crawlers=5, pages=40), ended)


def test_an_order_that_cannot_be_read_is_answered(tmp_path: Path) -> None:
    folder = OrderFolder(tmp_path / "orders")
    number = folder.give(Add())
    (tmp_path / "orders" / f"{number}.order.json").write_text('{"type": "sink"}')
    assert folder.given() == []
    answer = folder.answer_to(number)
    assert answer is not None
    assert "cannot be read" in answer.lines[0]


def test_a_roster_that_is_damaged_is_named(ended: Path, tmp_path: Path) -> None:
    path = ended / "roster.json"
    text = path.read_text()
    path.write_text("{")
    try:
        refused(shoal("team", "status", ended), 3, "It says who is in the team")
    finally:
        path.write_text(text)
