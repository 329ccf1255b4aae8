"""Which Watchers a crawl gets."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from rich.console import Console

from shoal.events import Event
from shoal.ports import Watcher
from shoal.settings import CrawlSettings, WatchSettings
from shoal.watch.display import DisplayWatcher
from shoal.watch.json_lines import JsonWatcher
from shoal.watch.lines import LineWatcher
from shoal.watch.output import Output
from shoal.watch.tally import NOTHING_BEFORE, Before, Tally


class Watchers:
    """Several as one: each sees every event; all are closed, even where one fails to."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self.watchers = tuple(watchers)

    def see(self, event: Event) -> None:
        for watcher in self.watchers:
            watcher.see(event)

    def close(self) -> None:
        with ExitStack() as stack:
            for watcher in self.watchers:
                stack.callback(watcher.close)


def pick_watchers(
    settings: WatchSettings,
    crawl: CrawlSettings,
    console: Console,
    before: Before = NOTHING_BEFORE,
    wall_s: Callable[[], float] = time.monotonic,
    unix_s: Callable[[], float] = time.time,
) -> Watchers:
    """The Watchers that the settings ask for, writing to ``console``.

    ``before`` is what earlier runs brought. Raises OSError where the metrics port is taken.
    """
    chosen: list[Watcher] = []
    log = settings.log
    if log == "auto":
        shows = console.is_terminal and not console.is_dumb_terminal
        log = "display" if shows else "lines"
    output = Output(console.file)
    if log == "display":
        chosen.append(DisplayWatcher(console, Tally(crawl, before), wall_s))
    elif log == "lines":
        tally = Tally(crawl, before)
        chosen.append(LineWatcher(output, tally, settings.line_every_s, wall_s))
    elif log == "json":
        chosen.append(JsonWatcher(output, unix_s))
    if settings.metrics_port is not None:
        # Here, because loading prometheus_client takes longer than all the rest together.
        from shoal.watch.metrics import MetricsWatcher

        metrics = MetricsWatcher(Tally(crawl, before), settings.metrics_port)
        metrics.start()
        chosen.append(metrics)
    return Watchers(chosen)
