"""`shoal topic`: what a topic file says of pages, and a better one from marks.

What does the work is imported by each command: examples and models load what no other command has
to wait for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from shoal.atomic import write_atomically
from shoal.cli.app import app
from shoal.cli.options import AsJson, Directory
from shoal.directory import CrawlDirectory
from shoal.errors import UsageError

topic_app = typer.Typer(
    help="Topic files and ontologies: what is wanted.",
    no_args_is_help=True,
)
app.add_typer(topic_app, name="topic")

TopicFile = Annotated[
    Path, typer.Argument(help="A topic file (TOML).", metavar="FILE", show_default=False)
]


@topic_app.callback()
def topic() -> None:
    """Topic files and ontologies: what is wanted."""


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


@topic_app.command(epilog="Example: `shoal topic suggest dengue/ --marks marks.tsv`")
def suggest(
    directory: Directory,
    marks: Annotated[
        Path,
        typer.Option(
            help="A line a page of the crawl: its address, a tab, and `relevant` or `not`.",
            metavar="TSV",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where the topic file goes; by default beside the crawl, named after it.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    terms: Annotated[int, typer.Option(help="At most so many new terms.", min=1)] = 10,
    as_json: AsJson = False,
) -> None:
    """Improve a topic by a few marks of yours: new terms, new examples, as a topic file.

    A third of the marks is held out, and says whether the new topic is better than the old one.
    """
    from shoal.cli import topic_shown as shown
    from shoal.topic_suggest import suggest as suggest_topic
    from shoal.topic_toml import to_toml

    crawl = CrawlDirectory(directory)
    crawl.require()
    name = f"{directory.resolve().name}.topic.toml"
    target = out if out is not None else directory.resolve().parent / name
    if target.exists():
        raise UsageError(f"{target} is there already; name another one with --out, or remove it")
    if not target.parent.is_dir():
        raise UsageError(f"--out {target}: there is no folder {target.parent}; make it first")
    found = suggest_topic(crawl, marks, terms)
    write_atomically(target, to_toml(found.spec))
    if as_json:
        print(shown.suggestion_json(found, target))
    else:
        shown.render_suggestion(found, target, Console())
