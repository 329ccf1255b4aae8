"""`shoal crawl` and `shoal demo`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from shoal import config, contact, team_size
from shoal.cli.app import app
from shoal.cli.options import Assignments, ConfigFile, named, read_settings, without_none
from shoal.cli.running import FOR_PROGRAMS, run_and_report
from shoal.directory import CrawlDirectory
from shoal.errors import UsageError
from shoal.seeds import anchored, anchored_store
from shoal.settings import CrawlSettings, TeamSettings
from shoal.strategy.registry import BUILT_IN


@app.command(epilog='Example: `shoal crawl "dengue fever" --seeds seeds.txt --out dengue/`')
def crawl(
    topic: Annotated[
        list[str] | None,
        typer.Argument(
            help="Words that name the topic; or a settings file, as to --config.",
            metavar="TOPIC...",
            show_default=False,
        ),
    ] = None,
    topic_file: Annotated[
        str | None,
        typer.Option("--topic-file", help="A topic file, instead of words.", metavar="FILE"),
    ] = None,
    like: Annotated[
        list[str] | None,
        typer.Option(
            help="A page like those wanted: a file, folder, WARC file, or an address in --web; may "
            "be repeated.",
            metavar="PAGES",
        ),
    ] = None,
    unlike: Annotated[
        list[str] | None,
        typer.Option(help="A page unlike those wanted; may be repeated.", metavar="PAGES"),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="A model that knows the category.", metavar="FILE")
    ] = None,
    category: Annotated[
        str | None, typer.Option(help="The category of --model that is wanted.", metavar="NAME")
    ] = None,
    ontology: Annotated[
        str | None,
        typer.Option(help="An ontology: XTM, LTM, SKOS, OWL or other RDF.", metavar="FILE"),
    ] = None,
    focus: Annotated[
        str | None,
        typer.Option(
            help="The concepts of --ontology that are in focus, by id or label, with commas.",
            metavar="A,B",
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(help="Only pages in this language; may be repeated.", metavar="CODE"),
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
        str | None,
        typer.Option(
            help="Which Link is fetched next; `shoal strategies` explains each. "
            f"Shoal's own are {', '.join(recipe.name for recipe in BUILT_IN)}."
        ),
    ] = None,
    web: Annotated[
        str | None,
        typer.Option(help="Crawl a frozen web (WARC file or folder) instead of the live one."),
    ] = None,
    crawlers: Annotated[
        int | None,
        typer.Option(
            help="How many crawlers share the work, each a process; not given, one or two."
        ),
    ] = None,
    partition: Annotated[
        str | None,
        typer.Option(help=f"Who owns a page: one of {', '.join(config.PARTITIONS)}."),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help=f"What runs the crawlers: one of {', '.join(config.ENGINES)}."),
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
    topic, config_file = _words_or_settings(topic, config_file)
    flags = without_none(
        {
            "crawl": {
                "topic": topic or None,
                "topic_file": topic_file,
                "like": like or None,
                "unlike": unlike or None,
                "model": model,
                "category": category,
                "ontology": ontology,
                "focus": named(focus),
                "languages": language or None,
                "seeds": seeds or None,
                "pages": pages,
                "time_s": config.seconds(time) if time else None,
                "bytes": config.size_bytes(size) if size else None,
                "strategy": strategy,
                "web": web,
            },
            "team": {"crawlers": crawlers, "partition": partition, "engine": engine},
            "politeness": {"delay_s": delay},
            "fetch": {"allow_private": allow_private or None},
            "watch": {"log": log},
        }
    )
    wanted = topic or topic_file or like or model or ontology or language
    goes_on = directory.is_crawl() and not wanted and not seeds
    begun = [config.read_toml(directory.settings_file)] if goes_on else []
    settings = read_settings(config_file, assignments, flags, *begun)
    if not settings.crawl.topic_kinds:
        raise UsageError(
            'no topic: name it in words, as in shoal crawl "dengue fever" --seeds ..., or give '
            "--topic-file, --like, --model and --category, or --ontology"
        )
    if settings.crawl.focus and settings.crawl.ontology is None:
        raise UsageError("--focus names concepts of an ontology: give it with --ontology")
    settings = replace(
        settings,
        crawl=_with_whole_paths(settings.crawl),
        archive=replace(settings.archive, store=anchored_store(settings.archive.store)),
        team=_with_whole_team_paths(settings.team),
    )
    console = Console(stderr=True)
    if directory.is_crawl():
        settings = contact.remembered(settings, directory.settings())
    elif contact.is_wanted(settings):
        if sys.stdin.isatty() and console.is_terminal:
            settings = contact.ask(settings, console, console.input)
        else:
            contact.warn(console)
    settings, said = team_size.decide(settings, directory, len(os.sched_getaffinity(0)))
    if said and settings.watch.log not in FOR_PROGRAMS:
        console.print(said, highlight=False, soft_wrap=True)
    raise SystemExit(run_and_report(settings, directory, console, accept_changes))


def _words_or_settings(
    topic: list[str] | None, config_file: Path | None
) -> tuple[list[str] | None, Path | None]:
    """One argument that is a TOML file is a settings file."""
    if topic is None or not any(Path(word).suffix == ".toml" for word in topic):
        return topic, config_file
    given = Path(topic[0])
    if len(topic) > 1:
        raise UsageError(
            f"{' '.join(topic)}: a settings file stands alone, with the topic in it; words beside "
            "it are given with --set crawl.topic=..."
        )
    if not given.is_file():
        raise UsageError(f"there is no settings file {given}; a topic of that name goes into one")
    if config_file is not None:
        raise UsageError(f"{given} and --config {config_file} are two settings files: give one")
    return None, given


def _with_whole_paths(crawl: CrawlSettings) -> CrawlSettings:
    """With every file that it names made absolute, so that the crawl goes on from any folder."""
    return replace(
        crawl,
        seeds=tuple(map(anchored, crawl.seeds)),
        like=tuple(map(anchored, crawl.like)),
        unlike=tuple(map(anchored, crawl.unlike)),
        web=None if crawl.web is None else anchored(crawl.web),
        topic_file=None if crawl.topic_file is None else anchored(crawl.topic_file),
        model=None if crawl.model is None else anchored(crawl.model),
        ontology=None if crawl.ontology is None else anchored(crawl.ontology),
    )


def _with_whole_team_paths(team: TeamSettings) -> TeamSettings:
    """Beside a model, topics are its categories and no files."""
    if team.model is not None:
        return replace(team, model=anchored(team.model))
    return replace(team, topics=tuple(map(anchored, team.topics)))


@app.command(epilog="Example: `shoal demo --pages 1000`")
def demo(
    out: Annotated[Path, typer.Option(help="Where the crawl is kept.")] = Path("demo-crawl"),
    pages: Annotated[int, typer.Option(help="Stop after this many pages.", min=1)] = 800,
    log: Annotated[str | None, typer.Option(help=f"One of {', '.join(config.LOGS)}.")] = None,
) -> None:
    """Crawl a synthetic web on loopback: some thousands of pages on dozens of hosts, over HTTP."""
    # Imported here: a server and a synthetic web's words are no part of any other command's start.
    from shoal.lab.demo import DEMO_KNOBS, DEMO_TOPIC, demo_settings, demo_shelf
    from shoal.web.serve import running_server

    console = Console(stderr=True)
    with running_server(demo_shelf, delay_max_s=3.0) as address:
        console.print(
            f"A synthetic web of {DEMO_KNOBS.pages:,} pages on {DEMO_KNOBS.hosts} hosts is up at "
            f"{address.url}.\nCrawling it for [bold]{DEMO_TOPIC}[/], of which about one page in "
            "eleven speaks.\n",
            highlight=False,
        )
        settings = read_settings(None, None, demo_settings(address.port, pages, log))
        raise SystemExit(run_and_report(settings, CrawlDirectory(out), console, True))
