"""Chooses where the state of a crawl is kept, and goes on when the server that keeps it is back."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from threading import Event as Flag
from time import monotonic
from typing import Final

from shoal import events
from shoal.crawl.stop import Stop
from shoal.directory import CrawlDirectory
from shoal.errors import BusyError, CutOffError, UsageError
from shoal.frontier.house import ALONE, FileHouse, StateHouse
from shoal.frontier.state import StateAway
from shoal.ports import Watcher
from shoal.settings import Settings
from shoal.wording import duration

LOOK_S: Final = 2.0
"""Between two attempts to reach a server that was lost."""
_NAME_LENGTH: Final = 30


def open_house(settings: Settings, directory: CrawlDirectory) -> StateHouse:
    """Whatever keeps the state of the crawl in a directory, or of the one that begins there."""
    if settings.crawl.state:
        try:
            # Imported when it is wanted: its client is an extra that most crawls do without.
            from shoal.postgres.house import PostgresHouse
        except ImportError as error:
            raise UsageError(
                "crawl.state names a PostgreSQL server, and the client for it is not installed: "
                f"pip install 'shoal[postgres]' ({error})"
            ) from error
        return PostgresHouse(settings.crawl.state, settings.crawl.state_name)
    return FileHouse(
        lambda name: (directory if name == ALONE else directory.crawler(name)).state_file,
        directory.team_file,
        directory.claims_file,
    )


def has_begun(directory: CrawlDirectory) -> bool:
    """Whether there is anything to read of a crawl, or of any Crawler of a Team."""
    if not directory.is_crawl():
        return False
    with closing(open_house(directory.settings(), directory)) as house:
        return any(house.has(name) for name in directory.crawlers() or [ALONE])


def named(settings: Settings, directory: CrawlDirectory) -> Settings:
    """With the name of the crawl's schema, where a server keeps its state: the one it began with,
    or a new one that no other crawl has. Raises UsageError where the state would be left behind."""
    crawl = settings.crawl
    begun = directory.settings().crawl if directory.is_crawl() else None
    if begun is not None and bool(begun.state) != bool(crawl.state):
        where = "on a PostgreSQL server" if begun.state else "in its directory"
        raise UsageError(
            f"the state of the crawl in {directory.path} is kept {where}, and stays there: leave "
            "crawl.state as it was, or begin another crawl with another --out"
        )
    if not crawl.state or crawl.state_name:
        return settings
    name = begun.state_name if begun is not None else _new_name(directory)
    return replace(settings, crawl=replace(crawl, state_name=name))


def check(settings: Settings, directory: CrawlDirectory) -> None:
    """Raises where a server keeps something else under the crawl's name, or not what the archive
    was written by. Touches nothing."""
    crawl = settings.crawl
    if not crawl.state:
        return
    where = f"{crawl.state_name} of {crawl.state}"
    with closing(open_house(settings, directory)) as house:
        if directory.is_crawl():
            for name in directory.crawlers() or [ALONE]:
                own = directory if name == ALONE else directory.crawler(name)
                own.require_state(house.has(name), f"the state {where}")
        elif house.has(ALONE):
            raise UsageError(
                f"there is another crawl's state in {where}. Give this one another "
                "crawl.state_name; to go on with the other one here, bring its whole directory, "
                "crawl.toml first of all"
            )


def outlast(
    settings: Settings,
    directory: CrawlDirectory,
    watchers: Sequence[Watcher],
    halt: Flag,
    run: Callable[[Sequence[Watcher]], Stop],
) -> Stop:
    """Run a crawl; where its state's server is lost at work and answers again within
    ``crawl.state_wait_s``, open everything anew and go on from the last commit."""
    moment = _Moment()
    while True:
        try:
            return run([*watchers, moment])
        except CutOffError as error:
            wait_s = settings.crawl.state_wait_s
            if not settings.crawl.state or not wait_s:
                raise
            why = f"{error} Waiting up to {duration(wait_s)} for it."
            for watcher in watchers:
                watcher.see(events.CrawlerTrouble(moment.at_s, "", why))
            if not _comes_back(settings, directory, wait_s, halt):
                raise


class _Moment:
    """Watches how far the crawl's clock is."""

    def __init__(self) -> None:
        self.at_s = 0.0

    def see(self, event: events.Event) -> None:
        self.at_s = event.at_s

    def close(self) -> None: ...


def _comes_back(settings: Settings, directory: CrawlDirectory, wait_s: float, halt: Flag) -> bool:
    """Whether the server answers in time, and has let go of the sessions that were lost."""
    ends_s = monotonic() + wait_s
    while not halt.is_set():
        try:
            with closing(open_house(settings, directory)) as house:
                for name in (ALONE, *directory.crawlers()):
                    if house.has(name):
                        house.open(name).close()
        except (StateAway, BusyError):
            left_s = ends_s - monotonic()
            if left_s <= 0:
                return False
            halt.wait(min(LOOK_S, left_s))
        else:
            return True
    return False


def _new_name(directory: CrawlDirectory) -> str:
    """Told by the directory, and like no other."""
    plain = re.sub(r"[^a-z0-9]+", "_", directory.path.resolve().name.lower()).strip("_")
    plain = plain[:_NAME_LENGTH].removeprefix("pg_") or "crawl"
    return f"{plain}_{secrets.token_hex(4)}"
