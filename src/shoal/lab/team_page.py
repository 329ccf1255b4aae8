"""``report.html``: the results of an experiment with teams as one page that needs nothing else.

It loads nothing, runs no script, escapes every text, and says so in its own content policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import count, takewhile
from pathlib import Path
from typing import Final, NamedTuple

from shoal import wording
from shoal.atomic import write_atomically
from shoal.lab.page import COLOURS, PAGE_FILE
from shoal.lab.team_results import TeamResults, TeamRun
from shoal.lab.team_score import TeamCurve
from shoal.lab.team_table import HEADS, Team, budget_name, rows, teams_of
from shoal.report.plots import Axis, Line, bars, curves, figure, heat_map, steps, table

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


class Plot(NamedTuple):
    """A figure for each web."""

    title: str
    note: str
    values: Callable[[TeamCurve], Sequence[float | None]]


PLOTS: Final = (
    Plot(
        "Local pages",
        "Share of the classifiable pages that stay with the crawler that fetched them, so far.",
        lambda curve: curve.local_page,
    ),
    Plot(
        "Local Links",
        "Share of the Links on kept pages whose target belongs to the crawler that kept the page.",
        lambda curve: curve.local_url,
    ),
    Plot("Coverage", "Share of the web's pages that was fetched.", lambda curve: curve.coverage),
    Plot("Overlap", "Pages fetched once more, by different pages.", lambda curve: curve.overlap),
)


def write_team_page(results: TeamResults, folder: Path) -> None:
    write_atomically(folder / PAGE_FILE, team_html_page(results))


def team_html_page(results: TeamResults) -> str:
    style = "".join(
        files(room).joinpath(name).read_text(encoding="utf-8")
        for room, name in (("shoal.report", "report.css"), ("shoal.lab", "page.css"))
    )
    title = escape(results.title or "Experiment")
    counts = f"{wording.many(len(results.runs), 'run')}, {wording.many(len(results.webs), 'web')}"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{style}.scroll:has(svg){{max-height:none}}</style>",
        f'</head><body><header><p class="soft">Experiment of the lab</p><h1>{title}</h1>',
        f'<p class="soft">{counts}</p></header><main>',
        *(part for web in results.webs for part in _web(results, web)),
        "</main><footer>Figures are means over seed sets, ± half a 95 % confidence interval. "
        "Curves and pictures show the first seed set.</footer></body></html>\n",
    ]
    return "\n".join(parts)


def _web(results: TeamResults, web: str) -> Iterator[str]:
    told = results.webs[web]
    firsts = {team: runs[0] for team, runs in teams_of(results, web).items()}
    yield f'<h2>{escape(web)}</h2><p class="soft">{told.pages:,} pages.</p>'
    tables = "".join(
        table(budget_name(pages), HEADS, list(rows(results, web, place)))
        for place, pages in enumerate(told.budgets)
    )
    yield f'<section class="card">{tables}</section>'
    plots = "".join(_plot(plot, firsts) for plot in PLOTS)
    yield f'<div class="pair" style="margin-top:1rem">{plots}</div>'
    yield "<h3 class='apart'>Who fetched for whom</h3>"
    yield "".join(_matrix(team, run) for team, run in firsts.items())
    repeated = "".join(_histogram(team, run) for team, run in firsts.items() if not team.claims)
    if repeated:
        yield "<h3 class='apart'>How many crawlers fetched a page</h3>"
        yield f'<div class="pair">{repeated}</div>'


def _plot(plot: Plot, runs: dict[Team, TeamRun]) -> str:
    lines, numbers = [], []
    for place, (team, run) in enumerate(runs.items()):
        points = [
            (float(pages), value)
            for pages, value in zip(run.curve.fetched, plot.values(run.curve), strict=True)
            if value is not None
        ]
        style = f"c{place % COLOURS}" + (" dashed" if place >= COLOURS else "")
        lines.append(Line(team.shown, style, points))
        numbers += [(team.shown, f"{x:,.0f}", f"{y:.3f}") for x, y in points[9::10]]
    right = max((x for line in lines for x, _ in line.points), default=1.0)
    ticks = steps(max((y for line in lines for _, y in line.points), default=1.0))
    x = Axis(
        right,
        [(tick, f"{tick:,.0f}") for tick in steps(right, 5) if tick <= right],
        "pages fetched",
    )
    y = Axis(ticks[-1], [(tick, f"{tick:g}") for tick in ticks], plot.title)
    drawn = curves(f"{plot.title} of {len(lines)} teams over the pages fetched.", lines, x, y)
    heads = ("team", "pages fetched", plot.title.lower())
    return figure(plot.title, plot.note, drawn, table(plot.title, heads, numbers))


def _matrix(team: Team, run: TeamRun) -> str:
    """As appendices A to C of the C4 thesis have it, as a picture."""

    def said(name: str, owner: str, cell: int) -> str:
        return f"{name} fetched {wording.many(cell, 'page')} that belong to {owner}"

    drawn = heat_map(
        f"Who fetched for whom among {team.crawlers} crawlers",
        run.names,
        run.at[-1].matrix,
        said,
        corner="fetched by ↓  belongs to →",
    )
    numbers = table(
        team.shown,
        ("fetched by", *run.names),
        [
            (name, *(f"{cell:,}" for cell in row))
            for name, row in zip(run.names, run.at[-1].matrix, strict=True)
        ],
    )
    note = "A row a crawler that fetched, a column an owner; the darker, the more of the row."
    return figure(team.shown, note, f'<div class="scroll">{drawn}</div>', numbers)


def _histogram(team: Team, run: TeamRun) -> str:
    shares = run.fetched_by
    last = max((place for place, share in enumerate(shares) if share), default=0)
    told = takewhile(lambda pair: pair[0] <= last + 1, zip(count(1), shares, strict=False))
    return '<section class="card">{}</section>'.format(
        bars(
            team.shown,
            ("crawlers", "share of pages"),
            [(str(crawlers), share, wording.share(share)) for crawlers, share in told],
        )
    )
