"""Puts a Team together: its partition, and its crawlers in processes of their own."""

from __future__ import annotations

import errno
import gc
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event as Flag
from typing import Protocol

from shoal import config
from shoal.archive.records import BrokenArchive
from shoal.compose.balance import Balance
from shoal.compose.crawl import (
    FULL,
    Member,
    assemble,
    make_strategy,
    not_vouched_for,
    opened,
    prepare,
)
from shoal.compose.partition import found, make_partition
from shoal.compose.roster import TeamGrounds, mend_team, regrouping
from shoal.compose.state import check as check_state
from shoal.compose.state import named as named_state
from shoal.compose.state import open_house, outlast
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
from shoal.ports import Peer, Watcher
from shoal.settings import Settings
from shoal.team import roster as rosters
from shoal.team.desk import Desk, LostTeam
from shoal.team.keeper import Keeper, TeamAddresses
from shoal.team.lead import Lead
from shoal.team.piped import PipedTeam, in_process, in_thread
from shoal.team.pulled import PulledCourier
from shoal.team.pulse import Pulse
from shoal.team.regrouping import Regrouping
from shoal.team.roster import Roster
from shoal.team.sure_claims import SureClaims
from shoal.url import Url
from shoal.web.politeness import PAUSE, HostPoliteness
from shoal.web.robots import SiteRobots

PATIENCE_S = 0.05
"""How long a Crawler that can do nothing waits before it asks for more to do."""
UNCHANGED = ("team.crawlers", "team.partition", "team.model", "team.topics", "team.textless")
"""What a Team that has begun cannot be given anew: what is known already would have no owner."""
RAY = "ray"
INLINE = "inline"
"""The engine that is an extra."""


class ChangedTeamError(ChangedSettingsError):
    """A Team would go on as another one than it is."""

    def __init__(self, changed: list[tuple[str, object, object]], path: Path) -> None:
        super().__init__(changed)
        lines = [f"  {name}: {old!r} -> {new!r}" for name, old, new in changed]
        self.args = (
            "a team that has begun keeps what it shares by:\n"
            + "\n".join(lines)
            + "\nwho is in it changes with commands, also while it crawls: "
            f"shoal team add {path}, shoal team drain {path} NAME, and for topics "
            f"shoal team split {path} TOPIC --model FILE",
        )


# --------------------------------------------------------------------------- running


def run_team(
    settings: Settings,
    directory: CrawlDirectory,
    watchers: Sequence[Watcher],
    halt: Flag,
    accept_changes: bool = False,
) -> Stop:
    """Crawl into ``directory`` with several Crawlers, or go on. Raises ShoalError."""
    settings, made = prepare(settings)
    settings = named_state(settings, directory)
    make_strategy(settings, made)
    _check(settings, directory, accept_changes)
    make_partition(settings.team, roster=_roster(settings, directory))
    check_state(settings, directory)
    directory.make_team([])

    def run(watchers: Sequence[Watcher]) -> Stop:
        with _team(settings, directory, watchers, halt) as team:
            return team.run()

    return outlast(settings, directory, watchers, halt, run)


class Engine(Protocol):
    """Runs a Team."""

    def run(self) -> Stop:
        """Raises ShoalError."""


@contextmanager
def _team(
    settings: Settings, directory: CrawlDirectory, watchers: Sequence[Watcher], halt: Flag
) -> Iterator[Engine]:
    """A Team with what it has in common, let go again afterwards."""
    with ExitStack() as stack:
        stack.enter_context(DirectoryLock(directory.path))
        directory.remember(settings)
        mend_team(settings, directory, _roster(settings, directory))
        watcher = _Watchers(watchers)
        if settings.team.engine == RAY:
            # Imported when it is wanted: Ray is an extra, and takes its time.
            from shoal.compose.ray import open_team

            yield stack.enter_context(open_team(settings, directory, watcher, halt))
            return
        with closing(open_house(settings, directory)) as house:
            tallies = {name: _tally(house, name) for name in working(settings, directory)}
        lead = stack.enter_context(open_lead(settings, directory, tallies, watcher, halt))
        if settings.team.engine == INLINE:
            yield PipedTeam(lead, partial(_work, settings, directory), in_thread)
        else:
            yield PipedTeam(lead, partial(_work_apart, settings, directory), in_process)


@contextmanager
def open_lead(
    settings: Settings,
    directory: CrawlDirectory,
    tallies: Mapping[str, Tally],
    watcher: Watcher,
    halt: Flag,
) -> Iterator[Lead]:
    """Whoever holds the directory's lock leads its Team, with all that it has in common.
    ``tallies`` are how far those are who are at work."""
    with ExitStack() as stack:
        house = stack.enter_context(closing(open_house(settings, directory)))
        grounds = stack.enter_context(closing(TeamGrounds(directory, settings, house)))
        team = regrouping(
            directory, _roster(settings, directory), grounds, _balance(settings, house)
        )
        # What those did who are in it no more counts, too.
        left = {name: _tally(house, name) for name in team.now.retired}
        state = stack.enter_context(closing(house.open_team()))
        notes = StateNotes(state)
        claims = None
        if settings.team.claims:
            held = stack.enter_context(closing(house.claims()))
            claims = SureClaims(held, partial(_is_sure, team, grounds))
        addresses = TeamAddresses()
        keeper = Keeper(
            HostPoliteness(settings.politeness, notes, addresses.ip_of),
            SiteRobots(settings.politeness, settings.fetch.robots_agent, notes),
            claims,
            addresses,
        )
        pulse = Pulse(directory.team_status_file, this_process())
        stack.callback(pulse.end)

        def keep() -> None:
            state.commit()
            pulse.beat(lead.heard(), time.time())

        lead = Lead(
            team.now.working,
            keeper,
            Budget.of(settings.crawl),
            watcher,
            halt,
            keep,
            {**left, **tallies},
            time.monotonic,
            team,
        )
        yield lead
        # What was handed on to the last: the end of a crawl retires, too.
        team.retire()


class NoNotes:
    """Notes of whoever writes nothing down."""

    def read(self, kind: str, key: str) -> None:
        del kind, key

    def write(self, kind: str, key: str, value: bytes) -> None: ...


def _balance(settings: Settings, house: StateHouse) -> Callable[[Roster], Roster]:
    team = settings.team
    if team.balance is None:
        return lambda now: now
    return Balance(house, team.balance, team.balance_every_s, time.monotonic)


class _Watchers:
    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self._watchers = watchers

    def see(self, event: Event) -> None:
        for watcher in self._watchers:
            watcher.see(event)

    def close(self) -> None: ...


def _check(settings: Settings, directory: CrawlDirectory, accept_changes: bool) -> None:
    if directory.is_crawl() and directory.is_team():
        changed = [
            change
            for change in config.changes(directory.settings(), settings)
            if change[0] in UNCHANGED
        ]
        if changed:
            raise ChangedTeamError(changed, directory.path)
    directory.check(settings, accept_changes)
    if directory.is_crawl() and not directory.is_team():
        raise UsageError(
            f"{directory.path} holds a crawl of one crawler; a team begins with another --out"
        )


def _roster(settings: Settings, directory: CrawlDirectory) -> Roster:
    """Who is in the Team: as it was left, or as it begins."""
    return rosters.read(directory.roster_file) or found(settings.team)


def working(settings: Settings, directory: CrawlDirectory) -> tuple[str, ...]:
    """Whoever of the Team has something to do."""
    return _roster(settings, directory).working


def _is_sure(team: Regrouping, grounds: TeamGrounds, name: str, url: Url) -> bool:
    """Whether a claim counts: in a Team that is as it was founded, every one."""
    return team.now.version == 1 or grounds.knows(name, url)


def _tally(house: StateHouse, name: str) -> Tally:
    if not house.has(name):
        return Tally()
    with closing(house.open(name)) as state:
        return Tally.load(state.fact("tally"))


def _work_apart(settings: Settings, directory: CrawlDirectory, line: Connection, name: str) -> None:
    """The life of a Crawler that has a process of its own."""
    # Ctrl-C is for whoever started us; they tell us when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    _work(settings, directory, line, name)


def _work(settings: Settings, directory: CrawlDirectory, line: Connection, name: str) -> None:
    """The life of a Crawler."""
    with ExitStack() as stack:
        desk = Desk(line, lambda: 0, lambda: True, time.monotonic, this_process())
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
        return not_vouched_for(error, settings, own)
    if isinstance(error, ShoalError) or not isinstance(error, OSError):
        return error
    if error.errno not in FULL:
        return error
    return StorageError(
        f"{error.strerror or errno.errorcode.get(error.errno or 0)} while writing to {own.path}. "
        "Everything up to the last commit is safe; make room and repeat the command"
    )


def this_process() -> str:
    return f"{os.getpid()} on {socket.gethostname()}"


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
    roster = _roster(settings, directory)
    partition = make_partition(settings.team, roster=roster)
    settings = _part_of(settings, len(roster.working))
    halt = Flag()
    with ExitStack() as stack:
        stack.enter_context(DirectoryLock(own.path))
        house = stack.enter_context(closing(open_house(settings, directory)))
        state, frontier, source, archive = stack.enter_context(
            opened(settings, own, house, halt, name)
        )
        given = peers or {}
        mates = {
            other.name: given[other.name]
            if other.name in given
            else stack.enter_context(closing(house.peer(other.name)))
            for other in roster.members
            if other.name != name
        }
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
        share = Share(
            name,
            partition,
            courier,
            settings.team.carries != "urls",
            desk.is_over,
            roster.version,
            {one.name: one.gained for one in roster.members},
            roster.founders,
            desk.inherit,
            before_waiting=desk.tell,
            patience_s=PATIENCE_S,
        )
        member = Member(share, desk, desk, desk)
        crawler = assemble(
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
