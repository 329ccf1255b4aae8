"""The reference of the experiment file and of results, made from the code of the lab."""

from __future__ import annotations

import ast
import inspect
from dataclasses import MISSING, fields
from types import ModuleType

from shoal.lab import experiment, results, score, team_experiment, team_results, team_score
from shoal.lab.experiment import (
    BrowsingSpec,
    Experiment,
    RandomSeeds,
    SeedSpec,
    StrategySpec,
    TopicSpec,
    WebSpec,
)
from shoal.lab.results import Course, Results, Robustness, Run, WebTold
from shoal.lab.score import Curve, Figures
from shoal.lab.team_experiment import PartitionSpec, TeamExperiment, TeamSeedSpec
from shoal.lab.team_results import TeamResults, TeamRun, TeamWeb
from shoal.lab.team_score import TeamCurve, TeamFigures

KINDS = {
    "str": "text",
    "str | None": "text",
    "bool": "true or false",
    "int": "whole number",
    "int | None": "whole number",
    "float": "number",
    "tuple[str, ...]": "list of texts",
    "tuple[str, ...] | None": "list of texts",
    "tuple[float, ...]": "list of numbers",
    "tuple[StrategySpec, ...]": "list of names or tables",
    "tuple[PartitionSpec, ...]": "list of names or tables",
    "tuple[int, ...]": "list of whole numbers",
    "tuple[bool, ...]": "list of true and false",
    "RandomSeeds | None": "table",
    "BrowsingSpec": "table",
    "Layer": "tables `SECTION.KEY`",
}
TABLES: tuple[tuple[str, type], ...] = (
    ("At the top", Experiment),
    ("[webs.NAME]", WebSpec),
    ("[topics.NAME]", TopicSpec),
    ("[seeds.NAME]", SeedSpec),
    ("random_off_topic, random_targets", RandomSeeds),
    ("A table in strategies", StrategySpec),
    ("[browsing]", BrowsingSpec),
)
TEAM_TABLES: tuple[tuple[str, type], ...] = (
    ("At the top, for teams", TeamExperiment),
    ("[seeds.NAME], for teams", TeamSeedSpec),
    ("A table in partitions", PartitionSpec),
)
TEAM_EXAMPLE = """\
kind = "partition"
partitions = ["site", "content", "topic"]
crawlers = [2, 15]
pages = [500, 5000, inf]
claims = [true, false]

[webs.wiki]
path = "../../shared/corpora/wiki.warc.gz"
labels = "../../shared/corpora/wiki.labels.tsv"

[seeds.random]
random = { sets = 1, size = 15 }

[set.team]
model = "subjects.model"
"""
EXAMPLE = """\
title = "Storms and mathematics"
strategies = ["breadth-first", { name = "best-first", label = "content+anchor" }]
pages = [0.05, 0.1]

[webs.wiki]
path = "../../shared/corpora/wiki.warc.gz"
labels = "../../shared/corpora/wiki.labels.tsv"
without = ["/wp/index/*"]

[topics.storms]
words = "hurricane tropical storm cyclone"
targets = "subject.Geography.Storms"

[seeds.random]
random_off_topic = { sets = 3, size = 3, seed = 1 }
"""


def experiment_page() -> str:
    lines = [
        "# The experiment file",
        "",
        "Made from `src/shoal/lab/experiment.py` by `make reference`; do not edit.",
        "",
        "`shoal lab run FILE --out DIR` reads TOML. An unknown key, a wrong type or a name that",
        "is not there is an error that names the nearest one. Paths are seen from the file's own",
        "folder.",
        "",
        "```toml",
        *EXAMPLE.splitlines(),
        "```",
    ]
    for title, kind in TABLES:
        lines += _keys(title, kind, experiment)
    lines += [
        "",
        "## Settings of the runs",
        "",
        "`[set.SECTION]` sets what `[SECTION]` sets in a crawl's own file; see",
        "[settings](settings.md). `[topics.NAME.set.SECTION]` and `set` of a Strategy come after",
        "it.",
        "Sections `url`, `duplicates` and `fetch` can be set for the whole experiment only: they",
        "decide what a page is. A run of the lab departs from a crawl's defaults in these:",
        "",
        *_lab_settings(),
        "",
        "## results.json",
        "",
        "The same experiment gives the same file, bit for bit. What the measures are:",
        "[the lab](../explanation/lab.md).",
    ]
    for title, made, module in (
        ("The file", Results, results),
        ("An entry of runs", Run, results),
        ("An entry of at", Figures, score),
        ("A curve", Curve, score),
        ("An entry of oracle", Course, results),
        ("An entry of robustness", Robustness, results),
        ("A web", WebTold, results),
    ):
        lines += _members(title, made, module)
    lines += ["", "## Experiments with teams", "", *_prose(TeamExperiment)]
    lines += ["```toml", *TEAM_EXAMPLE.splitlines(), "```", ""]
    lines += [
        "`[webs.NAME]` and the settings in `set` are as above. Runs have the Crawlers of a Team in",
        "one process, each on a virtual clock on which every answer takes a second.",
    ]
    for title, kind in TEAM_TABLES:
        lines += _keys(title, kind, team_experiment)
    for title, made, module in (
        ("results.json of teams", TeamResults, team_results),
        ("An entry of a team's runs", TeamRun, team_results),
        ("An entry of a team's at", TeamFigures, team_score),
        ("A team's curve", TeamCurve, team_score),
        ("A web of teams", TeamWeb, team_results),
    ):
        lines += _members(title, made, module)
    return "\n".join(lines) + "\n"


def _keys(title: str, kind: type, module: ModuleType) -> list[str]:
    texts = _texts(module, kind)
    return [
        "",
        f"## {title}",
        "",
        *_prose(kind),
        "| key | kind | default | meaning |",
        "| --- | --- | --- | --- |",
        *(
            f"| `{field.name}` | {KINDS.get(str(field.type), 'tables')} "
            f"| {_default(field)} | {texts[field.name]} |"
            for field in fields(kind)
        ),
    ]


def _members(title: str, made: type, module: ModuleType) -> list[str]:
    texts = _texts(module, made)
    names: tuple[str, ...] = made.__struct_fields__  # type: ignore[attr-defined]
    lines = ["", f"### {title}", "", *_prose(made), "| key | meaning |", "| --- | --- |"]
    return lines + [f"| `{name}` | {texts.get(name, '')} |" for name in names]


def _lab_settings() -> list[str]:
    from shoal.compose.lab import LAB_SETTINGS
    from shoal.config import toml_value

    rows = [
        f"| `{section}.{key}` | `{toml_value(value)}` |"
        for section, keys in LAB_SETTINGS.items()
        for key, value in keys.items()
    ]
    return ["| setting | in the lab |", "| --- | --- |", *rows]


def _prose(kind: type) -> list[str]:
    return [" ".join((kind.__doc__ or "").replace("``", "`").split()), ""]


def _default(field: object) -> str:
    default = getattr(field, "default", MISSING)
    if default is MISSING:
        return "required" if getattr(field, "default_factory", MISSING) is MISSING else "none"
    if default is None or default in ("", ()):
        return "none"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _texts(module: ModuleType, kind: type) -> dict[str, str]:
    """The string below each field of a class."""
    found: dict[str, str] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if not isinstance(node, ast.ClassDef) or node.name != kind.__name__:
            continue
        for item, after in zip(node.body, node.body[1:], strict=False):
            if (
                isinstance(item, ast.AnnAssign)
                and isinstance(item.target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
            ):
                text = " ".join(str(after.value.value).split())
                found[item.target.id] = text.replace("``", "`")
    return found
