"""A line every few seconds, for logs and pipes."""

from __future__ import annotations

import math
from collections.abc import Callable

from shoal import wording
from shoal.events import CrawlerTrouble, Event, HostGivenUp, Started, Stopped, Waiting
from shoal.watch.output import Output
from shoal.watch.tally import Tally


class LineWatcher:
    """Says how it stands every ``every_s`` of real time, and at once what it starts to wait for,
    which host it gives up, and why it stopped.

    Lost hosts get a line each at that same pace; those between are counted.
    """

    def __init__(
        self, output: Output, tally: Tally, every_s: float, wall_s: Callable[[], float]
    ) -> None:
        self._output = output
        self._tally = tally
        self._every_s = every_s
        self._wall_s = wall_s
        self._began_s: float | None = None
        self._due_s = 0.0
        self._waited_for = ""
        self._lost_due_s = 0.0
        self._lost_unsaid = 0

    def see(self, event: Event) -> None:
        now_s = self._wall_s()
        self._tally.see(event)
        if self._began_s is None:
            self._began_s = now_s
            self._due_s = now_s + self._every_s
            self._tally.rates(now_s)
        if isinstance(event, Started):
            self._start(event)
        elif isinstance(event, Waiting):
            self._wait(event, now_s)
        elif isinstance(event, HostGivenUp):
            self._lose(event, now_s)
        elif isinstance(event, CrawlerTrouble):
            self._say(wording.plain(event.why))
        elif isinstance(event, Stopped):
            self._say(self._standing(now_s))
            detail = f": {wording.plain(event.detail)}" if event.detail else ""
            self._say(f"stopped, {event.reason}{detail}")
            return
        if now_s >= self._due_s:
            self._due_s = now_s + self._every_s
            self._say(self._standing(now_s))

    def close(self) -> None:
        self._output.flush()

    def _start(self, event: Started) -> None:
        verb = "resuming" if event.resumed else "crawling for"
        waiting = wording.many(event.standing.waiting + event.standing.later, "Url")
        self._say(f"{verb} {wording.plain(event.topic)}: {waiting} waiting")

    def _wait(self, event: Waiting, now_s: float) -> None:
        # The pauses of every day are shorter than the pace of the lines, and need no line.
        if event.until_s - event.at_s < self._every_s:
            return
        if event.why == self._waited_for and now_s < self._due_s:
            return
        self._waited_for = event.why
        self._say(waiting_words(event))
        self._due_s = now_s + self._every_s

    def _lose(self, event: HostGivenUp, now_s: float) -> None:
        if now_s < self._lost_due_s:
            self._lost_unsaid += 1
            return
        more = f" (and {self._lost_unsaid} other hosts)" if self._lost_unsaid else ""
        self._lost_unsaid = 0
        self._lost_due_s = now_s + self._every_s
        urls = wording.many(event.urls, "Url")
        why = wording.plain(event.why)
        self._say(f"gave up {wording.plain(event.host)}: {why}; {urls}{more}")

    def _standing(self, now_s: float) -> str:
        tally = self._tally
        rates = tally.rates(now_s)
        progress = tally.progress()
        words = [wording.many(tally.pages, "page")]
        if progress is not None:
            words.append(f"{progress.share * 100:.0f} % of {progress.whole}")
        words.append(f"harvest {wording.share(tally.harvest)}")
        if tally.window_pages:
            recent = wording.share(tally.recent_harvest)
            words.append(f"last {tally.window_pages} {recent}")
        words += [
            f"{wording.rate(rates.pages_s)} pages/s",
            f"{wording.size(rates.bytes_s)}/s",
            f"{tally.in_flight} in flight",
            f"{wording.count(tally.standing.waiting)} waiting",
            wording.many(tally.standing.hosts_waiting, "host"),
            wording.many(tally.errors, "error"),
        ]
        return ", ".join(words)

    def _say(self, words: str) -> None:
        now_s = self._wall_s()
        passed_s = now_s - (self._began_s if self._began_s is not None else now_s)
        self._output.line(f"[{times(passed_s, self._tally.clock_s)}] {words}")


def waiting_words(event: Waiting, waited_s: float = 0.0) -> str:
    """How long, until when, and for what it waits."""
    why = wording.plain(event.why)
    if not math.isfinite(event.until_s):
        return f"waiting: {why}"
    left_s = max(0.0, event.until_s - event.at_s - waited_s)
    until = f" until {wording.moment(event.until_s)}" if left_s >= 60 else ""
    return f"waiting {wording.duration(left_s)}{until}: {why}"


def times(passed_s: float, clock_s: float) -> str:
    """Real time, and the crawl's own where it is another."""
    passed = wording.duration(passed_s)
    if abs(clock_s - passed_s) <= max(3.0, 0.05 * passed_s):
        return passed
    return f"{passed}, crawl clock {wording.duration(clock_s)}"
