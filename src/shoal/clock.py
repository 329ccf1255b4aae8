"""Clocks: the machine's own, and one that jumps."""

from __future__ import annotations

import time
from threading import Event


class SystemClock:
    """The machine's time, never going backwards: a correction of the clock is not followed back.

    ``wait_until`` ends early once ``wake`` is set, so that Ctrl-C need not wait for a host.
    """

    def __init__(self, wake: Event | None = None) -> None:
        self._wake = wake or Event()
        self._offset_s = time.time() - time.monotonic()

    def now_s(self) -> float:
        return time.monotonic() + self._offset_s

    def wait_until(self, time_s: float) -> None:
        self._wake.wait(max(0.0, time_s - self.now_s()))


class VirtualClock:
    """A Clock that passes only when somebody waits: a day of politeness costs nothing."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s

    def now_s(self) -> float:
        return self._now_s

    def wait_until(self, time_s: float) -> None:
        self._now_s = max(self._now_s, time_s)
