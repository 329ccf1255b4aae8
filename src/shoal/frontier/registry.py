"""The hosts of a State: in memory while they matter, in the table ``host`` for good."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shoal.frontier.database import State
from shoal.frontier.hosts import Host, HostQueues
from shoal.frontier.state import StateError

_IDLE_HOSTS = 20_000
_COLUMNS = (
    "id", "name", "known", "waiting", "settled", "bound", "rest_until_s", "rest_why", "given_up",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM host"
_REPLACE = (
    "ON CONFLICT (id) DO UPDATE"
    " SET known = excluded.known, waiting = excluded.waiting, settled = excluded.settled,"
    " bound = excluded.bound, rest_until_s = excluded.rest_until_s, rest_why = excluded.rest_why,"
    " given_up = excluded.given_up"
)


class HostRegistry:
    """Finds a host by name or number.

    1. A host has one Host object while it is in memory, and always when it has Urls waiting.
    2. ``touch`` what you change: ``write`` stores exactly the touched ones.
    """

    def __init__(self, state: State, queues: HostQueues) -> None:
        self._db = state
        self._queues = queues
        self._by_name: dict[str, Host] = {}
        self._touched: set[Host] = set()
        self._next = 1

    def resume(self) -> None:
        """Read the hosts that have Urls waiting."""
        (last,) = self._db.execute("SELECT max(id) FROM host").fetchone()
        self._next = 1 + (last or 0)
        for row in self._db.execute(f"{_SELECT} WHERE waiting > 0"):
            self._remember(row)

    def find(self, name: str) -> Host | None:
        host = self._by_name.get(name)
        if host is None:
            row = self._db.execute(f"{_SELECT} WHERE name = ?", (name,)).fetchone()
            host = None if row is None else self._remember(row)
        return host

    def get(self, name: str) -> Host:
        """The host of that name, made where it is not known."""
        host = self._by_name.get(name) or self.find(name)
        if host is None:
            host = self._make(name)
        return host

    def gather(self, names: Iterable[str]) -> None:
        """Bring hosts to memory, made where they are not known, at the cost of one look."""
        missing = [name for name in names if name not in self._by_name]
        if missing:
            for row in self._db.among(_SELECT, "name", missing):
                self._remember(row)
            for name in missing:
                if name not in self._by_name:
                    self._make(name)

    def of(self, number: int) -> Host:
        host = self._queues.by_id.get(number)
        if host is None:
            row = self._db.execute(f"{_SELECT} WHERE id = ?", (number,)).fetchone()
            if row is None:
                raise StateError(f"{self._db.name} has no host {number}: restore it from a backup.")
            host = self._remember(row)
        return host

    def touch(self, host: Host) -> None:
        self._touched.add(host)

    def write(self) -> None:
        self._db.add(
            "host",
            _COLUMNS,
            sorted(
                (
                    host.id,
                    host.name,
                    host.known,
                    host.free + host.leased,
                    host.settled,
                    host.bound,
                    host.rest_until_s,
                    host.rest_why,
                    host.given_up,
                )
                for host in self._touched
            ),
            _REPLACE,
        )
        self._touched.clear()

    def forget_idle(self) -> None:
        """Let go of hosts that nothing waits for, when there are many. For after a commit only."""
        for host in self._queues.forget_idle(_IDLE_HOSTS):
            del self._by_name[host.name]

    def _make(self, name: str) -> Host:
        host = self._remember((self._next, name, 0, 0, 0, 0.0, None, "", None))
        self._next += 1
        self._touched.add(host)
        return host

    def _remember(self, row: Any) -> Host:
        host = Host(row[0], row[1])
        (
            host.known, host.free, host.settled, host.bound,
            host.rest_until_s, host.rest_why, host.given_up,
        ) = row[2:]  # fmt: skip
        self._by_name[host.name] = host
        self._queues.load(host)
        return host
