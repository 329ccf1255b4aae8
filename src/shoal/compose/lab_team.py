"""Runs teams on frozen webs, put together as ``shoal crawl --crawlers`` puts them, for the lab.

A run is a Team in one process (``team/inline.py``), each Crawler on a virtual clock, with its state
in memory. Every answer takes a second, so that Crawlers side by side keep pace; there are no
pauses, for what is measured is who fetches what, and not when.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event as Flag
from typing import Any, Final

from shoal import config
from shoal.archive.nothing import NoArchive
from shoal.classify.sort import Verdict
from shoal.classify.usable import Kind
from shoal.clock import VirtualClock
from shoal.compose.crawl import MadeTopic, Member, Source, assemble, no_address
from shoal.compose.lab import (
    EPOCH_S,
    FIXED,
    LAB_SETTINGS,
    Ground,
    Tell,
    open_ground,
)
from shoal.compose.partition import Sort, digest_of, make_partition
from shoal.crawl.budget import Budget, CommonBudget
from shoal.crawl.crawler import Crawler
from shoal.errors import UsageError
from shoal.frontier.frontier import StateFrontier
from shoal.frontier.notes import StateNotes
from shoal.frontier.state import MEMORY, StateFile
from shoal.lab.experiment import Layer
from shoal.lab.plan import merged
from shoal.lab.stored import ShelfWithout, StoredParser
from shoal.lab.team_experiment import TeamExperiment
from shoal.lab.team_plan import TELLING, TeamCell, TeamPlan, make_team_plan
from shoal.lab.team_walk import TeamWalk, TeamWalkWatcher
from shoal.lab.web_key import team_key
from shoal.model import Judgement, Page, Response
from shoal.partition.predicted import PredictedPartition
from shoal.ports import Shelf
from shoal.settings import Settings
from shoal.team.inline import InlineTeam
from shoal.team.keeper import MemoryClaims, TeamPoliteness
from shoal.team.post import PostOffice
from shoal.team.watched import WatchedShare
from shoal.url import Url
from shoal.web.frozen import FrozenWeb
from shoal.web.politeness import HostPoliteness
from shoal.web.robots import SiteRobots

ANSWER_S: Final = 1.0
"""How long every answer takes."""
TEAM_FIXED: Final = ("crawlers", "partition", "claims", "carries")
"""Settings of ``[team]`` that have a key of their own in an experiment."""


@dataclass(frozen=True)
class TeamLab:
    """An experiment with its webs open."""

    plan: TeamPlan
    grounds: Mapping[str, Ground]
    _sorters: dict[tuple[str, ...], RememberedSorter] = field(default_factory=dict)

    def sorter(self, cell: TeamCell) -> RememberedSorter:
        """What was told of the pages of the cell's web in any run before, by the same topics."""
        team = cell.set.get("team", {})
        key = (cell.terrain.name, str(team.get("model")), *team.get("topics", ()))
        return self._sorters.setdefault(key, RememberedSorter())


class RememberedSorter:
    """Sorts each page of a frozen web once, for all teams that sort by the same."""

    def __init__(self) -> None:
        self._verdicts: dict[str, Verdict] = {}

    def keep(self, sort: Sort) -> Sort:
        def kept(page: Page) -> Verdict:
            verdict = self._verdicts.get(page.url.text)
            if verdict is None:
                verdict = self._verdicts[page.url.text] = sort(page)
            return verdict

        return kept

    def kind_of(self, url: Url) -> str | None:
        """Why a page cannot be classified; None where it can, or nobody has asked."""
        verdict = self._verdicts.get(url.text)
        return None if verdict is None or verdict.kind is Kind.USABLE else verdict.kind.value


@dataclass
class EvenShelf:
    """``ports.Shelf`` over another one: every answer takes as long as any other. Remembers how
    large each was."""

    shelf: Shelf
    _sizes: dict[str, int] = field(default_factory=dict)

    def find(self, url: Url) -> Response | None:
        found = self.shelf.find(url)
        if found is None:
            return None
        self._sizes[url.text] = len(found.payload)
        return replace(found, elapsed_s=ANSWER_S)

    def urls(self) -> Iterator[str]:
        return self.shelf.urls()

    def close(self) -> None:
        self.shelf.close()

    def size_of(self, url: Url) -> int:
        return self._sizes[url.text]


class NoTopic:
    """``ports.Topic`` for crawls that look for nothing in particular: all pages are alike to it."""

    def judge(self, page: Page) -> Judgement:
        del page
        return Judgement(0.0, 0.0)

    def similarity(self, words: str) -> float:
        del words
        return 0.0


NOTHING: Final = MadeTopic(NoTopic(), (), None)


@contextmanager
def open_team_lab(experiment: TeamExperiment, cache: Path, tell: Tell) -> Iterator[TeamLab]:
    """Survey the webs that were not surveyed yet, and plan the runs. Raises UsageError."""
    settings = config.check(merged(LAB_SETTINGS, {**experiment.set, "team": {}}))
    with ExitStack() as stack:
        grounds = {
            name: stack.enter_context(open_ground(name, web, settings, cache, tell))
            for name, web in experiment.webs.items()
        }
        terrains = {name: ground.terrain for name, ground in grounds.items()}
        yield TeamLab(
            make_team_plan(experiment, terrains, config.BY_TOPIC, _digest_of, team_key()),
            grounds,
        )


def _digest_of(team: Layer) -> str | None:
    """Of what tells the topics of a run."""
    told: dict[str, Any] = {key: team[key] for key in TELLING if key in team}
    if not told:
        return None
    settings = config.check({"team": {"partition": "topic", **told}}).team
    return digest_of(settings)


def check_team_cells(lab: TeamLab) -> None:
    """Build every team once, so that what one lacks is said before any has run."""
    checked: set[tuple[str, int | None, bool, str]] = set()
    for cell in lab.plan.cells:
        key = (cell.partition.shown, cell.crawlers, cell.claims, cell.carries)
        if key not in checked:
            checked.add(key)
            make_partition(team_settings_of(cell).team)


def run_team_cell(lab: TeamLab, cell: TeamCell) -> TeamWalk:
    """One crawl of a team, from its seeds to its last page."""
    settings = team_settings_of(cell)
    ground, sorter = lab.grounds[cell.terrain.name], lab.sorter(cell)
    partition = make_partition(settings.team, sorter.keep)
    office = PostOffice(partition.crawlers, settings.team.outbox_bytes)
    clocks = {name: VirtualClock(EPOCH_S) for name in partition.crawlers}
    couriers = {name: office.courier(name, clock) for name, clock in clocks.items()}

    def traffic() -> tuple[int, int]:
        told = [courier.traffic for courier in couriers.values()]
        return sum(one.bytes_out for one in told), sum(one.bytes_in for one in told)

    halt = Flag()
    watcher = TeamWalkWatcher(
        ground.terrain.survey, partition.crawlers, cell.limits, traffic, sorter.kind_of, halt
    )
    terrain = ground.terrain
    shelf = EvenShelf(ShelfWithout(ground.shelf, terrain.survey, terrain.hidden))
    claims = MemoryClaims() if settings.team.claims else None
    budget = CommonBudget(Budget())
    with ExitStack() as stack:
        team = {}
        for name in partition.crawlers:
            share = WatchedShare(
                name,
                # In processes of their own, none would know what another has learnt.
                partition.unlearnt() if isinstance(partition, PredictedPartition) else partition,
                couriers[name],
                settings.team.carries != "urls",
                _never,
                sight=watcher,
                size_of=shelf.size_of,
            )
            place = _Place(ground, shelf, clocks[name], watcher, halt)
            team[name] = _crawler(stack, settings, place, share, claims, budget)
        stop = InlineTeam(team, office).run()
    return watcher.walk(stop.reason.value)


def team_settings_of(cell: TeamCell) -> Settings:
    """The settings of a run. Raises UsageError."""
    given = cell.set
    forbidden = {name: keys for name, keys in FIXED.items() if name != "crawl"}
    own = ("strategy",)
    forbidden["crawl"] = tuple(key for key in FIXED["crawl"] if key not in own)
    for section, keys in (*forbidden.items(), ("team", TEAM_FIXED)):
        for key in keys:
            if key in given.get(section, {}):
                raise UsageError(f"set.{section}.{key}: that is not to be set for a run of the lab")
    urls = cell.terrain.survey.urls
    layer: Layer = {
        "crawl": {
            "seeds": [urls[number] for number in cell.seeds.numbers],
            "web": cell.terrain.spec.path,
            # Nobody asks the Topic; a crawl's settings must have one.
            "topic": ["anything"],
        },
        "team": {
            "partition": cell.partition.name,
            "claims": cell.claims,
            "carries": cell.carries,
        },
    }
    if cell.crawlers is not None:
        layer["team"]["crawlers"] = cell.crawlers
    strategy: Layer = {"crawl": {"strategy": "breadth-first"}}
    settings = config.check(merged(LAB_SETTINGS, strategy, given, layer))
    seed = settings.crawl.random_seed + cell.repetition - 1
    return replace(settings, crawl=replace(settings.crawl, random_seed=seed))


@dataclass(frozen=True)
class _Place:
    """Where a Crawler of a team crawls, and who looks on."""

    ground: Ground
    shelf: Shelf
    clock: VirtualClock
    watcher: TeamWalkWatcher
    halt: Flag


def _crawler(
    stack: ExitStack,
    settings: Settings,
    place: _Place,
    share: WatchedShare,
    claims: MemoryClaims | None,
    budget: CommonBudget,
) -> Crawler:
    terrain = place.ground.terrain
    state = StateFile.open(MEMORY)
    stack.callback(state.close)
    frontier = StateFrontier.open(
        state, per_host=settings.politeness.per_host, distance=settings.duplicates.distance
    )
    stack.callback(frontier.close)
    web = stack.enter_context(closing(FrozenWeb(place.shelf, place.clock, settings.fetch)))
    source = Source(web, place.clock, no_address)
    notes = StateNotes(state)
    # Slots are each Crawler's own: no pause is measured, so none need be kept between them.
    slots = HostPoliteness(settings.politeness, notes, no_address)
    member = Member(
        share,
        SiteRobots(settings.politeness, settings.fetch.robots_agent, notes),
        TeamPoliteness(share.name, slots, claims),
        budget.part(),
    )
    crawler = assemble(
        settings,
        source,
        state,
        frontier,
        NoArchive(),
        (place.watcher,),
        place.halt,
        NOTHING,
        member,
    )
    keep = ~terrain.hidden if terrain.spec.closed else None
    parser = StoredParser(crawler.parser, place.ground.store, terrain.survey, keep)
    return replace(crawler, parser=parser)


def _never() -> bool:
    """The team's end is for the InlineTeam to see."""
    return False
