"""A cap on what a whole crawl receives: a token bucket.

1. Over any stretch of time no more is granted than the rate allows, plus one burst and the one
   piece that was taken last: a piece is taken whole, and the debt is waited for.
2. Nobody is refused for ever: a debt is paid off at the rate.
"""

from __future__ import annotations

_BURST_S = 0.1
"""Unused allowance is kept for this long only, so that a pause brings no flood."""


class Bandwidth:
    """Bytes may be taken whenever ``wait_s`` is zero; taking may leave a debt."""

    def __init__(self, limit_bytes_s: int) -> None:
        self._limit_bytes_s = limit_bytes_s
        self._credit_bytes = 0.0
        self._at_s: float | None = None

    def take(self, size_bytes: int, now_s: float) -> None:
        self._pass_time(now_s)
        self._credit_bytes -= size_bytes

    def wait_s(self, now_s: float) -> float:
        """How long until something may be taken; 0.0 means now."""
        self._pass_time(now_s)
        return max(0.0, -self._credit_bytes / self._limit_bytes_s)

    def _pass_time(self, now_s: float) -> None:
        if self._at_s is not None:
            earned = (now_s - self._at_s) * self._limit_bytes_s
            self._credit_bytes = min(self._credit_bytes + earned, self._limit_bytes_s * _BURST_S)
        self._at_s = now_s
