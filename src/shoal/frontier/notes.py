"""Small durable facts of a stage, in the Frontier's own transaction."""

from __future__ import annotations

from shoal.frontier.database import State


class StateNotes:
    """Notes in a State: seen at once, durable with the Frontier's next ``commit``."""

    def __init__(self, state: State) -> None:
        self._state = state

    def read(self, kind: str, key: str) -> bytes | None:
        try:
            row = self._state.execute(
                "SELECT value FROM note WHERE kind = ? AND key = ?", (kind, key)
            ).fetchone()
        except self._state.failures as error:
            raise self._state.fail(error) from error
        return None if row is None else bytes(row[0])

    def write(self, kind: str, key: str, value: bytes) -> None:
        try:
            self._state.execute(
                "INSERT INTO note (kind, key, value) VALUES (?, ?, ?)"
                " ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value",
                (kind, key, value),
            )
        except self._state.failures as error:
            raise self._state.fail(error) from error
