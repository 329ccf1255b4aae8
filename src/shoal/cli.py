"""The command line: arguments in, one call, an exit code out."""

from __future__ import annotations

import gc
import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event as Flag
from types import FrameType
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from shoal import compose, config, contact
from shoal.crawl.stop import Stop, StopReason
from shoal.directory import CrawlDirectory
from shoal.errors import ShoalError, UsageError
from shoal.report.export import Format, render_exported
from shoal.report.export import export as write_export
from shoal.report.html import write_html
from shoal.report.pages import Sort, list_pages, pages_json, render_pages
from shoal.report.rows import Selection
from shoal.report.summary import report_json, summarise
from shoal.report.terminal import render_report
from shoal.report.why import explain, story_json
from shoal.report.why_terminal import render_story
from shoal.seeds import anchored
from shoal.settings import Settings
from shoal.url import BadUrl, Url
from shoal.web.serve import Address, running_server, serve_shelf

INTERRUPTED = 130
"""The exit code of a crawl that Ctrl-C ended, as shells have it."""

app = typer.Typer(
    name="shoal",
    help="Gathers the part of the web that is about a topic.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
config_app = typer.Typer(help="Show and check settings.", no_args_is_help=True)
app.add_typer(config_app, name="config")

Directory = Annotated[
    Path, typer.Argument(help="What `shoal crawl --out` wrote.", metavar="DIR", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="A TOML file with settings.", metavar="FILE")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any setting; may be repeated.", metavar="KEY=VALUE"),
]


def main() -> None:
    """The entry point: an error that the user can mend is one message, not a traceback."""
    try:
        app()
    except ShoalError as error:
        console = Console(stderr=True)
        console.print(f"[bold red]shoal:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise SystemExit(error.exit_code) from None
    except BrokenPipeError:
        # Whoever read our output has seen enough, as `| head` does; nothing more can be flushed.
        sys.stdout = None
        raise SystemExit(0) from None


# --------------------------------------------------------------------------- crawl


@app.command(epilog='Example: `shoal crawl "dengue fever" --seeds seeds.txt --out dengue/`')
def crawl(
    topic: Annotated[
        list[str] | None,
        typer.Argument(help="Words that name the topic.", metavar="TOPIC...", show_default=False),
    ] = None,
    seeds: Annotated[
        list[str] | None,
        typer.Option(help="An address, or a file with one a line; may be repeated."),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Where the crawl is kept; with a crawl in it, it goes on.")
    ] = Path("crawl"),
    pages: Annotated[int | None, typer.Option(help="Stop after this many pages.")] = None,
    time: Annotated[str | None, typer.Option(help="Stop after this long: 90s, 15m, 2h.")] = None,
    size: Annotated[
        str | None, typer.Option("--bytes", help="Stop after this much: 500M, 5G.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help=f"One of {', '.join(config.STRATEGIES)}.")
    ] = None,
    web: Annotated[
        str | None,
        typer.Option(help="Crawl a frozen web (WARC file or folder) instead of the live one."),
    ] = None,
    delay: Annotated[
        float | None, typer.Option(help="Seconds between two requests to one host.")
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Allow private and loopback addresses.")
    ] = False,
    log: Annotated[str | None, typer.Option(help=f"One of {', '.join(config.LOGS)}.")] = None,
    accept_changes: Annotated[
        bool, typer.Option("--accept-changes", help="Go on with other settings than before.")
    ] = False,
    config_file: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Crawl the part of the web that is about a topic. The same command again goes on.

    `shoal crawl --out DIR` alone goes on with the crawl in DIR as it was begun.
    """
    directory = CrawlDirectory(out)
    flags = _without_none(
        {
            "crawl": {
                "topic": topic or None,
                "seeds": seeds or None,
                "pages": pages,
                "time_s": config.seconds(time) if time else None,
                "bytes": config.size_bytes(size) if size else None,
                "strategy": strategy,
                "web": web,
            },
            "politeness": {"delay_s": delay},
            "fetch": {"allow_private": allow_private or None},
            "watch": {"log": log},
        }
    )
    goes_on = directory.is_crawl() and not topic and not seeds
    begun = [config.read_toml(directory.settings_file)] if goes_on else []
    settings = _settings(config_file, assignments, flags, *begun)
    if not settings.crawl.topic:
        raise UsageError('no topic: name it in words, as in shoal crawl "dengue fever" --seeds ...')
    given = settings.crawl
    web = anchored(given.web) if given.web is not None else None
    seeds_anchored = tuple(anchored(text) for text in given.seeds)
    settings = replace(settings, crawl=replace(given, seeds=seeds_anchored, web=web))
    console = Console(stderr=True)
    if directory.is_crawl():
        settings = contact.remembered(settings, directory.settings())
    elif contact.is_wanted(settings):
        if sys.stdin.isatty() and console.is_terminal:
            settings = contact.ask(settings, console, console.input)
        else:
            contact.warn(console)
    raise SystemExit(run_and_report(settings, directory, console, accept_changes))


def run_and_report(
    settings: Settings, directory: CrawlDirectory, console: Console, accept_changes: bool = False
) -> int:
    """Run a crawl under the display that the settings ask for. Returns the exit code."""
    # A crawl makes values by the thousand and no cycles to speak of: looking for cycles as often as
    # Python does by default takes a sixth of its time (benches/peers/compare.py).
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    with _halting() as halt, compose.watching(settings, directory, console) as watchers:
        stop = compose.run_crawl(settings, directory, watchers, halt, accept_changes)
    if settings.watch.log != "none":
        _say_where(stop, directory.path, console)
    return INTERRUPTED if stop.reason is StopReason.INTERRUPTED else 0


def _say_where(stop: Stop, path: Path, console: Console) -> None:
    console.print(
        f"\n[bold]Stopped:[/] {stop.reason.value} ({escape(stop.detail)})", soft_wrap=True
    )
    quoted = shlex.quote(str(path))
    # In a virtual environment that is not entered, the bare name would not be found.
    shoal = "shoal" if shutil.which("shoal") else os.path.relpath(sys.argv[0])
    console.print(
        f"Results are in [bold]{escape(str(path))}[/]. Try next:", highlight=False, soft_wrap=True
    )
    for command, what in (
        (f"{shoal} report {quoted}", "what came of it, and report.html with plots"),
        (f"{shoal} pages {quoted} --limit 10", "the most relevant pages"),
        (f"{shoal} export {quoted} --format jsonl --relevant 0.5", "the texts, for other programs"),
    ):
        console.print(
            f"  [cyan]{escape(command)}[/]  [dim]# {what}[/]", highlight=False, soft_wrap=True
        )


@contextmanager
def _halting() -> Iterator[Flag]:
    """A flag that Ctrl-C or a polite kill sets; a second one ends at once."""
    halt = Flag()

    def set_flag(number: int, frame: FrameType | None) -> None:
        del frame
        if halt.is_set():
            raise SystemExit(128 + number)
        halt.set()

    before = {number: signal.signal(number, set_flag) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield halt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _without_none(given: dict[str, dict[str, Any]]) -> config.Layer:
    return {
        section: {key: value for key, value in keys.items() if value is not None}
        for section, keys in given.items()
    }


def _settings(
    config_file: Path | None,
    assignments: list[str] | None,
    flags: config.Layer,
    *begun: config.Layer,
) -> Settings:
    layers = [*begun]
    if config_file is not None:
        layers.append(config.read_toml(config_file))
    layers += [config.environment_layer(), config.read_assignments(assignments or []), flags]
    return config.check(config.merge(layers))


# --------------------------------------------------------------------------- reading a crawl


@app.command(epilog="Example: `shoal report dengue/`")
def report(directory: Directory, as_json: AsJson = False) -> None:
    """What came of a crawl, and why it stopped. Also writes report.html, with plots."""
    place = CrawlDirectory(directory)
    with compose.open_ledger(place) as ledger:
        found = summarise(ledger, place.settings().crawl.relevant_at)
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
    with compose.open_ledger(place) as ledger:
        witness = compose.witness_of(place, ledger)
        story = explain(ledger, _url(url, witness.parse), witness)
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
    with compose.open_ledger(CrawlDirectory(directory)) as ledger:
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
    """Write pages and their texts for other programs: parquet, jsonl, csv, warc, txt."""
    place = CrawlDirectory(directory)
    place.require()
    name = f"{directory.resolve().name}{to.suffix or '-texts'}"
    target = out if out is not None else directory.resolve().parent / name
    console = Console(stderr=True)
    with compose.open_ledger(place) as ledger, Progress(console=console, transient=True) as shown:
        task = shown.add_task("pages", total=None)
        done = write_export(
            ledger,
            compose.export_source(place),
            to,
            target,
            Selection(relevant, unique),
            lambda count: shown.update(task, completed=count),
        )
    render_exported(done, Console())


# --------------------------------------------------------------------------- frozen webs


@app.command("serve-frozen", epilog="Example: `shoal serve-frozen wiki.warc.gz --port 8080`")
def serve_frozen(
    web: Annotated[
        str, typer.Argument(help="A WARC file, a folder, or a crawl.", metavar="WARC_OR_DIR")
    ],
    port: Annotated[
        int, typer.Option(help="Loopback port; 0 is any free one.", min=0, max=65_535)
    ] = 8080,
    delay_max: Annotated[
        float,
        typer.Option(help="Answer as slowly as the pages once came, up to this many seconds."),
    ] = 0.0,
) -> None:
    """Serve a frozen web over HTTP, as a proxy, so that any client can crawl it."""
    console = Console(stderr=True)

    def say(address: Address) -> None:
        console.print(
            f"Serving {escape(web)} as an HTTP proxy at [bold]{address.url}[/]; Ctrl-C ends it.\n"
            f"[dim]Try: curl -x {address.url} http://HOST/ (with a host that is in it)[/]",
            highlight=False,
        )

    with closing(compose.open_web(web)) as shelf:
        try:
            serve_shelf(shelf, port=port, delay_max_s=delay_max, on_ready=say)
        except OSError as error:
            raise UsageError(
                f"cannot listen on port {port}: {error.strerror}; give another one to --port"
            ) from error


@app.command(epilog="Example: `shoal demo --pages 1000`")
def demo(
    out: Annotated[Path, typer.Option(help="Where the crawl is kept.")] = Path("demo-crawl"),
    pages: Annotated[int, typer.Option(help="Stop after this many pages.", min=1)] = 800,
    log: Annotated[str | None, typer.Option(help=f"One of {', '.join(config.LOGS)}.")] = None,
) -> None:
    """Crawl a synthetic web on loopback: some thousands of pages on dozens of hosts, over HTTP."""
    # Imported here: a synthetic web's vocabularies are no part of any other command's start.
    from shoal.lab.demo import DEMO_KNOBS, DEMO_TOPIC, demo_settings, demo_shelf

    console = Console(stderr=True)
    with running_server(demo_shelf, delay_max_s=3.0) as address:
        console.print(
            f"A synthetic web of {DEMO_KNOBS.pages:,} pages on {DEMO_KNOBS.hosts} hosts is up at "
            f"{address.url}.\nCrawling it for [bold]{DEMO_TOPIC}[/], of which about one page in "
            "eleven speaks.\n",
            highlight=False,
        )
        settings = _settings(None, None, demo_settings(address.port, pages, log))
        raise SystemExit(run_and_report(settings, CrawlDirectory(out), console, True))


# --------------------------------------------------------------------------- settings


@config_app.command("show", epilog="Example: `shoal config show --set politeness.delay_s=2`")
def config_show(
    directory: Annotated[
        Path | None, typer.Argument(help="Of this crawl.", metavar="DIR", show_default=False)
    ] = None,
    config_file: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Print the settings in force, as TOML."""
    begun = [] if directory is None else [config.as_layer(CrawlDirectory(directory).settings())]
    print(config.to_toml(_settings(config_file, assignments, {}, *begun)), end="")


@config_app.command("check", epilog="Example: `shoal config check shoal.toml`")
def config_check(
    file: Annotated[Path, typer.Argument(help="A TOML file with settings.", metavar="FILE")],
) -> None:
    """Say whether a settings file is right, and if not, what is wrong."""
    config.check(config.read_toml(file))
    print(f"{file}: all settings are right")


@config_app.command("schema", epilog="Example: `shoal config schema > shoal.schema.json`")
def config_schema() -> None:
    """Print the JSON Schema of the settings file, for editors."""
    print(msgspec.json.format(msgspec.json.encode(config.schema()), indent=2).decode())


def _url(text: str, parse: Callable[[str], Url]) -> Url:
    bare = "://" not in text and not re.match(r"[a-z]+:(?!\d)", text)
    try:
        return parse(f"https://{text}" if bare else text)
    except BadUrl as error:
        raise UsageError(str(error)) from error
