"""The daily window in which a crawl sends nothing, for networks that people share by day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta

_WINDOW = re.compile(r"(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})")


@dataclass(frozen=True, slots=True)
class IdleWindow:
    """From ``start`` to ``end``, local time; past midnight when ``end`` is the earlier one."""

    start: time
    end: time

    @classmethod
    def parse(cls, text: str) -> IdleWindow:
        """Of ``08:00-18:00``. Raises ValueError."""
        found = _WINDOW.fullmatch(text.strip())
        if not found:
            raise ValueError(f"{text!r} is not a window such as 08:00-18:00")
        hour, minute, end_hour, end_minute = map(int, found.groups())
        window = cls(time(hour, minute), time(end_hour, end_minute))
        if window.start == window.end:
            raise ValueError(f"{text!r} leaves no time to crawl")
        return window

    def until(self, now_s: float) -> float | None:
        """When the window that ``now_s`` lies in ends; None outside it."""
        now = datetime.fromtimestamp(now_s).astimezone()
        clock = now.timetz().replace(tzinfo=None)
        if self.start < self.end:
            inside = self.start <= clock < self.end
        else:
            inside = clock >= self.start or clock < self.end
        if not inside:
            return None
        end = now.replace(
            hour=self.end.hour, minute=self.end.minute, second=0, microsecond=0, fold=0
        )
        if end <= now:
            end += timedelta(days=1)
        return end.timestamp()
