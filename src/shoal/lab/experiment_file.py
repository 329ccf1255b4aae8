"""Reads an experiment file. Every mistake is a message that names the key and the nearest one."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from shoal.errors import UsageError
from shoal.lab.experiment import (
    BrowsingSpec,
    Experiment,
    RandomSeeds,
    SeedSpec,
    StrategySpec,
    TopicSpec,
    WebSpec,
)

SYNTHETIC: Final = "synthetic:"
OPTIONS: Final = "strategy"
"""The section of settings that holds the options of a Strategy."""
EVERY: Final = "*"
"""In place of a Strategy's name: all that are not named otherwise."""
TOPIC_FILES: Final = ("topic_file", "like", "unlike", "model", "ontology")
"""Settings of a crawl that name what its topic is made of."""
T = TypeVar("T")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._ -]*")


class BadExperiment(UsageError):
    """The experiment file is not one; the message names the place and what to do."""


def read_experiment(path: Path) -> Experiment:
    """Raises BadExperiment. Paths in it become those of files, seen from the experiment file."""
    return parsed(path, read_tables(path), parse_experiment)


def read_tables(path: Path) -> dict[str, Any]:
    """What the file's TOML says. Raises BadExperiment."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BadExperiment(f"there is no experiment file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadExperiment(f"cannot read {path}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadExperiment(f"{path} is not valid TOML: {error}") from error


def parsed(path: Path, given: dict[str, Any], parse: Callable[[dict[str, Any], Path], T]) -> T:
    """What ``parse`` makes of a file's tables. Raises BadExperiment, which names the file."""
    try:
        return parse(given, path.parent)
    except BadExperiment as error:
        raise BadExperiment(f"{path}: {error}") from error


def parse_experiment(given: dict[str, Any], folder: Path) -> Experiment:
    """An experiment of what TOML gave. Raises BadExperiment."""
    check_keys(given, Experiment, "")
    for name, kind in (("webs", WebSpec), ("topics", TopicSpec), ("seeds", SeedSpec)):
        tables = given.get(name)
        if not isinstance(tables, dict) or not tables:
            raise BadExperiment(f"{name} is missing: write [{name}.NAME] above its keys")
        for inner, table in tables.items():
            check_name(f"{name}.{inner}", inner)
            check_table(table, kind, f"{name}.{inner}")
    for name, table in given["seeds"].items():
        for kind_name in ("random_off_topic", "random_targets"):
            if kind_name in table:
                check_table(table[kind_name], RandomSeeds, f"seeds.{name}.{kind_name}")
    if "browsing" in given:
        check_table(given["browsing"], BrowsingSpec, "browsing")
    given = {**given, "strategies": _strategies(given.get("strategies"))}
    given["topics"] = {name: _topic(table) for name, table in given["topics"].items()}
    try:
        made = msgspec.convert(given, Experiment, strict=True)
    except msgspec.ValidationError as error:
        raise BadExperiment(type_message(error)) from error
    _check_values(made)
    return _with_paths(made, folder)


def nearest(name: str, names: Sequence[str]) -> str:
    """`` (did you mean 'x'?)``, or the list of what there is."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(names)}"


def _strategies(given: object) -> list[object]:
    if not isinstance(given, list) or not given:
        raise BadExperiment('strategies is missing: write strategies = ["best-first"]')
    tables: list[object] = []
    for item in given:
        table = {"name": item} if isinstance(item, str) else item
        check_table(table, StrategySpec, "strategies")
        tables.append(table)
    return tables


def _topic(table: dict[str, Any]) -> dict[str, Any]:
    """One target may be written without a list."""
    targets = table.get("targets")
    return {**table, "targets": [targets]} if isinstance(targets, str) else table


def check_table(table: object, kind: type, place: str) -> None:
    if not isinstance(table, dict):
        raise BadExperiment(f"{place} is a table of keys, not {table!r}")
    check_keys(table, kind, f"{place}.")


def check_keys(table: dict[str, Any], kind: type, before: str) -> None:
    names = [field.name for field in fields(kind)]
    for key in table:
        if key not in names:
            raise BadExperiment(f"unknown key {before}{key}{nearest(key, names)}")


def check_name(place: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise BadExperiment(f"{place}: a name is letters, digits, spaces and . _ - + only")


def _check_values(made: Experiment) -> None:
    if not made.pages:
        raise BadExperiment("pages is empty: write pages = [0.1] for a tenth of the web")
    for value in made.pages:
        _check_pages("pages", value)
    _check_pages("browsing.pages", made.browsing.pages)
    if made.browsing.clicks < 1:
        raise BadExperiment(f"browsing.clicks must be at least 1, not {made.browsing.clicks}")
    if made.repetitions < 1:
        raise BadExperiment(f"repetitions must be at least 1, not {made.repetitions}")
    if made.positive_pages < 1:
        raise BadExperiment(f"positive_pages must be at least 1, not {made.positive_pages}")
    if not 0 <= made.similar_from < 1:
        raise BadExperiment(f"similar_from is a cosine from 0 to below 1, not {made.similar_from}")
    shown = [strategy.shown for strategy in made.strategies]
    for name in shown:
        if name != EVERY:
            check_name("strategies", name)
        if shown.count(name) > 1:
            raise BadExperiment(f"strategies: {name!r} is there twice; give one another label")
    for name, topic in made.topics.items():
        _check_topic(made, name, topic)
    for name, seeds in made.seeds.items():
        _check_seeds(name, seeds)


def _check_pages(place: str, value: float) -> None:
    if value <= 0 or (value >= 1 and value != int(value)):
        raise BadExperiment(
            f"{place}: {value} is neither a whole number nor a share of the web below 1"
        )


def _check_topic(made: Experiment, name: str, topic: TopicSpec) -> None:
    if not topic.targets:
        raise BadExperiment(f"topics.{name}.targets is empty: name the labels of relevant pages")
    if (topic.words is None) == (not topic.set.get("crawl")):
        raise BadExperiment(
            f"topics.{name}: give its words, or a Topic of another kind in "
            f"[topics.{name}.set.crawl]"
        )
    if topic.half not in (None, 0, 1):
        raise BadExperiment(f"topics.{name}.half is 0 or 1, not {topic.half}")
    for key, given, there in (
        ("webs", topic.webs, list(made.webs)),
        ("seeds", topic.seeds, list(made.seeds)),
    ):
        for wanted in given or ():
            if wanted not in there:
                raise BadExperiment(
                    f"topics.{name}.{key}: there is no {wanted!r}{nearest(wanted, there)}"
                )


def _check_seeds(name: str, seeds: SeedSpec) -> None:
    given = [bool(seeds.urls), seeds.random_off_topic is not None, seeds.random_targets is not None]
    if sum(given) != 1:
        raise BadExperiment(
            f"seeds.{name}: give one of urls, random_off_topic and random_targets, not {sum(given)}"
        )
    drawn = seeds.random_off_topic or seeds.random_targets
    if drawn is not None and (drawn.sets < 1 or drawn.size < 1):
        raise BadExperiment(f"seeds.{name}: sets and size must be at least 1")


def webs_seen(webs: dict[str, WebSpec], folder: Path) -> dict[str, WebSpec]:
    """Webs with their files seen from the folder."""
    return {
        name: replace(
            web,
            path=web.path if web.path.startswith(SYNTHETIC) else str(folder / web.path),
            labels=None if web.labels is None else str(folder / web.labels),
        )
        for name, web in webs.items()
    }


def _with_paths(made: Experiment, folder: Path) -> Experiment:
    webs = webs_seen(made.webs, folder)
    strategies = tuple(
        replace(one, set={**one.set, OPTIONS: _anchored(one.set[OPTIONS], folder)})
        if OPTIONS in one.set
        else one
        for one in made.strategies
    )
    topics = {
        name: replace(topic, set={**topic.set, "crawl": _topic_paths(topic.set["crawl"], folder)})
        if "crawl" in topic.set
        else topic
        for name, topic in made.topics.items()
    }
    options = _anchored(made.options, folder)
    return replace(made, webs=webs, strategies=strategies, topics=topics, options=options)


def _topic_paths(crawl: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Settings of a crawl with the files that its topic is made of seen from the folder."""

    def seen(value: object) -> object:
        if isinstance(value, list):
            return [seen(one) for one in value]
        return str(folder / value) if isinstance(value, str) and "://" not in value else value

    return {key: seen(value) if key in TOPIC_FILES else value for key, value in crawl.items()}


def _anchored(options: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Options with the files that they name seen from the experiment's folder."""
    return {
        key: str(folder / value)
        if isinstance(value, str) and ("{" in value or (folder / value).exists())
        else value
        for key, value in options.items()
    }


def type_message(error: msgspec.ValidationError) -> str:
    text, _, place = str(error).partition(" - at `$.")
    text = text.replace("`", "")
    return f"{place.rstrip('`')}: {text}" if place else text
