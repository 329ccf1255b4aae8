"""How a Team stands, read from its Roster, its states, and what it says while it crawls."""

from __future__ import annotations

import time
from contextlib import closing

import msgspec

from shoal.compose.roster import read_roster
from shoal.compose.state import open_house
from shoal.crawl.tally import Tally
from shoal.directory import CrawlDirectory
from shoal.frontier.house import StateHouse
from shoal.frontier.ledger import StateLedger
from shoal.frontier.outbox import StateOutbox
from shoal.team import pulse
from shoal.team.roster import Member, MemberState, Roster


class CrawlerStatus(msgspec.Struct, frozen=True):
    """One Crawler of a Team. What only a running one can tell is None where it does not run."""

    name: str
    state: str
    """active, leaving or retired."""
    owns: str
    topics: tuple[str, ...]
    folder: str
    process: str | None
    pages: int
    relevant: int
    pages_s: float | None
    """Pages a second, lately."""
    waiting: int
    outbox: dict[str, int]
    """Bytes that wait for each receiver."""
    heard_s_ago: float | None
    restarts: int | None
    idle: bool | None


class TeamStatus(msgspec.Struct, frozen=True):
    directory: str
    partition: str
    version: int
    """Of the roster: how often something changed its owner, and one more."""
    running: bool
    process: str | None
    """Which keeps the Team."""
    crawlers: tuple[CrawlerStatus, ...]


def team_status(directory: CrawlDirectory) -> TeamStatus:
    """Of a crawl that runs or has ended. Raises ShoalError."""
    roster = read_roster(directory)
    beat = pulse.read(directory.team_status_file, time.time())
    told = beat.crawlers if beat else {}
    with closing(open_house(directory.settings(), directory)) as house:
        crawlers = tuple(
            _crawler(directory, house, roster, one, told.get(one.name)) for one in roster.members
        )
    return TeamStatus(
        str(directory.path),
        roster.partition,
        roster.version,
        beat is not None,
        beat.process if beat else None,
        crawlers,
    )


def _crawler(
    directory: CrawlDirectory,
    house: StateHouse,
    roster: Roster,
    one: Member,
    beat: pulse.Beat | None,
) -> CrawlerStatus:
    tally, waiting, outbox = Tally(), 0, {}
    if house.has(one.name):
        with closing(house.read(one.name)) as state:
            ledger = StateLedger(state)
            tally, standing = Tally.load(ledger.fact("tally")), ledger.standing()
            waiting = standing.waiting + standing.later
            outbox = _outbox(house, one.name, StateOutbox(state))
    return CrawlerStatus(
        one.name,
        one.state.value,
        _owns(roster, one),
        roster.topics_of(one.name),
        str(directory.crawler(one.name).path.resolve()),
        beat.process if beat else None,
        tally.pages,
        tally.relevant,
        beat.pages_s if beat else None,
        waiting,
        outbox,
        beat.silence_s if beat else None,
        beat.restarts if beat else None,
        beat.idle if beat else None,
    )


def _outbox(house: StateHouse, name: str, outbox: StateOutbox) -> dict[str, int]:
    """What its receivers have taken in is not in it any more, though it may still stand there."""
    found = {}
    for receiver in sorted(outbox.receivers()):
        with closing(house.peer(receiver)) as peer:
            size_bytes = outbox.bytes_for(receiver, peer.taken_from(name))
        if size_bytes:
            found[receiver] = size_bytes
    return found


def _owns(roster: Roster, one: Member) -> str:
    """In a few words."""
    if one.state is not MemberState.ACTIVE:
        return f"nothing; left to {', '.join(roster.heirs(one.name))}"
    if roster.topics:
        topics = roster.topics_of(one.name)
        return ", ".join(topics) if topics else "what it met"
    return f"1/{len(roster.active)} by {roster.partition}"
