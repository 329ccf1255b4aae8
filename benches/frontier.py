"""What the frontier costs: CPU per page, memory, time to resume, at growing numbers of known Urls.

    python benches/frontier.py --urls 10000000
    python benches/frontier.py --urls 200000 --state postgresql://user@host/database

Each page brings one lease, one settle, one search for twins and 150 Offers, of which 8 are new, as
on a real page, where most links are the site's own navigation; every 100 pages one commit. Hosts
have sizes by a power law. CPU is that of the frontier's own calls in this process; making the
Offers is not counted. Memory is the peak of the process less its peak with an empty frontier.
Pages a second are by the clock on the wall, spent in the frontier's calls: what a server does for
them, and the way to it, is in there. With ``--state`` the same is done once more over that server.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from shoal.frontier import StateFile, StateFrontier
from shoal.frontier.database import State
from shoal.frontier.house import ALONE
from shoal.model import (
    ArchiveMark,
    Judgement,
    Link,
    Offer,
    Outcome,
    Part,
    Position,
    Priority,
    Ruling,
    Visit,
)
from shoal.url import Url, parse_url

HOSTS = 20_000
LINKS = 150
NEW = 8
SEEDS = 2_000
PAGES_A_COMMIT = 100
SPARSE = 20
"""While the frontier is being filled, a page brings this many times NEW new Urls."""
RULING = Ruling(True, "default")
CONTEXT = "an outbreak of dengue fever was reported by the ministry in the southern provinces"


SERVER = "postgresql://"
SCHEMA = "bench_frontier"


def open_state(place: str) -> State:
    """A file by its path, or a schema of a server by the server's address."""
    if not place.startswith(SERVER):
        return StateFile.open(place)
    from shoal.postgres.house import PostgresHouse

    return PostgresHouse(place, SCHEMA).open(ALONE)


def size_bytes(place: str) -> int:
    if not place.startswith(SERVER):
        return Path(place).stat().st_size
    (size,) = ask(
        place,
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n"
        f" ON n.oid = relnamespace WHERE nspname = '{SCHEMA}' AND relkind = 'r'",
    )
    return int(size)


def ask(server: str, statement: str) -> tuple[Any, ...]:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return (cursor.fetchone() or ()) if cursor.description else ()


class Moment(NamedTuple):
    cpu_s: float
    wall_s: float


def now() -> Moment:
    return Moment(time.process_time(), time.perf_counter())


@dataclass
class Cost:
    """CPU seconds by call, seconds on the wall, and how many pages they served."""

    pages: int = 0
    offers: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    wall_s: float = 0.0

    def add(self, name: str, began: Moment) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - began.cpu_s
        self.wall_s += time.perf_counter() - began.wall_s

    @property
    def pages_a_second(self) -> float:
        return self.pages / max(self.wall_s, 1e-9)

    def per_page_us(self, name: str) -> float:
        return 1e6 * self.seconds.get(name, 0.0) / max(1, self.pages)

    @property
    def total_us(self) -> float:
        return sum(self.per_page_us(name) for name in self.seconds)


class Workload:
    """An endless crawl that is the same every time."""

    def __init__(self, place: str) -> None:
        self.random = random.Random(7)
        self.frontier = StateFrontier.open(open_state(place))
        self.made = 0
        self.now_s = 0.0
        self.pages = 0
        # What a page links to beside what is new: its site's pages met before, and a few elsewhere.
        # Kept as numbers, so that the peak is the frontier's memory and not this workload's.
        self.seen: dict[int, deque[int]] = {}
        self.elsewhere: deque[int] = deque(maxlen=200_000)

    def number(self, host: int) -> int:
        self.made += 1
        return host << 32 | self.made

    def url(self, number: int) -> Url:
        host, page = number >> 32, number & 0xFFFF_FFFF
        return parse_url(f"https://www.host{host}.example.org/articles/{page // 97}/page-{page}")

    def host(self) -> int:
        return min(HOSTS - 1, int(self.random.paretovariate(0.35)) - 1)

    def offer(self, target: Url, source: Url | None) -> Offer:
        value = self.random.random()
        link = Link(source, target, anchor="dengue fever outbreak", context=CONTEXT)
        return Offer(link, RULING, Priority(value, (Part("anchor", value), Part("page", 0.5))), 3)

    def fresh(self, own: int, count: int) -> list[int]:
        seen = self.seen.setdefault(own, deque(maxlen=30))
        numbers = []
        for number in range(count):
            # Five in eight stay on the site, as links do; the rest spreads over the web.
            host = own if number % 8 < 5 else self.host()
            numbers.append(self.number(host))
            (seen if host == own else self.elsewhere).append(numbers[-1])
        return numbers

    def seed(self) -> None:
        numbers = [self.number(host % HOSTS) for host in range(SEEDS)]
        self.elsewhere.extend(numbers)
        self.frontier.offer(None, [self.offer(self.url(number), None) for number in numbers])

    def page(self, cost: Cost, new: int, links: int) -> None:
        frontier = self.frontier
        self.now_s += 0.01
        self.pages += 1
        began = now()
        leases = frontier.lease(self.now_s, 1)
        cost.add("lease", began)
        if not leases:
            self.now_s += 60.0
            return
        lease = leases[0]
        simhash = self.random.getrandbits(64)
        digest = f"sha1:{simhash:032X}"
        began = now()
        frontier.twin(digest, simhash)
        cost.add("twin", began)
        own = int(lease.url.host[8:].partition(".")[0])
        fresh = self.fresh(own, new)
        # Most links are the site's own navigation; a tenth was met anywhere, any time ago.
        nearby = list(self.seen[own])
        known = [
            self.random.choice(nearby if self.random.random() < 0.9 else self.elsewhere)
            for _ in range(links - new)
        ]
        offers = [self.offer(self.url(number), lease.url) for number in fresh + known]
        # A link met again is rarely worth more than before.
        offers[new:] = [
            Offer(o.link, o.ruling, Priority(o.priority.value * 0.1, o.priority.parts), o.depth)
            for o in offers[new:]
        ]
        began = now()
        frontier.offer(lease.id, offers)
        cost.add("offer", began)
        visit = Visit(
            at_s=self.now_s,
            outcome=Outcome.PAGE,
            status=200,
            size_bytes=30_000,
            elapsed_s=0.2,
            media_type="text/html",
            language="en",
            title="Dengue fever: what is known about the outbreak",
            judgement=Judgement(self.random.random(), 0.2, (Part("title", 0.5), Part("text", 0.3))),
            digest=digest,
            simhash=simhash,
            position=Position("crawl-00001.warc.gz", self.pages * 30_000, 30_000),
            etag='"5f3-1a2b3c"',
        )
        began = now()
        frontier.settle(lease, visit)
        frontier.rest(lease.url.host_key, self.now_s + 1.0, "politeness")
        cost.add("settle", began)
        if self.pages % PAGES_A_COMMIT == 0:
            began = now()
            frontier.commit(
                ArchiveMark((("crawl-00001.warc.gz", self.pages * 30_000),)), self.now_s
            )
            cost.add("commit", began)
        cost.pages += 1
        cost.offers += len(offers)

    def fill(self, urls: int) -> None:
        """Grow to that many Urls with pages of new links only."""
        while self.frontier.standing().known < urls:
            self.page(Cost(), NEW * SPARSE, NEW * SPARSE)

    def measure(self, pages: int) -> Cost:
        for _ in range(pages // 4):
            self.page(Cost(), NEW, LINKS)
        cost = Cost()
        for _ in range(pages):
            self.page(cost, NEW, LINKS)
        return cost


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def known_links_us() -> float:
    """150 Offers of Urls met lately."""
    workload = Workload(":memory:")
    offers = [workload.offer(workload.url(workload.number(n % 50)), None) for n in range(LINKS)]
    workload.frontier.offer(None, offers)
    best = min(_timed(workload, offers) for _ in range(200))
    workload.frontier.close()
    return best * 1e6


def _timed(workload: Workload, offers: list[Offer]) -> float:
    began = time.perf_counter()
    workload.frontier.offer(1, offers)
    return time.perf_counter() - began


def resume(place: str) -> None:
    """Open, and lease the first Url; how long that took is said."""
    began = time.perf_counter()
    frontier = StateFrontier.open(open_state(place))
    frontier.lease(1e12, 1)
    print(time.perf_counter() - began)
    frontier.close()


def resume_s(place: str) -> float:
    """In a new process."""
    command = [sys.executable, __file__, "--resume", place]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


CALLS = ("offer", "lease", "settle", "twin", "commit")
COLUMNS = (
    "Urls known", "pages", *(f"{call} us" for call in CALLS), "page us", "pages/s", "peak MB",
    "above MB", "size MB", "resume s",
)  # fmt: skip


def row(cells: Sequence[object]) -> str:
    return " ".join(f"{cell:>10}" for cell in cells)


def step(workload: Workload, place: str, urls: int, pages: int, empty_mb: float) -> Cost:
    """Grow to ``urls``, measure, close, resume, and print it all as one row."""
    workload.fill(urls)
    cost = workload.measure(pages)
    peak = peak_mb()
    workload.frontier.commit(ArchiveMark(), workload.now_s)
    workload.frontier.close()
    cells = (
        f"{workload.frontier.standing().known:,}",
        f"{workload.pages:,}",
        *(f"{cost.per_page_us(call):.0f}" for call in CALLS),
        f"{cost.total_us:.0f}",
        f"{cost.pages_a_second:,.0f}",
        f"{peak:.0f}",
        f"{peak - empty_mb:.0f}",
        f"{size_bytes(place) / 1e6:.0f}",
        f"{resume_s(place):.2f}",
    )
    print(row(cells), flush=True)
    workload.frontier = StateFrontier.open(open_state(place))
    return cost


def run(place: str, urls: int, pages: int) -> list[Cost]:
    workload = Workload(place)
    workload.seed()
    workload.measure(200)
    empty_mb = peak_mb()
    print(row(COLUMNS))
    steps = sorted({min(1_000_000, urls), urls})
    costs = [step(workload, place, known, pages, empty_mb) for known in steps]
    for few, many in pairwise(costs):
        offer = many.per_page_us("offer") / few.per_page_us("offer")
        print(
            f"{steps[1]:,} Urls beside {steps[0]:,}: an offer costs {offer:.2f} times as much,"
            f" a whole page {many.total_us / few.total_us:.2f} times"
        )
    workload.frontier.close()
    return costs


def main() -> None:
    arguments = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    arguments.add_argument("--urls", type=int, default=1_000_000)
    arguments.add_argument("--pages", type=int, default=4_000, help="pages in each measurement")
    arguments.add_argument("--directory", type=Path, default=None, help="where to put the file")
    arguments.add_argument("--state", help="a PostgreSQL server to measure beside the file")
    arguments.add_argument("--resume", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.resume:
        resume(options.resume)
        return
    print(f"{LINKS} links met just before: {known_links_us():.0f} us")
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        print("a file:")
        in_file = run(str(Path(directory) / "state.sqlite"), options.urls, options.pages)
    if options.state:
        print("PostgreSQL:")
        ask(options.state, f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        on_server = run(options.state, options.urls, options.pages)
        ask(options.state, f"DROP SCHEMA {SCHEMA} CASCADE")
        ratio = in_file[-1].pages_a_second / on_server[-1].pages_a_second
        print(f"a page takes {ratio:.1f} times as long on the server")


if __name__ == "__main__":
    main()
