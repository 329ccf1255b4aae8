"""Puts the parts of a crawl together."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from threading import Event as Flag
from typing import NamedTuple

from shoal import config, events
from shoal.archive.capture import Maker
from shoal.archive.nothing import NoArchive
from shoal.archive.records import BrokenArchive
from shoal.archive.segments import StoreArchive
from shoal.archive.store import Store, open_store
from shoal.archive.writer import WarcArchive
from shoal.clock import SystemClock, VirtualClock
from shoal.compose.state import check as check_state
from shoal.compose.state import named as named_state
from shoal.compose.state import open_house, outlast
from shoal.crawl.admission import Admission
from shoal.crawl.budget import Allowance, Budget
from shoal.crawl.crawler import Crawler, Rhythm
from shoal.crawl.idle import IdleWindow
from shoal.crawl.learning import Learning
from shoal.crawl.links import LinkJudge
from shoal.crawl.outcome import Patience
from shoal.crawl.share import Share
from shoal.crawl.stop import Stop
from shoal.directory import CrawlDirectory
from shoal.errors import ShoalError, StorageError
from shoal.frontier.database import State
from shoal.frontier.frontier import StateFrontier
from shoal.frontier.house import ALONE, StateHouse
from shoal.frontier.lock import DirectoryLock
from shoal.frontier.notes import StateNotes
from shoal.ontology.focus import Wanted
from shoal.page.parser import PageParser
from shoal.page.sitemap_parser import SitemapParser
from shoal.ports import (
    Archive,
    Attentive,
    Clock,
    LinkCounter,
    Parser,
    Politeness,
    Robots,
    Scope,
    Shelf,
    Strategy,
    Topic,
    Watcher,
    Web,
)
from shoal.scope.rule_scope import build_scope
from shoal.seeds import read_seeds
from shoal.settings import Settings
from shoal.shelf.copied import copied_warcs
from shoal.shelf.shelves import open_shelf
from shoal.shelf.warc_shelf import WarcShelf
from shoal.strategy import registry
from shoal.strategy.recipe import Brief
from shoal.team.desk import Names, NoNames
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.url import UrlParser
from shoal.web.frozen import FrozenWeb
from shoal.web.live import LiveWeb
from shoal.web.politeness import HostPoliteness
from shoal.web.robots import SiteRobots

SYNTHETIC = "synthetic:"
"""A web of this name is made up as it is asked for."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG})
"""What the system says when it cannot take what we write."""


@dataclass(frozen=True, slots=True)
class Source:
    """A Web, the Clock it runs on, and how to tell a host's address."""

    web: Web
    clock: Clock
    ip_of: Callable[[str], str | None]
    names: Names = field(default_factory=NoNames)
    """What is known of where hosts stand, for team mates to share."""


class MadeTopic(NamedTuple):
    """A Topic, and what else is known of it."""

    topic: Topic
    words: tuple[str, ...]
    """Those that it is given by, for Strategies that search by words."""
    digest: str | None
    """Of everything that it was made of; None where that is words alone."""
    attentive: tuple[Attentive, ...] = ()
    """What of it goes by what the crawl has met."""
    ontology: Wanted | None = None
    """The first ontology that it is given by, for Strategies that look at one."""


@dataclass(frozen=True, slots=True)
class Member:
    """What makes a Crawler one of a Team: its share, and what it has in common with the others."""

    share: Share
    robots: Robots
    politeness: Politeness
    allowance: Allowance


def run_crawl(
    settings: Settings,
    directory: CrawlDirectory,
    watchers: Sequence[Watcher],
    halt: Flag,
    accept_changes: bool = False,
) -> Stop:
    """Crawl into ``directory``, or go on with the crawl in it. Raises ShoalError.

    Everything that can be wrong about what was given is found before the directory is touched.
    """
    settings, made = prepare(settings)
    settings = named_state(settings, directory)
    directory.check(settings, accept_changes)
    check_state(settings, directory)
    directory.make()

    def run(watchers: Sequence[Watcher]) -> Stop:
        with _crawler(settings, made, directory, watchers, halt) as crawler:
            return crawler.run()

    try:
        return outlast(settings, directory, watchers, halt, run)
    except BrokenArchive as error:
        raise not_vouched_for(error, settings, directory) from error
    except OSError as error:
        if isinstance(error, ShoalError) or error.errno not in FULL:
            raise
        raise StorageError(
            f"{error.strerror or error} while writing to {directory.path}. Everything up to the "
            "last commit is safe; make room and repeat the command"
        ) from error


def prepare(settings: Settings) -> tuple[Settings, MadeTopic]:
    """Find what is wrong with seeds, web, Topic and the archive's store. The settings come back
    with the Topic's digest."""
    read_seeds(settings.crawl.seeds, UrlParser(settings.url))
    if settings.crawl.web is not None:
        open_web(settings.crawl.web).close()
    made = make_topic(settings)
    if settings.archive.enabled and settings.archive.store:
        open_store(settings.archive.store).check()
    crawl = replace(settings.crawl, topic_digest=made.digest)
    return replace(settings, crawl=crawl), made


@contextmanager
def _crawler(
    settings: Settings,
    made: MadeTopic,
    directory: CrawlDirectory,
    watchers: Sequence[Watcher],
    halt: Flag,
) -> Iterator[Crawler]:
    """A Crawler with everything it works with, let go again in the opposite order."""
    with DirectoryLock(directory.path):
        directory.remember(settings)
        with (
            closing(open_house(settings, directory)) as house,
            opened(settings, directory, house, halt) as (state, frontier, source, archive),
        ):
            yield assemble(settings, source, state, frontier, archive, watchers, halt, made)


@contextmanager
def opened(
    settings: Settings,
    directory: CrawlDirectory,
    house: StateHouse,
    halt: Flag,
    crawler: str | None = None,
) -> Iterator[tuple[State, StateFrontier, Source, Archive]]:
    """What a Crawler works with, as its last commit left it: the one whose ``directory`` it is, by
    its name where it is one of a Team."""
    with ExitStack() as stack:
        state = stack.enter_context(closing(house.open(crawler or ALONE)))
        frontier = open_frontier(settings, state)
        stack.callback(frontier.close)
        clock_s = frontier.fact("clock_s")
        source = stack.enter_context(
            open_source(settings, halt, None if clock_s is None else float(clock_s))
        )
        archive = stack.enter_context(
            open_archive(settings, directory, source.clock, frontier, crawler)
        )
        yield state, frontier, source, archive


def open_frontier(settings: Settings, state: State) -> StateFrontier:
    return StateFrontier.open(
        state,
        per_host=settings.politeness.per_host,
        distance=settings.duplicates.distance,
    )


def assemble(
    settings: Settings,
    source: Source,
    state: State,
    frontier: StateFrontier,
    archive: Archive,
    watchers: Sequence[Watcher],
    halt: Flag,
    made: MadeTopic | None = None,
    member: Member | None = None,
) -> Crawler:
    """A Crawler of parts that are open already; alone, or a ``member`` of a Team. The Topic is
    made where it was not yet."""
    made = made or make_topic(settings)
    crawl, politeness = settings.crawl, settings.politeness
    urls = UrlParser(settings.url)
    notes = StateNotes(state)
    frozen = isinstance(source.clock, VirtualClock)
    robots: Robots
    slots: Politeness
    if member is None:
        robots = SiteRobots(politeness, settings.fetch.robots_agent, notes)
        slots = HostPoliteness(politeness, notes, source.ip_of)
    else:
        robots, slots = member.robots, member.politeness
    admission = Admission(robots if politeness.robots else None, slots, settings.fetch.conditional)
    scope = build_scope(settings.scope, settings.fetch, politeness, source.clock)
    strategy = make_strategy(settings, made)
    links = LinkJudge(
        scope, strategy, frontier, urls, politeness.robots, settings.scope.page_relevance
    )
    kept = notes if state.is_kept else None
    learning = Learning(strategy, frontier, kept, made.attentive)
    rhythm = Rhythm(
        parallel=crawl.parallel,
        batch_pages=crawl.batch_pages,
        batch_s=None if frozen else crawl.batch_s,
        relevant_at=crawl.relevant_at,
        sitemaps=crawl.sitemaps,
        obey_noarchive=politeness.robots,
    )

    def tell(event: events.Event) -> None:
        for watcher in watchers:
            watcher.see(event)

    return Crawler(
        topic_name=crawl.topic_name,
        seeds=read_seeds(crawl.seeds, urls),
        frontier=frontier,
        web=source.web,
        admission=admission,
        parser=make_parser(settings),
        topic=made.topic,
        archive=archive,
        links=links,
        learning=learning,
        clock=source.clock,
        budget=Budget.of(crawl) if member is None else member.allowance,
        patience=Patience(crawl.attempts, crawl.retry_delay_s),
        rhythm=rhythm,
        idle=IdleWindow.parse(crawl.idle) if crawl.idle else None,
        tell=tell,
        halt=halt,
        share=None if member is None else _share(settings, member.share, strategy),
    )


def _share(settings: Settings, share: Share, strategy: Strategy) -> Share:
    """The Share with whoever counts Links for it, where their numbers travel."""
    if settings.team.carries != "counts":
        return share
    assert isinstance(strategy, LinkCounter), "the settings were checked"
    return replace(share, counter=strategy)


# --------------------------------------------------------------------------- parts


def make_topic(settings: Settings) -> MadeTopic:
    """The Topic that the settings describe. Raises UsageError."""
    crawl = settings.crawl
    if crawl.topic_kinds == ("topic",):
        # Words are digest enough: they stand among the settings themselves.
        return MadeTopic(KeywordTopic(crawl.topic), crawl.topic, None)
    # Imported when it is wanted: learning from examples loads what no other crawl has to wait for.
    from shoal.compose.topic import make as make_topic_of
    from shoal.compose.topic import spec_of

    return make_topic_of(spec_of(crawl), crawl.web)


def make_strategy(settings: Settings, made: MadeTopic) -> Strategy:
    """The Strategy that the settings name, with the options that they give. Raises UsageError."""
    crawl = settings.crawl
    recipe = registry.find(crawl.strategy)
    options = config.strategy_options(crawl.strategy, settings.strategy)
    brief = Brief(made.topic, made.words, Rarity().idf, made.ontology, crawl.random_seed)
    return recipe.make(brief, options)


def make_parser(settings: Settings) -> Parser:
    urls = UrlParser(settings.url)
    return SitemapParser(PageParser(urls, settings.duplicates), urls)


def make_scope(settings: Settings) -> Scope:
    return build_scope(settings.scope, settings.fetch, settings.politeness, SystemClock())


def open_web(name: str, body_limit_bytes: int = Settings().fetch.body_limit_bytes) -> Shelf:
    """A frozen web by its name: ``synthetic:...``, the path of WARC files, a folder or a crawl, or
    an address in a store."""
    if name.startswith(SYNTHETIC):
        # Imported when it is wanted: its vocabularies are no part of an ordinary crawl's start.
        from shoal.lab.synthetic import open_synthetic

        return open_synthetic(name)
    address: str | None = name
    if "://" not in name:
        directory = CrawlDirectory(Path(name))
        address = directory.settings().archive.store if directory.is_crawl() else None
    if address:
        return WarcShelf(copied_warcs(address, os.environ), body_limit_bytes=body_limit_bytes)
    return open_shelf(name, body_limit_bytes)


@contextmanager
def open_source(settings: Settings, halt: Flag, clock_s: float | None) -> Iterator[Source]:
    """The Web that the settings name. ``clock_s`` is where a crawl that goes on left its Clock."""
    if settings.crawl.web is None:
        system_clock = SystemClock(halt)
        with closing(LiveWeb(settings.fetch, system_clock, settings.crawl.parallel)) as live:
            yield Source(live, system_clock, live.ip_of, live)
        return
    virtual_clock = VirtualClock(SystemClock().now_s() if clock_s is None else clock_s)
    with (
        closing(open_web(settings.crawl.web, settings.fetch.body_limit_bytes)) as shelf,
        closing(FrozenWeb(shelf, virtual_clock, settings.fetch)) as frozen,
    ):
        yield Source(frozen, virtual_clock, no_address)


def no_address(host: str) -> None:
    """Hosts of a frozen Web stand at no address, so no limit counts them together."""
    del host


@contextmanager
def open_archive(
    settings: Settings,
    directory: CrawlDirectory,
    clock: Clock,
    frontier: StateFrontier,
    crawler: str | None = None,
) -> Iterator[Archive]:
    """The Archive as the last commit left it; in a store, that of a Team's ``crawler`` has a place
    of its own. Raises BrokenArchive, StorageError."""
    archive = make_archive(settings, directory, clock, crawler)
    with closing(archive):
        if isinstance(archive, StoreArchive) and frontier.fact("started_s") is None:
            _require_empty(archive, store_of(settings, crawler))
        archive.recover(frontier.archive_mark())
        yield archive


def make_archive(
    settings: Settings, directory: CrawlDirectory, clock: Clock, crawler: str | None = None
) -> Archive:
    if not settings.archive.enabled:
        return NoArchive()
    maker = Maker(software=f"Shoal/{version('shoal')}", operator=settings.fetch.contact)
    if settings.archive.store:
        return StoreArchive(store_of(settings, crawler), settings.archive, clock, maker=maker)
    return WarcArchive(directory.archive_folder, settings.archive, clock, maker=maker)


def store_of(settings: Settings, crawler: str | None = None) -> Store:
    """Where a Crawler keeps its segments. Raises ShoalError."""
    assert settings.archive.store, "there is one only where it is set"
    store = open_store(settings.archive.store)
    return store if crawler is None else store.below(crawler)


def _require_empty(archive: StoreArchive, store: Store) -> None:
    """A crawl that begins removes what its state does not know: what others keep is not to go."""
    if not archive.is_empty():
        raise StorageError(
            f"{store.address} holds an archive of which this crawl's state knows nothing. Nothing "
            "was changed. Give another archive.store, or restore the state from a copy"
        )


def not_vouched_for(
    error: BrokenArchive, settings: Settings, directory: CrawlDirectory
) -> StorageError:
    """An archive that is less than its state says, in words."""
    where = settings.archive.store or directory.archive_folder
    return StorageError(
        f"the archive is not what the state vouches for: {error}. Nothing was changed. Restore "
        f"{where} from a copy, or begin anew with another --out"
    )
