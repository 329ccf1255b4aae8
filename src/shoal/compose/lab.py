"""Puts the lab together: opens frozen webs, and runs crawls on them with compose's own parts.

A run of the lab is the crawl that ``shoal crawl --web`` makes, but for three things: its state is
in memory, its clock is virtual and starts at one fixed moment, and its parser remembers the web's
pages. One request is under way at a time, so what is fetched next is always the best there is.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from threading import Event as Flag
from typing import Any, Final

from shoal import config
from shoal.archive.nothing import NoArchive
from shoal.clock import VirtualClock
from shoal.compose.crawl import (
    Source,
    assemble,
    make_parser,
    make_topic,
    no_address,
    open_frontier,
    open_web,
)
from shoal.compose.reading import archive_paths, open_ledger
from shoal.crawl.crawler import Crawler
from shoal.crawl.stop import StopReason
from shoal.directory import CrawlDirectory
from shoal.errors import UsageError
from shoal.frontier.state import MEMORY, StateFile
from shoal.lab.browsing import Eyes, browse, path_key
from shoal.lab.experiment import (
    BrowsingSpec,
    Experiment,
    Layer,
    StrategySpec,
    TopicSpec,
    WebSpec,
)
from shoal.lab.experiment_file import EVERY, OPTIONS
from shoal.lab.freeze import Frozen, freeze_crawl
from shoal.lab.page_store import PageStore
from shoal.lab.plan import Cell, Plan, Quest, Terrain, make_plan, merged
from shoal.lab.stored import ShelfWithout, StoredParser
from shoal.lab.survey import Survey
from shoal.lab.survey_build import SURVEY_FILE, build_survey, read_survey
from shoal.lab.synthetic import SyntheticShelf
from shoal.lab.truth import Truth, read_truth, told_truth
from shoal.lab.walked import Walk, WalkWatcher
from shoal.lab.web_key import code_key, web_key
from shoal.model import Outcome, Page
from shoal.ports import Shelf, Watcher
from shoal.settings import Settings
from shoal.strategy import registry
from shoal.training.set_file import save_training_set
from shoal.url import UrlParser, parse_url
from shoal.web.frozen import FrozenWeb

EPOCH_S: Final = 1_767_225_600.0
"""When every run begins: 1 January 2026."""
LAB_SETTINGS: Final[Layer] = {
    "crawl": {"parallel": 1, "batch_pages": 1_000, "attempts": 1, "sitemaps": False},
    "politeness": {"robots": False, "delay_s": 0.0, "host_share": 1.0},
    "archive": {"enabled": False},
    "watch": {"log": "none"},
}
"""Where the lab departs from a crawl's defaults. An experiment's own ``set`` comes after these."""
SYNTHETIC_PAGES_MAX: Final = 500_000
"""Making up and reading a page takes a few milliseconds: this many, an hour on a core."""
FIXED: Final = {
    "crawl": ("seeds", "strategy", "web", "pages", "parallel", "time_s", "bytes"),
    "archive": ("enabled",),
}
"""Settings that are the lab's to say."""
TRAINING: Final = "training"
"""The option of a Strategy that learns from a path; and where such paths lie in the cache."""
Tell = Callable[[str, int, int], None]
"""Told of a web's name, how many of its addresses were looked at, and how many there are."""


@dataclass(frozen=True)
class Ground:
    """A terrain, and what its crawls read from."""

    terrain: Terrain
    shelf: Shelf
    store: PageStore


@dataclass(frozen=True)
class Lab:
    """An experiment with its webs open."""

    plan: Plan
    grounds: Mapping[str, Ground]


@contextmanager
def open_lab(experiment: Experiment, cache: Path, tell: Tell) -> Iterator[Lab]:
    """Survey the webs that were not surveyed yet, and plan the runs. Raises UsageError."""
    settings = config.check(merged(LAB_SETTINGS, experiment.set))
    experiment = with_every_strategy(experiment)
    with ExitStack() as stack:
        grounds = {
            name: stack.enter_context(open_ground(name, web, settings, cache, tell))
            for name, web in experiment.webs.items()
        }
        terrains = {name: ground.terrain for name, ground in grounds.items()}
        plan = make_plan(with_topic_digests(experiment, terrains), terrains)
        yield Lab(with_training(plan, grounds, cache / TRAINING), grounds)


def with_every_strategy(experiment: Experiment) -> Experiment:
    """The experiment with ``*`` spelt out, and the options given to the Strategies that have
    them. Raises UsageError for a Strategy that is not there."""
    named = {strategy.name for strategy in experiment.strategies}
    found: list[StrategySpec] = []
    for strategy in experiment.strategies:
        if strategy.name == EVERY:
            others = [name for name in registry.names() if name not in named]
            found += [replace(strategy, name=name) for name in others]
        else:
            found.append(strategy)
    return replace(
        experiment,
        strategies=tuple(_with_options(strategy, experiment.options) for strategy in found),
    )


def with_topic_digests(experiment: Experiment, terrains: Mapping[str, Terrain]) -> Experiment:
    """The experiment with a digest of what each Topic of another kind than words is made of: a run
    whose examples or model have changed is another run. Raises UsageError for a Topic that cannot
    be made."""
    topics = {
        name: _with_digest(name, topic, experiment, terrains) if topic.set.get("crawl") else topic
        for name, topic in experiment.topics.items()
    }
    return replace(experiment, topics=topics)


def _with_digest(
    name: str, topic: TopicSpec, experiment: Experiment, terrains: Mapping[str, Terrain]
) -> TopicSpec:
    digests = []
    for web in topic.webs or terrains:
        own: Layer = {"crawl": {"web": terrains[web].spec.path}}
        settings = config.check(merged(LAB_SETTINGS, experiment.set, topic.set, own))
        if not settings.crawl.topic_kinds:
            raise UsageError(f"topics.{name}: give its words, or a Topic of another kind")
        try:
            digests.append(make_topic(settings).digest)
        except UsageError as error:
            raise UsageError(f"topics.{name} on webs.{web}: {error}") from error
    joined = " ".join(digest for digest in digests if digest is not None)
    if not joined:
        return topic
    return replace(topic, set=merged(topic.set, {"crawl": {"topic_digest": joined}}))


def _with_options(strategy: StrategySpec, options: Mapping[str, Any]) -> StrategySpec:
    has = {one.name for one in fields(config.find_strategy(strategy.name).options)}
    given = {key: value for key, value in options.items() if key in has}
    own = strategy.set.get(OPTIONS, {})
    return replace(strategy, set={**strategy.set, OPTIONS: {**given, **own}})


def with_training(plan: Plan, grounds: Mapping[str, Ground], folder: Path) -> Plan:
    """The plan with a training set for each run whose Strategy learns from a path and is given
    none. A simulated user browses it, unless it is in ``folder`` already. Raises UsageError."""
    made: dict[Quest, Path] = {}
    cells = []
    for cell in plan.cells:
        if _learns_from_a_path(cell) and TRAINING not in cell.set.get(OPTIONS, {}):
            if cell.quest not in made:
                ground = grounds[cell.quest.terrain.name]
                made[cell.quest] = _browsed(cell, ground, plan.experiment.browsing, folder)
            option: Layer = {OPTIONS: {TRAINING: str(made[cell.quest])}}
            cells.append(replace(cell, set=merged(cell.set, option)))
        else:
            cells.append(cell)
    return replace(plan, cells=tuple(cells))


def _learns_from_a_path(cell: Cell) -> bool:
    options = config.find_strategy(cell.strategy.name).options
    return any(one.name == TRAINING for one in fields(options))


def _browsed(cell: Cell, ground: Ground, spec: BrowsingSpec, folder: Path) -> Path:
    """The training set of the cell's quest, as a file."""
    quest, terrain, store = cell.quest, ground.terrain, ground.store
    path = folder / f"{path_key(quest, spec)}.training"
    if not path.is_file():
        topic = make_topic(settings_of(cell)).topic
        keep = ~terrain.hidden if terrain.spec.closed else None

        def see(number: int) -> Page | None:
            return store.page(number, parse_url(terrain.survey.urls[number]), keep)

        eyes = Eyes(see, lambda page: topic.judge(page).similarity, topic.similarity)
        training = browse(quest, spec, eyes)
        folder.mkdir(parents=True, exist_ok=True)
        save_training_set(training, path)
    return path


def check_cells(lab: Lab) -> None:
    """Build every crawler once, so that what one lacks is said before any has run."""
    checked: set[tuple[str, str]] = set()
    for cell in lab.plan.cells:
        key = (cell.quest.name, cell.strategy.shown)
        if key not in checked:
            checked.add(key)
            try:
                with _crawler(lab, cell, (), Flag()):
                    pass
            except UsageError as error:
                raise UsageError(f"{cell.strategy.shown} for {cell.quest.name}: {error}") from error


def run_cell(lab: Lab, cell: Cell) -> Walk:
    """One crawl, from its seeds to its last page."""
    halt = Flag()
    watcher = WalkWatcher(cell.quest.terrain.survey, cell.pages, halt)
    with _crawler(lab, cell, (watcher,), halt) as crawler:
        stop = crawler.run()
    return watcher.walk(stop.reason.value)


def freeze(directory: CrawlDirectory, out: Path) -> Frozen:
    """Make a frozen web of a crawl that came to its end. Raises UsageError."""
    settings = directory.settings()
    with open_ledger(directory) as ledger:
        reason = ledger.fact("stop_reason")
        if not reason or reason == StopReason.INTERRUPTED:
            raise UsageError(
                f"the crawl in {directory.path} has not come to its end; let it go on to it with "
                "the same command"
            )
        return freeze_crawl(
            archive_paths(directory),
            ledger.visits(frozenset({Outcome.PAGE})),
            settings.crawl.relevant_at,
            " ".join(settings.crawl.topic) or settings.crawl.topic_name,
            out,
        )


def settings_of(cell: Cell) -> Settings:
    """The settings of a run. Raises SettingsError."""
    for section, keys in FIXED.items():
        for key in keys:
            if key in cell.set.get(section, {}):
                raise UsageError(f"set.{section}.{key}: that is not to be set for a run of the lab")
    quest = cell.quest
    urls = quest.terrain.survey.urls
    own: Layer = {
        "crawl": {
            "seeds": [urls[number] for number in cell.seeds.numbers],
            "strategy": cell.strategy.name,
            "web": quest.terrain.spec.path,
        }
    }
    if quest.spec.words is not None:
        own["crawl"]["topic"] = [quest.spec.words]
    settings = config.check(merged(LAB_SETTINGS, cell.set, own))
    seed = settings.crawl.random_seed + cell.repetition - 1
    return replace(settings, crawl=replace(settings.crawl, random_seed=seed))


@contextmanager
def _crawler(lab: Lab, cell: Cell, watchers: tuple[Watcher, ...], halt: Flag) -> Iterator[Crawler]:
    settings = settings_of(cell)
    ground = lab.grounds[cell.quest.terrain.name]
    terrain = ground.terrain
    clock = VirtualClock(EPOCH_S)
    shelf = ShelfWithout(ground.shelf, terrain.survey, terrain.hidden)
    keep = ~terrain.hidden if terrain.spec.closed else None
    with ExitStack() as stack:
        state = StateFile.open(MEMORY)
        stack.callback(state.close)
        frontier = open_frontier(settings, state)
        stack.callback(frontier.close)
        web = stack.enter_context(closing(FrozenWeb(shelf, clock, settings.fetch)))
        source = Source(web, clock, no_address)
        crawler = assemble(settings, source, state, frontier, NoArchive(), watchers, halt)
        parser = StoredParser(crawler.parser, ground.store, terrain.survey, keep)
        yield replace(crawler, parser=parser)


@contextmanager
def open_ground(
    name: str, spec: WebSpec, settings: Settings, cache: Path, tell: Tell
) -> Iterator[Ground]:
    with closing(open_web(spec.path, settings.fetch.body_limit_bytes)) as shelf:
        if isinstance(shelf, SyntheticShelf) and shelf.knobs.pages > SYNTHETIC_PAGES_MAX:
            raise UsageError(
                f"webs.{name}: the lab looks at every page of a web before it measures on it: "
                f"{shelf.knobs.pages:,} pages are too many, {SYNTHETIC_PAGES_MAX:,} would do. "
                "`shoal crawl --web` crawls a synthetic web of any size"
            )
        key = web_key(spec.path, settings.url, settings.duplicates, settings.fetch)
        folder = cache / key
        if not (folder / SURVEY_FILE).is_file():
            _survey(shelf, settings, folder, lambda done, total: tell(name, done, total))
        survey = read_survey(folder)
        hidden = survey.hidden(spec.without)
        if spec.without and not hidden.any():
            raise UsageError(f"webs.{name}.without: no address of the web matches")
        truth = _truth(name, spec, shelf, survey)
        terrain = Terrain(name, spec, key + code_key(), survey.without(hidden), hidden, truth)
        with closing(PageStore(folder)) as store:
            yield Ground(terrain, shelf, store)


def _truth(name: str, spec: WebSpec, shelf: Shelf, survey: Survey) -> Truth:
    if spec.labels is not None:
        return read_truth(Path(spec.labels), survey)
    if isinstance(shelf, SyntheticShelf):
        return told_truth(shelf.topic_of, survey)
    raise UsageError(f"webs.{name}.labels is missing: without labels nothing can be measured")


def _survey(
    shelf: Shelf, settings: Settings, folder: Path, tell: Callable[[int, int], None]
) -> None:
    """Made beside its place and put there whole, so two labs may survey one web at once."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".survey-"))
    try:
        parser, urls = make_parser(settings), UrlParser(settings.url)
        build_survey(shelf, parser, urls, settings.fetch.accept, draft, tell)
        if not folder.exists():
            draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
