"""Long rows of numbers kept short while they stream: bounded memory, however long the crawl."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HarvestPoint:
    """The harvest after so many pages."""

    pages: int
    at_s: float
    relevant: int
    harvest: float
    """Of all pages so far."""
    recent: float
    """Of the last ``window_pages`` pages."""


@dataclass(frozen=True, slots=True)
class Interval:
    """What was received in one stretch of the crawl's clock."""

    from_s: float
    """Seconds after the start of the crawl."""
    length_s: float
    visits: int
    pages: int
    bytes: int


class HarvestCurve:
    """At most ``limit`` points, evenly spread over the pages, the last page always among them."""

    def __init__(self, window_pages: int, limit: int = 200) -> None:
        self._limit = limit
        self._window: deque[bool] = deque(maxlen=window_pages)
        self._window_relevant = 0
        self._points: list[HarvestPoint] = []
        self._last: HarvestPoint | None = None
        self._every = 1
        self._pages = 0
        self._relevant = 0

    @property
    def pages(self) -> int:
        return self._pages

    @property
    def relevant(self) -> int:
        return self._relevant

    def add(self, at_s: float, relevant: bool) -> None:
        if len(self._window) == self._window.maxlen:
            self._window_relevant -= self._window[0]
        self._window.append(relevant)
        self._window_relevant += relevant
        self._pages += 1
        self._relevant += relevant
        self._last = HarvestPoint(
            pages=self._pages,
            at_s=at_s,
            relevant=self._relevant,
            harvest=self._relevant / self._pages,
            recent=self._window_relevant / len(self._window),
        )
        if self._pages % self._every == 0:
            self._points.append(self._last)
            if len(self._points) >= self._limit:
                # Every second one goes; those left are multiples of the doubled step.
                self._points = self._points[1::2]
                self._every *= 2

    def points(self) -> tuple[HarvestPoint, ...]:
        if self._last is None or (self._points and self._points[-1] is self._last):
            return tuple(self._points)
        return (*self._points, self._last)


class Activity:
    """At most ``limit`` intervals of equal length from ``start_s`` on. Nothing is counted twice."""

    def __init__(self, start_s: float, limit: int = 120) -> None:
        self._start_s = start_s
        self._limit = limit
        self._length_s = 1.0
        self._counts: list[list[int]] = []

    def add(self, at_s: float, is_visit: bool, is_page: bool, size_bytes: int) -> None:
        # What a resumed crawl dates before its start counts to the first interval.
        index = int(max(0.0, at_s - self._start_s) / self._length_s)
        while index >= self._limit:
            self._halve()
            index //= 2
        while len(self._counts) <= index:
            self._counts.append([0, 0, 0])
        row = self._counts[index]
        row[0] += is_visit
        row[1] += is_page
        row[2] += size_bytes

    def intervals(self, end_s: float) -> tuple[Interval, ...]:
        """The last interval ends at ``end_s``; a stump of less than half is joined to the one
        before it, so that no rate is made of a moment."""
        if not self._counts:
            return ()
        counts = [list(row) for row in self._counts]
        last_s = max(0.0, end_s - self._start_s) - (len(counts) - 1) * self._length_s
        last_s = min(max(last_s, 0.0), self._length_s)
        if len(counts) > 1 and last_s < self._length_s / 2:
            stump = counts.pop()
            counts[-1] = [a + b for a, b in zip(counts[-1], stump, strict=True)]
            last_s += self._length_s
        lengths = [self._length_s] * (len(counts) - 1) + [last_s or self._length_s]
        return tuple(
            Interval(i * self._length_s, length_s, *row)
            for i, (length_s, row) in enumerate(zip(lengths, counts, strict=True))
        )

    def _halve(self) -> None:
        self._length_s *= 2
        if len(self._counts) % 2:
            self._counts.append([0, 0, 0])
        pairs = zip(self._counts[::2], self._counts[1::2], strict=True)
        self._counts = [[a + b for a, b in zip(*pair, strict=True)] for pair in pairs]
