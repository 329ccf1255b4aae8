"""Connections to a PostgreSQL server, and what its errors mean in our words.

The password never passes through here: libpq takes it from PGPASSWORD, a password file or a service
file, and an address with one in it was refused with the settings.
"""

from __future__ import annotations

import errno
import hashlib
import os
import socket
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.types.string import StrDumper

from shoal.frontier.state import (
    StateAway,
    StateCut,
    StateDiskFull,
    StateError,
    StateForbidden,
    StateLocked,
    StateReadOnly,
)

Connection = psycopg.Connection[tuple[Any, ...]]

# A server that is gone is noticed within about a minute, and it notices us within the same time:
# until then nobody else can have the state.
_CONNECT: Final[dict[str, Any]] = {
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "50000",
    "client_encoding": "utf8",
    "fallback_application_name": f"shoal {socket.gethostname()}",
}
_SESSION: Final = (
    ("synchronous_commit", "on"),
    ("statement_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("idle_session_timeout", "0"),
    ("tcp_keepalives_idle", "20"),
    ("tcp_keepalives_interval", "10"),
    ("tcp_keepalives_count", "3"),
)
"""A transaction that is open while we wait for hosts is what we want, and no mishap."""
_PREPARED_MAX: Final = 500
_PATIENCE_S: Final = 5.0
_LOOK_S: Final = 0.05
_CUT: Final = ("08", "57P")
"""The beginnings of the codes of a connection that is no more."""


class _TextDumper(StrDumper):
    """PostgreSQL keeps every character but NUL, which says nothing in any text that we keep."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\ufffd") if "\0" in obj else obj)


def connect(server: str) -> Connection:
    """A session in which every statement is a transaction of its own until it says otherwise.
    Raises StateAway."""
    given = psycopg.conninfo.conninfo_to_dict(server)
    try:
        connection = psycopg.connect(
            server,
            autocommit=True,
            cursor_factory=psycopg.Cursor,
            **{name: value for name, value in _CONNECT.items() if name not in given},
        )
    except psycopg.Error as error:
        raise StateAway(
            f"The PostgreSQL server of {server} does not let us in: {_first_line(error)}. See that "
            f"it runs and that you may use it (psql '{server}'), and repeat the command."
        ) from error
    connection.adapters.register_dumper(str, _TextDumper)
    # Whole numbers of one width: a statement is then prepared once, and not for each mixture.
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(int, Int8BinaryDumper)
    connection.prepared_max = _PREPARED_MAX
    try:
        _prepare(connection, server)
    except psycopg.Error as error:
        connection.close()
        raise explain(error, server) from error
    except StateError:
        connection.close()
        raise
    return connection


def _prepare(connection: Connection, server: str) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StateError(
            f"The database of {server} is in {encoding}, which cannot keep every Url and title: "
            "make one with CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0."
        )
    with connection.transaction():
        for name, value in _SESSION:
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))


def use(connection: Connection, schema: str) -> None:
    """Let table names be those of a schema."""
    connection.execute(sql.SQL("SET search_path TO {}, pg_catalog").format(sql.Identifier(schema)))


@lru_cache(maxsize=1024)
def our(statement: str) -> bytes:
    """A statement with ``?`` where a value comes, as psycopg wants it."""
    return statement.replace("%", "%%").replace("?", "%s").encode()


def hold(connection: Connection, schema: str, server: str) -> None:
    """Keep a schema for this session, until it ends however it ends. Raises StateLocked.

    A Crawler that was cut off from the server has lost its session, and with it the transaction
    that it had open: whoever has the schema next can be sure that it commits nothing any more.
    """
    digest = hashlib.sha256(f"shoal {schema}".encode()).digest()
    key = int.from_bytes(digest[:8], "big", signed=True)
    ends_s = time.monotonic() + _PATIENCE_S
    while not _try(connection, key):
        holder = _holder(connection, key)
        if _is_alive(holder) or time.monotonic() > ends_s:
            raise StateLocked(
                f"A crawler is already at work in {schema} of {server} (machine and process: "
                f"{holder or 'unknown'}). Wait until it ends, or begin another crawl with another "
                "--out."
            )
        # A process that was killed is gone at once, and its session a moment later.
        time.sleep(_LOOK_S)
    connection.execute(
        "SELECT set_config('application_name', %s, false)",
        (f"shoal {socket.gethostname()} {os.getpid()}",),
    )


def _try(connection: Connection, key: int) -> bool:
    row = connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()
    return bool(row and row[0])


def _holder(connection: Connection, key: int) -> str:
    """The machine and the process that hold it; nothing where that cannot be told."""
    row = connection.execute(
        "SELECT application_name FROM pg_stat_activity WHERE pid IN"
        " (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        " AND (classid::bigint << 32 | objid::bigint) = %s)",
        (key,),
    ).fetchone()
    return str(row[0] or "").removeprefix("shoal ") if row else ""


def _is_alive(holder: str) -> bool:
    """Whether it is surely at work: another machine's processes are not ours to see."""
    machine, _, process = holder.rpartition(" ")
    return machine == socket.gethostname() and Path(f"/proc/{process}").exists()


def explain(error: psycopg.Error, where: str) -> StateError:
    """The StateError that says in our words what the server means, and what to do about it."""
    code = error.sqlstate or ""
    told = _first_line(error)
    if code.startswith(_CUT) or (not code and isinstance(error, psycopg.OperationalError)):
        return StateCut(
            f"The connection to {where} was lost ({told}). What was committed is safe: when the "
            "server answers again, the same command goes on."
        )
    if code == "53100":
        return StateDiskFull(
            errno.ENOSPC,
            f"The disk of the server of {where} is full. What was committed is safe: free some "
            "space there and start again with the same command.",
        )
    if code == "53300":
        return StateAway(
            f"The server of {where} has no connection left ({told}). A team needs two for each "
            "crawler and three more: raise max_connections, or use fewer --crawlers."
        )
    if code == "42501":
        return StateForbidden(
            f"{where} may not be used as a crawl needs it ({told}). Whoever owns the database can "
            "say: GRANT CREATE ON DATABASE name TO role."
        )
    if code == "25006":
        return StateReadOnly(
            errno.EROFS,
            f"The server of {where} takes no writes ({told}): it is a standby, or was made "
            "read-only. Use the primary.",
        )
    return StateError(f"{where}: {told}. Nothing since the last commit was kept; start again.")


def _first_line(error: psycopg.Error) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__
