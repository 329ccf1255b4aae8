"""What the parts of a frontier ask of the database that keeps it.

The statements are the same for all: they are written in the SQL that SQLite and PostgreSQL share,
with ``?`` where a value comes. What the two do differently are the methods here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Value = int | float | str | bytes | None
Row = tuple[Value, ...]

SELECT_FACT = "SELECT value FROM fact WHERE name = ?"
UPSERT_FACT = (
    "INSERT INTO fact (name, value) VALUES (?, ?)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)


class Rows(Protocol):
    """What a statement found. Rows have no types: whoever wrote the statement knows them."""

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class State(Protocol):
    """The open state of one Crawler, for writing or for reading only.

    1. A writer has one transaction that is always open: it sees what it wrote, everybody else sees
       the last ``commit``, and what was not committed is gone when the process ends.
    2. A statement that returns nothing may be carried out later, before the next one that does.
    3. After a failure a writer is closed for good: nothing is ever committed without what came
       before it.
    """

    @property
    def name(self) -> str:
        """Where it is, for messages."""

    @property
    def is_kept(self) -> bool:
        """Whether it outlives the process."""

    @property
    def failures(self) -> type[Exception]:
        """What the database raises; ``fail`` says it in our words."""

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> Rows: ...

    def add(
        self, table: str, columns: Sequence[str], rows: Sequence[Row], on_conflict: str = ""
    ) -> None:
        """Insert many rows at the cost of one statement."""

    def among(self, select: str, column: str, values: Sequence[Value]) -> Iterable[Any]:
        """The rows of ``select`` in which ``column`` is one of the values, each at most once, at
        the cost of one statement."""

    def stream(self, sql: str, values: Sequence[Value] = ()) -> Iterator[Any]:
        """Rows one at a time, all of the moment at which the first was read."""

    def moment(self) -> AbstractContextManager[None]:
        """Several reads of one committed moment."""

    def fact(self, name: str) -> str | None: ...

    def set_fact(self, name: str, value: str) -> None: ...

    def commit(self) -> None:
        """Make all since the last commit durable."""

    def fail(self, error: Exception) -> Exception:
        """What to raise for a failed statement. A writer is closed by it."""

    def close(self) -> None:
        """Let go without committing. Idempotent."""
