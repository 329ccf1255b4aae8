"""A Team on a Ray cluster of three machines: whatever is killed, cut off or filled, it finds what a
Team without failures finds, each Url once.

The machines are namespaces of this one (``ray_machines.py``).
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.settings import Settings
from tests.crawl import killing
from tests.team import ray_machines
from tests.team.ray_crawl import Crawl, crawling
from tests.team.ray_machines import Machines, gather, three_machines
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
