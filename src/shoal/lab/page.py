"""``report.html``: the results of an experiment as one page with plots, which needs nothing else.

It loads nothing, runs no script, escapes every text, and says so in its own content policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from shoal import wording
from shoal.atomic import write_atomically
from shoal.lab.bands import BandPoint, Values, band, value_at
from shoal.lab.results import Results, Run
from shoal.lab.statistics import Mean
from shoal.lab.summary import (
    COLUMNS,
    at,
    mean_over_seeds,
    select,
    strategies_of,
    topics_of,
    webs_of,
)
from shoal.lab.table import shown
from shoal.report.plots import Axis, Line, curves, figure, steps, table

PAGE_FILE = "report.html"
COLOURS = 10
"""Different colours of curves; the next ones are dashed."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_ORACLE = "oracle"


class Plot(NamedTuple):
    """A figure for each web."""

    title: str
    note: str
    values: Values


PLOTS = (
    Plot("Recall", "Share of all relevant pages that was fetched.", lambda c: c.recall),
    Plot("Harvest", "Share of the fetched pages that is relevant.", lambda c: c.harvest),
    Plot(
        "Harvest of the last 500",
        "Share of the last 500 fetched pages that is relevant.",
        lambda c: c.recent_500,
    ),
    Plot(
        "Own harvest",
        "Share of the fetched pages that the crawl's own Topic held relevant.",
        lambda c: c.own_harvest,
    ),
    Plot(
        "Average similarity",
        "Mean over the fetched pages of the largest cosine to a page judged relevant.",
        lambda c: c.average_similarity,
    ),
)


def write_page(results: Results, folder: Path) -> None:
    write_atomically(folder / PAGE_FILE, html_page(results))


def html_page(results: Results) -> str:
    style = "".join(
        files(room).joinpath(name).read_text(encoding="utf-8")
        for room, name in (("shoal.report", "report.css"), ("shoal.lab", "page.css"))
    )
    title = escape(results.title or "Experiment")
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{style}</style></head><body>",
        f'<header><p class="soft">Experiment of the lab</p><h1>{title}</h1>',
        f'<p class="soft">{escape(_counts(results))}</p></header><main>',
        *(_web(results, web) for web in webs_of(results.runs)),
        "</main><footer>Curves are means over topics; their bands, and ± in tables, are 95 % "
        "confidence intervals over seed sets. A page counts as fetched when it brought content: "
        "redirects and errors do not.</footer></body></html>\n",
    ]
    return "\n".join(parts)


def _counts(results: Results) -> str:
    runs = results.runs
    return ", ".join(
        (
            wording.many(len(runs), "run"),
            wording.many(len(strategies_of(runs)), "strategy").replace("strategys", "strategies"),
            wording.many(len(topics_of(runs)), "topic"),
            wording.many(len(webs_of(runs)), "web"),
        )
    )


def _web(results: Results, web: str) -> str:
    told = results.webs[web]
    runs = select(results, web=web)
    plots = "".join(_plot(results, runs, plot, told.budgets[-1]) for plot in PLOTS[1:])
    first = _plot(results, runs, PLOTS[0], told.budgets[-1])
    targets = ", ".join(f"{name} {count:,}" for name, count in told.targets.items())
    topics = topics_of(runs)
    by_topic = "".join(
        _plot(
            results,
            [run for run in runs if run.topic == topic],
            Plot(topic, f"{told.targets[topic]:,} relevant pages.", PLOTS[0].values),
            told.budgets[-1],
        )
        for topic in topics
    )
    return (
        f"<h2>{escape(web)}</h2>"
        f'<p class="soft">{told.pages:,} pages. Relevant: {escape(targets)}.</p>'
        f'<div class="tall">{first}</div><div class="pair" style="margin-top:1rem">{plots}</div>'
        f"<h3 class='apart'>Figures</h3>{_tables(results, web)}"
        + (
            f"<h3 class='apart'>Recall by topic</h3><div class='pair'>{by_topic}</div>"
            if len(topics) > 1
            else ""
        )
    )


def _plot(results: Results, runs: Sequence[Run], plot: Plot, pages: int) -> str:
    names = strategies_of(results.runs)
    lines = []
    rows = []
    for name in strategies_of(runs):
        points = band([run for run in runs if run.strategy == name], plot.values)
        lines.append(_line(name, _style(names.index(name)), points))
        rows += [(name, wording.count(p.pages), shown(p.mean, 3)) for p in points[9::10]]
    oracle = _oracle(results, runs, plot.values)
    if oracle:
        lines.append(_line(_ORACLE, "oracle", oracle))
    top = max((high for line in lines for _, _, high in line.band), default=0.0)
    top = max(top, max((y for line in lines for _, y in line.points), default=0.0))
    ticks = steps(top)
    x = Axis(
        float(pages),
        [(value, wording.count(value)) for value in steps(float(pages), 5) if value <= pages],
        "pages fetched",
    )
    y = Axis(ticks[-1], [(value, f"{value:g}") for value in ticks], plot.title)
    alternative = f"{plot.title} of {len(lines)} strategies over {pages:,} pages fetched."
    numbers = table(plot.title, ("strategy", "pages", plot.title.lower()), rows)
    return figure(plot.title, plot.note, curves(alternative, lines, x, y), numbers)


def _oracle(results: Results, runs: Sequence[Run], values: Values) -> list[BandPoint]:
    """The oracle's curve over the same topics and seeds, as the mean that it is."""
    wanted = {(run.web, run.topic, run.seeds) for run in runs}
    courses = [one.curve for one in results.oracle if (one.web, one.topic, one.seeds) in wanted]
    points = []
    for pages in sorted({pages for curve in courses for pages in curve.fetched}):
        told = [value for curve in courses if (value := value_at(curve, values, pages)) is not None]
        if told:
            points.append(BandPoint(pages, Mean(sum(told) / len(told), None)))
    return points


def _line(name: str, style: str, points: Sequence[BandPoint]) -> Line:
    return Line(
        name,
        style,
        [(p.pages, p.mean.value) for p in points],
        band=[
            (p.pages, max(0.0, p.mean.value - p.mean.half), min(1.0, p.mean.value + p.mean.half))
            for p in points
            if p.mean.half is not None
        ],
    )


def _style(place: int) -> str:
    return f"c{place % COLOURS}" + (" dashed" if place >= COLOURS else "")


def _tables(results: Results, web: str) -> str:
    told = results.webs[web]
    parts = []
    for place, pages in enumerate(told.budgets):
        rows = []
        for name in strategies_of(select(results, web=web)):
            runs = select(results, web=web, strategy=name)
            rows.append([name, *(shown(mean_over_seeds(runs, at(place, c))) for c in COLUMNS)])
        heads = ["strategy", *(column.name for column in COLUMNS)]
        parts.append(table(f"After {pages:,} pages", heads, rows))
    return f'<section class="card">{"".join(parts)}</section>'
