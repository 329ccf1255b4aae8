"""Teams of many, in one process: what they cost is counted, and grows with the work alone."""

from __future__ import annotations

import sqlite3
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from shoal import config
from shoal.compose.partition import make_partition
from shoal.compose.simulation import Simulation, simulated_team
from shoal.crawl.crawler import Crawler
from shoal.crawl.stop import StopReason
from shoal.events import Event, Settled
from shoal.frontier.frontier import StateFrontier
from shoal.frontier.state import StateFile
from shoal.lab.synthetic import open_synthetic

WEB = "synthetic:seed=1,pages=10000000,hosts=100000"
PAGES = 500
MANY = 256
IDLE = 50


class Count:
    """A Watcher that counts what was settled."""

    def __init__(self) -> None:
        self.urls: Counter[str] = Counter()

    def see(self, event: Event) -> None:
        if isinstance(event, Settled) and event.outcome.value == "page":
            self.urls[event.url] += 1

    def close(self) -> None: ...


@contextmanager
def team_of(
    crawlers: int, pages: int, watcher: Count, partition: str = "host"
) -> Iterator[Simulation]:
    shelf = open_synthetic(WEB)
    seeds = [url.text for topic in shelf.topics for url in shelf.seeds(topic, 4)]
    settings = config.check(
        {
            "crawl": {"topic": ["storm"], "seeds": seeds, "web": WEB},
            "team": {"crawlers": crawlers, "partition": partition},
        }
    )
    settings = replace(settings, crawl=replace(settings.crawl, pages=pages))
    with simulated_team(settings, shelf, make_partition(settings.team), [watcher]) as made:
        yield made


def work_of(crawlers: int, monkeypatch: pytest.MonkeyPatch) -> tuple[float, float]:
    """Steps of all Crawlers, and Parcels between them, for each page of the crawl's second quarter:
    in its last moments those who may fetch no more wait for those who still do."""
    steps = 0
    step = Crawler.step
    marks: list[tuple[int, int]] = []

    def counted(crawler: Crawler) -> None:
        nonlocal steps
        steps += 1
        step(crawler)
        if sum(count.urls.values()) >= (len(marks) + 1) * PAGES // 4:
            sent = sum(traffic.parcels_out for traffic in made.traffic.values())
            marks.append((steps, sent))

    count = Count()
    with monkeypatch.context() as patch, team_of(crawlers, PAGES, count) as made:
        patch.setattr(Crawler, "step", counted)
        assert made.team.run().reason is StopReason.PAGES
    assert sum(count.urls.values()) == PAGES
    assert set(count.urls.values()) == {1}
    (steps_before, sent_before), (steps_then, sent_then), *_ = marks
    return (steps_then - steps_before) / (PAGES / 4), (sent_then - sent_before) / (PAGES / 4)


def test_a_page_takes_no_more_work_in_a_large_team_than_in_a_small_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few_steps, few_parcels = work_of(16, monkeypatch)
    many_steps, many_parcels = work_of(MANY, monkeypatch)
    # With 256 Crawlers the logarithm of their number is twice what it is with 16.
    assert many_parcels <= 2 * few_parcels
    assert many_steps <= 2 * few_steps


def test_a_crawler_with_nothing_to_do_takes_less_than_a_megabyte() -> None:
    count = Count()
    # What is there once for all is loaded beforehand.
    with team_of(2, 1, count) as made:
        made.team.run()
    tracemalloc.start()
    try:
        with team_of(IDLE, 0, count) as made:
            made.team.run()
            own_bytes, _ = tracemalloc.get_traced_memory()
            # SQLite takes its memory past Python.
            kept_bytes = sum(
                _pragma(crawler, "page_count") * _pragma(crawler, "page_size")
                for crawler in made.crawlers.values()
            )
    finally:
        tracemalloc.stop()
    assert (own_bytes + kept_bytes) / IDLE < 1_000_000


def state_of(crawler: Crawler) -> sqlite3.Connection:
    assert isinstance(crawler.frontier, StateFrontier)
    assert isinstance(crawler.frontier.state, StateFile)
    return crawler.frontier.state.connection


def _pragma(crawler: Crawler, name: str) -> int:
    return int(state_of(crawler).execute(f"PRAGMA {name}").fetchone()[0])


@pytest.mark.parametrize("crawlers", [3, 40])
def test_the_pages_asked_for_are_met_though_some_sleep(crawlers: int) -> None:
    """What a Crawler had under way when it fell asleep is no longer kept for it."""
    count = Count()
    with team_of(crawlers, 60, count, "url") as made:
        assert made.team.run().reason is StopReason.PAGES
    assert sum(count.urls.values()) == 60
