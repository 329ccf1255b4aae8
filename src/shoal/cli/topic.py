"""`shoal topic`: what a topic file says of pages.

What does the work is imported by each command: examples and models load what no other command has
to wait for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from shoal.cli.app import app
from shoal.cli.options import AsJson

topic_app = typer.Typer(
    help="Topic files: what is wanted, by words, examples, categories and languages.",
    no_args_is_help=True,
)
app.add_typer(topic_app, name="topic")

TopicFile = Annotated[
    Path, typer.Argument(help="A topic file (TOML).", metavar="FILE", show_default=False)
]


@topic_app.callback()
def topic() -> None:
    """Topic files: what is wanted, by words, examples, categories and languages."""


@topic_app.command(epilog="Example: `shoal topic check dengue.toml --page saved.html`")
def check(
    topic_file: TopicFile,
    page: Annotated[
        list[str] | None,
        typer.Option(
            help="A file, folder or WARC file, or an address in --web; may be repeated.",
            metavar="URL_OR_FILE",
        ),
    ] = None,
    web: Annotated[
        str | None,
        typer.Option(help="Where the pages of addresses are frozen.", metavar="WARC_OR_DIR"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Judge pages by a topic file, with the reasons. JSON is one line a page.

    Without a page, only the file and all that it names are checked.
    """
    from shoal import topic_work
    from shoal.cli import topic_shown as shown

    checked = topic_work.check_pages(topic_file, page or (), web)
    if as_json:
        for one in checked:
            print(shown.checked_json(one))
    else:
        shown.render_checked(checked, topic_file, Console())
