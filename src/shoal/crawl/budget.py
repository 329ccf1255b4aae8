"""How much a crawl may take."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.crawl.stop import Stop, StopReason
from shoal.crawl.tally import Tally
from shoal.settings import CrawlSettings


@dataclass(frozen=True, slots=True)
class Budget:
    """Pages, time and bytes; None is no limit."""

    pages: int | None = None
    time_s: float | None = None
    bytes: int | None = None

    @classmethod
    def of(cls, settings: CrawlSettings) -> Budget:
        return cls(settings.pages, settings.time_s, settings.bytes)

    def spent(self, tally: Tally) -> Stop | None:
        if self.pages is not None and tally.pages >= self.pages:
            return Stop(StopReason.PAGES, f"{tally.pages:,} pages, as asked for")
        if self.time_s is not None and tally.active_s >= self.time_s:
            return Stop(StopReason.TIME, f"{tally.active_s:,.0f} s, as asked for")
        if self.bytes is not None and tally.bytes >= self.bytes:
            return Stop(StopReason.BYTES, f"{tally.bytes:,} bytes, as asked for")
        return None

    def left_s(self, tally: Tally) -> float:
        """How much of its time is left; without end where there is no limit."""
        return math.inf if self.time_s is None else max(0.0, self.time_s - tally.active_s)

    def room(self, tally: Tally, under_way: int, parallel: int) -> int:
        """How many more requests may start, so that the pages asked for are not overshot."""
        room = parallel - under_way
        if self.pages is not None:
            room = min(room, self.pages - tally.pages - under_way)
        return max(0, room)
