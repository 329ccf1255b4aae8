"""`shoal lab`: experiments over frozen webs.

What does the work is imported by each command: scipy takes most of a second to load, which no other
command has to wait for.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    from shoal.lab.run_store import Kept

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
    """Run every strategy of an experiment on every topic and seed set, and compare them."""
    from shoal import compose_lab, lab_pool
    from shoal.lab.experiment_file import read_experiment
    from shoal.lab.page import write_page
    from shoal.lab.results import make_results, write_results
    from shoal.lab.run_store import RunStore
    from shoal.lab.table import TABLE_FILE, table_page

    console = Console(stderr=True)
    wanted = read_experiment(experiment)
    store = RunStore(out)
    store.check()
    place = cache or default_cache()
    with (
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
        ) as progress,
        compose_lab.open_lab(wanted, place, Surveying(progress).tell) as lab,
    ):
        compose_lab.check_cells(lab)
        store.prepare(fresh)
        task = progress.add_task("runs", total=len(lab.plan.cells))
        pace = Pace()

        def tell(kept: Kept, made: bool) -> None:
            pace.add(kept, made)
            progress.update(task, advance=1, description=f"runs ({pace})")

        walks = lab_pool.make_runs(
            wanted, lab, place, store, processes or os.cpu_count() or 1, tell
        )
        results = make_results(lab.plan, walks)
    write_results(results, out)
    write_atomically(out / TABLE_FILE, table_page(results))
    write_page(results, out)
    console.print(
        f"{len(results.runs):,} runs, {pace.made:,} of them made now ({pace}).\n"
        f"Results are in [bold]{escape(str(out))}[/]: results.json, table.md, report.html",
        highlight=False,
        soft_wrap=True,
    )


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
        what = one.problem or (
            f"{one.title} ({one.strategies} strategies, {one.topics} topics, {one.webs} webs)"
        )
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
    from shoal import compose_lab

    frozen = compose_lab.freeze(CrawlDirectory(directory), out)
    Console().print(
        f"{frozen.pages:,} pages ({frozen.relevant:,} relevant) in {frozen.files:,} WARC files.\n"
        f"Try: shoal lab run {escape(str(frozen.experiment))} --out results/",
        highlight=False,
        soft_wrap=True,
    )


class Surveying:
    """Shows how far the first look at each web has come."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def tell(self, web: str, done: int, total: int) -> None:
        if web not in self._tasks:
            self._tasks[web] = self._progress.add_task(f"survey of {web}", total=total)
        if done % 50 == 0 or done == total:
            self._progress.update(self._tasks[web], completed=done)


class Pace:
    """How fast runs were made, on one core."""

    def __init__(self) -> None:
        self.made = 0
        self._pages = 0
        self._seconds = 0.0

    def add(self, kept: Kept, made: bool) -> None:
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
