"""The reference of the experiment file and of results, made from the code of the lab."""

from __future__ import annotations

import ast
import inspect
from dataclasses import MISSING, fields
from types import ModuleType

from shoal.lab import experiment, results, score
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

KINDS = {
    "str": "text",
    "str | None": "text",
    "bool": "true or false",
    "int": "whole number",
    "float": "number",
    "tuple[str, ...]": "list of texts",
    "tuple[str, ...] | None": "list of texts",
    "tuple[float, ...]": "list of numbers",
    "tuple[StrategySpec, ...]": "list of names or tables",
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
        lines += ["", f"## {title}", "", *_prose(kind)]
        lines += ["| key | kind | default | meaning |", "| --- | --- | --- | --- |"]
        texts = _texts(experiment, kind)
        for field in fields(kind):
            lines.append(
                f"| `{field.name}` | {KINDS.get(str(field.type), 'tables')} "
                f"| {_default(field)} | {texts[field.name]} |"
            )
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
        texts = _texts(module, made)
        names = made.__struct_fields__
        lines += ["", f"### {title}", "", *_prose(made), "| key | meaning |", "| --- | --- |"]
        lines += [f"| `{name}` | {texts.get(name, '')} |" for name in names]
    return "\n".join(lines) + "\n"


def _lab_settings() -> list[str]:
    from shoal.compose_lab import LAB_SETTINGS
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
