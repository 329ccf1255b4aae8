"""Puts a Team of any size into one process, over one frozen web and in virtual time.

Everything is what `shoal crawl --crawlers` runs, but for what a process of its own would have: each
Crawler's state is in memory and nothing is archived, the Parcels go by one PostOffice, and Slots,
claims and robots.txt are the Team's without a line to ask for them. What does not depend on a
Crawler - topic, parser, partition, web - is there once, so a Team of a thousand fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from threading import Event as Flag
from typing import Final

from shoal.archive.nothing import NoArchive
from shoal.clock import VirtualClock
from shoal.compose.crawl import Member, Source, assemble, make_parser, make_topic, no_address
from shoal.crawl.budget import Budget, CommonBudget
from shoal.crawl.crawler import Crawler
from shoal.crawl.share import Share
from shoal.frontier.frontier import StateFrontier
from shoal.frontier.notes import StateNotes
from shoal.frontier.state import MEMORY, StateFile
from shoal.ports import Partition, Shelf, Watcher
from shoal.settings import Settings
from shoal.team.inline import InlineTeam
from shoal.team.keeper import MemoryClaims, TeamPoliteness
from shoal.team.post import PostOffice
from shoal.team.traffic import Traffic
from shoal.web.frozen import FrozenWeb
from shoal.web.politeness import HostPoliteness
from shoal.web.robots import SiteRobots

EPOCH_S: Final = 1_000_000_000.0
"""When a simulated crawl begins."""


@dataclass(frozen=True)
class Simulation:
    """A Team ready to run."""

    team: InlineTeam
    crawlers: Mapping[str, Crawler]
    traffic: Mapping[str, Traffic]
    """What each Crawler has sent and received."""


@contextmanager
def simulated_team(
    settings: Settings, shelf: Shelf, partition: Partition, watchers: Sequence[Watcher] = ()
) -> Iterator[Simulation]:
    """Let go again afterwards; the Shelf stays the caller's. All Crawlers tell ``watchers``."""
    made = make_topic(settings)
    parser = make_parser(settings)
    office = PostOffice(partition.crawlers, settings.team.outbox_bytes)
    claims = MemoryClaims() if settings.team.claims else None
    budget = CommonBudget(Budget.of(settings.crawl))
    halt = Flag()
    crawlers: dict[str, Crawler] = {}
    traffic: dict[str, Traffic] = {}
    with ExitStack() as stack:
        common = stack.enter_context(closing(StateFile.open(MEMORY)))
        notes = StateNotes(common)
        politeness = HostPoliteness(settings.politeness, notes, no_address)
        robots = SiteRobots(settings.politeness, settings.fetch.robots_agent, notes)
        for name in partition.crawlers:
            clock = VirtualClock(EPOCH_S)
            courier = office.courier(name, clock)
            traffic[name] = courier.traffic
            state = stack.enter_context(closing(StateFile.open(MEMORY)))
            frontier = stack.enter_context(
                closing(
                    StateFrontier.open(
                        state,
                        per_host=settings.politeness.per_host,
                        distance=settings.duplicates.distance,
                    )
                )
            )
            web = stack.enter_context(closing(FrozenWeb(shelf, clock, settings.fetch)))
            member = Member(
                Share(name, partition, courier, settings.team.carries == "pages", _never),
                robots,
                TeamPoliteness(name, politeness, claims),
                budget.part(),
            )
            crawler = assemble(
                settings,
                Source(web, clock, no_address),
                state,
                frontier,
                NoArchive(),
                watchers,
                halt,
                made,
                member,
            )
            crawlers[name] = replace(crawler, parser=parser)
        yield Simulation(InlineTeam(crawlers, office), crawlers, traffic)


def _never() -> bool:
    """The Team's end is for the InlineTeam to see."""
    return False
