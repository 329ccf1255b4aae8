"""Crawls in processes of their own that are killed at any instruction, and what must be left."""

from __future__ import annotations

import multiprocessing
import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.synchronize import Event as Begun
from pathlib import Path
from threading import Event as Flag
from typing import Any

from shoal import config
from shoal.archive.reader import read_record
from shoal.compose.crawl import run_crawl
from shoal.compose.reading import archive_files, open_ledger
from shoal.directory import CrawlDirectory
from shoal.errors import StorageError
from shoal.events import Event, Started
from shoal.lab.synthetic import open_synthetic
from shoal.model import Outcome
from shoal.settings import Settings
from shoal.url import parse_url

KNOBS = "synthetic:seed={seed},pages=160,hosts=8,topics=4,island_pages=10,tunnel_max=1"
TRAPS = ("*/calendar/*", "*/browse*", "*/tree/*")
"""Endless places of the synthetic web: a crawl of all of it must leave them out."""
PATIENCE_S = 60.0
"""A process that has not begun to crawl by then never will."""


def settings(seed: int, store: str | None = None, **crawl: Any) -> Settings:
    """A crawl of a whole small synthetic web, which ends when nothing is left; its archive in a
    ``store``, where one is given."""
    web = KNOBS.format(seed=seed)
    start = open_synthetic(web).start_url
    return config.check(
        {
            "crawl": {
                "topic": ["dengue fever"],
                "seeds": [start.text],
                "web": web,
                "batch_pages": 3,
                "attempts": 2,
                **crawl,
            },
            "politeness": {"delay_s": 0.1},
            "archive": {"store": store} if store else {},
            "scope": {"exclude": list(TRAPS)},
        }
    )


class Bell:
    """A Watcher that rings once the crawl has begun."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring

    def see(self, event: Event) -> None:
        if isinstance(event, Started):
            self._ring()

    def close(self) -> None: ...


def crawl(made: Settings, path: str, begun: Begun | None = None) -> None:
    """What the killed process runs."""
    watchers = [Bell(begun.set)] if begun is not None else []
    run_crawl(made, CrawlDirectory(Path(path)), watchers, Flag())


def crawl_and_kill(made: Settings, path: Path, after_s: float, while_opening: bool) -> bool:
    """Run a crawl in a process and kill it so long after it has begun, or, ``while_opening``, so
    long after the process has started. True when the crawl ended before that."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["shoal.compose.crawl"])
    begun = context.Event()
    process = context.Process(target=crawl, args=(made, str(path), begun))
    process.start()
    if not while_opening:
        begun.wait(PATIENCE_S)
    process.join(after_s)
    if process.exitcode is None:
        process.kill()
        process.join()
        return False
    assert process.exitcode == 0, "the crawl failed by itself"
    return True


@dataclass(frozen=True)
class Remains:
    """What a finished crawl left, in a form that does not depend on the order of fetching."""

    settled: frozenset[str]
    digests: frozenset[str]
    stop_reason: str | None


def check(path: Path) -> Remains:
    """The promises that hold for every committed state; returns what two crawls can be compared by.

    Nothing is settled twice, and every Visit with a Position has its record, of its own Url and
    with its own payload, in an Archive without torn records.
    """
    directory = CrawlDirectory(path)
    ends: Counter[str] = Counter()
    digests = set()
    files = archive_files(directory)
    with open_ledger(directory) as ledger:
        for known, visit in ledger.visits():
            if visit.outcome is not Outcome.RETRY:
                ends[known.url] += 1
            if visit.digest is not None:
                digests.add(visit.digest)
            if visit.position is not None:
                response = read_record(files, visit.position)
                assert response.url == parse_url(known.url)
                assert response.status == visit.status
                assert len(response.payload) == visit.size_bytes
        standing = ledger.standing()
        reason = ledger.fact("stop_reason")
    twice = {url: count for url, count in ends.items() if count > 1}
    assert not twice, f"settled more than once: {twice}"
    assert standing.settled == len(ends)
    return Remains(frozenset(ends), frozenset(digests), reason or None)


def tear(path: Path, chance: random.Random) -> None:
    """What a power cut may leave besides a kill: the log of the state cut anywhere, and archive
    bytes beyond the last mark lost, or never what was meant."""
    state, log = path / "state.sqlite", path / "state.sqlite-wal"
    # A log that is being copied into its file is on disk by then: no power cut takes it back.
    if log.is_file() and log.stat().st_size and log.stat().st_mtime_ns > state.stat().st_mtime_ns:
        with log.open("r+b") as file:
            file.truncate(chance.randrange(log.stat().st_size))
    directory = CrawlDirectory(path)
    store = directory.settings().archive.store if directory.is_crawl() else None
    volumes = sorted((path / "archive").glob("*.warc.gz"))
    if store:
        tear_store(Path(store.removeprefix("file://")), directory, chance)
    elif volumes:
        with volumes[-1].open("ab") as file:
            file.write(chance.randbytes(chance.randrange(2_000)))


def tear_store(folder: Path, directory: CrawlDirectory, chance: random.Random) -> None:
    """What a put may leave that nobody heard the end of: objects after the last, whole or not."""
    if not has_begun(directory):
        # The disk has taken back even the crawl's beginning, before which nothing was put.
        shutil.rmtree(folder, ignore_errors=True)
        return
    last = max((int(path.name[6:11]) for path in folder.glob("shoal-*")), default=0)
    for number in range(last + 1, last + 1 + chance.randrange(3)):
        for kind in ("warc.gz", "cdxj"):
            if chance.random() < 0.8:
                torn = chance.randbytes(chance.randrange(2_000))
                (folder / f"shoal-{number:05d}.{kind}").write_bytes(torn)


def has_begun(directory: CrawlDirectory) -> bool:
    if not directory.path.exists():
        # The kill came before anything else did.
        return False
    try:
        with open_ledger(directory) as ledger:
            return ledger.fact("started_s") is not None
    except StorageError:
        return False
