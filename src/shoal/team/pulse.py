"""What a running Team says of itself, for whoever looks: once a second, in a file.

The file is there whole or not at all, and may be lost with the machine: it tells nothing that
counts. What is older than ``STALE_S`` is of a Team that crawls no more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from shoal.atomic import write_atomically
from shoal.team.lead import Heard

STALE_S: Final = 10.0
LATELY_S: Final = 30.0
"""What "lately" means of pages a second."""


class Beat(msgspec.Struct, frozen=True):
    """One Crawler, as the Team saw it last."""

    process: str
    pages: int
    pages_s: float
    """Pages a second, lately."""
    silence_s: float
    restarts: int
    idle: bool


class TeamBeat(msgspec.Struct, frozen=True):
    at_s: float
    """By the machine's calendar."""
    process: str
    """Which keeps the Team."""
    crawlers: dict[str, Beat]


class Pulse:
    """Counts what happened lately, and writes it down."""

    def __init__(self, file: Path, process: str) -> None:
        self._file = file
        self._process = process
        self._lately: dict[str, deque[tuple[float, int]]] = {}

    def beat(self, heard: Mapping[str, Heard], now_s: float) -> None:
        crawlers = {name: self._beat(name, one, now_s) for name, one in heard.items()}
        told = TeamBeat(now_s, self._process, crawlers)
        write_atomically(self._file, msgspec.json.encode(told).decode(), durable=False)

    def end(self) -> None:
        """The Team crawls no more."""
        self._file.unlink(missing_ok=True)

    def _beat(self, name: str, heard: Heard, now_s: float) -> Beat:
        report = heard.report
        if report is None:
            return Beat("", 0, 0.0, heard.silence_s, heard.restarts, idle=False)
        lately = self._lately.setdefault(name, deque())
        lately.append((now_s, report.pages))
        while now_s - lately[0][0] > LATELY_S:
            lately.popleft()
        since_s, pages = lately[0]
        rate = (report.pages - pages) / (now_s - since_s) if now_s > since_s else 0.0
        silence_s = heard.silence_s
        return Beat(report.process, report.pages, rate, silence_s, heard.restarts, report.idle)


def read(file: Path, now_s: float) -> TeamBeat | None:
    """None where no Team crawls, as far as this tells."""
    try:
        told = msgspec.json.decode(file.read_bytes(), type=TeamBeat)
    except (OSError, msgspec.MsgspecError):
        return None
    return told if now_s - told.at_s <= STALE_S else None
