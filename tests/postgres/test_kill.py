"""Killed anywhere, nothing lost: crawlers, and the server itself."""

from __future__ import annotations

import itertools
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event as Flag

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from shoal.compose.crawl import run_crawl
from shoal.compose.team import run_team
from shoal.crawl.stop import StopReason
from shoal.directory import CrawlDirectory
from shoal.events import CrawlerTrouble, Event, Settled
from shoal.frontier.database import State
from shoal.frontier.house import ALONE
from shoal.frontier.state import StateCut
from shoal.ports import Watcher
from shoal.postgres.house import PostgresHouse
from shoal.settings import Settings
from tests.crawl import killing
from tests.frontier import kill_rounds
from tests.frontier.test_laws import FrontierMachine
from tests.postgres.server import Server
from tests.team.test_processes import Ear, remains, run, team_settings

SEED = 11


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> killing.Remains:
    """What a crawl with a state file brings that nobody killed."""
    path = tmp_path_factory.mktemp("whole") / "crawl"
    killing.crawl(killing.settings(SEED), str(path))
    return killing.check(path)


# ------------------------------------------------------------------------- crawlers


def _kill_frontiers(server: Server, folder: Path, rounds: int, seed: int) -> None:
    done = subprocess.run(
        [sys.executable, kill_rounds.__file__, str(folder), str(rounds), str(seed), server.address],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{rounds} kills")


def test_a_frontier_killed_at_any_moment_is_that_of_a_file_never_killed(
    server: Server, tmp_path: Path
) -> None:
    _kill_frontiers(server, tmp_path, rounds=20, seed=3)


def _kill_crawls(made: Settings, folder: Path, kills: int, whole: killing.Remains) -> None:
    chance = random.Random(SEED)
    for number in itertools.count():
        broken = folder / f"broken-{number}"
        while kills:
            while_opening = chance.random() < 0.2
            after_s = chance.uniform(0.0, 0.3 if while_opening else 0.9)
            if killing.crawl_and_kill(made, broken, after_s, while_opening):
                break
            kills -= 1
            if killing.has_begun(CrawlDirectory(broken)):
                killing.check(broken)
        killing.crawl(made, str(broken))
        left = killing.check(broken)
        assert (left.settled, left.digests) == (whole.settled, whole.digests)
        assert left.stop_reason == "finished"
        if not kills:
            return


def test_crawls_killed_at_random_points_end_as_an_unkilled_one(
    server: Server, whole: killing.Remains, tmp_path: Path
) -> None:
    _kill_crawls(killing.settings(SEED, state=server.address), tmp_path, 5, whole)


@pytest.mark.long
def test_hundreds_of_kills(server: Server, whole: killing.Remains, tmp_path: Path) -> None:
    for seed in range(20, 24):
        (tmp_path / str(seed)).mkdir()
        _kill_frontiers(server, tmp_path / str(seed), rounds=60, seed=seed)
    _kill_crawls(killing.settings(SEED, state=server.address), tmp_path, 60, whole)


# ------------------------------------------------------------------------- the server


class Mishap(Ear):
    """Kills the server after so many pages, and starts it again or not."""

    def __init__(self, server: Server, after: int, returns: bool = True) -> None:
        super().__init__()
        self._server = server
        self._left = after
        self._returns = returns

    def see(self, event: Event) -> None:
        super().see(event)
        if isinstance(event, Settled):
            self._left -= 1
            if self._left == 0:
                self._server.end(signal.SIGQUIT)
                if self._returns:
                    self._server.start()


def _crawl(made: Settings, path: Path, watchers: Sequence[Watcher] = ()) -> StopReason:
    return run_crawl(made, CrawlDirectory(path), watchers, Flag()).reason


def test_a_server_that_crashes_and_comes_back_costs_a_batch_and_no_more(
    server: Server, whole: killing.Remains, tmp_path: Path
) -> None:
    made = killing.settings(SEED, state=server.address)
    mishap = Mishap(server, 50)
    assert _crawl(made, tmp_path / "crawl", [mishap]) is StopReason.FINISHED
    (trouble,) = (event for event in mishap.events if isinstance(event, CrawlerTrouble))
    assert "was lost" in trouble.why
    left = killing.check(tmp_path / "crawl")
    assert (left.settled, left.digests) == (whole.settled, whole.digests)


def test_a_server_that_stays_away_ends_the_crawl_and_the_same_command_goes_on(
    server: Server, whole: killing.Remains, tmp_path: Path
) -> None:
    made = killing.settings(SEED, state=server.address, state_wait_s=0.3)
    try:
        with pytest.raises(StateCut, match="the same command goes on"):
            _crawl(made, tmp_path / "crawl", [Mishap(server, 50, returns=False)])
    finally:
        server.start()
    assert _crawl(made, tmp_path / "crawl") is StopReason.FINISHED
    left = killing.check(tmp_path / "crawl")
    assert (left.settled, left.digests) == (whole.settled, whole.digests)


# ------------------------------------------------------------------------- teams


def test_a_team_outlasts_a_crash_of_the_server(
    server: Server, whole: killing.Remains, tmp_path: Path
) -> None:
    made = team_settings("content", state=server.address)
    mishap = Mishap(server, 60)
    assert run(made, tmp_path / "team", mishap) is StopReason.FINISHED
    assert remains(tmp_path / "team").settled == whole.settled
    assert any("was lost" in e.why for e in mishap.events if isinstance(e, CrawlerTrouble))


def test_a_team_goes_on_on_another_machine(
    server: Server, whole: killing.Remains, tmp_path: Path
) -> None:
    """Another machine is another folder: of the state there is nothing in it."""
    here, there = tmp_path / "here", tmp_path / "there"
    assert run(team_settings("url", state=server.address, pages=60), here) is StopReason.PAGES
    assert not list(here.rglob("*.sqlite"))
    shutil.copytree(here, there)
    shutil.rmtree(here)
    made = team_settings("url", state=server.address)
    stop = run_team(made, CrawlDirectory(there), [], Flag(), accept_changes=True)
    assert stop.reason is StopReason.FINISHED
    left = remains(there)
    assert left.settled == whole.settled
    assert set(left.fetched.values()) == {1}


# ------------------------------------------------------------------------- laws


def test_random_histories_agree_with_the_model(server: Server) -> None:
    class Machine(FrontierMachine):
        numbers = itertools.count()

        def begin_house(self) -> PostgresHouse:
            if not hasattr(self, "house"):
                self.house = PostgresHouse(server.address, f"laws_{next(self.numbers)}")
            return self.house

        def open_state(self) -> State:
            return self.begin_house().open(ALONE)

        def read_state(self) -> State:
            return self.begin_house().read(ALONE)

        def teardown(self) -> None:
            super().teardown()
            if hasattr(self, "house"):
                self.house.close()

    run_state_machine_as_test(
        Machine, settings=hypothesis_settings(max_examples=8, stateful_step_count=30, deadline=None)
    )
