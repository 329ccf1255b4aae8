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
from shoal.report.plots import Axis, Line, curves, figure, table

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_CELL = 24
_NAMES = 190
_TOP = 150


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
        f'<div class="scroll">{heat_map(tested.categories, tested.confusion)}</div>',
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


def heat_map(categories: Sequence[str], confusion: Sequence[Sequence[int]]) -> str:
    """Squares as dark as their share of the row, with the numbers as titles."""
    size = len(categories) * _CELL
    shapes = []
    for row, (name, cells) in enumerate(zip(categories, confusion, strict=True)):
        middle = _TOP + row * _CELL + _CELL * 0.68
        shapes.append(
            f'<text x="{_NAMES - 8}" y="{middle:.0f}" text-anchor="end">{escape(name)}</text>'
        )
        total = sum(cells) or 1
        for column, cell in enumerate(cells):
            said = f"{name} put in {categories[column]}: {wording.many(cell, 'page')}"
            shapes.append(
                f'<rect x="{_NAMES + column * _CELL}" y="{_TOP + row * _CELL}" '
                f'width="{_CELL - 1}" height="{_CELL - 1}" fill="var(--sea)" '
                f'fill-opacity="{0.04 + 0.96 * cell / total:.3f}">'
                f"<title>{escape(said)}</title></rect>"
            )
    for column, name in enumerate(categories):
        x = _NAMES + column * _CELL + _CELL * 0.68
        shapes.append(
            f'<text transform="translate({x:.0f} {_TOP - 8}) rotate(-60)">{escape(name)}</text>'
        )
    wide, high = _NAMES + size + 90, _TOP + size
    return (
        f'<svg viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" role="img" '
        f'aria-label="Confusion matrix of {len(categories)} categories" '
        f'font-size="12" fill="currentColor">{"".join(shapes)}</svg>'
    )


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
