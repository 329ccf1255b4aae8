"""A Crawler's State in a schema of its own.

1. What was committed survives the end of the process, of its machine and, as far as the server
   promises it, of the server (``synchronous_commit`` is on, whatever its default).
2. What was not committed is gone with the session, all of it; a transaction that was lost is never
   gone on with.
3. A schema that is not ours, or is newer than we are, is refused before anything in it changes.
4. One session at a time writes (``session.hold``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final, Protocol

import psycopg
from psycopg import sql

from shoal.frontier.database import SELECT_FACT, UPSERT_FACT, Row, Rows, Value
from shoal.frontier.state import StateError, StateForeign, StateMissing, StateTooNew, StateTooOld
from shoal.postgres.schema import MARK, VERSIONS
from shoal.postgres.session import Connection, connect, explain, hold, our, use


class PostgresState:
    """A State for writing.

    Statements are sent ahead of their answers (libpq's pipeline): one that returns nothing costs no
    wait for the server, and what goes wrong with it is told at the next one that is waited for, at
    the latest by ``commit``.
    """

    failures: Final = psycopg.Error
    is_kept: Final = True

    def __init__(self, connection: Connection, name: str) -> None:
        """For ``open`` only."""
        self.name = name
        self._connection = connection
        self._ahead = ExitStack()
        self._pipeline = self._ahead.enter_context(connection.pipeline())
        self._types: dict[str, dict[str, str]] = {}
        self._failure: StateError | None = None
        self._open = True

    @classmethod
    def open(cls, server: str, schema: str) -> PostgresState:
        """Open for writing; make the schema where there is none. Raises StateError."""
        name = f"{schema} of {server}"
        connection = connect(server)
        try:
            hold(connection, schema, server)
            _bring_up_to_date(connection, schema, name)
            use(connection, schema)
            state = cls(connection, name)
            state._begin(schema)
        except psycopg.Error as error:
            connection.close()
            raise explain(error, name) from error
        except StateError:
            connection.close()
            raise
        return state

    def execute(self, statement: str, values: Sequence[Value] = (), /) -> Rows:
        return self._send(our(statement), values)

    def add(
        self, table: str, columns: Sequence[str], rows: Sequence[Row], on_conflict: str = ""
    ) -> None:
        if not rows:
            return
        types = self._types[table]
        arrays = ", ".join(f"%s::{types[column]}[]" for column in columns)
        self._send(
            f"INSERT INTO {table} ({', '.join(columns)})"
            f" SELECT * FROM unnest({arrays}) {on_conflict}".encode(),
            [
                _floats(values) if types[column] == "double precision" else list(values)
                for column, values in zip(columns, zip(*rows, strict=True), strict=True)
            ],
        )

    def among(self, select: str, column: str, values: Sequence[Value]) -> Iterable[Any]:
        if not values:
            return ()
        return self._send(our(f"{select} WHERE {column} = ANY(?)"), [list(values)])

    def stream(self, statement: str, values: Sequence[Value] = ()) -> Iterator[Any]:
        yield from self.execute(statement, values)

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Nobody else writes here."""
        yield

    def fact(self, name: str) -> str | None:
        row = self.execute(SELECT_FACT, (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        self.execute(UPSERT_FACT, (name, value))

    def commit(self) -> None:
        try:
            done = self._send(b"COMMIT")
            self._send(b"BEGIN")
            self._pipeline.sync()
            # A transaction in which something had failed ends without an error, and undone.
            if done.statusmessage != "COMMIT":
                raise psycopg.errors.InFailedSqlTransaction("the transaction was undone")
        except psycopg.Error as error:
            raise self.fail(error) from error

    def fail(self, error: Exception) -> StateError:
        if self._failure is None:
            assert isinstance(error, psycopg.Error)
            self._failure = explain(error, self.name)
            self.close()
        return self._failure

    def close(self) -> None:
        if self._open:
            self._open = False
            with suppress(psycopg.Error):
                self._ahead.close()
            self._connection.close()

    def _begin(self, schema: str) -> None:
        for table, column, kind in self._connection.execute(
            "SELECT relname, quote_ident(attname), format_type(atttypid, atttypmod)"
            " FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
            " WHERE relnamespace = %s::regnamespace AND relkind = 'r' AND attnum > 0"
            " AND NOT attisdropped",
            (sql.Identifier(schema).as_string(self._connection),),
        ):
            self._types.setdefault(table, {})[column] = kind
        self._send(b"BEGIN")

    def _send(self, statement: bytes, values: Sequence[Any] = ()) -> psycopg.Cursor[Any]:
        cursor = self._connection.cursor(binary=True)
        cursor.execute(statement, values or None)
        return cursor


def _floats(values: Sequence[Value]) -> list[float | None]:
    """An array is of one type: a whole number among others is one of them."""
    return [None if value is None else float(value) for value in values]


class Sessions(Protocol):
    """Where a reader has its connections from."""

    def common(self, schema: str) -> Connection:
        """The one that all readers share, with the names of that schema."""

    @contextmanager
    def own(self, schema: str) -> Iterator[Connection]:
        """One for a reader that takes its time."""


class PostgresReading:
    """A State for reading only, beside a running Crawler."""

    failures: Final = psycopg.Error
    is_kept: Final = True

    def __init__(self, sessions: Sessions, schema: str, name: str) -> None:
        """For ``open`` only."""
        self.name = name
        self._schema = schema
        self._sessions = sessions

    @classmethod
    def open(cls, sessions: Sessions, schema: str, server: str) -> PostgresReading:
        """Raises StateMissing where there is no such schema yet."""
        name = f"{schema} of {server}"
        try:
            version = read_version(sessions.common(schema), schema, name)
        except psycopg.Error as error:
            raise explain(error, name) from error
        if version == 0:
            raise StateMissing(f"There is no state {name}, or nothing in it yet.")
        if version < len(VERSIONS):
            raise StateTooOld(
                f"{name} was written by an earlier Shoal (state version {version}). Resume the "
                "crawl once with this Shoal to bring it up to date."
            )
        return cls(sessions, schema, name)

    def execute(self, statement: str, values: Sequence[Value] = (), /) -> Rows:
        return self._ask(our(statement), values)

    def add(
        self, table: str, columns: Sequence[str], rows: Sequence[Row], on_conflict: str = ""
    ) -> None:
        del table, columns, rows, on_conflict
        raise AssertionError("this State is for reading only")

    def among(self, select: str, column: str, values: Sequence[Value]) -> Sequence[Any]:
        return self._ask(our(f"{select} WHERE {column} = ANY(?)"), [list(values)]).fetchall()

    def stream(self, statement: str, values: Sequence[Value] = ()) -> Iterator[Any]:
        with (
            self._sessions.own(self._schema) as connection,
            connection.transaction(force_rollback=True),
            connection.cursor("shoal", binary=True) as cursor,
        ):
            cursor.itersize = 500
            yield from cursor.execute(our(statement), values or None)

    @contextmanager
    def moment(self) -> Iterator[None]:
        connection = self._sessions.common(self._schema)
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            yield
            return
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            if not connection.broken:
                connection.execute("ROLLBACK")

    def fact(self, name: str) -> str | None:
        row = self.execute(SELECT_FACT, (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        del name, value
        raise AssertionError("this State is for reading only")

    def commit(self) -> None:
        raise AssertionError("this State is for reading only")

    def fail(self, error: Exception) -> StateError:
        assert isinstance(error, psycopg.Error)
        return explain(error, self.name)

    def close(self) -> None:
        """Its connections are the house's."""

    def _ask(self, statement: bytes, values: Sequence[Any]) -> psycopg.Cursor[Any]:
        cursor = self._sessions.common(self._schema).cursor(binary=True)
        return cursor.execute(statement, values or None)


def read_version(connection: Connection, schema: str, name: str) -> int:
    """The version of a schema; 0 where there is none, or nothing in it. Raises where it is not one
    for us."""
    row = connection.execute(
        "SELECT count(relname), count(relname) FILTER (WHERE relname = %s) FROM pg_namespace"
        " JOIN pg_class ON relnamespace = pg_namespace.oid WHERE nspname = %s",
        (MARK, schema),
    ).fetchone()
    assert row is not None, "a count is always there"
    relations, marks = row
    if not relations:
        return 0
    if not marks:
        raise StateForeign(
            f"{name} holds tables, and they are not Shoal's. Choose another crawl.state_name."
        )
    found = connection.execute(
        sql.SQL("SELECT version FROM {}").format(sql.Identifier(schema, MARK))
    ).fetchone()
    version = 0 if found is None else int(found[0])
    if version > len(VERSIONS):
        raise StateTooNew(
            f"{name} was written by a later Shoal (state version {version}, this one knows "
            f"{len(VERSIONS)}). Update Shoal, or start another crawl."
        )
    return version


def _bring_up_to_date(connection: Connection, schema: str, name: str) -> None:
    """Make or lift the tables, in one transaction, so that nobody ever meets a schema between two
    versions. For whoever holds the schema."""
    version = read_version(connection, schema, name)
    if version == len(VERSIONS):
        return
    with connection.transaction():
        there = connection.execute(
            "SELECT FROM pg_namespace WHERE nspname = %s", (schema,)
        ).fetchone()
        if there is None:
            # Asked for only where it is missing: who may not make schemas can be given one.
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
        use(connection, schema)
        for script in VERSIONS[version:]:
            connection.execute(script)
        connection.execute(f"DELETE FROM {MARK}")
        connection.execute(f"INSERT INTO {MARK} (version) VALUES (%s)", (len(VERSIONS),))
