"""Where the state of a crawl is, on a PostgreSQL server."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from shoal.frontier.database import State
from shoal.frontier.house import ALONE
from shoal.frontier.outbox import StatePeer
from shoal.ports import Claims, Peer
from shoal.postgres.claims import PostgresClaims
from shoal.postgres.session import Connection, connect, explain, use
from shoal.postgres.state import PostgresReading, PostgresState, read_version

NAME_BYTES_MAX: Final = 63
"""The server cuts longer names off, without an error."""


class PostgresHouse:
    """A StateHouse on a server. A crawl of one Crawler has the schema of its name, a Team's Crawler
    one of both names; what the Team has in common is in the schema of its name.

    All readers share one connection; one that takes its time has another while it does.
    """

    def __init__(self, server: str, name: str) -> None:
        self._server = server
        self._name = name
        self._common: Connection | None = None
        self._used = ""
        self._spare: list[Connection] = []

    def has(self, crawler: str) -> bool:
        schema = self._schema(crawler)
        name = f"{schema} of {self._server}"
        try:
            return read_version(self.common(schema), schema, name) > 0
        except psycopg.Error as error:
            raise explain(error, name) from error

    def open(self, crawler: str) -> State:
        return PostgresState.open(self._server, self._schema(crawler))

    def read(self, crawler: str) -> State:
        return PostgresReading.open(self, self._schema(crawler), self._server)

    def peer(self, crawler: str) -> Peer:
        return StatePeer(lambda: self.read(crawler))

    def open_team(self) -> State:
        return self.open(ALONE)

    def claims(self) -> Claims:
        """For a Team that is open."""
        schema = self._schema(ALONE)
        connection = connect(self._server)
        use(connection, schema)
        return PostgresClaims(connection, f"{schema} of {self._server}")

    def close(self) -> None:
        for connection in (self._common, *self._spare):
            if connection is not None:
                connection.close()
        self._common = None
        self._spare.clear()

    def common(self, schema: str) -> Connection:
        """The connection that all readers share, with the names of that schema."""
        if self._common is None or self._common.closed:
            self._common, self._used = connect(self._server), ""
        if self._used != schema:
            use(self._common, schema)
            self._used = schema
        return self._common

    @contextmanager
    def own(self, schema: str) -> Iterator[Connection]:
        connection = self._spare.pop() if self._spare else connect(self._server)
        try:
            use(connection, schema)
            yield connection
        finally:
            if connection.broken:
                connection.close()
            else:
                self._spare.append(connection)

    def _schema(self, crawler: str) -> str:
        whole = f"{self._name}:{crawler}" if crawler != ALONE else self._name
        if len(whole.encode()) <= NAME_BYTES_MAX:
            return whole
        mark = hashlib.sha256(whole.encode()).hexdigest()[:8]
        return f"{whole.encode()[: NAME_BYTES_MAX - 9].decode(errors='ignore')}~{mark}"
