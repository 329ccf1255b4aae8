"""`shoal record`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

from shoal import recording
from shoal.cli.app import app
from shoal.cli.options import AsJson
from shoal.errors import UsageError
from shoal.training.set_file import save_training_set

SHOWN = 5
"""So many missing addresses are named."""


@app.command(epilog="Example: `shoal record path.txt --web pages.warc.gz --out dengue.training`")
def record(
    path: Annotated[
        Path,
        typer.Argument(
            help="A list of addresses, each with 'relevant' or 'not'; a HAR file; a WARC file; or "
            "a crawl's directory.",
            metavar="PATH",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where the training set is kept.", metavar="SET")],
    web: Annotated[
        str | None,
        typer.Option(
            help="Where the pages are frozen that the path itself does not hold.",
            metavar="WARC_OR_DIR",
        ),
    ] = None,
    relevant: Annotated[
        Path | None,
        typer.Option(
            help="A list of the relevant pages' addresses, for a HAR or WARC file, or in place of "
            "what a crawl judged.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make the training set of a learning strategy out of a browsing path."""
    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: there is no folder {out.parent}; make it first")
    recorded = recording.record_path(path, web, relevant)
    made = recorded.made
    save_training_set(made, out)
    if as_json:
        told = {
            "pages": len(made.pages),
            "relevant": made.relevant,
            "links": made.links,
            "missing": recorded.missing,
            "out": str(out),
        }
        print(msgspec.json.encode(told).decode())
        return
    console = Console()
    console.print(
        f"{len(made.pages):,} pages, {made.relevant:,} of them relevant, with {made.links:,} "
        f"links between them, are in [bold]{escape(str(out))}[/]",
        highlight=False,
        soft_wrap=True,
    )
    if recorded.missing:
        names = ", ".join(recorded.missing[:SHOWN])
        more = " ..." if len(recorded.missing) > SHOWN else ""
        console.print(
            f"{len(recorded.missing):,} visits have no page: {escape(names)}{more}",
            highlight=False,
            soft_wrap=True,
        )
