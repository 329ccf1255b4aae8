"""Which Crawler of a Team has a Url, in the Team's own schema.

Each claim is written before it is answered, by a transaction of its own that the server has and its
disk need not have yet: the end of a process loses none. The end of the server may lose the last
few; such a Url may then be fetched by another Crawler once more.
"""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from shoal.postgres.session import Connection, explain
from shoal.url import Url


class PostgresClaims:
    """Claims over one table, for several keepers as well as for one. Two Urls with one key count as
    one, as in a file."""

    def __init__(self, connection: Connection, name: str) -> None:
        """``connection`` is for these Claims alone, with the names of the Team's schema."""
        self._connection = connection
        self._name = name
        connection.execute("SET synchronous_commit TO off")

    def holder(self, url: Url) -> str | None:
        try:
            row = self._connection.execute(
                "SELECT crawler FROM claim WHERE url = %s", (url.key,)
            ).fetchone()
        except psycopg.Error as error:
            raise explain(error, self._name) from error
        return None if row is None else str(row[0])

    def hold(self, url: Url, name: str) -> None:
        try:
            self._connection.execute(
                "INSERT INTO claim (url, crawler) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (url.key, name),
            )
        except psycopg.Error as error:
            raise explain(error, self._name) from error

    def hand_on(self, urls: Sequence[Url], by: str, to: str) -> None:
        try:
            self._connection.execute(
                "UPDATE claim SET crawler = %s WHERE url = ANY(%s) AND crawler = %s",
                (to, [url.key for url in urls], by),
            )
        except psycopg.Error as error:
            raise explain(error, self._name) from error

    def close(self) -> None:
        self._connection.close()
