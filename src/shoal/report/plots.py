"""Plots as inline SVG with labels in HTML, so that they stretch while their words do not.

Every function returns markup in which each text is escaped. Colours come from the page's own
style sheet, so one plot serves the dark and the light theme.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from math import ceil, floor, log10

_WIDE = 1000.0
_HIGH = 300.0
_CELL = 24
_NAMES = 190
_TOP = 150
_LEAST_TOLD = 0.01
_DARK = 0.55
"""A square of a heat map, and the room for names left of it and above."""


@dataclass(frozen=True, slots=True)
class Line:
    """One curve: its name, its style class, and its points."""

    name: str
    style: str
    points: Sequence[tuple[float, float]]
    filled: bool = False
    stepped: bool = False
    band: Sequence[tuple[float, float, float]] = ()
    """How sure the curve is: (x, lowest, highest)."""


@dataclass(frozen=True, slots=True)
class Axis:
    """From nought to ``top``; the ticks are (value, label)."""

    top: float
    ticks: Sequence[tuple[float, str]]
    label: str


def steps(top: float, wanted: int = 4) -> list[float]:
    """Round values from nought to the first one that is not below ``top``."""
    if top <= 0:
        return [0.0, 1.0]
    raw = top / wanted
    power = 10.0 ** floor(log10(raw))
    width = next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= raw * 0.999)
    return [i * width for i in range(ceil(top / width * 0.999) + 1)]


def figure(title: str, description: str, plot: str, table: str) -> str:
    """A plot with its heading, and the same numbers as a table behind a disclosure."""
    note = f"<p>{escape(description)}</p>" if description else ""
    return (
        f'<figure class="card"><figcaption><h3>{escape(title)}</h3>{note}</figcaption>{plot}'
        f"<details><summary>The numbers</summary>{table}</details></figure>"
    )


def curves(alternative: str, lines: Sequence[Line], x: Axis, y: Axis) -> str:
    """Lines over a grid. ``alternative`` says in words what the plot shows."""
    shapes = [_band(line, x.top, y.top) for line in lines if line.band]
    for line in lines:
        path = _path(line, x.top, y.top)
        if line.filled:
            first, last = line.points[0][0], line.points[-1][0]
            closed = f"{path}L{_x(last, x.top)} {_HIGH:g}L{_x(first, x.top)} {_HIGH:g}Z"
            shapes.append(f'<path class="fill {line.style}" d="{closed}"/>')
        shapes.append(f'<path class="line {line.style}" d="{path}"/>')
    legend = ""
    if len(lines) > 1:
        entries = "".join(
            f'<span><i class="key {line.style}"></i>{escape(line.name)}</span>' for line in lines
        )
        legend = f'<div class="legend">{entries}</div>'
    return legend + _frame(alternative, "".join(shapes), x, y)


def columns(
    alternative: str, heights: Sequence[float], styles: Sequence[str], x: Axis, y: Axis
) -> str:
    """A histogram: one column a height, each with its own style class."""
    width = _WIDE / max(1, len(heights))
    shapes = "".join(
        f'<rect class="{style}" x="{i * width + width * 0.06:.1f}" width="{width * 0.88:.1f}" '
        f'y="{_y(height, y.top)}" height="{_HIGH - float(_y(height, y.top)):.1f}"/>'
        for i, (height, style) in enumerate(zip(heights, styles, strict=True))
    )
    return _frame(alternative, shapes, x, y)


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain table of texts; the first column names its row."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{escape(cell)}</th>' if place == 0 else f"<td>{escape(cell)}</td>"
            for place, cell in zip(count(), row, strict=False)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table class="numbers"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def bars(caption: str, heads: tuple[str, str], rows: Sequence[tuple[str, float, str]]) -> str:
    """A table of (name, amount, amount as text) with a bar in each row."""
    top = max((amount for _, amount, _ in rows), default=0.0) or 1.0
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td>'
        f'<td class="bar" aria-hidden="true"><i style="width:{amount / top * 100:.1f}%"></i></td>'
        "</tr>"
        for name, amount, text in rows
    )
    return (
        f'<table class="bars"><caption>{escape(caption)}</caption><thead class="hidden"><tr>'
        f'<th scope="col">{escape(heads[0])}</th><th scope="col">{escape(heads[1])}</th>'
        f"<td></td></tr></thead><tbody>{body}</tbody></table>"
    )


def heat_map(
    alternative: str,
    names: Sequence[str],
    rows: Sequence[Sequence[int]],
    said: Callable[[str, str, int], str],
    *,
    title: str = "",
    corner: str = "",
) -> str:
    """Squares as dark as their share of the row, with the share in per cent from one up. ``said``
    puts one into words, by the names of its row and column and its number. ``title`` stands above,
    ``corner`` where rows and columns meet: what they are."""
    size = len(names) * _CELL
    shapes = []
    for row, (name, cells) in enumerate(zip(names, rows, strict=True)):
        middle = _TOP + row * _CELL + _CELL * 0.68
        shapes.append(
            f'<text x="{_NAMES - 8}" y="{middle:.0f}" text-anchor="end">{escape(name)}</text>'
        )
        total = sum(cells) or 1
        for column, cell in enumerate(cells):
            words = said(name, names[column], cell)
            shapes.append(
                f'<rect x="{_NAMES + column * _CELL}" y="{_TOP + row * _CELL}" '
                f'width="{_CELL - 1}" height="{_CELL - 1}" fill="var(--sea)" '
                f'fill-opacity="{0.04 + 0.96 * cell / total:.3f}">'
                f"<title>{escape(words)}</title></rect>"
            )
            share = cell / total
            if share >= _LEAST_TOLD:
                x = _NAMES + column * _CELL + _CELL / 2
                ink = ' fill="#fff"' if share >= _DARK else ""
                shapes.append(
                    f'<text x="{x:.0f}" y="{middle - 1:.0f}" text-anchor="middle" font-size="9"'
                    f'{ink} pointer-events="none">{100 * share:.0f}</text>'
                )
    for column, name in enumerate(names):
        x = _NAMES + column * _CELL + _CELL * 0.68
        shapes.append(
            f'<text transform="translate({x:.0f} {_TOP - 8}) rotate(-60)">{escape(name)}</text>'
        )
    if title:
        shapes.append(f'<text x="8" y="20" font-size="14" font-weight="600">{escape(title)}</text>')
    if corner:
        shapes.append(
            f'<text x="{_NAMES - 8}" y="{_TOP - 10}" text-anchor="end" font-size="11">'
            f"{escape(corner)}</text>"
        )
    wide, high = _NAMES + size + 90, _TOP + size
    return (
        f'<svg viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" role="img" '
        f'aria-label="{escape(alternative)}" '
        f'font-size="12" fill="currentColor">{"".join(shapes)}</svg>'
    )


def _frame(alternative: str, shapes: str, x: Axis, y: Axis) -> str:
    grid = "".join(
        f'<path class="grid" d="M0 {_y(value, y.top)}H{_WIDE:g}"/>' for value, _ in y.ticks
    )
    y_labels = "".join(
        f'<span style="bottom:{_percent(value, y.top)}">{escape(text)}</span>'
        for value, text in y.ticks
    )
    x_labels = "".join(
        f'<span style="left:{_percent(value, x.top)}">{escape(text)}</span>'
        for value, text in x.ticks
    )
    return (
        f'<div class="plot"><div class="y" aria-hidden="true">{y_labels}</div>'
        f'<svg viewBox="0 0 {_WIDE:g} {_HIGH:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(alternative)}"><title>{escape(alternative)}</title>{grid}{shapes}'
        f'</svg><div class="x" aria-hidden="true">{x_labels}</div>'
        f'<div class="unit" aria-hidden="true">{escape(x.label)}</div></div>'
    )


def _path(line: Line, x_top: float, y_top: float) -> str:
    parts: list[str] = []
    for x, y in line.points:
        place = f"{_x(x, x_top)} {_y(y, y_top)}"
        if not parts:
            parts.append("M" + place)
        elif line.stepped:
            parts.append(f"H{_x(x, x_top)}V{_y(y, y_top)}")
        else:
            parts.append("L" + place)
    return "".join(parts)


def _band(line: Line, x_top: float, y_top: float) -> str:
    above = [f"{_x(x, x_top)} {_y(high, y_top)}" for x, _, high in line.band]
    below = [f"{_x(x, x_top)} {_y(low, y_top)}" for x, low, _ in reversed(line.band)]
    return f'<path class="band {line.style}" d="M{"L".join(above + below)}Z"/>'


def _x(value: float, top: float) -> str:
    return f"{value / top * _WIDE:.1f}" if top else "0"


def _y(value: float, top: float) -> str:
    return f"{_HIGH - value / top * _HIGH:.1f}" if top else f"{_HIGH:g}"


def _percent(value: float, top: float) -> str:
    return f"{value / top * 100:.2f}%" if top else "0%"
