"""Runs a crawl for a person: the display, Ctrl-C, and what to try next."""

from __future__ import annotations

import gc
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Flag
from types import FrameType

from rich.console import Console
from rich.markup import escape

from shoal import config
from shoal.compose.crawl import run_crawl
from shoal.compose.reading import seed_stories, watching
from shoal.crawl.stop import Stop, StopReason
from shoal.directory import CrawlDirectory
from shoal.report.why import Story
from shoal.settings import Settings

INTERRUPTED = 130
"""The exit code of a crawl that Ctrl-C ended, as shells have it."""
FOR_PROGRAMS = frozenset({"json", "none"})
"""Logs that no words for people stand in."""
SEEDS_SHOWN = 3
"""Of how many seeds it is told what became of them, where there is no page."""


def run_and_report(
    settings: Settings, directory: CrawlDirectory, console: Console, accept_changes: bool = False
) -> int:
    """Run a crawl under the display that the settings ask for. Returns the exit code."""
    # A crawl makes values by the thousand and no cycles to speak of: looking for cycles as often as
    # Python does by default takes a sixth of its time (benches/peers/compare.py).
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    with _halting() as halt, watching(settings, directory, console) as watchers:
        stop = _run_of(settings)(settings, directory, watchers, halt, accept_changes)
    if settings.watch.log not in FOR_PROGRAMS:
        _say_why_stopped(stop, console)
        barren = seed_stories(directory, SEEDS_SHOWN)
        if barren:
            _say_why_barren(barren, directory.path, console)
        else:
            _say_where(directory.path, console)
    return INTERRUPTED if stop.reason is StopReason.INTERRUPTED else 0


def _say_why_stopped(stop: Stop, console: Console) -> None:
    console.print(
        f"\n[bold]Stopped:[/] {stop.reason.value} ({escape(stop.detail)})", soft_wrap=True
    )


def _say_where(path: Path, console: Console) -> None:
    quoted = shlex.quote(str(path))
    console.print(
        f"Results are in [bold]{escape(str(path))}[/]. Try next:", highlight=False, soft_wrap=True
    )
    for command, what in (
        (f"report {quoted}", "what came of it, and report.html with plots"),
        (f"pages {quoted} --limit 10", "the most relevant pages"),
        (f"export {quoted} --format jsonl --relevant 0.5", "the texts, for other programs"),
    ):
        _say_command(command, what, console)


def _say_why_barren(seeds: Sequence[Story], path: Path, console: Console) -> None:
    """Whoever got no page wants the reason, not the commands that show pages."""
    console.print("[bold]There is no page.[/] What became of the seeds:", highlight=False)
    for seed in seeds:
        console.print(f"  {escape(seed.url)}\n    {escape(seed.answer)}", soft_wrap=True)
    console.print("Try next:", highlight=False)
    first = shlex.join([str(path), seeds[0].url])
    _say_command(f"why {first}", "all that is known of it", console)


def _say_command(command: str, what: str, console: Console) -> None:
    # In a virtual environment that is not entered, the bare name would not be found.
    shoal = "shoal" if shutil.which("shoal") else os.path.relpath(sys.argv[0])
    console.print(
        f"  [cyan]{escape(shoal)} {escape(command)}[/]  [dim]# {what}[/]",
        highlight=False,
        soft_wrap=True,
    )


def _run_of(settings: Settings) -> Callable[..., Stop]:
    if not config.is_team(settings):
        return run_crawl
    # Imported when it is wanted: models are no part of an ordinary crawl's start.
    from shoal.compose.team import run_team

    return run_team


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
