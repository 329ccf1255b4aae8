"""An Ontology around its focus as one HTML file with a drawing.

1. It loads nothing from anywhere, runs no script, and says so in its own content policy.
2. Everything that the ontology says is escaped; nothing in it becomes a link.
3. The file appears whole or not at all. What is left out of the drawing is told on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

from shoal import wording
from shoal.atomic import write_atomically
from shoal.errors import StorageError
from shoal.ontology.focus import Focus, Nearness
from shoal.ontology.model import Ontology, Relation, RelationKind
from shoal.ontology.neighbourhood import Neighbourhood
from shoal.report.graph_layout import Points, place

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_LABEL_MOST: Final = 30
_LETTER: Final = 7.4
_HEIGHT: Final = 26.0
_MARGIN: Final = 40.0
_NAMED_RELATIONS: Final = 30
"""Up to so many other relations, their names stand beside the lines; beyond, names hide names."""
_ROWS: Final = 500
_WIDEST: Final = 2_400.0
_SMALLEST: Final = 0.6
"""How far the drawing may shrink to fit a window; below, it is scrolled."""
_FEW: Final = 150
"""Up to so many concepts can be read at a glance. Of more, the drawing can be seen as a whole or in
its own size, what is in focus stands out by its size, and lines to it by their strength."""
_LARGER: Final = {Nearness.FOCAL: 1.0, Nearness.TAXONOMIC: 0.45, Nearness.OTHER: 0.4}
"""How much of the growth of what is in focus others near it have."""
_GROWTH_MOST: Final = 9.0
_ZOOMS: Final = (("whole", "the whole"), ("half", "half size"), ("full", "full size"))
_SHOWN: Final = {
    Nearness.FOCAL: "in focus",
    Nearness.TAXONOMIC: "a kind of one in focus, or what it is a kind of",
    Nearness.OTHER: "otherwise related to one in focus",
    Nearness.REST: "the rest",
}


@dataclass(frozen=True)
class Drawn:
    """What stands on the page."""

    name: str
    ontology: Ontology
    focus: Focus
    part: Neighbourhood


def write_ontology_page(drawn: Drawn, path: Path) -> None:
    """Raises StorageError."""
    try:
        write_atomically(path, html_page(drawn))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def html_page(drawn: Drawn) -> str:
    """The whole page as text."""
    style = "".join(
        files("shoal.report").joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "ontology_page.css")
    )
    title = escape(wording.plain(drawn.name))
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">',
        f"<title>{title} – ontology</title><style>{style}</style></head><body>",
        f'<header><p class="soft">Ontology</p><h1>{title}</h1>',
        f'<p class="soft">{_summary(drawn)}</p></header><main>',
        f'<p class="why">{_left_out(drawn)}</p>',
        _legend(drawn),
        *_zooms(drawn),
        f'<figure class="card graph{" many" if _is_large(drawn) else ""}">{_svg(drawn)}</figure>',
        "<h2>Weights</h2>",
        _table(drawn),
        "</main><footer>Rest the pointer on a concept for all its labels, on a line for its name."
        "</footer></body></html>\n",
    ]
    return "\n".join(parts)


def _summary(drawn: Drawn) -> str:
    ontology = drawn.ontology
    told = (
        f"{wording.many(len(ontology.concepts), 'concept')}, "
        f"{wording.many(len(ontology.relations), 'relation')}"
    )
    if ontology.languages:
        told += f", labels in {', '.join(ontology.languages)}"
    if ontology.unnamed:
        told += f"; {wording.count(ontology.unnamed)} without a label left out"
    if ontology.imports:
        told += f"; it builds on others ({len(ontology.imports)}), which were not read"
    return escape(told)


def _left_out(drawn: Drawn) -> str:
    focal = [drawn.ontology.concepts[one].name for one in drawn.focus.concepts]
    about = f"In focus: <strong>{escape(wording.plain(', '.join(focal)))}</strong>. "
    if not focal:
        about = "Nothing is in focus: all concepts count the same. "
    shown = len(drawn.part.concepts)
    if not drawn.part.left_out:
        return f"{about}The drawing shows the whole ontology."
    return (
        f"{about}The drawing shows the {wording.count(shown)} nearest concepts; "
        f"{wording.count(drawn.part.left_out)} further ones are left out."
    )


def _legend(drawn: Drawn) -> str:
    keys = [
        f'<span><span class="pill {near}"></span>{_SHOWN[near]}: weight '
        f"{drawn.focus.weights.of(near):g}</span>"
        for near in Nearness
    ]
    if not drawn.focus.concepts:
        keys = ['<span><span class="pill rest"></span>concept: weight 1</span>']
    for kind, text in (
        (RelationKind.TAXONOMIC, "is a kind of (the arrow points to the more general)"),
        (RelationKind.INSTANCE, "is an instance of"),
        (RelationKind.OTHER, "any other relation"),
    ):
        keys.append(
            f'<span><svg class="swatch" viewBox="0 0 40 10" aria-hidden="true">'
            f'<line class="link {kind}" x1="1" y1="5" x2="39" y2="5"/></svg>{text}</span>'
        )
    return f'<div class="legend">{"".join(keys)}</div>'


def _svg(drawn: Drawn) -> str:
    part = drawn.part
    numbers = {concept: number for number, concept in enumerate(part.concepts)}
    labels = [_clipped(drawn.ontology.concepts[one].name) for one in part.concepts]
    growth = [_growth(drawn, one) for one in part.concepts]
    sizes = [
        ((len(label) * _LETTER + 20) * much, _HEIGHT * much)
        for label, much in zip(labels, growth, strict=True)
    ]
    rings = [ring for ring, members in enumerate(part.rings) for _ in members]
    links = [(numbers[one.source], numbers[one.target]) for one in part.relations]
    points = place(rings, sizes, links)
    left, top = (points - [[w / 2, h / 2] for w, h in sizes]).min(axis=0) - _MARGIN
    right, bottom = (points + [[w / 2, h / 2] for w, h in sizes]).max(axis=0) + _MARGIN
    named = sum(one.kind is RelationKind.OTHER for one in part.relations) <= _NAMED_RELATIONS
    focal = frozenset(drawn.focus.concepts if _is_large(drawn) else ())
    lines = [
        _line(one, points, sizes, link, named, bool(focal & {one.source, one.target}))
        for one, link in zip(part.relations, links, strict=True)
    ]
    # What counts most is drawn last, over everything else.
    boxes = [
        _box(drawn, concept, labels[at], points[at, 0], points[at, 1], growth[at])
        for concept, at in sorted(numbers.items(), key=lambda one: (growth[one[1]], one[1]))
    ]
    width, height = right - left, bottom - top
    return (
        f'<svg role="img" aria-label="The concepts and how they are related" '
        f'viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" '
        f'style="min-width:{_least_width(drawn, width):.0f}px;--wide:{width:.0f}px">'
        '<defs><marker id="above" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" '
        'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
        '<path class="head" d="M0 0L10 5L0 10z"/></marker></defs>'
        f"{''.join(lines)}{''.join(boxes)}</svg>"
    )


def _line(
    relation: Relation,
    points: Points,
    sizes: list[tuple[float, float]],
    link: tuple[int, int],
    named: bool,
    near: bool,
) -> str:
    source, target = link
    x1, y1 = points[source]
    x2, y2 = _edge(points[source], points[target], sizes[target])
    arrow = ' marker-end="url(#above)"' if relation.kind is RelationKind.TAXONOMIC else ""
    name = escape(wording.plain(relation.name))
    nearness = " near" if near else ""
    drawn = (
        f'<line class="link {relation.kind}{nearness}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" '
        f'y2="{y2:.1f}"{arrow}><title>{name}</title></line>'
    )
    if relation.kind is RelationKind.OTHER and named:
        drawn += (
            f'<text class="name" x="{(x1 + x2) / 2:.1f}" y="{(y1 + y2) / 2 - 4:.1f}">'
            f"{escape(_clipped(relation.name))}</text>"
        )
    return drawn


def _edge(start: Points, end: Points, size: tuple[float, float]) -> tuple[float, float]:
    """Where a line from ``start`` meets the box around ``end``."""
    dx, dy = start - end
    shares = [
        half / abs(way) for half, way in ((size[0] / 2, dx), (size[1] / 2, dy)) if abs(way) > 0
    ]
    share = min(1.0, *shares) if shares else 0.0
    return float(end[0] + dx * share), float(end[1] + dy * share)


def _box(drawn: Drawn, concept: str, label: str, x: float, y: float, growth: float) -> str:
    nearness = drawn.focus.nearness(concept) if drawn.focus.concepts else Nearness.REST
    labels = dict.fromkeys(one.text for one in drawn.ontology.concepts[concept].labels)
    told = f"{concept}: {', '.join(labels)} – {drawn.focus.weight(concept):g}"
    scale = f" scale({growth:.2f})" if growth > 1 else ""
    focal = drawn.focus.concepts
    place = f' id="focal-{focal.index(concept)}"' if concept in focal else ""
    width = len(label) * _LETTER + 20
    return (
        f'<g class="box {nearness}"{place} transform="translate({x:.1f} {y:.1f}){scale}">'
        f"<title>{escape(wording.plain(told))}</title>"
        f'<rect x="{-width / 2:.1f}" y="{-_HEIGHT / 2:.1f}" width="{width:.1f}" '
        f'height="{_HEIGHT:g}" rx="7"/><text y="4.5">{escape(label)}</text></g>'
    )


def _is_large(drawn: Drawn) -> bool:
    return len(drawn.part.concepts) > _FEW


def _growth(drawn: Drawn, concept: str) -> float:
    """How much larger a concept is drawn, for it to be seen when the whole is looked at."""
    share = _LARGER.get(drawn.focus.nearness(concept), 0.0) if drawn.focus.concepts else 0.0
    most = min(_GROWTH_MOST, (len(drawn.part.concepts) / _FEW) ** 0.5 * 2)
    return max(1.0, share * most) if _is_large(drawn) else 1.0


def _least_width(drawn: Drawn, width: float) -> float:
    return 0.0 if _is_large(drawn) else min(width, _WIDEST) * _SMALLEST


def _zooms(drawn: Drawn) -> Iterator[str]:
    """What a large drawing is looked at through, without a script."""
    if not _is_large(drawn):
        return
    yield '<div class="zoom">'
    for name, text in _ZOOMS:
        checked = " checked" if name == "whole" else ""
        yield (f'<label><input type="radio" name="zoom" value="{name}"{checked}/>{text}</label>')
    for number, concept in enumerate(drawn.focus.concepts):
        name = escape(wording.plain(drawn.ontology.concepts[concept].name))
        yield f'<a href="#focal-{number}">to {name}</a>'
    yield "</div>"


def _table(drawn: Drawn) -> str:
    rows = list(_rows(drawn))
    more = len(drawn.ontology.concepts) - len(rows)
    note = f'<p class="soft">{wording.count(more)} more.</p>' if more > 0 else ""
    return (
        '<div class="card scroll"><table><thead><tr><th>concept</th><th>id</th><th>class</th>'
        f"<th>weight</th></tr></thead><tbody>{''.join(rows)}</tbody></table>{note}</div>"
    )


def _rows(drawn: Drawn) -> Iterator[str]:
    for concept in drawn.part.concepts[:_ROWS]:
        name = drawn.ontology.concepts[concept].name
        near = drawn.focus.nearness(concept) if drawn.focus.concepts else "unfocused"
        cells = (name, concept, near, f"{drawn.focus.weight(concept):g}")
        yield (
            "<tr>"
            + "".join(f"<td>{escape(wording.plain(str(cell)))}</td>" for cell in cells)
            + "</tr>"
        )


def _clipped(text: str) -> str:
    return wording.clip(wording.plain(text), _LABEL_MOST)
