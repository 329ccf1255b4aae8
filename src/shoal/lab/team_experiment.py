"""What an experiment with teams is: webs, partitions, seed sets, and how many crawlers a run has.

The string below a field is its documentation: ``docs/reference/experiment-file.md`` is made of
these. ``team_experiment_file.py`` reads and checks them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from shoal.lab.experiment import Layer, RandomSeeds, WebSpec

PARTITION: Final = "partition"
"""The ``kind`` of such an experiment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamSeedSpec:
    """Where teams start: ``[seeds.NAME]`` with ``kind = "partition"``. One of its keys is given."""

    urls: tuple[str, ...] = ()
    """Addresses of one seed set."""
    random: RandomSeeds | None = None
    """Sets of labelled pages, whatever their labels, named ``NAME-1`` and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionSpec:
    """A partition to measure: its name in ``partitions``, or a table."""

    name: str
    """As ``team.partition`` has it."""
    label: str | None = None
    """What it is called in tables; needed where one partition runs twice with other settings."""
    set: Layer = field(default_factory=dict)
    """Settings of a crawl with this partition."""

    @property
    def shown(self) -> str:
        return self.label or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamExperiment:
    """With ``kind = "partition"`` teams crawl, and what is compared is how they share the web. Runs
    are webs times seed sets times partitions times numbers of crawlers times ``claims`` times
    ``carries`` times repetitions."""

    kind: str
    """``partition``."""
    title: str = ""
    """What stands above the report."""
    partitions: tuple[PartitionSpec, ...]
    """What is compared."""
    crawlers: tuple[int, ...] = ()
    """How many crawlers a team has, one number after the other. A partition by topic has as many as
    its model has categories, or as there are topic files, with one for other languages and one for
    pages without text."""
    pages: tuple[float, ...]
    """How many pages a team may fetch: whole numbers, shares of the web's pages below 1, or ``inf``
    for as many as it finds. A run goes as far as the largest; its figures are told at each."""
    claims: tuple[bool, ...] = (True,)
    """Whether a page that one crawler has asked for is fetched by no other (``team.claims``)."""
    carries: tuple[str, ...] = ("pages",)
    """What is sent of a page that another crawler owns: ``pages``; ``urls``, which that one fetches
    again (without claims only); or ``counts``, pages with their neighbours' numbers of links (with
    the strategy ``backlink-count``)."""
    repetitions: int = 1
    """How often each run is repeated, each time with the next ``crawl.random_seed``."""
    half: int | None = None
    """Count ``local_page`` over the pages of one half of the web only, 0 or 1, told by the last bit
    of the MD5 of the address: those that a model trained on the other half has not seen."""
    webs: dict[str, WebSpec]
    """The frozen webs."""
    seeds: dict[str, TeamSeedSpec]
    """The seed sets."""
    set: Layer = field(default_factory=dict)
    """Settings of every crawl; see ``docs/reference/settings.md``. ``team.model`` and the files of
    ``team.topics`` are seen from the experiment file's folder. The strategy is breadth-first where
    ``crawl.strategy`` names no other."""
