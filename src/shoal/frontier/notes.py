"""Small durable facts of a stage, in the Frontier's own transaction."""

from __future__ import annotations

import sqlite3

from shoal.frontier.state import StateFile


class StateNotes:
    """Notes in the state file: seen at once, durable with the Frontier's next ``commit``."""

    def __init__(self, state: StateFile) -> None:
        self._state = state

    def read(self, kind: str, key: str) -> bytes | None:
        try:
            row = self._state.connection.execute(
                "SELECT value FROM note WHERE kind = ? AND key = ?", (kind, key)
            ).fetchone()
        except sqlite3.Error as error:
            raise self._state.fail(error) from error
        return None if row is None else bytes(row[0])

    def write(self, kind: str, key: str, value: bytes) -> None:
        try:
            self._state.connection.execute(
                "INSERT INTO note VALUES (?, ?, ?)"
                " ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value",
                (kind, key, value),
            )
        except sqlite3.Error as error:
            raise self._state.fail(error) from error
