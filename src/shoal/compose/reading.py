"""Opens what a crawl has kept, for whoever reads it, beside it or afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from shoal.archive.reader import read_record
from shoal.archive.reading import Files, FolderFiles
from shoal.archive.store import open_store
from shoal.archive.store_files import StoreFiles
from shoal.compose.crawl import make_scope
from shoal.compose.state import has_begun, open_house
from shoal.crawl.tally import Tally
from shoal.directory import CrawlDirectory
from shoal.errors import StorageError, UsageError
from shoal.frontier.house import ALONE
from shoal.frontier.ledger import StateLedger
from shoal.model import Link, Position, Ruling
from shoal.page.main_text import read_main_text
from shoal.ports import (
    Ledger,
    Watcher,
)
from shoal.report.rows import Source as ExportSource
from shoal.report.why import Story, Witness, explain
from shoal.seeds import read_seeds
from shoal.settings import Settings
from shoal.shelf.copied import copied_warcs
from shoal.team.ledger import TeamLedger
from shoal.url import Url, UrlParser
from shoal.watch.choose import pick_watchers
from shoal.watch.tally import Before
from shoal.web.robots import SiteRobots


@dataclass(frozen=True, slots=True)
class LedgerNotes:
    """The Notes of a crawl for a reader: what is written is forgotten."""

    ledger: Ledger

    def read(self, kind: str, key: str) -> bytes | None:
        return self.ledger.note(kind, key)

    def write(self, kind: str, key: str, value: bytes) -> None: ...


@contextmanager
def open_ledger(directory: CrawlDirectory) -> Iterator[Ledger]:
    """Reads the crawl in a directory, running or not. Raises ShoalError."""
    directory.require()
    with ExitStack() as stack:
        house = stack.enter_context(closing(open_house(directory.settings(), directory)))
        if not directory.is_team():
            yield stack.enter_context(closing(StateLedger(house.read(ALONE))))
            return
        ledgers: dict[str, Ledger] = {
            name: stack.enter_context(closing(StateLedger(house.read(name))))
            for name in directory.crawlers()
            if house.has(name)
        }
        if not ledgers:
            raise StorageError(f"none of the crawlers in {directory.path} has begun")
        in_store = directory.settings().archive.store
        below = "{}/{}" if in_store else "crawlers/{}/archive/{}"
        yield TeamLedger(ledgers, below.format)


@contextmanager
def watching(
    settings: Settings, directory: CrawlDirectory, console: Console
) -> Iterator[Sequence[Watcher]]:
    """The Watchers that the settings ask for, closed when the crawl ends, however it ends."""
    before = Before()
    if has_begun(directory):
        with open_ledger(directory) as ledger:
            tally = Tally.load(ledger.fact("tally"))
            before = Before(tally.pages, tally.relevant, tally.bytes, tally.active_s)
    try:
        watchers = pick_watchers(settings.watch, settings.crawl, console, before)
    except OSError as error:
        raise UsageError(
            f"cannot serve metrics on port {settings.watch.metrics_port}: {error.strerror}; "
            "give another one to watch.metrics_port"
        ) from error
    with closing(watchers):
        yield [watchers]


def witness_of(directory: CrawlDirectory, ledger: Ledger) -> Witness:
    """What ``shoal why`` can ask besides the Ledger: the scope, robots.txt, the canonical form."""
    settings = directory.settings()
    urls = UrlParser(settings.url)
    scope = make_scope(settings)
    robots = SiteRobots(settings.politeness, settings.fetch.robots_agent, LedgerNotes(ledger))
    now_s = float(ledger.fact("clock_s") or 0.0)

    def admit(url: Url) -> Ruling:
        host = ledger.host(url.host_key)
        return scope.admit(Link(None, url), 0, 0, host.known if host else 0)

    def robots_ruling(url: Url) -> Ruling | None:
        verdict = robots.verdict(url, now_s)
        return verdict if isinstance(verdict, Ruling) else None

    return Witness(admit, robots_ruling, urls.parse)


def seed_stories(directory: CrawlDirectory, limit: int) -> tuple[Story, ...]:
    """What became of the first seeds, for a crawl that brought no page; none for one that did."""
    settings = directory.settings()
    with open_ledger(directory) as ledger:
        if Tally.load(ledger.fact("tally")).pages:
            return ()
        witness = witness_of(directory, ledger)
        seeds = read_seeds(settings.crawl.seeds, UrlParser(settings.url))[:limit]
        return tuple(explain(ledger, seed, witness) for seed in seeds)


def archive_files(directory: CrawlDirectory) -> Files:
    """The archive files of a crawl, as its Ledger's Positions name them. Raises ShoalError."""
    address = directory.settings().archive.store
    if address:
        return StoreFiles(open_store(address))
    # A Team's Positions begin at the crawl's directory, for each Crawler has an archive.
    return FolderFiles(directory.path if directory.is_team() else directory.archive_folder)


def archive_paths(directory: CrawlDirectory) -> Sequence[Path]:
    """The WARC files of a crawl as files on this machine; those of a store are copied to it."""
    address = directory.settings().archive.store
    if address:
        return copied_warcs(address, os.environ)
    below = "crawlers/*/archive" if directory.is_team() else "archive"
    return sorted(directory.path.glob(f"{below}/*.warc.gz"))


def export_source(directory: CrawlDirectory) -> ExportSource:
    files = archive_files(directory)
    return ExportSource(partial(read_record, files), read_main_text, files.read)


def text_reader(directory: CrawlDirectory) -> Callable[[Position], str]:
    """Reads main texts back out of a crawl's Archive."""
    return export_source(directory).text
