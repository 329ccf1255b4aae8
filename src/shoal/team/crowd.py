"""One stream of events of a whole Team, whoever of it they come from."""

from __future__ import annotations

from collections.abc import Sequence

from shoal import events
from shoal.crawl.stop import StopReason
from shoal.model import Standing
from shoal.ports import Watcher


class Crowd:
    """Makes one stream of the Crawlers' events: they begin once, end once, stand together, and wait
    when all do who have anything left."""

    def __init__(self, watcher: Watcher, names: Sequence[str]) -> None:
        self._watcher = watcher
        self._names = set(names)
        self._standings: dict[str, Standing] = {}
        self._pages = dict.fromkeys(names, 0)
        self._in_flight = dict.fromkeys(names, 0)
        self._begun: set[str] = set()
        self._told_begun = False
        self._ended: set[str] = set()
        self._idle: set[str] = set()
        self._waiting: dict[str, events.Waiting] = {}
        self._announced: events.Waiting | None = None
        self.clock_s = 0.0
        """The latest moment that any Crawler has told of."""

    def regroup(self, names: Sequence[str]) -> None:
        """All have ended, and others begin: what was done so far still counts."""
        self._names = set(names)
        self._ended.clear()
        self._idle.clear()
        self._waiting.clear()
        self._pages = dict.fromkeys(names, 0) | self._pages
        self._in_flight = dict.fromkeys(self._pages, 0)

    def see(self, name: str, seen: Sequence[events.Event], *, idle: bool = False) -> None:
        """``idle``: that Crawler has nothing left."""
        for event in seen:
            if isinstance(event, events.Waiting):
                self._waiting[name] = event
            elif isinstance(event, events.Settled):
                self._waiting.pop(name, None)
            self.clock_s = max(self.clock_s, event.at_s)
            together = self._together(name, event)
            if together is not None:
                self._watcher.see(together)
        if idle:
            self._idle.add(name)
            self._waiting.pop(name, None)
        else:
            self._idle.discard(name)
        if self._waiting and self._names <= self._idle | self._waiting.keys():
            first = min(self._waiting.values(), key=lambda waiting: waiting.until_s)
            if first != self._announced:
                self._announced = first
                self._watcher.see(first)

    def late(self, name: str, silent_s: float) -> None:
        why = f"the crawler {name} has said nothing for {silent_s:.0f} s"
        self._watcher.see(events.CrawlerTrouble(self.clock_s, name, why))

    def lost(self, name: str, why: str) -> None:
        why = f"the crawler {name} is started again: {why}"
        self._watcher.see(events.CrawlerTrouble(self.clock_s, name, why))

    def _together(self, name: str, event: events.Event) -> events.Event | None:
        if isinstance(event, events.Started):
            self._standings[name] = event.standing
            self._begun.add(name)
            # One without a seed of its own has nothing to tell of yet.
            if self._told_begun or not (event.standing.waiting or self._names <= self._begun):
                return None
            self._told_begun = True
            return events.Started(event.at_s, event.resumed, event.topic, self._standing())
        if isinstance(event, events.Committed):
            self._standings[name] = event.standing
            self._pages[name], self._in_flight[name] = event.pages, event.in_flight
            if not self._told_begun:
                return None
            return events.Committed(
                event.at_s,
                self._standing(),
                sum(self._pages.values()),
                sum(self._in_flight.values()),
            )
        if isinstance(event, events.Stopped):
            self._standings[name] = event.standing
            self._ended.add(name)
            if event.reason == StopReason.REGROUPED or self._ended < self._names:
                return None
            return events.Stopped(event.at_s, event.reason, event.detail, self._standing())
        if isinstance(event, events.Waiting):
            # One that waits is no matter of the whole Team's.
            return None
        return event

    def _standing(self) -> Standing:
        return Standing(*(sum(column) for column in zip(*self._standings.values(), strict=True)))
