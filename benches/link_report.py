"""Link analysis of the report at size: time and memory over a state file of millions of links.

python benches/link_report.py [--links 10000000]

The state file is written first, row by row as a Frontier leaves it, by a process of its own, and
is not measured. Pages have fifty links, drawn with a long tail as in benches/rank.py.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from multiprocessing import Process
from pathlib import Path
from typing import Any

import numpy as np

from shoal.frontier.ledger import StateLedger
from shoal.frontier.rows import evidence_of
from shoal.frontier.state import StateFile
from shoal.model import Link, Offer, Ruling
from shoal.report.importance import LinkOptions, analyse_links
from shoal.url import parse_url

PAGE_LINKS, HOSTS = 50, 10_000
INSERT_URL = (
    "INSERT INTO url (id, key, text, host, state, priority, depth, redirects, source, attempts,"
    " visit, retry_at_s, evidence) VALUES (?, ?, ?, ?, 0, 0.0, 1, 0, NULL, 0, NULL, NULL, ?)"
)


def write(path: Path, links: int) -> None:
    chance = np.random.default_rng(1)
    pages = links // PAGE_LINKS
    drawn = (chance.pareto(0.6, (pages, PAGE_LINKS)) * 50_000).astype(np.uint64) % (1 << 40)
    names, places = np.unique(drawn, return_inverse=True)
    targets = places.reshape(drawn.shape) + 1
    with closing(StateFile.open(path)) as state:
        db = state.connection
        db.executemany(
            "INSERT INTO host (id, name, known, waiting, settled, bound, rest_why)"
            " VALUES (?, ?, 0, 0, 0, 0.0, '')",
            ((number + 1, f"host{number}.example") for number in range(HOSTS)),
        )
        db.executemany(INSERT_URL, rows(len(names)))
        db.executemany(
            "INSERT INTO targets (source, ids) VALUES (?, ?)",
            ((page + 1, targets[page].astype("<u4").tobytes()) for page in range(pages)),
        )
        state.commit()


def rows(urls: int) -> Iterator[tuple[Any, ...]]:
    for number in range(1, urls + 1):
        host = number % HOSTS
        url = parse_url(f"http://host{host}.example/some/page/of/it/{number}.html")
        evidence = evidence_of(Offer(Link(None, url), Ruling(True, "bench")), None)
        key = (host + 1) << 32 | url.key & 0xFFFF_FFFF
        yield number, key, url.text, host + 1, evidence


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", type=int, default=10_000_000)
    links = parser.parse_args().links
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        writer = Process(target=write, args=(path, links))
        writer.start()
        writer.join()
        assert writer.exitcode == 0, "the state file was not written"
        with closing(StateLedger(StateFile.read(path))) as ledger:
            before_s = time.process_time()
            found = analyse_links(ledger, LinkOptions(relevant_from=0.0))
            spent_s = time.process_time() - before_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{found.links:,} links of {found.pages:,} pages, {found.urls:,} Urls")
    print(f"{spent_s:.1f} s of CPU time, peak {peak_mb:.0f} MB")


if __name__ == "__main__":
    main()
