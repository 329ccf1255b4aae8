"""A Team in one process whose Crawlers have state files, can be ended at any step, and begin again
under another Roster: what processes do, step by step and without chance."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event as Flag

from shoal.archive.nothing import NoArchive
from shoal.compose.crawl import Member, assemble, no_address, open_frontier, open_source
from shoal.crawl.budget import Budget
from shoal.crawl.crawler import Crawler
from shoal.crawl.share import Share
from shoal.crawl.stop import Stop, StopReason
from shoal.frontier.ledger import StateLedger
from shoal.frontier.notes import StateNotes
from shoal.frontier.outbox import TAKEN, StateOutbox, StatePeer
from shoal.frontier.state import StateFile
from shoal.model import Link, Outcome
from shoal.ports import Claims
from shoal.settings import Settings
from shoal.team.keeper import MemoryClaims, TeamPoliteness
from shoal.team.pulled import PulledCourier
from shoal.team.roster import Roster
from shoal.team.sure_claims import SureClaims, is_dealt_with
from shoal.url import Url, parse_url
from shoal.web.politeness import HostPoliteness
from shoal.web.robots import SiteRobots
from tests.team.test_roster import partition_of

REGROUP = Stop(StopReason.REGROUPED, "who is in the team changes")
LEFT = frozenset({Outcome.HANDED_OVER, Outcome.ELSEWHERE})


@dataclass
class Generations:
    """What outlives a generation: the folder, the claims, and who is in the Team."""

    folder: Path
    settings: Settings
    roster: Roster
    claims: MemoryClaims = field(default_factory=MemoryClaims)
    full_bytes: int = 1_000_000

    def run(self, steps: Sequence[int] | None = None, killed: bool = False) -> bool:
        """One generation: until nothing is left (returns True), or so many steps, each of the
        Crawler of that number. ``killed``: it ends without a last commit."""
        with self._begun() as team:
            crawlers = list(team.values())
            for crawler, _ in crawlers:
                crawler.begin()
            over = False
            if steps is None:
                over = self._until_nothing_is_left(crawlers)
            else:
                for number in steps:
                    crawlers[number % len(crawlers)][0].step()
            if not killed:
                for crawler, _ in crawlers:
                    crawler.end(REGROUP)
            return over

    def _until_nothing_is_left(self, crawlers: list[tuple[Crawler, PulledCourier]]) -> bool:
        for _ in range(2_000):
            for crawler, _courier in crawlers:
                crawler.step()
            if all(crawler.is_idle() and courier.is_empty() for crawler, courier in crawlers):
                for crawler, _courier in crawlers:
                    crawler.step()
                if all(one.is_idle() and courier.is_empty() for one, courier in crawlers):
                    return True
        return False

    @contextmanager
    def _begun(self) -> Iterator[dict[str, tuple[Crawler, PulledCourier]]]:
        common = StateFile.open(":memory:")
        claims = SureClaims(self.claims, self._knows)
        notes = StateNotes(common)
        politeness = HostPoliteness(self.settings.politeness, notes, no_address)
        robots = SiteRobots(self.settings.politeness, self.settings.fetch.robots_agent, notes)
        partition = partition_of(self.roster)
        clock_s = itertools.count(0.0, 0.3)
        with ExitStack() as stack:
            stack.callback(common.close)
            team = {}
            for name in self.roster.working:
                state = StateFile.open(self.file(name))
                stack.callback(state.close)
                frontier = open_frontier(self.settings, state)
                halt = Flag()
                begun_s = frontier.fact("clock_s")
                source = stack.enter_context(
                    open_source(self.settings, halt, None if begun_s is None else float(begun_s))
                )
                peers = {}
                for other in self.roster.members:
                    if other.name != name:
                        peers[other.name] = StatePeer(
                            partial(StateFile.read, self.file(other.name))
                        )
                        stack.callback(peers[other.name].close)
                courier = PulledCourier(
                    name,
                    StateOutbox(state),
                    StateNotes(state),
                    peers,
                    self.full_bytes,
                    halt,
                    lambda: next(clock_s),
                    TAKEN,
                )
                share = Share(
                    name,
                    partition,
                    courier,
                    True,
                    lambda: False,
                    self.roster.version,
                    {one.name: one.gained for one in self.roster.members},
                    self.roster.founders,
                    partial(_hand_on, claims, name),
                )
                member = Member(
                    share,
                    robots,
                    TeamPoliteness(name, politeness, claims),
                    Budget(None, None, None),
                )
                crawler = assemble(
                    self.settings, source, state, frontier, NoArchive(), (), halt, member=member
                )
                team[name] = (crawler, courier)
            yield team

    def _knows(self, name: str, url: Url) -> bool:
        if not self.file(name).is_file():
            return False
        state = StateFile.read(self.file(name))
        try:
            return is_dealt_with(StateLedger(state).find(url))
        finally:
            state.close()

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.sqlite"

    def settled(self) -> Counter[str]:
        """How often each Url came to an end, by all that was ever in the Team."""
        return self._visits(lambda outcome: outcome not in {*LEFT, Outcome.RETRY, Outcome.ROBOTS})

    def _visits(self, wanted: object) -> Counter[str]:
        assert callable(wanted)
        found: Counter[str] = Counter()
        for one in self.roster.members:
            if not self.file(one.name).is_file():
                continue
            state = StateFile.read(self.file(one.name))
            for text, outcome in state.connection.execute(
                "SELECT url.text, visit.outcome FROM visit JOIN url ON url.id = visit.url"
            ):
                if wanted(Outcome(outcome)):
                    found[text] += 1
            state.close()
        return found

    def waiting(self, name: str) -> int:
        """Urls that wait with a Crawler, also for another attempt."""
        state = StateFile.read(self.file(name))
        (count,) = state.connection.execute("SELECT count(*) FROM url WHERE state < 2").fetchone()
        state.close()
        return int(count)

    def links_waiting(self, name: str) -> list[Link]:
        state = StateFile.read(self.file(name))
        texts = state.connection.execute("SELECT text FROM url WHERE state < 2").fetchall()
        state.close()
        return [Link(None, parse_url(text)) for (text,) in texts]

    def sent(self, name: str) -> int:
        """Parcels in its outbox."""
        state = StateFile.read(self.file(name))
        (count,) = state.connection.execute("SELECT count(*) FROM outbox").fetchone()
        state.close()
        return int(count)


def _hand_on(claims: Claims, to: str, urls: Sequence[Url], by: str) -> None:
    claims.hand_on(urls, by, to)
