"""Commands that read a crawl, running or not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from shoal.cli.app import app
from shoal.cli.options import AsJson, Directory, read_url
from shoal.compose.reading import export_source, open_ledger, witness_of
from shoal.directory import CrawlDirectory
from shoal.report.export import Format, render_exported
from shoal.report.export import export as write_export
from shoal.report.html import write_html
from shoal.report.importance import LinkOptions
from shoal.report.pages import Sort, list_pages, pages_json, render_pages
from shoal.report.rows import Selection
from shoal.report.summary import report_json, summarise
from shoal.report.terminal import render_report
from shoal.report.why import explain, story_json
from shoal.report.why_terminal import render_story


@app.command(epilog="Example: `shoal report dengue/`")
def report(
    directory: Directory,
    as_json: AsJson = False,
    links: Annotated[
        bool, typer.Option(help="Tell what links make important: PageRank, authorities, hubs.")
    ] = True,
    links_of: Annotated[
        float | None,
        typer.Option(
            help="Only links of pages at least this relevant count; 0 is all pages. Without it, "
            "those of the pages that count as relevant.",
            min=0,
            max=1,
            show_default=False,
        ),
    ] = None,
    iterations: Annotated[
        int, typer.Option(help="Sweeps over all links, at most.", min=1, max=1000)
    ] = LinkOptions().iterations,
    top: Annotated[
        int, typer.Option(help="How many Urls each list by links has.", min=1, max=10_000)
    ] = LinkOptions().top,
    links_max: Annotated[
        int, typer.Option(help="Links that are looked at: 8 bytes of memory each.", min=1)
    ] = LinkOptions().links_max,
) -> None:
    """What came of a crawl, and why it stopped. Also writes report.html, with plots."""
    place = CrawlDirectory(directory)
    with open_ledger(place) as ledger:
        relevant_at = place.settings().crawl.relevant_at
        asked = LinkOptions(
            iterations=iterations,
            top=top,
            relevant_from=relevant_at if links_of is None else links_of,
            links_max=links_max,
        )
        found = summarise(ledger, relevant_at, links=asked if links else None)
    console = Console()
    if as_json:
        print(report_json(found))
    else:
        render_report(found, console)
    # Last, so that the report of a crawl on a medium that takes no writes can be read all the same.
    write_html(found, place.report_file)
    if not as_json:
        console.print(f"\nWith plots: {escape(str(place.report_file))}", highlight=False)


@app.command(epilog="Example: `shoal why dengue/ https://www.who.int/news`")
def why(
    directory: Directory,
    url: Annotated[
        str, typer.Argument(help="The address in question.", metavar="URL", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Why a Url was fetched, or was not: links, priority, rules, attempts, outcome."""
    place = CrawlDirectory(directory)
    with open_ledger(place) as ledger:
        witness = witness_of(place, ledger)
        story = explain(ledger, read_url(url, witness.parse), witness)
    if as_json:
        print(story_json(story))
    else:
        render_story(story, Console())


@app.command(epilog="Example: `shoal pages dengue/ --sort relevance --limit 20`")
def pages(
    directory: Directory,
    sort: Annotated[Sort, typer.Option(help=f"By what: {', '.join(Sort)}.")] = Sort.RELEVANCE,
    limit: Annotated[int, typer.Option(help="How many.", min=1)] = 20,
    as_json: AsJson = False,
) -> None:
    """List the pages of a crawl."""
    with open_ledger(CrawlDirectory(directory)) as ledger:
        rows = list_pages(ledger, sort, limit)
    if as_json:
        print(pages_json(rows))
    else:
        render_pages(rows, Console())


@app.command(epilog="Example: `shoal export dengue/ --format parquet --relevant 0.5 --unique`")
def export(
    directory: Directory,
    to: Annotated[Format, typer.Option("--format", help=f"What to write: {', '.join(Format)}.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where; by default beside the crawl, named after it.", show_default=False
        ),
    ] = None,
    relevant: Annotated[
        float | None, typer.Option(help="Only pages at least this relevant.", min=0, max=1)
    ] = None,
    unique: Annotated[
        bool, typer.Option("--unique", help="Without exact and near duplicates.")
    ] = False,
) -> None:
    """Write pages and their texts for other programs: parquet, jsonl, csv, warc, txt.

    xtm and skos write the ontology that is the crawl's topic, with its relevant pages in it.
    """
    place = CrawlDirectory(directory)
    place.require()
    ontology = None
    if to.needs_ontology:
        # Imported when it is wanted: it loads every kind of topic.
        from shoal.ontology_work import ontology_of

        crawl = place.settings().crawl
        ontology = ontology_of(crawl)
        relevant = crawl.relevant_at if relevant is None else relevant
    name = f"{directory.resolve().name}{to.suffix or '-texts'}"
    target = out if out is not None else directory.resolve().parent / name
    console = Console(stderr=True)
    with open_ledger(place) as ledger, Progress(console=console, transient=True) as shown:
        task = shown.add_task("pages", total=None)
        done = write_export(
            ledger,
            export_source(place),
            to,
            target,
            Selection(relevant, unique),
            lambda count: shown.update(task, completed=count),
            ontology,
        )
    render_exported(done, Console())
