"""Which host takes more than its share: the X4 crawler's rule of 0.2 % of an hour's activity.

A share is counted over a sliding window, from two counters a host: the requests of the current
window, and those of the window before, weighted by how much of it the sliding window still
covers. So a count costs two numbers, however many requests it stands for; it is exact for
requests spread evenly over a window, and never off by more than one window's requests.

Two guards keep the rule from speaking too early: it needs as many hosts asked as could share the
activity evenly (``1/share``), and it never speaks of fewer than ``FEWEST`` requests.
"""

from __future__ import annotations

import math
from typing import Final

FEWEST: Final = 10
"""Of fewer requests, one more or less would decide."""


class Activity:
    """One host's requests, as ShareWindow counts them."""

    __slots__ = ("before", "current", "window")

    def __init__(self) -> None:
        self.window = -1
        self.current = 0
        self.before = 0

    def clear(self) -> None:
        """What was held against the host is settled."""
        self.current = self.before = 0


class ShareWindow:
    """The whole crawl's requests in the last window, and who took more than ``share`` of them.
    A share of 1 is never exceeded."""

    def __init__(self, share: float, window_s: float) -> None:
        self._share = share
        self._window_s = window_s
        self._hosts_needed = math.ceil(1 / share - 1e-9) if share > 0 else math.inf
        self._window = 0
        self._ends_s = float("-inf")
        self._requests = 0
        self._requests_before = 0
        self._hosts = 0
        self._hosts_before = 0

    def count(self, activity: Activity, now_s: float) -> bool:
        """Count one request. True when its host has now had more than its share."""
        if now_s >= self._ends_s:
            self._turn(now_s)
        if activity.window != self._window:
            activity.before = activity.current if activity.window == self._window - 1 else 0
            activity.current = 0
            activity.window = self._window
            self._hosts += 1
        activity.current += 1
        self._requests += 1
        if activity.current + activity.before < FEWEST:
            return False
        covered = (self._ends_s - now_s) / self._window_s
        took = activity.current + activity.before * covered
        return (
            took >= FEWEST
            and took > self._share * (self._requests + self._requests_before * covered)
            and max(self._hosts, self._hosts_before) >= self._hosts_needed
        )

    def watches(self, activity: Activity, now_s: float) -> bool:
        """Whether the host's requests may still count against it."""
        recent = activity.window >= int(now_s // self._window_s) - 1
        return recent and activity.current + activity.before >= FEWEST

    def _turn(self, now_s: float) -> None:
        window = int(now_s // self._window_s)
        follows = window == self._window + 1
        self._requests_before = self._requests if follows else 0
        self._hosts_before = self._hosts if follows else 0
        self._requests = self._hosts = 0
        self._window = window
        self._ends_s = (window + 1) * self._window_s
