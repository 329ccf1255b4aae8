"""Which Crawler of a Team has a Url, in a file of the Team's own.

Each claim is written before it is answered, by a transaction of its own that the system has and the
disk need not have yet: the end of a process loses none. The end of the machine may lose the last
few; such a Url may then be fetched by another Crawler once more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from shoal.frontier.state import explain
from shoal.url import Url


class SqliteClaims:
    """Claims over one file: 8 bytes of key and a small number a Url.

    Two Urls with one key (odds of one in some hundred thousand among ten million) count as one: the
    second would be left to whoever has the first.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=1.0)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS crawler (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"
            )
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS claim (url INTEGER PRIMARY KEY, crawler INTEGER)"
            )
            rows = self._db.execute("SELECT id, name FROM crawler").fetchall()
        except sqlite3.Error as error:
            raise explain(error, str(path)) from error
        self._names: dict[int, str] = dict(rows)
        self._numbers = {name: number for number, name in self._names.items()}

    def holder(self, url: Url) -> str | None:
        try:
            row = self._db.execute("SELECT crawler FROM claim WHERE url = ?", (url.key,)).fetchone()
        except sqlite3.Error as error:
            raise explain(error, str(self._path)) from error
        return None if row is None else self._names[row[0]]

    def hold(self, url: Url, name: str) -> None:
        try:
            number = self._number(name)
            self._db.execute("INSERT OR IGNORE INTO claim VALUES (?, ?)", (url.key, number))
        except sqlite3.Error as error:
            raise explain(error, str(self._path)) from error

    def hand_on(self, urls: Sequence[Url], by: str, to: str) -> None:
        """Those of the claims to some Urls that ``by`` has are ``to``'s from now on."""
        held = self._numbers.get(by)
        if held is None:
            return
        try:
            number = self._number(to)
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(
                "UPDATE claim SET crawler = ? WHERE url = ? AND crawler = ?",
                [(number, url.key, held) for url in urls],
            )
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise explain(error, str(self._path)) from error

    def _number(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = len(self._numbers) + 1
            self._db.execute("INSERT INTO crawler VALUES (?, ?)", (number, name))
            self._numbers[name], self._names[number] = number, name
        return number

    def close(self) -> None:
        self._db.close()
