"""Runs a crawl for a person: the display, Ctrl-C, and what to try next."""

from __future__ import annotations

import gc
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Flag
from types import FrameType

from rich.console import Console
from rich.markup import escape

from shoal import compose
from shoal.crawl.stop import Stop, StopReason
from shoal.directory import CrawlDirectory
from shoal.settings import Settings

INTERRUPTED = 130
"""The exit code of a crawl that Ctrl-C ended, as shells have it."""


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
