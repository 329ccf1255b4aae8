"""How fast a Team is: two crawlers beside one, the courier, and teams of up to a thousand.

    python benches/team.py crawlers [--pages 4000] [--rounds 3] [--partition url] [--disk DIR]
                                    [--engine processes]
    python benches/team.py courier [--pages 20000] [--rounds 3]
    python benches/team.py sizes [--pages 3000] [--sizes 2 4 8 16 64 256 1000]

``crawlers`` crawls a frozen web of real pages with one crawler (`shoal crawl`) and with two in
processes of their own (`shoal crawl --crawlers 2`), in turns. Fetching costs next to nothing there:
a page is read from its WARC file and unpacked, on the same cores; there are no pauses. Pages a
second are those between the first thing done and the last, so that the start of Python does not
count; how long the whole command took is told beside it.

Two crawlers are at most twice as fast as one on two cores. What is missing is told in CPU time: the
crawlers' own (a page costs more where its Links must be sent), and the keeper's, who answers them;
that of a crawl of one page, which is the start of Python and reading the web's index, is taken off.
Crawlers wait for their disk after every hundred pages, two of them for the same one: with a
``--disk`` in memory (`/dev/shm`) the processors alone are measured.

``--engine ray`` runs them on a Ray cluster of this machine alone (`pip install shoal[ray]`). Ray
listens on the machine's own address; where that is not wanted, give it a network of its own:
`unshare --net sh -c "ip link set lo up; python benches/team.py crawlers --engine ray"`. CPU time is
the command's alone then: Ray's processes are no children of it.

``courier`` sends pages of 16 KB from one process to another through SQLite outboxes, with a commit
after every hundred pages on both sides, until the receiver has committed and the sender has taken
out the last of them.

``sizes`` runs whole Teams in one process on virtual clocks, over a synthetic web of ten million
pages: what a settled Url costs in CPU time between a quarter of the pages asked for and all of
them, and what memory a Crawler takes that has begun and has nothing to do.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event as Flag
from typing import TypeVar

from figures import table

from shoal import config
from shoal.archive.reader import iter_responses
from shoal.compose.crawl import run_crawl
from shoal.compose.partition import make_partition
from shoal.compose.reading import open_ledger
from shoal.compose.simulation import simulated_team
from shoal.compose.team import run_team
from shoal.crawl.share import FETCHED
from shoal.directory import CrawlDirectory
from shoal.events import Event, Settled, Started, Stopped
from shoal.frontier.notes import StateNotes
from shoal.frontier.outbox import TAKEN, StateOutbox, StatePeer
from shoal.frontier.state import StateFile
from shoal.lab.synthetic import open_synthetic
from shoal.model import Link, Offer, Outcome, PageParcel, Priority, Response
from shoal.settings import CrawlSettings, Settings, TeamSettings
from shoal.shelf.shelves import open_shelf
from shoal.team.pulled import PulledCourier

Made = TypeVar("Made")
SHARED = Path(os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[2] / "shared"))
SEEDS = 60
"""Pages that the crawl begins with, spread over the web."""
PAGE_BYTES = 16_384
BATCH_PAGES = CrawlSettings().batch_pages
SYNTHETIC = "synthetic:seed=1,pages=10000000,hosts=100000"
SIZES = (2, 4, 8, 16, 64, 256, 1_000)


# --------------------------------------------------------------------------- two crawlers


@dataclass(frozen=True)
class Crawled:
    """One crawl of a web."""

    pages: int
    urls: int
    """Settled, whatever became of them."""
    busy_s: float
    """From the first thing done to the last."""
    whole_s: float
    crawlers_cpu_s: float
    keeper_cpu_s: float

    def without(self, start: Crawled) -> Crawled:
        """Without the CPU time of a crawl of one page."""
        return replace(
            self,
            crawlers_cpu_s=self.crawlers_cpu_s - start.crawlers_cpu_s,
            keeper_cpu_s=self.keeper_cpu_s - start.keeper_cpu_s,
        )

    @property
    def pages_per_s(self) -> float:
        return self.pages / self.busy_s

    @property
    def cpu_ms(self) -> float:
        """Of a page, whoever spent it."""
        return 1e3 * (self.crawlers_cpu_s + self.keeper_cpu_s) / self.pages


class Stopwatch:
    """A Watcher that notes when the crawl began and stopped."""

    def __init__(self) -> None:
        self.began_s = self.ended_s = 0.0
        self.pages = 0

    def see(self, event: Event) -> None:
        if isinstance(event, Started):
            self.began_s = time.monotonic()
        elif isinstance(event, Stopped):
            self.ended_s = time.monotonic()

    def close(self) -> None: ...


def settings_of(web: Path, seeds: Sequence[str], pages: int, team: dict[str, object]) -> Settings:
    return config.check(
        {
            "crawl": {
                "topic": ["tropical storm"],
                "seeds": list(seeds),
                "web": str(web),
                "pages": pages,
                "strategy": "breadth-first",
            },
            # Nobody waits for anybody: what is measured is work.
            "politeness": {"delay_s": 0.0, "per_host": 64, "per_ip": 64, "host_share": 1.0},
            "team": team,
        }
    )


def crawl(settings: Settings, path: Path, line: Connection) -> None:
    """A crawl from its beginning to its end, in a process of its own."""
    watch, began_s = Stopwatch(), time.monotonic()
    run = run_team if config.is_team(settings) else run_crawl
    stop = run(settings, CrawlDirectory(path), [watch], Flag())
    assert stop.reason.value in ("pages", "finished"), stop
    whole_s = time.monotonic() - began_s
    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    own_s, others_s = own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime
    with open_ledger(CrawlDirectory(path)) as ledger:
        urls = sum(1 for _ in ledger.visits())
        pages = sum(1 for _ in ledger.visits(frozenset({Outcome.PAGE})))
    is_team = config.is_team(settings)
    line.send(
        Crawled(
            pages,
            urls,
            watch.ended_s - watch.began_s,
            whole_s,
            others_s if is_team else own_s,
            own_s if is_team else 0.0,
        )
    )


def crawled(settings: Settings, disk: Path | None) -> Crawled:
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        return in_a_process(partial(crawl, settings, Path(folder) / "crawl"), Crawled)


def in_a_process(work: Callable[[Connection], None], kind: type[Made]) -> Made:
    """What ``work`` sends, from a process that ends with it."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,))
    process.start()
    theirs.close()
    try:
        made = ours.recv()
    finally:
        process.join()
    assert isinstance(made, kind)
    return made


def compare_crawlers(
    pages: int,
    rounds: int,
    partition: str,
    web: Path,
    crawlers: int,
    engine: str,
    disk: Path | None,
) -> None:
    shelf = open_shelf(str(web))
    urls = [url for url in shelf.urls() if url.endswith((".htm", ".html", "/"))]
    shelf.close()
    seeds = urls[:: max(1, len(urls) // SEEDS)]
    lonely = settings_of(web, seeds, pages, {"crawlers": 1})
    by = {"partition": partition, "engine": engine, "cluster": "local"}
    team = settings_of(web, seeds, pages, {"crawlers": crawlers, **by})
    alone: list[Crawled] = []
    together: list[Crawled] = []
    for _ in range(rounds):
        for settings, made in ((lonely, alone), (team, together)):
            start = crawled(with_pages(settings, 1), disk)
            made.append(crawled(settings, disk).without(start))
    print(
        f"{web.name}, {pages:,} pages, partition {partition}, engine {engine}, "
        f"medians of {rounds} rounds\n"
    )
    rows = []
    for name, made in (("one crawler", alone), (f"{crawlers} crawlers", together)):
        rows.append(
            [
                name,
                f"{statistics.median(one.pages_per_s for one in made):,.0f}",
                f"{statistics.median(one.urls / one.pages for one in made):.2f}",
                f"{statistics.median(one.whole_s for one in made):.1f}",
                f"{statistics.median(1e3 * one.crawlers_cpu_s / one.pages for one in made):.2f}",
                f"{statistics.median(1e3 * one.keeper_cpu_s / one.pages for one in made):.2f}",
            ]
        )
    heads = (
        "",
        "pages/s",
        "Urls settled a page",
        "whole command s",
        "crawlers' CPU ms a page",
        "keeper's CPU ms a page",
    )
    print(table(heads, rows))
    pairs = list(zip(alone, together, strict=True))
    told = [("pages/s, two by one", [two.pages_per_s / one.pages_per_s for one, two in pairs])]
    if engine == "processes":
        possible = [2 * one.cpu_ms / two.cpu_ms for one, two in pairs]
        told.append(("what CPU time alone leaves possible on two cores", possible))
    for name, ratios in told:
        print(f"\n{name}: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


# --------------------------------------------------------------------------- the courier


@dataclass(frozen=True)
class Carried:
    """What one end of the courier did."""

    began_s: float
    ended_s: float
    cpu_s: float
    wire_bytes: int


def pages_of(web: Path) -> list[Response]:
    """Real pages, each cut off after PAGE_BYTES; shorter ones are left out."""
    return [
        replace(response, payload=cut, body=cut)
        for response in iter_responses(web)
        if len(cut := response.body[:PAGE_BYTES]) == PAGE_BYTES
        and (response.header("content-type") or "").startswith("text/html")
    ]


@contextmanager
def courier_of(name: str, other: str, folder: Path) -> Iterator[tuple[StateFile, PulledCourier]]:
    with (
        closing(StateFile.open(folder / f"{name}.sqlite")) as state,
        closing(StatePeer(partial(StateFile.read, folder / f"{other}.sqlite"))) as peer,
    ):
        full_bytes = TeamSettings().outbox_bytes
        yield (
            state,
            PulledCourier(
                name,
                StateOutbox(state),
                StateNotes(state),
                {other: peer},
                full_bytes,
                Flag(),
                time.monotonic,
                TAKEN,
            ),
        )


def send(folder: Path, web: Path, pages: int, line: Connection) -> None:
    found = pages_of(web)
    parcels = [
        PageParcel(Offer(Link(None, page.url), FETCHED, Priority(0.5), 1), page, "sender")
        for page in found
    ]
    with courier_of("sender", "receiver", folder) as (state, courier):
        state.commit()
        line.send("ready")
        line.recv()
        began_s, cpu_s = time.monotonic(), time.process_time()
        for number in range(pages):
            courier.send("receiver", parcels[number % len(parcels)])
            if number % BATCH_PAGES == BATCH_PAGES - 1:
                state.commit()
                courier.committed()
            while courier.is_full():
                state.commit()
                time.sleep(0.001)
        state.commit()
        while not courier.is_empty():
            state.commit()
            time.sleep(0.001)
        cpu_s = time.process_time() - cpu_s
        state.commit()
        line.send(Carried(began_s, time.monotonic(), cpu_s, courier.traffic.bytes_out))


def receive(folder: Path, pages: int, line: Connection) -> None:
    with courier_of("receiver", "sender", folder) as (state, courier):
        state.commit()
        line.send("ready")
        line.recv()
        began_s, cpu_s = time.monotonic(), time.process_time()
        got = uncommitted = 0
        while got < pages:
            parcels = courier.receive(CrawlSettings().parallel)
            got += len(parcels)
            uncommitted += len(parcels)
            if uncommitted >= BATCH_PAGES or (uncommitted and not parcels):
                state.commit()
                courier.committed()
                uncommitted = 0
            if not parcels:
                courier.wait(0.25)
        state.commit()
        cpu_s = time.process_time() - cpu_s
        line.send(Carried(began_s, time.monotonic(), cpu_s, courier.traffic.bytes_in))


def measure_courier(web: Path, pages: int, rounds: int) -> None:
    context = get_context("spawn")
    rates, rows = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            lines, processes = [], []
            for work in (partial(send, folder, web), partial(receive, folder)):
                ours, theirs = context.Pipe()
                process = context.Process(target=work, args=(pages, theirs))
                process.start()
                theirs.close()
                lines.append(ours)
                processes.append(process)
            for line in lines:
                assert line.recv() == "ready"
            for line in lines:
                line.send("go")
            sent, received = (line.recv() for line in lines)
            for process in processes:
                process.join()
        rates.append(pages / (max(sent.ended_s, received.ended_s) - sent.began_s))
        rows.append((1e3 * sent.cpu_s / pages, 1e3 * received.cpu_s / pages))
    sender_ms, receiver_ms = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"{pages:,} pages of {PAGE_BYTES:,} bytes, {rounds} rounds")
    least, most = min(rates), max(rates)
    print(f"pages/s           {statistics.median(rates):9,.0f} ({least:,.0f} to {most:,.0f})")
    print(f"sender CPU        {sender_ms:9.3f} ms a page")
    print(f"receiver CPU      {receiver_ms:9.3f} ms a page")
    print(f"bytes on the way  {sent.wire_bytes / pages:9,.0f} a page")


# --------------------------------------------------------------------------- teams of many


@dataclass(frozen=True)
class Simulated:
    """A Team of one size, in one process."""

    crawlers: int
    idle_bytes: float
    """What a Crawler takes of memory that has begun and knows nothing."""
    url_ms: float
    """CPU time of a settled Url, in mid-crawl."""
    parcels: float
    """Parcels sent for each settled Url."""
    links: float


class Middle:
    """A Watcher that notes the CPU time between a quarter of the Urls and all of them."""

    def __init__(self, urls: int) -> None:
        self.urls = urls
        self.settled = 0
        self._from: float | None = None
        self.ms: float = 0.0

    def see(self, event: Event) -> None:
        if not isinstance(event, Settled):
            return
        self.settled += 1
        if self.settled == self.urls // 4:
            self._from = time.process_time()
        elif self.settled == self.urls and self._from is not None:
            taken_s = time.process_time() - self._from
            self.ms = 1e3 * taken_s / (self.urls - self.urls // 4)

    def close(self) -> None: ...


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def simulate(crawlers: int, pages: int, line: Connection) -> None:
    shelf = open_synthetic(SYNTHETIC)
    seeds = [url.text for topic in shelf.topics for url in shelf.seeds(topic, 8)]
    layer: config.Layer = {
        "crawl": {
            "topic": ["storm"],
            "seeds": seeds,
            "web": SYNTHETIC,
            "strategy": "breadth-first",
        },
        "team": {"crawlers": crawlers, "partition": "host"},
    }
    settings = config.check(layer)
    partition = make_partition(settings.team)
    # What is there once is loaded beforehand: a crawl of a page touches all of it.
    few = make_partition(replace(settings.team, crawlers=2))
    with simulated_team(with_pages(settings, 1), shelf, few) as warm:
        warm.team.run()
    gc.collect()
    before = resident_bytes()
    with simulated_team(with_pages(settings, 0), shelf, partition) as idle:
        idle.team.run()
        idle_bytes = (resident_bytes() - before) / crawlers
    middle = Middle(pages)
    with simulated_team(with_pages(settings, pages), shelf, partition, [middle]) as made:
        made.team.run()
        sent = [traffic.parcels_out for traffic in made.traffic.values()]
        links = [traffic.links_out for traffic in made.traffic.values()]
    urls = middle.settled
    line.send(Simulated(crawlers, idle_bytes, middle.ms, sum(sent) / urls, sum(links) / urls))


def with_pages(settings: Settings, pages: int) -> Settings:
    return replace(settings, crawl=replace(settings.crawl, pages=pages))


def measure_sizes(sizes: Sequence[int], pages: int) -> None:
    made = [in_a_process(partial(simulate, crawlers, pages), Simulated) for crawlers in sizes]
    heads = (
        "crawlers",
        "CPU ms a Url",
        "more for each doubling",
        "parcels a Url",
        "links sent a Url",
        "idle crawler KB",
    )
    rows = []
    for before, one in zip([None, *made], made, strict=False):
        more = ""
        if before is not None:
            doublings = math.log2(one.crawlers / before.crawlers)
            more = f"{(one.url_ms - before.url_ms) / doublings:+.3f}"
        rows.append(
            [
                f"{one.crawlers:,}",
                f"{one.url_ms:.3f}",
                more,
                f"{one.parcels:.2f}",
                f"{one.links:.2f}",
                f"{one.idle_bytes / 1e3:,.0f}",
            ]
        )
    print(f"{SYNTHETIC}, {pages:,} pages for each size, partition host\n")
    print(table(heads, rows))
    logs = [math.log2(one.crawlers) for one in made]
    slope, start = statistics.linear_regression(logs, [one.url_ms for one in made])
    off = max(abs(one.url_ms - start - slope * log) for one, log in zip(made, logs, strict=True))
    print(
        f"\nfitted: {start:.2f} ms + {slope:.3f} ms for each doubling of the team; "
        f"no size is off by more than {off:.2f} ms"
    )


# --------------------------------------------------------------------------- what is asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    wanted = parser.add_subparsers(dest="wanted", required=True)
    two = wanted.add_parser("crawlers", help="two crawlers beside one")
    two.add_argument("--pages", type=int, default=4_000)
    two.add_argument("--rounds", type=int, default=3)
    two.add_argument("--partition", default="url")
    two.add_argument("--crawlers", type=int, default=2)
    two.add_argument("--engine", choices=config.ENGINES, default="processes")
    two.add_argument("--disk", type=Path, help="where the crawls are kept meanwhile")
    two.add_argument("--web", default="wiki", help="a corpus of the shared data")
    carry = wanted.add_parser("courier", help="pages from one process to another")
    carry.add_argument("--pages", type=int, default=20_000)
    carry.add_argument("--rounds", type=int, default=3)
    many = wanted.add_parser("sizes", help="teams of up to a thousand, simulated")
    many.add_argument("--pages", type=int, default=3_000)
    many.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    asked = parser.parse_args()
    if asked.wanted == "crawlers":
        web = SHARED / "corpora" / f"{asked.web}.warc.gz"
        team = asked.crawlers, asked.engine, asked.disk
        compare_crawlers(asked.pages, asked.rounds, asked.partition, web, *team)
    elif asked.wanted == "sizes":
        measure_sizes(asked.sizes, asked.pages)
    else:
        measure_courier(SHARED / "corpora" / "wiki.warc.gz", asked.pages, asked.rounds)


if __name__ == "__main__":
    main()
