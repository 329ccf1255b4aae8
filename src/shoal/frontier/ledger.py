"""Reads a State beside the crawl that writes it, or long after."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from shoal.frontier.database import State, Value
from shoal.frontier.rows import (
    KNOWN_FROM,
    KNOWN_WIDTH,
    SELECT_HOST,
    SELECT_KNOWN,
    SELECT_VISIT,
    find_row,
    host_of,
    known_of,
    stored_url,
    visit_of,
    visits_of,
)
from shoal.model import HostRecord, Known, Outcome, Standing, Visit
from shoal.url import Url

_ENDLESS: Final = 1 << 62


class StateLedger:
    """A ports.Ledger over a State that is open for reading.

    1. All that ports.Ledger promises.
    2. ``leased`` is 0 in its Standing: leases live in the Crawler's memory; what is leased waits.
    3. Over the State of a running Frontier (as with a state in memory, which has no second
       reader) it sees what that Frontier sees, committed or not.
    """

    def __init__(self, state: State) -> None:
        self._state = self._db = state

    def fact(self, name: str) -> str | None:
        with self._moment():
            return self._state.fact(name)

    def standing(self) -> Standing:
        with self._moment():
            known, later, settled, refused = (
                int(self._state.fact(name) or 0)
                for name in ("known", "later", "settled", "refused")
            )
            (hosts_waiting,) = self._db.execute(
                "SELECT count(*) FROM host WHERE waiting > 0"
            ).fetchone()
        return Standing(
            known=known,
            waiting=known - later - settled - refused,
            leased=0,
            later=later,
            settled=settled,
            refused=refused,
            hosts_waiting=hosts_waiting,
        )

    def visits(self, outcomes: frozenset[Outcome] | None = None) -> Iterator[tuple[Known, Visit]]:
        wanted = sorted(outcome.value for outcome in (Outcome if outcomes is None else outcomes))
        if not wanted:
            return iter(())
        return self._visits(
            f"WHERE visit.outcome IN ({','.join('?' * len(wanted))}) ORDER BY visit.id", wanted
        )

    def best(self, relevance: float, limit: int | None) -> Iterator[tuple[Known, Visit]]:
        return self._visits(
            "WHERE visit.outcome = 'page' AND visit.relevance IS NOT NULL AND visit.relevance >= ?"
            " ORDER BY visit.relevance DESC, visit.id LIMIT ?",
            [relevance, _ENDLESS if limit is None else limit],
        )

    def find(self, url: Url) -> Known | None:
        with self._moment():
            host = self._db.execute(
                "SELECT id FROM host WHERE name = ?", (url.host_key,)
            ).fetchone()
            row = None if host is None else find_row(self._db, "id, visit", host[0], url)[1]
            if row is None:
                return None
            found = self._db.execute(
                f"SELECT {SELECT_KNOWN} FROM {KNOWN_FROM} WHERE url.id = ?", (row[0],)
            ).fetchone()
            visits = visits_of(self._db, row[1])
        return known_of(found, visits)

    def linked_from(self, known: Known, limit: int) -> Iterator[Known]:
        wanted = known.id.to_bytes(4, "little")
        told: set[int] = set()
        with self._errors():
            # The scan is the database's own search for four bytes; that they are one id and not
            # the end of one and the beginning of the next is seen here.
            for source, ids in self._db.stream(
                "SELECT source, ids FROM targets WHERE instr(ids, ?) > 0 ORDER BY id", (wanted,)
            ):
                if len(told) >= limit:
                    break
                if source in told or known.id not in _unpacked(ids):
                    continue
                told.add(source)
                row = self._db.execute(
                    f"SELECT {SELECT_KNOWN} FROM {KNOWN_FROM} WHERE url.id = ?", (source,)
                ).fetchone()
                yield known_of(row)

    def urls(self) -> Iterator[tuple[int, Url]]:
        with self._errors():
            for number, text in self._db.stream("SELECT id, text FROM url ORDER BY id"):
                yield number, stored_url(text)

    def links(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        with self._errors():
            for source, ids in self._db.stream("SELECT source, ids FROM targets ORDER BY id"):
                yield source, np.frombuffer(ids, "<u4").astype(np.int64)

    def host(self, host: str) -> HostRecord | None:
        with self._moment():
            row = self._db.execute(
                f"SELECT {SELECT_HOST} FROM host WHERE name = ?", (host,)
            ).fetchone()
        return None if row is None else host_of(row)

    def hosts(self) -> Iterator[HostRecord]:
        with self._errors():
            for row in self._db.stream(f"SELECT {SELECT_HOST} FROM host ORDER BY id"):
                yield host_of(row)

    def note(self, kind: str, key: str) -> bytes | None:
        with self._moment():
            row = self._db.execute(
                "SELECT value FROM note WHERE kind = ? AND key = ?", (kind, key)
            ).fetchone()
        return None if row is None else bytes(row[0])

    def close(self) -> None:
        self._state.close()

    def _visits(self, rest: str, values: Sequence[Value]) -> Iterator[tuple[Known, Visit]]:
        with self._errors():
            # Every visit has its Url and its host: LEFT says in which order to look them up.
            for row in self._db.stream(
                f"SELECT {SELECT_KNOWN}, {SELECT_VISIT} FROM visit"
                f" LEFT JOIN url ON url.id = visit.url LEFT JOIN host ON host.id = url.host"
                f" LEFT JOIN url AS origin ON origin.id = url.source {rest}",
                values,
            ):
                yield known_of(row[:KNOWN_WIDTH]), visit_of(row[KNOWN_WIDTH:])

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except self._state.failures as error:
            raise self._state.fail(error) from error

    @contextmanager
    def _moment(self) -> Iterator[None]:
        """Several reads of the same committed moment."""
        with self._errors(), self._state.moment():
            yield


def _unpacked(ids: bytes) -> array[int]:
    numbers = array("I", ids)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
