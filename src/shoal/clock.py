"""Clocks: the machine's own, and one that jumps."""

from __future__ import annotations

import time


class SystemClock:
    """The machine's time, never going backwards: a correction of the clock is not followed back."""

    def __init__(self) -> None:
        self._offset_s = time.time() - time.monotonic()

    def now_s(self) -> float:
        return time.monotonic() + self._offset_s

    def wait_until(self, time_s: float) -> None:
        time.sleep(max(0.0, time_s - self.now_s()))


class VirtualClock:
    """A Clock that passes only when somebody waits: a day of politeness costs nothing."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s

    def now_s(self) -> float:
        return self._now_s

    def wait_until(self, time_s: float) -> None:
        self._now_s = max(self._now_s, time_s)
