"""Puts a Team together: its partition, and its crawlers in processes of their own."""

from __future__ import annotations

import errno
import gc
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from threading import Event as Flag
from typing import Protocol

from shoal import compose, compose_state, config
from shoal.archive.records import BrokenArchive
from shoal.compose_partition import make_partition
from shoal.crawl.budget import Budget
from shoal.crawl.crawler import Crawler
from shoal.crawl.share import Share
from shoal.crawl.stop import Stop
from shoal.crawl.tally import Tally
from shoal.directory import ChangedSettingsError, CrawlDirectory
from shoal.errors import ShoalError, StorageError, UsageError
from shoal.events import Event
from shoal.frontier.house import StateHouse
from shoal.frontier.lock import DirectoryLock
from shoal.frontier.notes import StateNotes
from shoal.frontier.outbox import TAKEN, StateOutbox
from shoal.model import Wait
from shoal.ports import Partition, Peer, Watcher
from shoal.settings import Settings
from shoal.team.desk import Desk, LostTeam
from shoal.team.keeper import Keeper, TeamAddresses
from shoal.team.lead import Lead
from shoal.team.processes import ProcessTeam
from shoal.team.pulled import PulledCourier
from shoal.web.politeness import PAUSE, HostPoliteness
from shoal.web.robots import SiteRobots

PATIENCE_S = 0.05
"""How long a Crawler that can do nothing waits before it asks for more to do."""
UNCHANGED = ("team.crawlers", "team.partition", "team.model", "team.topics", "team.textless")
"""What a Team that has begun cannot be given anew: what is known already would have no owner."""
RAY = "ray"
"""The engine that is an extra."""


# --------------------------------------------------------------------------- running


def run_team(
    settings: Settings,
    directory: CrawlDirectory,
    watchers: Sequence[Watcher],
    halt: Flag,
    accept_changes: bool = False,
) -> Stop:
    """Crawl into ``directory`` with several Crawlers, or go on. Raises ShoalError."""
    settings, made = compose.prepare(settings)
    settings = compose_state.named(settings, directory)
    partition = make_partition(settings.team)
    names = partition.crawlers
    compose.make_strategy(settings, made)
    _check(settings, directory, accept_changes)
    _check_owners(partition, directory)
    compose_state.check(settings, directory)
    directory.make_team(names)

    def run(watchers: Sequence[Watcher]) -> Stop:
        with _team(settings, directory, names, watchers, halt) as team:
            return team.run()

    return compose_state.outlast(settings, directory, watchers, halt, run)


class Engine(Protocol):
    """Runs a Team."""

    def run(self) -> Stop:
        """Raises ShoalError."""


@contextmanager
def _team(
    settings: Settings,
    directory: CrawlDirectory,
    names: Sequence[str],
    watchers: Sequence[Watcher],
    halt: Flag,
) -> Iterator[Engine]:
    """A Team with what it has in common, let go again afterwards."""
    with ExitStack() as stack:
        stack.enter_context(DirectoryLock(directory.path))
        directory.remember(settings)
        if settings.team.engine == RAY:
            # Imported when it is wanted: Ray is an extra, and takes its time.
            from shoal import compose_ray

            given = settings, directory, names, _Watchers(watchers), halt
            yield stack.enter_context(compose_ray.open_team(*given))
            return
        with closing(compose_state.open_house(settings, directory)) as house:
            tallies = {name: _tally(house, name) for name in names}
        lead = stack.enter_context(
            open_lead(settings, directory, names, tallies, _Watchers(watchers), halt)
        )
        yield ProcessTeam(lead, partial(_work, settings, directory))


@contextmanager
def open_lead(
    settings: Settings,
    directory: CrawlDirectory,
    names: Sequence[str],
    tallies: Mapping[str, Tally],
    watcher: Watcher,
    halt: Flag,
) -> Iterator[Lead]:
    """Whoever holds the directory's lock leads its Team, with all that it has in common."""
    with ExitStack() as stack:
        house = stack.enter_context(closing(compose_state.open_house(settings, directory)))
        state = stack.enter_context(closing(house.open_team()))
        notes = StateNotes(state)
        claims = None
        if settings.team.claims:
            claims = stack.enter_context(closing(house.claims()))
        addresses = TeamAddresses()
        keeper = Keeper(
            HostPoliteness(settings.politeness, notes, addresses.ip_of),
            SiteRobots(settings.politeness, settings.fetch.robots_agent, notes),
            claims,
            addresses,
        )
        yield Lead(
            names,
            keeper,
            Budget.of(settings.crawl),
            watcher,
            halt,
            state.commit,
            tallies,
            time.monotonic,
        )


class NoNotes:
    """Notes of whoever writes nothing down."""

    def read(self, kind: str, key: str) -> None:
        del kind, key

    def write(self, kind: str, key: str, value: bytes) -> None: ...


class _Watchers:
    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self._watchers = watchers

    def see(self, event: Event) -> None:
        for watcher in self._watchers:
            watcher.see(event)

    def close(self) -> None: ...


def _check(settings: Settings, directory: CrawlDirectory, accept_changes: bool) -> None:
    directory.check(settings, accept_changes)
    if not directory.is_crawl():
        return
    if not directory.is_team():
        raise UsageError(
            f"{directory.path} holds a crawl of one crawler; a team begins with another --out"
        )
    changed = [
        change
        for change in config.changes(directory.settings(), settings)
        if change[0] in UNCHANGED
    ]
    if changed:
        raise ChangedSettingsError(changed)


def _check_owners(partition: Partition, directory: CrawlDirectory) -> None:
    """What a Crawler keeps would have no owner if the Partition did not know it any more."""
    strangers = sorted(set(directory.crawlers()) - set(partition.crawlers))
    if strangers:
        raise UsageError(
            f"{directory.path} holds what these crawlers keep, and the partition has nobody of "
            f"that name any more: {', '.join(strangers)}. Does the model lack a topic of the team? "
            f"Give it the model that it began with. The partition knows "
            f"{', '.join(partition.crawlers)}"
        )


def _tally(house: StateHouse, name: str) -> Tally:
    if not house.has(name):
        return Tally()
    with closing(house.open(name)) as state:
        return Tally.load(state.fact("tally"))


def _work(settings: Settings, directory: CrawlDirectory, line: Connection, name: str) -> None:
    """The life of a Crawler's process."""
    # Ctrl-C is for whoever started us; they tell us when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    with ExitStack() as stack:
        desk = Desk(line, lambda: 0, lambda: True, time.monotonic)
        try:
            stop = stack.enter_context(open_crawler(settings, directory, desk, name)).run()
            desk.finish(stop)
        except LostTeam:
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, the Team must hear of it
            desk.break_off(in_words(error, settings, directory.crawler(name)))


def in_words(error: Exception, settings: Settings, own: CrawlDirectory) -> Exception:
    """What a Crawler could not get over, in words for whoever can mend it, where there are any."""
    if isinstance(error, BrokenArchive):
        return compose.not_vouched_for(error, settings, own)
    if isinstance(error, ShoalError) or not isinstance(error, OSError):
        return error
    if error.errno not in compose.FULL:
        return error
    return StorageError(
        f"{error.strerror or errno.errorcode.get(error.errno or 0)} while writing to {own.path}. "
        "Everything up to the last commit is safe; make room and repeat the command"
    )


@contextmanager
def open_crawler(
    settings: Settings,
    directory: CrawlDirectory,
    desk: Desk,
    name: str,
    peers: Mapping[str, Peer] | None = None,
    watchers: Sequence[Watcher] = (),
) -> Iterator[Crawler]:
    """A Crawler of the Team, ready to run, let go again afterwards. Its ``peers`` are read where
    their states are, unless they are given."""
    own = directory.crawler(name)
    partition = make_partition(settings.team)
    settings = _part_of(settings, len(partition.crawlers))
    halt = Flag()
    with ExitStack() as stack:
        stack.enter_context(DirectoryLock(own.path))
        house = stack.enter_context(closing(compose_state.open_house(settings, directory)))
        state = stack.enter_context(closing(house.open(name)))
        frontier = compose.open_frontier(settings, state)
        stack.callback(frontier.close)
        clock_s = frontier.fact("clock_s")
        source = stack.enter_context(
            compose.open_source(settings, halt, None if clock_s is None else float(clock_s))
        )
        archive = stack.enter_context(
            compose.open_archive(settings, own, source.clock, frontier, name)
        )
        mates = (
            peers
            if peers is not None
            else {
                other: stack.enter_context(closing(house.peer(other)))
                for other in partition.crawlers
                if other != name
            }
        )
        notes = StateNotes(state)
        courier = PulledCourier(
            name,
            StateOutbox(state),
            notes,
            mates,
            settings.team.outbox_bytes,
            halt,
            time.monotonic,
            TAKEN,
        )
        traffic = courier.traffic
        desk.received = lambda: traffic.pages_in + traffic.links_in
        desk.is_empty = courier.is_empty
        desk.robots = SiteRobots(settings.politeness, settings.fetch.robots_agent, NoNotes())
        desk.pause = Wait(settings.politeness.delay_s, PAUSE)
        desk.names = source.names
        carries_pages = settings.team.carries != "urls"
        member = compose.Member(
            Share(
                name,
                partition,
                courier,
                carries_pages,
                desk.is_over,
                before_waiting=desk.tell,
                patience_s=PATIENCE_S,
            ),
            desk,
            desk,
            desk,
        )
        crawler = compose.assemble(
            settings, source, state, frontier, archive, [desk, *watchers], halt, member=member
        )
        yield crawler


def _part_of(settings: Settings, crawlers: int) -> Settings:
    """What is meant for the whole crawl, divided among its Crawlers."""
    bandwidth = settings.fetch.bandwidth_bytes_s
    return replace(
        settings,
        crawl=replace(settings.crawl, parallel=max(1, settings.crawl.parallel // crawlers)),
        fetch=replace(
            settings.fetch,
            bandwidth_bytes_s=None if bandwidth is None else max(1, bandwidth // crawlers),
        ),
    )
