"""Where the state of a crawl is kept: what opens it, for whoever writes and whoever reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from shoal.frontier.claims import SqliteClaims
from shoal.frontier.database import State
from shoal.frontier.outbox import StatePeer
from shoal.frontier.state import StateFile
from shoal.ports import Claims, Peer

ALONE = ""
"""The name of a Crawler that is none of a Team."""


class StateHouse(Protocol):
    """Keeps the state of each Crawler by its name, ``ALONE`` for one without a Team, and what a
    Team has in common.

    1. What ``open`` and ``open_team`` give is open for writing in one process at a time; whoever
       else asks is refused with a BusyError.
    2. What ``read`` and ``peer`` give sees what was committed, and nobody waits for it.
    3. Whoever opens closes; the house itself holds nothing open after ``close``.
    """

    def has(self, crawler: str) -> bool:
        """Whether that Crawler has begun."""

    def open(self, crawler: str) -> State:
        """Its state, made where there is none. Raises StateError."""

    def read(self, crawler: str) -> State:
        """Its state for reading. Raises StateMissing where it has not begun."""

    def peer(self, crawler: str) -> Peer:
        """Its outbox for its team mates, whether it has begun or not."""

    def open_team(self) -> State:
        """What the Team has in common: robots.txt, when a host may be asked again."""

    def claims(self) -> Claims: ...

    def close(self) -> None: ...


class FileHouse:
    """A StateHouse of SQLite files."""

    def __init__(self, file_of: Callable[[str], Path], team_file: Path, claims_file: Path) -> None:
        """``file_of`` says where a Crawler's state lies."""
        self._file_of = file_of
        self._team_file = team_file
        self._claims_file = claims_file

    def has(self, crawler: str) -> bool:
        return self._file_of(crawler).is_file()

    def open(self, crawler: str) -> StateFile:
        return StateFile.open(self._file_of(crawler))

    def read(self, crawler: str) -> StateFile:
        return StateFile.read(self._file_of(crawler))

    def peer(self, crawler: str) -> Peer:
        return StatePeer(lambda: StateFile.read(self._file_of(crawler)))

    def open_team(self) -> StateFile:
        return StateFile.open(self._team_file)

    def claims(self) -> Claims:
        return SqliteClaims(self._claims_file)

    def close(self) -> None: ...
