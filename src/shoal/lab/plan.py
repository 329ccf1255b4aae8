"""From an experiment to its runs: what each one crawls, from where, and how far.

Everything that can be wrong with an experiment is found here, before anything runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import xxhash

from shoal.errors import UsageError
from shoal.lab.experiment import Experiment, Layer, StrategySpec, TopicSpec, WebSpec
from shoal.lab.experiment_file import OPTIONS
from shoal.lab.oracle import Oracle
from shoal.lab.seed_sets import SeedSet, addresses, draw, seed_sets
from shoal.lab.similarity import Cosines, Vectors
from shoal.lab.survey import Flags, Survey, link_distances
from shoal.lab.truth import Truth

SURVEYED = ("url", "duplicates", "fetch")
"""Settings that decide what a page looks like: the same for every run over a web."""


@dataclass(frozen=True)
class Terrain:
    """A frozen web with all that is known of it, as the runs of an experiment share it."""

    name: str
    spec: WebSpec
    key: str
    """What the web is, how its pages were parsed and what code crawls it, as a digest."""
    survey: Survey
    """With the hidden pages left out."""
    hidden: Flags
    truth: Truth

    @cached_property
    def vectors(self) -> Vectors:
        return Vectors(self.survey)

    @cached_property
    def labelled(self) -> Flags:
        return self.truth.is_labelled(self.survey)


@dataclass(frozen=True, eq=False)
class Quest:
    """One topic on one web."""

    terrain: Terrain
    name: str
    spec: TopicSpec
    targets: Flags
    positive: tuple[int, ...]
    sets: tuple[SeedSet, ...]
    similar_from: float
    _oracles: dict[tuple[tuple[int, ...], int], list[int]] = field(default_factory=dict)

    @cached_property
    def cosines(self) -> Cosines:
        """Of each address, the largest cosine to a page judged relevant."""
        return self.terrain.vectors.nearest(self.positive)

    def oracle(self, seeds: tuple[int, ...], pages: int) -> list[int]:
        """What the oracle fetches from these seeds."""
        key = (seeds, pages)
        if key not in self._oracles:
            self._oracles[key] = Oracle(self.terrain.survey, self.targets).walk(seeds, pages)
        return self._oracles[key]

    def distances(self, seeds: tuple[int, ...]) -> dict[int, int]:
        """How many Links each address is from the nearest of the seeds; what no Link leads to is
        not there."""
        return link_distances(self.terrain.survey.links, seeds)


@dataclass(frozen=True, eq=False)
class Cell:
    """One run to be made."""

    quest: Quest
    seeds: SeedSet
    strategy: StrategySpec
    repetition: int
    pages: int
    set: Layer

    @property
    def name(self) -> str:
        return "/".join(
            (
                self.quest.terrain.name,
                self.quest.name,
                self.seeds.name,
                self.strategy.shown,
                str(self.repetition),
            )
        )

    @cached_property
    def fingerprint(self) -> str:
        """Of all that decides the run, Shoal's own code among it: two runs with one fingerprint
        fetch the same pages."""
        terrain, quest = self.quest.terrain, self.quest
        told = msgspec.json.encode(
            [
                terrain.key,
                terrain.spec.without,
                terrain.spec.closed,
                quest.spec.words,
                [terrain.survey.urls[number] for number in self.seeds.numbers],
                self.strategy.name,
                self.repetition,
                self.pages,
                self.set,
                [_content(value) for value in self.set.get(OPTIONS, {}).values()],
            ],
            order="sorted",
        )
        return xxhash.xxh3_128_hexdigest(told)


@dataclass(frozen=True)
class Plan:
    """The runs of an experiment, in the order in which results tell them."""

    experiment: Experiment
    quests: tuple[Quest, ...]
    cells: tuple[Cell, ...]


def make_plan(experiment: Experiment, terrains: Mapping[str, Terrain]) -> Plan:
    """Raises UsageError for a topic without a relevant page, seeds off the web and the like."""
    quests = tuple(_quests(experiment, terrains))
    cells = tuple(cell for quest in quests for cell in _cells(experiment, quest))
    for name in experiment.topics:
        if not any(quest.name == name for quest in quests):
            raise UsageError(f"topics.{name}: it has no web to be looked for in")
    return Plan(experiment, quests, cells)


def page_counts(experiment: Experiment, web_pages: int) -> tuple[int, ...]:
    """How many pages ``pages`` means on a web of that many, the fewest first."""
    counts = {
        max(1, round(value * web_pages)) if value < 1 else int(value) for value in experiment.pages
    }
    return tuple(sorted(counts))


def merged(*layers: Layer) -> Layer:
    """Settings of several layers, the later ones winning."""
    found: Layer = {}
    for layer in layers:
        for section, keys in layer.items():
            found.setdefault(section, {}).update(keys)
    return found


def _quests(experiment: Experiment, terrains: Mapping[str, Terrain]) -> Iterator[Quest]:
    for web in terrains.values():
        for name, spec in experiment.topics.items():
            if spec.webs is not None and web.name not in spec.webs:
                continue
            place = f"topics.{name} on webs.{web.name}"
            try:
                targets = web.truth.is_target(web.survey, spec.targets, spec.half)
            except UsageError as error:
                raise UsageError(f"{place}: {error}") from error
            positive = addresses(spec.positive, web.survey, f"topics.{name}.positive")
            if not positive:
                numbers = np.flatnonzero(targets).tolist()
                drawn = draw(numbers, web.survey, f"positive:{name}", experiment.positive_pages)
                positive = tuple(drawn)
            wanted = spec.seeds or tuple(experiment.seeds)
            sets = [
                seed_set
                for seeds in wanted
                for seed_set in seed_sets(
                    seeds, experiment.seeds[seeds], web.survey, name, targets, web.labelled
                )
            ]
            yield Quest(web, name, spec, targets, positive, tuple(sets), experiment.similar_from)


def _filled(options: dict[str, Any], quest: Quest) -> dict[str, Any]:
    """Options with the names of web and topic put in."""
    return {
        key: value.replace("{web}", quest.terrain.name).replace("{topic}", quest.name)
        if isinstance(value, str)
        else value
        for key, value in options.items()
    }


def _content(value: object) -> str | None:
    """The digest of a file that an option names."""
    if not isinstance(value, str) or not Path(value).is_file():
        return None
    return xxhash.xxh3_128_hexdigest(Path(value).read_bytes())


def _cells(experiment: Experiment, quest: Quest) -> Iterator[Cell]:
    pages = page_counts(experiment, quest.terrain.survey.pages)[-1]
    for strategy in experiment.strategies:
        layer = merged(experiment.set, quest.spec.set, strategy.set)
        if OPTIONS in layer:
            layer[OPTIONS] = _filled(layer[OPTIONS], quest)
        for section in SURVEYED:
            if section in quest.spec.set or section in strategy.set:
                raise UsageError(
                    f"[{section}] is set for one topic or strategy: it decides what a page is, so "
                    f"set it for the whole experiment, as [set.{section}]"
                )
        for seeds in quest.sets:
            for repetition in range(1, experiment.repetitions + 1):
                yield Cell(quest, seeds, strategy, repetition, pages, layer)
