"""Teams of a few Crawlers over a few pages, in memory, each Crawler in its own virtual time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event as Flag

from shoal import config
from shoal.archive.nothing import NoArchive
from shoal.clock import VirtualClock
from shoal.compose.crawl import Member, Source, assemble, no_address
from shoal.crawl.budget import Budget, CommonBudget
from shoal.crawl.crawler import Crawler
from shoal.crawl.share import Share
from shoal.crawl.stop import Stop, StopReason
from shoal.frontier.frontier import StateFrontier
from shoal.frontier.ledger import StateLedger
from shoal.frontier.notes import StateNotes
from shoal.frontier.state import StateFile
from shoal.model import Known, Outcome
from shoal.ports import Partition
from shoal.team.inline import InlineTeam
from shoal.team.keeper import MemoryClaims, TeamPoliteness
from shoal.team.post import PostCourier, PostOffice
from shoal.url import parse_url
from shoal.web.frozen import FrozenWeb
from shoal.web.politeness import HostPoliteness
from shoal.web.robots import SiteRobots
from tests.crawl.small_web import START, Answer, Ear, PageShelf

NOT_RUN = Stop(StopReason.INTERRUPTED, "it has not run yet")


@dataclass
class TeamCrawled:
    """What a Team did."""

    shelf: PageShelf
    stop: Stop = NOT_RUN
    ledgers: dict[str, StateLedger] = field(default_factory=dict)
    couriers: dict[str, PostCourier] = field(default_factory=dict)
    crawlers: dict[str, Crawler] = field(default_factory=dict)
    ear: Ear = field(default_factory=Ear)

    def asked(self) -> Counter[str]:
        return Counter(url for url in self.shelf.asked if not url.endswith("robots.txt"))

    def kept(self) -> dict[str, str]:
        """Which Crawler kept each page."""
        return {
            known.url: name
            for name, ledger in self.ledgers.items()
            for known, _ in ledger.visits(frozenset({Outcome.PAGE}))
        }

    def known(self, name: str, url: str) -> Known:
        found = self.ledgers[name].find(parse_url(url))
        assert found is not None, f"{name} does not know {url}"
        return found


def team_crawl(
    answers: Mapping[str, Answer],
    partition: Partition,
    *assignments: str,
    seeds: Sequence[str] = (START,),
    claims: bool = True,
    carries_pages: bool = True,
    full_bytes: int = 1_000_000,
    batch_s: float | None = None,
) -> TeamCrawled:
    """``batch_s`` is as on a live web, where seconds count."""
    layer = config.merge(
        [
            {"crawl": {"topic": ["dengue fever"], "seeds": list(seeds), "parallel": 1}},
            config.read_assignments(assignments),
        ]
    )
    settings = config.check(layer)
    shelf, common = PageShelf(answers), StateFile.open(":memory:")
    notes = StateNotes(common)
    politeness = HostPoliteness(settings.politeness, notes, no_address)
    robots = SiteRobots(settings.politeness, settings.fetch.robots_agent, notes)
    kept_claims = MemoryClaims() if claims else None
    office = PostOffice(partition.crawlers, full_bytes)
    budget = CommonBudget(Budget.of(settings.crawl))
    team: dict[str, Crawler] = {}
    crawled = TeamCrawled(shelf)
    for name in partition.crawlers:
        clock = VirtualClock(1_000_000.0)
        courier = crawled.couriers[name] = office.courier(name, clock)
        member = Member(
            Share(name, partition, courier, carries_pages, lambda: False),
            robots,
            TeamPoliteness(name, politeness, kept_claims),
            budget.part(),
        )
        state = StateFile.open(":memory:")
        crawled.ledgers[name] = StateLedger(state)
        source = Source(FrozenWeb(shelf, clock, settings.fetch), clock, no_address)
        frontier = StateFrontier.open(state, per_host=settings.politeness.per_host)
        team[name] = assemble(
            settings,
            source,
            state,
            frontier,
            NoArchive(),
            (crawled.ear,),
            Flag(),
            member=member,
        )
        team[name].rhythm = replace(team[name].rhythm, batch_s=batch_s)
    crawled.crawlers = team
    crawled.stop = InlineTeam(team, office).run()
    return crawled
