"""``table.md``: the results of an experiment with teams as tables in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from shoal.lab.statistics import Mean, mean_of
from shoal.lab.table import markdown_table, shown
from shoal.lab.team_results import TeamResults, TeamRun
from shoal.lab.team_score import TeamFigures

Take = Callable[[TeamFigures], float | None]


class Column(NamedTuple):
    """A figure of a run."""

    name: str
    take: Take
    digits: int = 2


def at_most(crawlers: int) -> Take:
    """The share of pages that so many crawlers fetched, or fewer."""
    return lambda figures: sum(figures.fetched_by[:crawlers])


COLUMNS: Final = (
    Column("local Links", lambda f: f.local_url),
    Column("local pages", lambda f: f.local_page, 3),
    Column("chance 1/N", lambda f: f.chance_even, 3),
    Column("chance by shares", lambda f: f.chance_squares, 3),
    Column("fetched by one", at_most(1)),
    Column("by one or two", at_most(2)),
    Column("coverage", lambda f: f.coverage),
    Column("overlap", lambda f: f.overlap),
    Column("moved per byte", lambda f: f.plain_per_byte),
    Column("2(N-1)/N", lambda f: 2.0 - 2.0 * f.chance_even),
    Column("sent per byte", lambda f: f.per_byte, 3),
    Column("tau", lambda f: f.tau),
    Column("tau outward", lambda f: f.tau_outward),
)


class Team(NamedTuple):
    """Runs that differ in their seeds and repetitions only."""

    partition: str
    crawlers: int
    claims: bool
    carries: str

    @property
    def shown(self) -> str:
        """All of it in words."""
        claims = "" if self.claims else ", no claims"
        carries = "" if self.carries == "pages" else f", carries {self.carries}"
        return f"{self.partition}, {self.crawlers}{claims}{carries}"


def teams_of(results: TeamResults, web: str) -> dict[Team, list[TeamRun]]:
    """In the order of the experiment."""
    found: dict[Team, list[TeamRun]] = {}
    for run in results.runs:
        if run.web == web:
            team = Team(run.partition, run.crawlers, run.claims, run.carries)
            found.setdefault(team, []).append(run)
    return found


def mean(runs: Sequence[TeamRun], place: int, take: Take) -> Mean | None:
    """Over seed sets and repetitions, at one of the numbers of pages."""
    values = [value for run in runs if (value := take(run.at[place])) is not None]
    return mean_of(values) if values else None


def budget_name(pages: int | None) -> str:
    return "When nothing is left" if pages is None else f"After {pages:,} pages"


def team_table_page(results: TeamResults) -> str:
    lines = [
        f"# {results.title or 'Experiment'}",
        "",
        "Means over seed sets; ± is half the 95 % confidence interval over them.",
        "What each column means: `docs/explanation/collaboration.md`.",
    ]
    for web, told in results.webs.items():
        lines += ["", f"## {web}", "", f"{told.pages:,} pages."]
        for place, pages in enumerate(told.budgets):
            lines += ["", f"### {budget_name(pages)}", "", *_table(results, web, place)]
    return "\n".join(lines) + "\n"


def rows(results: TeamResults, web: str, place: int) -> Iterator[list[str]]:
    """A row a team: its names, then ``COLUMNS``."""
    for team, runs in teams_of(results, web).items():
        cells = [shown(mean(runs, place, one.take), one.digits) for one in COLUMNS]
        claims = "yes" if team.claims else "no"
        yield [team.partition, str(team.crawlers), claims, team.carries, *cells]


HEADS: Final = ("partition", "crawlers", "claims", "carries", *(one.name for one in COLUMNS))


def _table(results: TeamResults, web: str, place: int) -> list[str]:
    return markdown_table(HEADS, list(rows(results, web, place)))
