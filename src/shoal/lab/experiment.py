"""What an experiment is: webs, topics, seed sets and strategies, and how far each run goes.

The string below a field is its documentation: ``docs/reference/experiment-file.md`` is made of
these. ``experiment_file.py`` reads and checks them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Layer = dict[str, dict[str, Any]]
"""Section, key, value of Shoal's settings, as a crawl's own TOML file has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSpec:
    """A frozen web to crawl: ``[webs.NAME]``."""

    path: str
    """A WARC file, a folder, a crawl's directory (relative to the experiment file), or
    ``synthetic:...``."""
    labels: str | None = None
    """A TSV file of ``url`` and ``labels`` (separated by ``;``). A synthetic web knows its own."""
    without: tuple[str, ...] = ()
    """Patterns (``*`` is anything) of addresses to leave out of the web; one that begins with ``/``
    is matched against the path."""
    closed: bool = True
    """Leave out Links to what the web does not hold. If false, such a Link leads to a 404."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSpec:
    """What is wanted, and how it is known to be found: ``[topics.NAME]``."""

    words: str | None = None
    """The Topic in words, as one would type them into a search box. Left out where ``set`` gives a
    Topic of another kind."""
    targets: tuple[str, ...]
    """Labels of relevant pages. ``a.b`` is also every label below it, such as ``a.b.c``."""
    half: int | None = None
    """Count as relevant only the targets of one half of the web, 0 or 1, told by the last bit of
    the MD5 of the address: a training set made of the other half then gives nothing away."""
    webs: tuple[str, ...] | None = None
    """The webs to look for it in; all of them where nothing is said."""
    seeds: tuple[str, ...] | None = None
    """The seed sets to start from; all of them where nothing is said."""
    positive: tuple[str, ...] = ()
    """Addresses of the pages that the user judged relevant: average similarity is measured against
    these. Where there are none, ``positive_pages`` of the targets are drawn."""
    set: Layer = field(default_factory=dict)
    """Settings of a crawl for this topic alone. In ``[topics.NAME.set.crawl]`` stand the Topics of
    other kinds: ``topic_file``, ``like`` and ``unlike``, ``model`` and ``category``,
    ``ontology`` and ``focus``, ``languages``; files are seen from the experiment file's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomSeeds:
    """Seeds drawn by lot, the same ones every time."""

    sets: int
    """How many seed sets to draw."""
    size: int
    """Pages in each."""
    seed: int = 1
    """Another number, another draw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedSpec:
    """Where crawls start: ``[seeds.NAME]``. One of its keys is given."""

    urls: tuple[str, ...] = ()
    """Addresses of one seed set."""
    random_off_topic: RandomSeeds | None = None
    """Sets of labelled pages that are not among the topic's targets, named ``NAME-1`` and so on."""
    random_targets: RandomSeeds | None = None
    """Sets of the topic's own targets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowsingSpec:
    """The simulated user that makes training sets: ``[browsing]``. It is asked for every topic and
    web where a Strategy learns from a path and is given none; see ``lab/browsing.py``."""

    pages: float = 0.05
    """Pages to open: a whole number, or a share of the web's pages below 1."""
    clicks: int = 20
    """Clicks after which the user begins a new session somewhere else."""
    seed: int = 1
    """Another number, another path."""

    def pages_of(self, web_pages: int) -> int:
        """How many that are, on a web of so many pages."""
        return max(1, round(self.pages * web_pages)) if self.pages < 1 else int(self.pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategySpec:
    """A Strategy to run: its name in ``strategies``, or a table."""

    name: str
    """As ``shoal crawl --strategy`` has it. ``*`` is every Strategy that is not named otherwise."""
    label: str | None = None
    """What it is called in tables; needed where one Strategy runs twice with other settings."""
    set: Layer = field(default_factory=dict)
    """Settings of a crawl with this Strategy."""

    @property
    def shown(self) -> str:
        return self.label or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Runs are webs times topics times seed sets times strategies times repetitions."""

    title: str = ""
    """What stands above the report."""
    strategies: tuple[StrategySpec, ...]
    """What is compared."""
    pages: tuple[float, ...]
    """How many pages a run may fetch: whole numbers, or shares of the web's pages below 1. A run
    goes as far as the largest; its figures are told at each."""
    repetitions: int = 1
    """How often each run is repeated, each time with the next ``crawl.random_seed``. A Strategy
    that leaves nothing to chance gives the same again."""
    webs: dict[str, WebSpec]
    """The frozen webs."""
    topics: dict[str, TopicSpec]
    """The topics."""
    seeds: dict[str, SeedSpec]
    """The seed sets."""
    positive_pages: int = 50
    """How many of a topic's targets play the pages that a user judged relevant."""
    similar_from: float = 0.75
    """Pages more similar than this to a page judged relevant are relevant by similarity."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options (``[strategy]`` in a crawl's file) for every Strategy that has one of this name. In
    a text ``{web}`` and ``{topic}`` stand for the run's own; a text that names a file is seen from
    the experiment file's folder."""
    browsing: BrowsingSpec = BrowsingSpec()
    """How training sets come about that are not given."""
    set: Layer = field(default_factory=dict)
    """Settings of every crawl; see ``docs/reference/settings.md``."""
