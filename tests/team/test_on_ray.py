"""A Team on a Ray cluster of three machines: whatever is killed, cut off or filled, it finds what a
Team without failures finds, each Url once.

The machines are namespaces of this one (``ray_machines.py``).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from threading import Event as Flag

import pytest

import shoal.compose
from shoal.compose.team import run_team
from shoal.directory import CrawlDirectory
from shoal.errors import StorageError, UsageError
from shoal.settings import Settings
from tests.crawl import killing
from tests.team import ray_machines
from tests.team.ray_crawl import Crawl, crawling
from tests.team.ray_machines import QUICK, Machines, gather, three_machines, wait_until
from tests.team.test_processes import remains, team_settings

WHY_NOT = ray_machines.why_not()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
CRAWLER = "ray::CrawlerActor"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """What one Crawler settles."""
    path = tmp_path_factory.mktemp("alone") / "crawl"
    made = replace(team_settings("url"), team=killing.settings(11).team)
    killing.crawl(made, str(path))
    return killing.check(path).settled


def three(partition: str = "content", **crawl: object) -> Settings:
    return team_settings(partition, 3, **crawl)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Machines, Path]]:
    """One cluster for tests that leave it as it was; each has a crawl of its own."""
    folder = tmp_path_factory.mktemp("cluster")
    with three_machines(folder) as machines:
        yield machines, folder


def new_crawl(machines: Machines, folder: Path) -> None:
    for machine in machines.all:
        machine.run("sh", "-c", f"rm -rf {folder / 'crawl'}/*")


def whose(machines: Machines, folder: Path, number: int) -> str:
    """Which Crawler has its state on that machine."""
    places = json.loads(machines[1].run("cat", str(folder / "crawl" / "places.json")))
    [name] = [name for name, place in places.items() if place == machines[number].address]
    return str(name)


def expect_all(crawl: Crawl, machines: Machines, folder: Path, alone: frozenset[str]) -> None:
    assert crawl.end() == 0, crawl.told()
    left = remains(gather(machines, folder))
    assert left.settled == alone


def test_a_team_on_three_machines_finds_what_one_crawler_finds_though_crawlers_die_and_hang(
    cluster: tuple[Machines, Path], alone: frozenset[str]
) -> None:
    machines, folder = cluster
    new_crawl(machines, folder)
    with crawling(machines[1], folder, three()) as crawl:
        crawl.wait_for_pages(10)
        for machine in machines.all:
            assert len(machine.processes(CRAWLER)) == 1
        [killed] = machines[2].processes(CRAWLER)
        os.kill(killed, signal.SIGKILL)
        crawl.wait_for_trouble("is started again")
        [hung] = machines[3].processes(CRAWLER)
        os.kill(hung, signal.SIGSTOP)
        begun_s = time.monotonic()
        crawl.wait_for_trouble(f"{whose(machines, folder, 3)} has said nothing for")
        print(f"a crawler that hangs is reported after {time.monotonic() - begun_s:.1f} s")
        os.kill(hung, signal.SIGCONT)
        expect_all(crawl, machines, folder, alone)
    assert [event["event"] for event in crawl.events].count("started") == 1
    assert crawl.events[-1]["event"] == "stopped"


def test_a_machine_that_is_cut_off_for_a_moment_costs_nothing(
    cluster: tuple[Machines, Path], alone: frozenset[str]
) -> None:
    machines, folder = cluster
    new_crawl(machines, folder)
    with crawling(machines[1], folder, three()) as crawl:
        crawl.wait_for_pages(10)
        machines.cut_off(2)
        time.sleep(1.5)
        machines.join_again(2)
        expect_all(crawl, machines, folder, alone)


def test_what_cannot_be_is_said_before_anything_begins(cluster: tuple[Machines, Path]) -> None:
    machines, folder = cluster
    new_crawl(machines, folder)
    with crawling(machines[1], folder, team_settings("content", 7)) as crawl:
        assert crawl.end() == UsageError.exit_code
    assert "7 crawlers want 7 processors, and the cluster has 6 on 3 machines" in crawl.told()
    new_crawl(machines, folder)
    nobody = "--set", "team.cluster=10.77.0.99:6379"
    with crawling(machines[1], folder, three(), *nobody) as crawl:
        assert crawl.end() == UsageError.exit_code
    assert "there is no Ray cluster at 10.77.0.99:6379" in crawl.told()


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "ray"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in [name for name in sys.modules if "on_ray." in name or "compose.ray" in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(shoal.compose, "ray", raising=False)
    made = three()
    made = replace(made, team=replace(made.team, engine="ray"))
    with pytest.raises(UsageError, match=r"pip install 'shoal\[ray\]'"):
        run_team(made, CrawlDirectory(tmp_path / "team"), [], Flag())


# --------------------------------------------------------------------------- whole failure runs


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[tuple[Machines, Path]]:
    """For a test that takes machines down."""
    with three_machines(tmp_path, QUICK) as machines:
        yield machines, tmp_path


def come_back(machines: Machines, number: int) -> None:
    """As a service would start Ray again on a machine that is up."""
    wait_until(lambda: not machines[number].processes("raylet/raylet"), "its raylet ends")
    machines[number].kill_all("ray")
    machines.start_ray(number)


@pytest.mark.long
def test_a_machine_that_dies_is_waited_for_and_nothing_is_lost(
    own_cluster: tuple[Machines, Path], alone: frozenset[str]
) -> None:
    machines, folder = own_cluster
    with crawling(machines[1], folder, three()) as crawl:
        crawl.wait_for_pages(10)
        machines[3].kill_all()
        told = crawl.wait_for_trouble("waits for its machine")
        assert machines[3].address in told
        come_back(machines, 3)
        expect_all(crawl, machines, folder, alone)


@pytest.mark.long
def test_a_crawler_whose_state_is_shared_goes_on_elsewhere(
    own_cluster: tuple[Machines, Path], alone: frozenset[str]
) -> None:
    machines, folder = own_cluster
    shared = folder / "shared"
    more = "--out", str(shared), "--set", "team.shared=true"
    with crawling(machines[1], folder, three(), *more) as crawl:
        crawl.wait_for_pages(10)
        gone = next(number for number in (3, 2) if machines[number].processes(CRAWLER))
        machines[gone].kill_all()
        crawl.wait_for_trouble("goes on elsewhere")
        assert crawl.end() == 0, crawl.told()
    assert remains(shared).settled == alone


@pytest.mark.long
def test_a_machine_that_is_cut_off_for_a_minute_writes_nothing_meanwhile(
    own_cluster: tuple[Machines, Path], alone: frozenset[str]
) -> None:
    machines, folder = own_cluster
    with crawling(machines[1], folder, three()) as crawl:
        crawl.wait_for_pages(10)
        name = whose(machines, folder, 3)
        machines.cut_off(3)
        begun_s = time.monotonic()
        crawl.wait_for_trouble("waits for its machine")
        state = str(folder / "crawl" / "crawlers" / name / "state.sqlite-wal")
        time.sleep(5.0)
        before = machines[3].run("sh", "-c", f"stat -c %Y%s {state} || true")
        time.sleep(max(0.0, begun_s + 60.0 - time.monotonic()))
        assert machines[3].run("sh", "-c", f"stat -c %Y%s {state} || true") in (before, "")
        machines.join_again(3)
        come_back(machines, 3)
        expect_all(crawl, machines, folder, alone)


@pytest.mark.long
def test_a_full_disk_stops_the_team_and_the_same_command_goes_on(
    own_cluster: tuple[Machines, Path], alone: frozenset[str]
) -> None:
    machines, folder = own_cluster
    filler = folder / "crawl" / "filler"
    with crawling(machines[1], folder, three()) as crawl:
        crawl.wait_for_pages(10)
        machines[2].run("sh", "-c", f"dd if=/dev/zero of={filler} bs=64k 2>/dev/null || true")
        assert crawl.end() == StorageError.exit_code, crawl.told()
        assert "full" in crawl.told() or "No space left" in crawl.told()
        assert whose(machines, folder, 2) in crawl.told()
    machines[2].run("rm", str(filler))
    with crawling(machines[1], folder, three()) as crawl:
        expect_all(crawl, machines, folder, alone)


@pytest.mark.long
def test_the_keeper_comes_back_and_the_crawlers_report_in_anew(
    own_cluster: tuple[Machines, Path], alone: frozenset[str]
) -> None:
    machines, folder = own_cluster
    with crawling(machines[1], folder, three()) as crawl:
        crawl.wait_for_pages(10)
        [keeper] = machines[1].processes("ray::KeeperActor")
        os.kill(keeper, signal.SIGKILL)
        expect_all(crawl, machines, folder, alone)


@pytest.mark.long
def test_a_head_that_dies_ends_the_crawl_and_the_same_command_goes_on(
    own_cluster: tuple[Machines, Path], alone: frozenset[str]
) -> None:
    machines, folder = own_cluster
    with crawling(machines[1], folder, three()) as crawl:
        crawl.wait_for_pages(10)
        for name in ("gcs_server", "raylet/raylet", "ray::"):
            machines[1].kill_all(name)
        assert crawl.end() != 0
    for machine in machines.all:
        # `ray stop` would end the Ray of every machine that is a namespace of this one.
        machine.kill_all()
    machines.start_ray(1, 2, 3)
    with crawling(machines[1], folder, three()) as crawl:
        expect_all(crawl, machines, folder, alone)


@pytest.mark.long
def test_another_shoal_is_refused_by_both_names(own_cluster: tuple[Machines, Path]) -> None:
    machines, folder = own_cluster
    other = folder / "other" / "shoal-9.9.9.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: shoal\nVersion: 9.9.9\n")
    machines[2].kill_all()
    machines[2].environment = {
        **machines[2].environment,
        "PYTHONPATH": ":".join([str(other.parent), *sys.path]),
    }
    machines.start_ray(2)
    with crawling(machines[1], folder, three()) as crawl:
        assert crawl.end() == UsageError.exit_code
    assert f"{machines[2].address} has Shoal 9.9.9" in crawl.told()
    assert f"this machine has Shoal {version('shoal')}" in crawl.told()
