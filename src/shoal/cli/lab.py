"""`shoal lab`: experiments over frozen webs.

What does the work is imported by each command: scipy takes most of a second to load, which no other
command has to wait for.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from shoal.atomic import write_atomically
from shoal.cli.app import app
from shoal.cli.options import AsJson, Directory
from shoal.directory import CrawlDirectory
from shoal.strategy import registry

if TYPE_CHECKING:
    from shoal.lab.experiment import Experiment
    from shoal.lab.run_store import Kept, RunStore
    from shoal.lab.team_experiment import TeamExperiment
    from shoal.lab.team_walk import TeamWalk
    from shoal.lab.walked import Walk

lab_app = typer.Typer(help="Compare strategies over frozen webs.", no_args_is_help=True)
app.add_typer(lab_app, name="lab")

Cache = Annotated[
    Path | None,
    typer.Option(
        help="Where surveys of webs are kept between runs.",
        metavar="DIR",
        show_default="~/.cache/shoal",
    ),
]


@lab_app.command(epilog="Example: `shoal lab run experiments/quick.toml --out quick/`")
def run(
    experiment: Annotated[
        Path, typer.Argument(help="An experiment file.", metavar="FILE", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="Where results go; with runs in it, it goes on.")],
    processes: Annotated[
        int | None, typer.Option(help="Runs at a time; one a core if not given.", min=1)
    ] = None,
    cache: Cache = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Make runs again that are there already.")
    ] = False,
) -> None:
    """Run an experiment: every strategy on every topic, or every partition with a team, from every
    seed set, and compare them."""
    from shoal.lab.run_store import RunStore
    from shoal.lab.team_experiment import TeamExperiment
    from shoal.lab.team_experiment_file import read_any_experiment
    from shoal.lab.team_walk import TeamWalk
    from shoal.lab.walked import Walk

    wanted = read_any_experiment(experiment)
    place = cache or default_cache()
    several = processes or os.cpu_count() or 1
    if isinstance(wanted, TeamExperiment):
        _run_partitions(wanted, RunStore(out, TeamWalk), place, several, fresh)
    else:
        _run_strategies(wanted, RunStore(out, Walk), place, several, fresh)


def _run_strategies(
    wanted: Experiment, store: RunStore[Walk], cache: Path, processes: int, fresh: bool
) -> None:
    from shoal import lab_pool
    from shoal.compose.lab import check_cells, open_lab
    from shoal.lab.page import write_page
    from shoal.lab.results import make_results, write_results
    from shoal.lab.table import TABLE_FILE, table_page

    store.check()
    with Showing() as shown, open_lab(wanted, cache, shown.survey) as lab:
        check_cells(lab)
        store.prepare(fresh)
        shown.begin(len(lab.plan.cells))
        walks = lab_pool.make_runs(wanted, lab, cache, store, processes, shown.run)
        results = make_results(lab.plan, walks)
    write_results(results, store.folder)
    write_atomically(store.folder / TABLE_FILE, table_page(results))
    write_page(results, store.folder)
    shown.end(len(results.runs), store.folder)


def _run_partitions(
    wanted: TeamExperiment, store: RunStore[TeamWalk], cache: Path, processes: int, fresh: bool
) -> None:
    from shoal import lab_pool
    from shoal.compose.lab_team import check_team_cells, open_team_lab
    from shoal.lab.table import TABLE_FILE
    from shoal.lab.team_page import write_team_page
    from shoal.lab.team_results import make_team_results, write_team_results
    from shoal.lab.team_table import team_table_page

    store.check()
    with Showing() as shown, open_team_lab(wanted, cache, shown.survey) as lab:
        check_team_cells(lab)
        store.prepare(fresh)
        shown.begin(len(lab.plan.cells))
        walks = lab_pool.make_runs(
            wanted, lab, cache, store, processes, shown.run, lab_pool.PARTITIONS
        )
        results = make_team_results(lab.plan, walks)
    write_team_results(results, store.folder)
    write_atomically(store.folder / TABLE_FILE, team_table_page(results))
    write_team_page(results, store.folder)
    shown.end(len(results.runs), store.folder)


@lab_app.command("list", epilog="Example: `shoal lab list experiments/`")
def list_(
    folder: Annotated[
        Path, typer.Argument(help="A folder of experiment files.", metavar="DIR")
    ] = Path("experiments"),
    as_json: AsJson = False,
) -> None:
    """Which experiments there are, and the strategies that they can name."""
    from shoal.lab.listing import listed

    found = listed(folder)
    if as_json:
        told = {"experiments": found, "strategies": list(registry.names())}
        print(msgspec.json.encode(told, enc_hook=str).decode())
        return
    console = Console()
    for one in found:
        compared = (
            f"{one.partitions} partitions"
            if one.partitions
            else f"{one.strategies} strategies, {one.topics} topics"
        )
        what = one.problem or f"{one.title} ({compared}, {one.webs} webs)"
        style = "red" if one.problem else "dim"
        console.print(f"{escape(str(one.path))}  [{style}]{escape(what)}[/]", highlight=False)
    console.print(f"\nStrategies: {', '.join(registry.names())}", highlight=False)


@lab_app.command(epilog="Example: `shoal lab compare before/ after/`")
def compare(
    first: Annotated[
        Path, typer.Argument(help="What `shoal lab run` wrote.", metavar="A", show_default=False)
    ],
    second: Annotated[
        Path, typer.Argument(help="What it wrote another time.", metavar="B", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Where the runs of two results that are alike in all else came out otherwise."""
    from shoal.lab.compare import differences
    from shoal.lab.results import read_results
    from shoal.lab.table import markdown_table, shown

    found = differences(read_results(first), read_results(second))
    if as_json:
        print(msgspec.json.encode(found).decode())
        return
    rows = [
        [
            one.web,
            one.strategy,
            str(one.runs),
            f"{one.first:.3f}",
            f"{one.second:.3f}",
            shown(one.change, 3),
            f"{one.better} / {one.worse}",
        ]
        for one in found
    ]
    heads = ["web", "strategy", "runs", "A", "B", "B - A", "better / worse"]
    print("Share of the oracle's area, over the runs that both have.\n")
    print("\n".join(markdown_table(heads, rows)))


@lab_app.command(epilog="Example: `shoal lab freeze dengue/ --out dengue-web/`")
def freeze(
    directory: Directory,
    out: Annotated[Path, typer.Option(help="A new folder for the frozen web.")],
) -> None:
    """Make a finished crawl a frozen web, with labels and an experiment to begin with."""
    from shoal.compose.lab import freeze

    frozen = freeze(CrawlDirectory(directory), out)
    Console().print(
        f"{frozen.pages:,} pages ({frozen.relevant:,} relevant) in {frozen.files:,} WARC files.\n"
        f"Try: shoal lab run {escape(str(frozen.experiment))} --out results/",
        highlight=False,
        soft_wrap=True,
    )


class Showing:
    """Shows how far the first look at each web has come, and the runs after it."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._surveys: dict[str, TaskID] = {}
        self._runs: TaskID | None = None
        self._pace = Pace()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def survey(self, web: str, done: int, total: int) -> None:
        if web not in self._surveys:
            self._surveys[web] = self._progress.add_task(f"survey of {web}", total=total)
        if done % 50 == 0 or done == total:
            self._progress.update(self._surveys[web], completed=done)

    def begin(self, runs: int) -> None:
        self._runs = self._progress.add_task("runs", total=runs)

    def run(self, kept: Kept[Any], made: bool) -> None:
        assert self._runs is not None, "runs begin before one is told"
        self._pace.add(kept, made)
        self._progress.update(self._runs, advance=1, description=f"runs ({self._pace})")

    def end(self, runs: int, out: Path) -> None:
        self._console.print(
            f"{runs:,} runs, {self._pace.made:,} of them made now ({self._pace}).\n"
            f"Results are in [bold]{escape(str(out))}[/]: results.json, table.md, report.html",
            highlight=False,
            soft_wrap=True,
        )


class Pace:
    """How fast runs were made, on one core."""

    def __init__(self) -> None:
        self.made = 0
        self._pages = 0
        self._seconds = 0.0

    def add(self, kept: Kept[Any], made: bool) -> None:
        if made:
            self.made += 1
            self._pages += len(kept.walk.pages)
            self._seconds += kept.seconds

    def __str__(self) -> str:
        rate = self._pages / self._seconds if self._seconds else 0.0
        return f"{rate:,.0f} pages a second and core"


def default_cache() -> Path:
    """Where the system wants caches to be."""
    given = os.environ.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "shoal"
