"""Reads experiment files of either kind, and those of kind ``partition`` key by key."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from shoal.lab.experiment import Experiment, Layer, RandomSeeds, WebSpec
from shoal.lab.experiment_file import (
    BadExperiment,
    check_keys,
    check_name,
    check_table,
    nearest,
    parse_experiment,
    parsed,
    read_tables,
    type_message,
    webs_seen,
)
from shoal.lab.team_experiment import PARTITION, PartitionSpec, TeamExperiment, TeamSeedSpec

CARRIES = ("pages", "urls", "counts")


def read_any_experiment(path: Path) -> Experiment | TeamExperiment:
    """Raises BadExperiment. Paths in it become those of files, seen from the experiment file."""
    given = read_tables(path)
    kind = given.get("kind")
    if kind is None:
        return parsed(path, given, parse_experiment)
    if kind != PARTITION:
        raise BadExperiment(
            f"{path}: kind: there is no {kind!r}; leave it out to compare strategies, or write "
            f'kind = "{PARTITION}" to compare partitions'
        )
    return parsed(path, given, parse_team_experiment)


def parse_team_experiment(given: dict[str, Any], folder: Path) -> TeamExperiment:
    """An experiment of what TOML gave. Raises BadExperiment."""
    check_keys(given, TeamExperiment, "")
    for name, kind in (("webs", WebSpec), ("seeds", TeamSeedSpec)):
        tables = given.get(name)
        if not isinstance(tables, dict) or not tables:
            raise BadExperiment(f"{name} is missing: write [{name}.NAME] above its keys")
        for inner, table in tables.items():
            check_name(f"{name}.{inner}", inner)
            check_table(table, kind, f"{name}.{inner}")
    for name, table in given["seeds"].items():
        if "random" in table:
            check_table(table["random"], RandomSeeds, f"seeds.{name}.random")
    given = {**given, "partitions": _partitions(given.get("partitions"))}
    try:
        made = msgspec.convert(given, TeamExperiment, strict=True)
    except msgspec.ValidationError as error:
        raise BadExperiment(type_message(error)) from error
    _check_values(made)
    return replace(
        made,
        webs=webs_seen(made.webs, folder),
        set=_files_seen(made.set, folder),
        partitions=tuple(replace(one, set=_files_seen(one.set, folder)) for one in made.partitions),
    )


def _partitions(given: object) -> list[object]:
    if not isinstance(given, list) or not given:
        raise BadExperiment('partitions is missing: write partitions = ["site", "content"]')
    tables: list[object] = []
    for item in given:
        table = {"name": item} if isinstance(item, str) else item
        check_table(table, PartitionSpec, "partitions")
        tables.append(table)
    return tables


def _files_seen(layer: Layer, folder: Path) -> Layer:
    """Beside a model, topics are its categories and no files."""
    team = layer.get("team", {})
    if isinstance(team.get("model"), str):
        return {**layer, "team": {**team, "model": str(folder / team["model"])}}
    if isinstance(team.get("topics"), list):
        files = [str(folder / one) if isinstance(one, str) else one for one in team["topics"]]
        return {**layer, "team": {**team, "topics": files}}
    return layer


def _check_values(made: TeamExperiment) -> None:
    _check_pages(made.pages)
    _check_lists(made)
    if made.repetitions < 1:
        raise BadExperiment(f"repetitions must be at least 1, not {made.repetitions}")
    if made.half not in (None, 0, 1):
        raise BadExperiment(f"half is 0 or 1, not {made.half}")
    shown = [one.shown for one in made.partitions]
    for name in shown:
        check_name("partitions", name)
        if shown.count(name) > 1:
            raise BadExperiment(f"partitions: {name!r} is there twice; give one another label")
    for name, seeds in made.seeds.items():
        if bool(seeds.urls) == (seeds.random is not None):
            raise BadExperiment(f"seeds.{name}: give either urls or random")
        if seeds.random is not None and (seeds.random.sets < 1 or seeds.random.size < 1):
            raise BadExperiment(f"seeds.{name}: sets and size must be at least 1")


def _check_lists(made: TeamExperiment) -> None:
    lists: dict[str, tuple[object, ...]] = {
        "crawlers": made.crawlers,
        "claims": made.claims,
        "carries": made.carries,
    }
    for key, values in lists.items():
        for value in values:
            if values.count(value) > 1:
                raise BadExperiment(f"{key}: {value!r} is there twice")
        if not values and key != "crawlers":
            raise BadExperiment(f"{key} is empty: name what is to be compared, or leave it out")
    if min(made.crawlers, default=1) < 1:
        raise BadExperiment(f"crawlers: a team has at least 1, not {min(made.crawlers)}")
    for carried in made.carries:
        if carried not in CARRIES:
            raise BadExperiment(f"carries: there is no {carried!r}{nearest(carried, CARRIES)}")
    if "urls" in made.carries and False not in made.claims:
        raise BadExperiment(
            "carries: with urls an owner fetches again what another crawler has fetched, which "
            "claims forbid; write claims = [false]"
        )


def _check_pages(pages: tuple[float, ...]) -> None:
    if not pages:
        raise BadExperiment("pages is empty: write pages = [500, inf]")
    for value in pages:
        if not value > 0 or (math.isfinite(value) and value >= 1 and value != int(value)):
            raise BadExperiment(
                f"pages: {value} is neither a whole number, nor a share of the web below 1, nor inf"
            )
