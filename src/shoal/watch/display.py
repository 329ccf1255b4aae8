"""The live display of a crawl on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event as Flag
from threading import Lock, Thread

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from shoal import wording
from shoal.events import Event, Waiting
from shoal.watch.lines import times, waiting_words
from shoal.watch.tally import Found, Rates, Tally

_REFRESH_S = 0.25
_WIDEST = 110
_LABEL = 10


class DisplayWatcher:
    """Redraws itself at most four times a second, from a thread of its own, so that time passes
    on it while the crawl waits. ``see`` only counts. A terminal that has gone away ends the
    display, not the crawl; what failed is in ``failure``."""

    def __init__(self, console: Console, tally: Tally, wall_s: Callable[[], float]) -> None:
        self._console = console
        self._tally = tally
        self._wall_s = wall_s
        self._lock = Lock()
        self._began_s: float | None = None
        self._waiting_from_s = 0.0
        self._live: Live | None = None
        self._thread: Thread | None = None
        self._done = Flag()
        self.failure: str | None = None

    def see(self, event: Event) -> None:
        with self._lock:
            self._tally.see(event)
            if isinstance(event, Waiting):
                self._waiting_from_s = self._wall_s()
        if self._live is None:
            self._guard(self._start)

    def close(self) -> None:
        """Leave the last frame standing. Idempotent."""
        self._done.set()
        if self._thread is not None:
            self._thread.join()
        live, self._live, self._thread = self._live, None, None
        if live is not None:
            self._guard(live.stop)

    def _start(self) -> None:
        self._began_s = self._wall_s()
        self._live = live = Live(
            console=self._console,
            get_renderable=self.frame,
            auto_refresh=False,
            vertical_overflow="crop",
        )
        # A thread of our own, because Live's is not waited for when it is told to end.
        self._done = done = Flag()

        def redraw() -> None:
            while self.failure is None and not done.wait(_REFRESH_S):
                self._guard(live.refresh)

        live.start(refresh=True)
        self._thread = Thread(target=redraw, name="shoal-display", daemon=True)
        self._thread.start()

    def _guard(self, draw: Callable[[], None]) -> None:
        try:
            draw()
        except OSError as error:
            self.failure = str(error)

    def frame(self) -> RenderableType:
        """What the display shows now."""
        wall_s = self._wall_s()
        with self._lock:
            return self._frame(wall_s)

    def _frame(self, wall_s: float) -> RenderableType:
        tally = self._tally
        width = min(self._console.width, _WIDEST)
        began_s = wall_s if self._began_s is None else self._began_s
        rates = tally.rates(wall_s)
        lines: list[RenderableType] = [
            _title(tally, wall_s - began_s, width),
            _budget(tally, width),
            Text(),
            _figures(tally, rates, width),
        ]
        if len(tally.trend) > 1:
            lines.append(_trend(tally, width))
        lines += [
            Text(),
            *(_found(found, tally.settings.relevant_at, width) for found in reversed(tally.latest)),
        ]
        lines.append(_now(tally, wall_s - self._waiting_from_s))
        return Group(*lines)


def _title(tally: Tally, passed_s: float, width: int) -> RenderableType:
    grid = Table.grid(expand=True)
    grid.width = width
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    said = Text(wording.plain(tally.topic), "bold")
    if tally.resumed:
        said.append("  resumed", "dim")
    grid.add_row(said, Text(times(passed_s, tally.clock_s), "dim"))
    return grid


def _budget(tally: Tally, width: int) -> RenderableType:
    progress = tally.progress()
    if progress is None:
        return Text("no limit set: Ctrl-C ends it, the same command goes on", "dim")
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.width = width
    grid.add_column(ratio=1)
    grid.add_column(justify="right", no_wrap=True)
    bar = ProgressBar(
        total=1.0,
        completed=progress.share,
        width=max(10, width - 28),
        complete_style="cyan",
        finished_style="green",
    )
    grid.add_row(bar, Text(f"{progress.share * 100:.0f} % of {progress.whole}"))
    return grid


def _figures(tally: Tally, rates: Rates, width: int) -> RenderableType:
    standing = tally.standing
    rows = [
        [
            ("pages", wording.count(tally.pages)),
            ("relevant", wording.count(tally.relevant)),
            ("harvest", wording.share(tally.harvest)),
            (f"last {max(1, tally.window_pages)}", wording.share(tally.recent_harvest)),
        ],
        [
            ("pages/s", wording.rate(rates.pages_s)),
            ("per second", wording.size(rates.bytes_s)),
            ("received", wording.size(tally.bytes)),
            ("in flight", wording.count(tally.in_flight)),
        ],
        [
            ("waiting", wording.count(standing.waiting + standing.later)),
            ("on hosts", wording.count(standing.hosts_waiting)),
            ("known", wording.count(standing.known)),
            ("errors", wording.count(tally.errors)),
        ],
    ]
    grid = Table.grid(padding=(0, 1, 0, 0))
    for _ in range(4):
        grid.add_column(width=_LABEL, style="dim", no_wrap=True)
        grid.add_column(width=max(7, min(15, width // 4 - _LABEL - 2)), no_wrap=True)
    for row in rows:
        cells = [cell for name, number in row for cell in (Text(name), Text(number, "bold"))]
        grid.add_row(*cells)
    return grid


def _trend(tally: Tally, width: int) -> Text:
    room = max(10, width - _LABEL - 12)
    line = wording.sparkline(tally.trend, room, 1.0)
    return Text.assemble(("trend      ", "dim"), (line, "green"))


def _found(found: Found, relevant_at: float, width: int) -> Text:
    style = "green" if found.relevance >= relevant_at else "dim"
    url = wording.shorten(found.url, width - 7)
    return Text.assemble((f"{found.relevance:.2f}", style), "  ", (url, "dim"))


def _now(tally: Tally, waited_s: float) -> Text:
    if tally.stopped is not None:
        detail = wording.plain(tally.stopped.detail)
        words = f"{tally.stopped.reason}: {detail}" if detail else tally.stopped.reason
        return Text.assemble(("stopped  ", "bold"), words)
    if tally.waiting is not None:
        return Text(waiting_words(tally.waiting, waited_s), "yellow")
    if tally.trouble:
        return Text(wording.plain(tally.trouble), "yellow")
    if tally.given_up or tally.parked:
        parked, lost = wording.count(tally.parked), wording.count(tally.given_up)
        return Text(f"hosts: {parked} parked, {lost} given up", "dim")
    return Text()
