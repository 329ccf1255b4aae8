"""Parcels on their way, in the State of the Crawler that sends them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from shoal.frontier.database import State
from shoal.frontier.state import StateLocked, StateMissing, StateTooOld

TAKEN = "courier"
"""The kind of Note under which a receiver keeps how far it is with each sender."""


class StateOutbox:
    """A ports.Outbox in the Frontier's own transaction. Memory holds a number and a size for each
    Parcel that waits."""

    def __init__(self, state: State) -> None:
        self._state = self._db = state
        self._sizes: dict[str, deque[tuple[int, int]]] = {}
        self._outstanding_bytes = 0
        for number, receiver, size_bytes in self._db.execute(
            "SELECT id, receiver, length(parcel) FROM outbox ORDER BY id"
        ):
            self._count(receiver, number, size_bytes)

    def put(self, receiver: str, parcel: bytes) -> None:
        try:
            (number,) = self._db.execute(
                "INSERT INTO outbox (receiver, parcel) VALUES (?, ?) RETURNING id",
                (receiver, parcel),
            ).fetchone()
        except self._state.failures as error:
            raise self._state.fail(error) from error
        self._count(receiver, number, len(parcel))

    def outstanding_bytes(self) -> int:
        return self._outstanding_bytes

    def receivers(self) -> Sequence[str]:
        return list(self._sizes)

    def bytes_for(self, receiver: str, after: int) -> int:
        """What stands here for that receiver beyond the Parcel of that number."""
        return sum(size for number, size in self._sizes.get(receiver, ()) if number > after)

    def trim(self, receiver: str, through: int) -> None:
        sizes = self._sizes.get(receiver)
        if not sizes or sizes[0][0] > through:
            return
        try:
            self._db.execute(
                "DELETE FROM outbox WHERE receiver = ? AND id <= ?", (receiver, through)
            )
        except self._state.failures as error:
            raise self._state.fail(error) from error
        while sizes and sizes[0][0] <= through:
            self._outstanding_bytes -= sizes.popleft()[1]
        if not sizes:
            del self._sizes[receiver]

    def _count(self, receiver: str, number: int, size_bytes: int) -> None:
        self._sizes.setdefault(receiver, deque()).append((number, size_bytes))
        self._outstanding_bytes += size_bytes


class StatePeer:
    """A ports.Peer over the State of another Crawler, which may not be there yet."""

    def __init__(self, read: Callable[[], State]) -> None:
        """``read`` opens that State for reading."""
        self._read = read
        self._state: State | None = None

    def parcels(self, receiver: str, after: int, limit: int) -> Sequence[tuple[int, bytes]]:
        state = self._open()
        if state is None:
            return ()
        try:
            return state.execute(
                "SELECT id, parcel FROM outbox WHERE receiver = ? AND id > ? ORDER BY id LIMIT ?",
                (receiver, after, limit),
            ).fetchall()
        except state.failures as error:
            raise state.fail(error) from error

    def taken_from(self, sender: str) -> int:
        state = self._open()
        if state is None:
            return 0
        try:
            row = state.execute(
                "SELECT value FROM note WHERE kind = ? AND key = ?", (TAKEN, sender)
            ).fetchone()
        except state.failures as error:
            raise state.fail(error) from error
        return 0 if row is None else int(row[0])

    def close(self) -> None:
        if self._state is not None:
            self._state.close()
            self._state = None

    def _open(self) -> State | None:
        if self._state is None:
            try:
                self._state = self._read()
            except (StateMissing, StateLocked, StateTooOld):
                # Not made yet, or being made, or being brought up to date.
                return None
        return self._state
