"""How much a crawl may take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from shoal.crawl.stop import Stop, StopReason
from shoal.crawl.tally import Tally
from shoal.settings import CrawlSettings


class Allowance(Protocol):
    """What a Crawler may still take, of a budget that is its own or its Team's."""

    def spent(self, tally: Tally) -> Stop | None:
        """Why to stop now, by what this Crawler has done so far."""

    def left_s(self, tally: Tally) -> float:
        """How much of the time is left; without end where there is no limit."""

    def room(self, tally: Tally, under_way: int, parallel: int) -> int:
        """How many more requests may start, so that the pages asked for are not overshot."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Pages, time and bytes; None is no limit. The Allowance of a Crawler alone."""

    pages: int | None = None
    time_s: float | None = None
    bytes: int | None = None

    @classmethod
    def of(cls, settings: CrawlSettings) -> Budget:
        return cls(settings.pages, settings.time_s, settings.bytes)

    def spent(self, tally: Tally) -> Stop | None:
        if self.pages is not None and tally.pages >= self.pages:
            return Stop(StopReason.PAGES, f"{self.pages:,} pages, as asked for")
        if self.time_s is not None and tally.active_s >= self.time_s:
            return Stop(StopReason.TIME, f"{self.time_s:,.0f} s, as asked for")
        if self.bytes is not None and tally.bytes >= self.bytes:
            return Stop(StopReason.BYTES, f"{self.bytes:,} bytes, as asked for")
        return None

    def left_s(self, tally: Tally) -> float:
        """How much of its time is left; without end where there is no limit."""
        return math.inf if self.time_s is None else max(0.0, self.time_s - tally.active_s)

    def room(self, tally: Tally, under_way: int, parallel: int) -> int:
        room = parallel - under_way
        if self.pages is not None:
            room = min(room, self.pages - tally.pages - under_way)
        return max(0, room)


class CommonBudget:
    """One Budget for several Crawlers of one process. Asking costs the same however many."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._total = Tally()
        self._under_way = 0

    def part(self) -> CommonPart:
        """The Allowance of one more Crawler."""
        return CommonPart(self)

    def spent(self, before: Tally, now: Tally) -> Stop | None:
        total = self._total
        total.pages += now.pages - before.pages
        total.bytes += now.bytes - before.bytes
        total.active_s = max(total.active_s, now.active_s)
        return self._budget.spent(total)

    def left_s(self) -> float:
        return self._budget.left_s(self._total)

    def room(self, more_under_way: int, under_way: int, parallel: int) -> int:
        self._under_way += more_under_way
        room = self._budget.room(self._total, self._under_way, parallel + self._under_way)
        return max(0, min(room, parallel - under_way))


class CommonPart:
    """What one Crawler tells a CommonBudget."""

    def __init__(self, common: CommonBudget) -> None:
        self._common = common
        self._tally = Tally()
        self._under_way = 0

    def spent(self, tally: Tally) -> Stop | None:
        before = self._tally
        self._tally = Tally(tally.pages, tally.relevant, tally.bytes, tally.active_s)
        return self._common.spent(before, self._tally)

    def left_s(self, tally: Tally) -> float:
        self.spent(tally)
        return self._common.left_s()

    def room(self, tally: Tally, under_way: int, parallel: int) -> int:
        self.spent(tally)
        more = under_way - self._under_way
        self._under_way = under_way
        return self._common.room(more, under_way, parallel)
