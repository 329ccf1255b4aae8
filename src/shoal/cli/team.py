"""`shoal team`: look at the crawlers of a crawl, and change who they are, also while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from shoal.cli.app import app
from shoal.cli.options import AsJson, Directory, named
from shoal.directory import CrawlDirectory
from shoal.seeds import anchored
from shoal.team.orders import Add, Drain, Move, Order, SplitTopic

team_app = typer.Typer(
    help="Look at the crawlers of a crawl, and change who they are while it runs.",
    no_args_is_help=True,
)
app.add_typer(team_app, name="team")

Name = Annotated[
    str, typer.Argument(help="A crawler of the team.", metavar="NAME", show_default=False)
]
Wait = Annotated[
    float, typer.Option(help="Seconds to wait for a running team to obey.", metavar="SECONDS")
]
WAIT_S = 120.0


@team_app.command(epilog="Example: `shoal team status dengue/`")
def status(directory: Directory, as_json: AsJson = False) -> None:
    """Who is in the team, what each owns and how far it is; of a running crawl or an ended one."""
    # Imported here, as by the other commands: models are no part of any other command's start.
    from shoal.cli.team_shown import render_team, team_json
    from shoal.compose.team_status import team_status

    found = team_status(CrawlDirectory(directory))
    if as_json:
        print(team_json(found))
    else:
        render_team(found, Console())


@team_app.command(epilog="Example: `shoal team add dengue/`")
def add(
    directory: Directory,
    name: Annotated[
        str | None,
        typer.Argument(help="What it is called.", metavar="NAME", show_default=False),
    ] = None,
    category: Annotated[
        str | None,
        typer.Option(
            help="The topics it takes over, with commas, where the team shares by topic.",
            metavar="A,B",
        ),
    ] = None,
    wait: Wait = WAIT_S,
) -> None:
    """One crawler more: it takes its share over from the others."""
    _order(directory, Add(name, tuple(named(category) or ())), wait)


@team_app.command(epilog="Example: `shoal team split dengue/ Medicine --model medicine.model`")
def split(
    directory: Directory,
    topic: Annotated[
        str,
        typer.Argument(help="A topic of the team.", metavar="TOPIC", show_default=False),
    ],
    model: Annotated[
        Path,
        typer.Option(help="A model that tells the parts of the topic apart.", metavar="FILE"),
    ],
    wait: Wait = WAIT_S,
) -> None:
    """A topic becomes several, each with a crawler of its own."""
    from shoal.compose.partition import facts_of_split

    found = facts_of_split(topic, anchored(str(model)))
    order = SplitTopic(topic, found.model, found.trained_at, found.categories)
    _order(directory, order, wait)


@team_app.command(epilog="Example: `shoal team drain dengue/ crawler-2`")
def drain(
    directory: Directory,
    name: Name,
    to: Annotated[
        str | None,
        typer.Option(
            help="Who takes over from it, where the team shares by topic.", metavar="NAME"
        ),
    ] = None,
    wait: Wait = WAIT_S,
) -> None:
    """A crawler leaves: it hands on what waits with it, and ends. Its pages stay where they are."""
    _order(directory, Drain(name, to), wait)


@team_app.command(epilog="Example: `shoal team move dengue/ crawler-2 --to /mnt/disk2/dengue`")
def move(
    directory: Directory,
    name: Name,
    to: Annotated[
        Path,
        typer.Option(
            help="The folder that its own is to lie in, with its state and archive.",
            metavar="FOLDER",
        ),
    ],
    wait: Wait = WAIT_S,
) -> None:
    """A crawler goes to another folder or disk; it owns what it owned."""
    _order(directory, Move(name, str(to.absolute())), wait)


def _order(directory: Path, order: Order, wait_s: float) -> None:
    from shoal.compose.roster import change_team

    console = Console()
    for line in change_team(CrawlDirectory(directory), order, wait_s):
        console.print(f"  {escape(line)}", highlight=False, soft_wrap=True)
