"""How a model was tested, as one HTML file that needs nothing else: a picture of the confusion
matrix, and of how far its probabilities can be believed.

1. It loads nothing from anywhere, runs no script, and says so in its own content policy.
2. Names of categories are escaped.
3. The file appears whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from shoal import wording
from shoal.errors import StorageError
from shoal.report.plots import Axis, Line, curves, figure, heat_map, table

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True, slots=True)
class Tested:
    """What the picture shows."""

    title: str
    summary: str
    categories: Sequence[str]
    confusion: Sequence[Sequence[int]]
    """A row a category that pages belong to, a column a category that they were put in."""
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    """The measures of the categories as a table of texts."""
    confidences: Sequence[tuple[float, float]]
    """Pairs of mean confidence and share of right answers."""


def write_confusion(tested: Tested, path: Path) -> None:
    """Write the page beside ``path`` first, then put it in its place. Raises StorageError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_text(confusion_page(tested), encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        if draft.exists():
            draft.unlink()


def confusion_page(tested: Tested) -> str:
    style = files("shoal.report").joinpath("report.css").read_text(encoding="utf-8")
    heads = ["category", *tested.categories]
    rows = [
        [name, *map(wording.count, row)]
        for name, row in zip(tested.categories, tested.confusion, strict=True)
    ]
    picture = figure(
        "Confusion matrix",
        "A row a category that pages belong to, a column a category that they were put in. "
        "The darker, the larger the share of the row.",
        f'<div class="scroll">{_picture(tested)}</div>',
        table("Pages", heads, rows),
    )
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(tested.title)}</title>",
        f"<style>{style}.scroll:has(svg){{max-height:none}}</style></head><body>",
        f"<header><h1>{escape(tested.title)}</h1>",
        f'<p class="soft">{escape(tested.summary)}</p></header><main>',
        picture,
        _believed(tested),
        table("By category", tested.heads, tested.rows),
        "</main></body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _picture(tested: Tested) -> str:
    def said(name: str, other: str, cell: int) -> str:
        return f"{name} put in {other}: {wording.many(cell, 'page')}"

    categories = tested.categories
    alternative = f"Confusion matrix of {len(categories)} categories"
    return heat_map(alternative, categories, tested.confusion, said, corner="is ↓  told →")


def _believed(tested: Tested) -> str:
    """Confidence against the share of right answers: on the diagonal, it can be believed."""
    if len(tested.confidences) < 2:
        return ""
    ticks = [(value / 4, f"{value * 25} %") for value in range(5)]
    lines = [
        Line("this model", "sea", list(tested.confidences)),
        Line("as it should be", "sand", [(0.0, 0.0), (1.0, 1.0)]),
    ]
    plot = curves(
        "The share of right answers over the probability that was given",
        lines,
        Axis(1.0, ticks, "probability of the likeliest category"),
        Axis(1.0, ticks, "right"),
    )
    rows = [
        (wording.share(confidence), wording.share(right))
        for confidence, right in tested.confidences
    ]
    return figure("Calibration", "", plot, table("Bins", ("probability", "right"), rows))
