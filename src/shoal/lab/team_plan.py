"""From an experiment with teams to its runs. Everything that can be wrong with it is found here."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
import xxhash

from shoal.errors import UsageError
from shoal.lab.experiment import Layer
from shoal.lab.plan import SURVEYED, Terrain, merged
from shoal.lab.seed_sets import BadSeeds, SeedSet, addresses, draw
from shoal.lab.team_experiment import PartitionSpec, TeamExperiment, TeamSeedSpec

TELLING: Final[tuple[str, ...]] = ("model", "topics")
"""Settings of ``[team]`` that name what tells the topics of a partition by topic."""
DigestOf = Callable[[Layer], str | None]


@dataclass(frozen=True, eq=False)
class TeamCell:
    """One run to be made."""

    terrain: Terrain
    seeds: SeedSet
    partition: PartitionSpec
    crawlers: int | None
    """None where the partition itself says how many."""
    claims: bool
    carries: str
    repetition: int
    limits: tuple[float, ...]
    """Numbers of pages at which figures are told, the fewest first."""
    half: int | None
    set: Layer
    told_by: str | None
    """A digest of what tells the topics of a partition by topic: a model, or topic files."""
    code: str
    """A digest of the code that makes the run what it is, besides that of the terrain."""

    @property
    def name(self) -> str:
        return "/".join(
            (
                self.terrain.name,
                self.seeds.name,
                self.partition.shown,
                "by topic" if self.crawlers is None else str(self.crawlers),
                "claims" if self.claims else "no claims",
                self.carries,
                str(self.repetition),
            )
        )

    @cached_property
    def fingerprint(self) -> str:
        """Of all that decides the run, Shoal's own code among it."""
        terrain = self.terrain
        told = msgspec.json.encode(
            [
                terrain.key,
                self.code,
                terrain.spec.without,
                terrain.spec.closed,
                [terrain.survey.urls[number] for number in self.seeds.numbers],
                self.partition.name,
                self.crawlers,
                self.claims,
                self.carries,
                self.repetition,
                [str(limit) for limit in self.limits],
                {name: keys for name, keys in self.set.items() if name != "team"},
                {
                    key: value
                    for key, value in self.set.get("team", {}).items()
                    # Files by their names; told by what is in them.
                    if key not in TELLING
                },
                self.told_by,
            ],
            order="sorted",
        )
        return xxhash.xxh3_128_hexdigest(told)


@dataclass(frozen=True)
class TeamPlan:
    """The runs of an experiment, in the order in which results tell them."""

    experiment: TeamExperiment
    terrains: Mapping[str, Terrain]
    cells: tuple[TeamCell, ...]


def make_team_plan(
    experiment: TeamExperiment,
    terrains: Mapping[str, Terrain],
    by_topic: Collection[str],
    digest_of: DigestOf,
    code: str,
) -> TeamPlan:
    """``by_topic`` are the partitions that say themselves how many crawlers they have;
    ``digest_of`` tells what is in the files that a run's ``[team]`` names. Raises UsageError."""
    for one in experiment.partitions:
        for section in SURVEYED:
            if section in one.set:
                raise UsageError(
                    f"[{section}] is set for one partition: it decides what a page is, so set it "
                    f"for the whole experiment, as [set.{section}]"
                )
        if one.name not in by_topic and not experiment.crawlers:
            raise UsageError(
                f"crawlers is missing: how many share the web under {one.shown!r}? Write "
                "crawlers = [2, 4]"
            )
        team = merged(experiment.set, one.set).get("team", {})
        model = team.get("model")
        if one.name not in by_topic or (model is None and team.get("topics")):
            continue
        if model is None or not Path(model).is_file():
            what = "is missing" if model is None else f"there is no file {model}"
            raise UsageError(
                f"set.team.model: {what}; {one.shown!r} wants a model that `shoal model train` "
                "has made, or topic files as set.team.topics"
            )
    cells = (
        cell
        for terrain in terrains.values()
        for cell in _cells(experiment, terrain, by_topic, digest_of, code)
    )
    return TeamPlan(experiment, terrains, tuple(cells))


def team_limits(experiment: TeamExperiment, web_pages: int) -> tuple[float, ...]:
    """How many pages ``pages`` means on a web of that many, the fewest first."""
    counts = {
        value if math.isinf(value) or value >= 1 else float(max(1, round(value * web_pages)))
        for value in experiment.pages
    }
    return tuple(sorted(counts))


def _cells(
    experiment: TeamExperiment,
    terrain: Terrain,
    by_topic: Collection[str],
    digest_of: DigestOf,
    code: str,
) -> Iterator[TeamCell]:
    limits = team_limits(experiment, terrain.survey.pages)
    sets = [
        seeds for name, spec in experiment.seeds.items() for seeds in _seeds(name, spec, terrain)
    ]
    for seeds, partition in product(sets, experiment.partitions):
        chosen = partition.name in by_topic
        layer = merged(experiment.set, partition.set)
        if not chosen:
            # The experiment's model and topics are for those that ask them.
            team = {
                key: value for key, value in layer.get("team", {}).items() if key not in TELLING
            }
            layer = {**layer, "team": team}
        told_by = digest_of(layer.get("team", {})) if chosen else None
        for crawlers, claims, carries, repetition in product(
            (None,) if chosen else experiment.crawlers,
            experiment.claims,
            experiment.carries,
            range(1, experiment.repetitions + 1),
        ):
            if carries == "urls" and claims:
                continue
            yield TeamCell(
                terrain,
                seeds,
                partition,
                crawlers,
                claims,
                carries,
                repetition,
                limits,
                experiment.half,
                layer,
                told_by,
                code,
            )


def _seeds(name: str, spec: TeamSeedSpec, terrain: Terrain) -> list[SeedSet]:
    survey = terrain.survey
    if spec.random is None:
        return [SeedSet(name, addresses(spec.urls, survey, f"seeds.{name}"))]
    numbers = [n for n in np.flatnonzero(terrain.labelled).tolist() if len(survey.links.row(n))]
    if len(numbers) < spec.random.size:
        raise BadSeeds(
            f"seeds.{name}: this web has {len(numbers)} labelled pages with links, too few for "
            f"seed sets of {spec.random.size}"
        )
    lots = (
        draw(numbers, survey, f"{spec.random.seed}:{place}", spec.random.size)
        for place in range(1, spec.random.sets + 1)
    )
    return [SeedSet(f"{name}-{place}", tuple(lot)) for place, lot in enumerate(lots, start=1)]
