"""Puts a Team together that runs on a Ray cluster."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from threading import Event as Flag

from shoal.archive.records import BrokenArchive
from shoal.atomic import write_atomically
from shoal.compose.state import open_house
from shoal.compose.team import in_words, open_crawler, open_lead, working
from shoal.crawl.tally import Tally
from shoal.directory import CrawlDirectory
from shoal.errors import UsageError
from shoal.frontier.lock import DirectoryLock
from shoal.frontier.state import DirectoryInUse
from shoal.ports import Peer, Watcher
from shoal.seeds import read_seeds
from shoal.settings import Settings
from shoal.team.desk import Desk, LostTeam
from shoal.url import UrlParser

try:
    from shoal.team.on_ray.cluster import connected
    from shoal.team.on_ray.crawler_actor import Opened, Work
    from shoal.team.on_ray.engine import RayTeam
    from shoal.team.on_ray.line import LOST_S
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] != "ray":
        raise
    raise UsageError(
        "Ray is not installed here: pip install 'shoal[ray]', on every machine of the cluster"
    ) from error

HANDED_BACK_S = 3 * LOST_S
"""How long a Crawler that was started elsewhere waits for its directory: until then whoever had it
before has noticed that it has lost its line."""
_LOOK_S = 0.5


@contextmanager
def open_team(
    settings: Settings,
    directory: CrawlDirectory,
    watcher: Watcher,
    halt: Flag,
) -> Iterator[RayTeam]:
    """The Team of whoever holds the directory's lock. Raises ShoalError."""
    directory = CrawlDirectory(directory.path.absolute())
    settings = _readable_anywhere(settings)
    with connected(settings.team.cluster) as cluster:
        yield RayTeam(
            cluster,
            partial(working, settings, directory),
            partial(open_lead, settings, directory),
            Work(partial(_open, settings, directory), partial(_own_peer, settings, directory)),
            watcher,
            halt,
            None if _is_anywhere(settings) else Places(directory),
        )


class Places(MutableMapping[str, str]):
    """Which machine has whose state, in a file of the crawl's directory."""

    def __init__(self, directory: CrawlDirectory) -> None:
        self._file = directory.places_file
        self._known: dict[str, str] = {}
        if self._file.is_file():
            self._known = json.loads(self._file.read_text())

    def __getitem__(self, name: str) -> str:
        return self._known[name]

    def __setitem__(self, name: str, machine: str) -> None:
        self._known[name] = machine
        self._write()

    def __delitem__(self, name: str) -> None:
        del self._known[name]
        self._write()

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def _write(self) -> None:
        write_atomically(self._file, json.dumps(self._known, indent=2) + "\n")


def _is_anywhere(settings: Settings) -> bool:
    """Whether a Crawler finds what it has on whatever machine it is."""
    archive = settings.archive
    served = bool(settings.crawl.state) and (archive.store is not None or not archive.enabled)
    return settings.team.shared or served


def _readable_anywhere(settings: Settings) -> Settings:
    """With the seeds themselves in place of files of this machine."""
    seeds = read_seeds(settings.crawl.seeds, UrlParser(settings.url))
    return replace(settings, crawl=replace(settings.crawl, seeds=tuple(url.text for url in seeds)))


@contextmanager
def _open(
    settings: Settings,
    directory: CrawlDirectory,
    name: str,
    desk: Desk,
    peers: Mapping[str, Peer],
    watcher: Watcher,
) -> Iterator[Opened]:
    own = directory.crawler(name)
    with _telling_in_words(settings, own):
        directory.make_team((name,))
        _wait_for(own)
        opened = open_crawler(settings, directory, desk, name, peers, [watcher])
        with opened as crawler:

            def run() -> None:
                try:
                    desk.finish(crawler.run())
                except LostTeam:
                    raise
                except Exception as error:  # noqa: BLE001 - whatever it is, the Team must hear of it
                    desk.break_off(in_words(error, settings, own))

            yield Opened(Tally.load(crawler.frontier.fact("tally")), run)


@contextmanager
def _telling_in_words(settings: Settings, own: CrawlDirectory) -> Iterator[None]:
    """Before a Crawler has reported in, and when it puts its files away, there is no other way to
    say what is wrong."""
    try:
        yield
    except (OSError, BrokenArchive) as error:
        raise in_words(error, settings, own) from error


def _wait_for(own: CrawlDirectory) -> None:
    """Until whoever worked here before has let go."""
    until_s = time.monotonic() + HANDED_BACK_S
    while True:
        try:
            with DirectoryLock(own.path):
                return
        except DirectoryInUse:
            if time.monotonic() > until_s:
                raise
            time.sleep(_LOOK_S)


def _own_peer(settings: Settings, directory: CrawlDirectory, name: str) -> Peer:
    with closing(open_house(settings, directory)) as house:
        return house.peer(name)
