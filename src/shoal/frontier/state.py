"""The state file: one SQLite file that holds all a crawler must not forget.

1. What was committed survives the end of the process and of the machine (WAL, synchronous=FULL).
2. What was not committed is gone after a crash, all of it.
3. A file that is not ours, or is newer than we are, is refused before a byte of it changes.
4. After a failed write the file is let go at once: nothing is written that could be half a batch.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from shoal.errors import BusyError, CutOffError, StorageError
from shoal.frontier.database import SELECT_FACT, UPSERT_FACT, Row, Value
from shoal.frontier.schema import APPLICATION_ID, VERSIONS


class StateError(StorageError):
    """The state file cannot be used as asked; the message says what to do."""


class StateMissing(StateError):
    """There is no state file where one should be read, or nothing in it yet."""


class StateForeign(StateError):
    """The file is no state file of Shoal."""


class StateTooNew(StateError):
    """The file was written by a later Shoal."""


class StateTooOld(StateError):
    """The file was written by an earlier Shoal, and is open for reading only."""


class StateCorrupt(StateError):
    """The file is damaged."""


class StateAway(StateError):
    """The server that keeps the state does not answer, or does not let us in."""


class StateCut(CutOffError, StateAway):
    """The connection to the server was lost at work."""


class StateForbidden(StateError):
    """The server lets us in, and not do what a crawl needs."""


class StateLocked(BusyError, StateError):
    """Another process is writing to the state."""


class DirectoryInUse(BusyError, StateError):
    """Another crawler works in the directory."""


class StateSystemError(StateError, OSError):
    """The system refuses; ``errno`` says why to a program, the message to a reader."""

    def __str__(self) -> str:
        return str(self.strerror)


class StateUnreadable(StateSystemError):
    """The system does not let us open or read the file."""


class StateReadOnly(StateSystemError):
    """The file or its disk does not take writes (``errno`` is EROFS)."""


class StateDiskFull(StateSystemError):
    """There is no room for the file to grow (``errno`` is ENOSPC)."""


MEMORY: Final = ":memory:"
"""In place of a path: a state that lives and ends with the process."""

_CACHE_KIB: Final = 131_072
_LOG_PAGES: Final = 16_384
_CHECKED_BYTES: Final = 256 << 20
"""Up to this size the whole file is checked after an unclean end (well under a second); beyond it
SQLite's own check of each page it reads must do, so that a large crawl resumes in seconds."""


class StateFile:
    """A State over one connection to a state file."""

    failures: Final = sqlite3.Error

    def __init__(self, connection: sqlite3.Connection, path: str, *, writable: bool) -> None:
        self.connection = connection
        self.execute = connection.execute
        self.name = path
        self.is_kept = path != MEMORY
        self._writable = writable
        self._failure: StateError | None = None
        self._open = True

    @classmethod
    def open(cls, path: Path | str) -> StateFile:
        """Open for writing; make the file where there is none. Raises StateError."""
        name = str(path)
        unclean = _size(Path(name + "-wal")) > 0
        connection = _connect(name, f"file:{_quoted(name)}" if name != MEMORY else name)
        state = cls(connection, name, writable=True)
        try:
            state._prepare(unclean)
        except sqlite3.Error as error:
            connection.close()
            raise explain(error, name) from error
        except StateError:
            connection.close()
            raise
        return state

    @classmethod
    def read(cls, path: Path | str) -> StateFile:
        """Open for reading only, beside a running crawler or on a medium that takes no writes."""
        name = str(path)
        if not Path(name).is_file():
            raise StateMissing(f"There is no state file {name}: give the directory of a crawl.")
        try:
            connection = _reader(name)
        except sqlite3.Error as error:
            raise explain(error, name) from error
        return cls(connection, name, writable=False)

    def add(
        self, table: str, columns: Sequence[str], rows: Sequence[Row], on_conflict: str = ""
    ) -> None:
        self.connection.executemany(
            f"INSERT INTO {table} ({', '.join(columns)})"
            f" VALUES ({', '.join('?' * len(columns))}) {on_conflict}",
            rows,
        )

    def among(self, select: str, column: str, values: Sequence[Value]) -> Iterable[Any]:
        # A statement costs microseconds here, and one of a fixed text is prepared already.
        sql = f"{select} WHERE {column} = ?"
        for value in values:
            yield from self.connection.execute(sql, (value,))

    def stream(self, sql: str, values: Sequence[Value] = ()) -> Iterator[Any]:
        """Closed even where the reader stops early."""
        cursor = self.connection.execute(sql, values)
        try:
            yield from cursor
        finally:
            cursor.close()

    @contextmanager
    def moment(self) -> Iterator[None]:
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("COMMIT")

    def commit(self) -> None:
        self.connection.execute("COMMIT")
        self.connection.execute("BEGIN IMMEDIATE")

    def fact(self, name: str) -> str | None:
        row = self.connection.execute(SELECT_FACT, (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        self.connection.execute(UPSERT_FACT, (name, value))

    def verify(self) -> None:
        """Read every page and every index. Raises StateCorrupt; takes long on a large file."""
        try:
            found = self.connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        except sqlite3.Error as error:
            raise explain(error, self.name) from error
        if found != "ok":
            raise _corrupt(self.name, str(found))

    def fail(self, error: Exception) -> StateError:
        """SQLite may have rolled back, and what came after would be committed without what came
        before: so a writer is closed."""
        if self._failure is not None:
            return self._failure
        assert isinstance(error, sqlite3.Error)
        failure = explain(error, self.name)
        if self._writable:
            self._failure = failure
            self.close()
        return failure

    def close(self) -> None:
        if self._open:
            self._open = False
            try:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
            finally:
                self.connection.close()

    def _prepare(self, unclean: bool) -> None:
        version = _version(self.connection, self.name)
        if unclean and _size(Path(self.name)) <= _CHECKED_BYTES:
            found = self.connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise _corrupt(self.name, str(found))
        (mode,) = self.connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal" and self.name != MEMORY:
            raise StateError(
                f"The file system of {self.name} cannot share memory between processes, which "
                "reading beside a crawl needs. Choose a directory on a local disk."
            )
        for pragma in (
            "synchronous = FULL",
            f"cache_size = -{_CACHE_KIB}",
            f"wal_autocheckpoint = {_LOG_PAGES}",
            f"journal_size_limit = {_LOG_PAGES * 4096}",
            "secure_delete = OFF",
            "temp_store = FILE",
        ):
            self.connection.execute(f"PRAGMA {pragma}")
        if version < len(VERSIONS):
            # In one transaction, so that nobody ever meets a file between two versions.
            self.connection.executescript(
                f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID};"
                f"{' '.join(VERSIONS[version:])} PRAGMA user_version = {len(VERSIONS)}; COMMIT;"
            )
        self.connection.execute("BEGIN IMMEDIATE")


def explain(error: sqlite3.Error, path: str) -> StateError:
    """The StateError that says in our words what SQLite means, and what to do about it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return StateDiskFull(
            errno.ENOSPC,
            f"The disk of {path} is full. What was committed is safe: free some space and start "
            "again with the same command.",
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return StateReadOnly(
            errno.EROFS,
            f"{path} cannot be written ({error}). Give Shoal write access to its directory, or "
            "choose another one.",
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StateLocked(
            f"Another process is writing to {path}. Wait until it ends, or choose another "
            "directory."
        )
    if code == sqlite3.SQLITE_NOTADB:
        return _foreign(path)
    if code == sqlite3.SQLITE_CORRUPT:
        return _corrupt(path, str(error))
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
        return StateUnreadable(
            errno.EIO,
            f"{path} cannot be opened or read ({error}). See that its directory exists, that you "
            "may write there, and that the disk is sound.",
        )
    return StateError(f"{path}: {error}. Nothing since the last commit was kept; start again.")


def _connect(name: str, address: str) -> sqlite3.Connection:
    try:
        # Handing a crawl over to another thread is legitimate; using it from two at once is not.
        return sqlite3.connect(
            address,
            uri=name != MEMORY,
            isolation_level=None,
            timeout=1.0,
            cached_statements=256,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise explain(error, name) from error


def _reader(name: str) -> sqlite3.Connection:
    connection = _connect(name, f"file:{_quoted(name)}?mode=ro")
    try:
        _version(connection, name, current=True)
    except sqlite3.OperationalError as error:
        connection.close()
        code = error.sqlite_errorcode & 0xFF
        if code not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        # WAL wants to write beside the file even to read it. Where it may not, and nothing stands
        # in the log, the file alone is everything and nobody can be changing it.
        if _size(Path(name + "-wal")) > 0:
            raise StateReadOnly(
                errno.EROFS,
                f"{name} was not closed, and its log cannot be read where nothing can be written. "
                "Copy the directory to a disk that takes writes.",
            ) from error
        connection = _connect(name, f"file:{_quoted(name)}?mode=ro&immutable=1")
        _version(connection, name, current=True)
    except StateError:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection, path: str, *, current: bool = False) -> int:
    """The file's schema version; 0 for a new file. Raises where the file is not one for us."""
    # Of one moment: a mate may read the file while it is begun, and one mark without the other
    # would be somebody else's.
    connection.execute("BEGIN")
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    if application != APPLICATION_ID and (tables or application or version):
        raise _foreign(path)
    if current and not tables:
        raise StateMissing(
            f"Nothing is in {path} yet: its crawl was ended as it began. Repeat its command."
        )
    if version > len(VERSIONS):
        raise StateTooNew(
            f"{path} was written by a later Shoal (state version {version}, this one knows "
            f"{len(VERSIONS)}). Update Shoal, or start a crawl in another directory."
        )
    if current and version < len(VERSIONS):
        raise StateTooOld(
            f"{path} was written by an earlier Shoal (state version {version}). Resume the crawl "
            "once with this Shoal to bring it up to date."
        )
    return version


def _foreign(path: str) -> StateForeign:
    return StateForeign(
        f"{path} is not a state file of Shoal. Move it away, or choose another directory."
    )


def _corrupt(path: str, found: str) -> StateCorrupt:
    return StateCorrupt(
        f"{path} is damaged ({found}). The archive beside it is not affected: restore the state "
        "file from a backup, or move it away and start the crawl anew."
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _quoted(name: str) -> str:
    return str(Path(name).absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
