"""What waits, told to a Strategy that has learnt better, and put in another order."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import islice
from typing import Any, Final

from shoal.frontier.database import Rows, State
from shoal.frontier.hosts import Host, HostQueues
from shoal.frontier.intake import RAISED_BY
from shoal.frontier.recent import Met, Recent
from shoal.frontier.registry import HostRegistry
from shoal.frontier.rows import decode_evidence, evidence_with, stored_url
from shoal.frontier.schema import LATER, WAITING
from shoal.model import Priority, Waiting, WaitingSlice

_AHEAD: Final = 8
"""Of so many hosts what waits is asked for together."""
_COLUMNS: Final = "id, text, priority, depth, evidence"


class Reorder:
    """Reads and changes the order of what waits.

    1. A host's bound stays a bound: raising lifts it, lowering leaves it too high, and the host is
       looked at again once it has come to the top.
    2. What is remembered of a Url met lately follows its new priority.
    3. ``foremost`` looks at as many hosts as have a bound above the worst Url that it tells.
    """

    def __init__(
        self,
        state: State,
        registry: HostRegistry,
        queues: HostQueues,
        recent: Recent,
        leased: Container[int],
    ) -> None:
        self._db = state
        self._registry = registry
        self._queues = queues
        self._recent = recent
        self._leased = leased

    def foremost(self, limit: int) -> list[Waiting]:
        best: list[tuple[float, int]] = []
        for host, answer in self._asked_ahead(limit):
            if len(best) == limit and host.bound <= best[0][0]:
                break
            rows = answer.fetchall()
            if rows:
                host.bound = rows[0][1]
            for number, priority in rows:
                if number in self._leased:
                    continue
                if len(best) < limit:
                    heappush(best, (priority, -number))
                elif (priority, -number) > best[0]:
                    heapreplace(best, (priority, -number))
                else:
                    break
        numbers = [-number for _, number in sorted(best, reverse=True)]
        found = {
            row[0]: row for row in self._db.among(f"SELECT {_COLUMNS} FROM url", "id", numbers)
        }
        return [_waiting_of(found[number]) for number in numbers]

    def waiting(self, after: int, limit: int, known: int, later: bool) -> WaitingSlice:
        rows = self._db.execute(
            f"SELECT {_COLUMNS} FROM url WHERE id > ? AND id <= ? AND state <= ? ORDER BY id",
            (after, after + limit, LATER if later else WAITING),
        ).fetchall()
        urls = tuple(_waiting_of(row) for row in rows if row[0] not in self._leased)
        return WaitingSlice(urls, after + limit if after + limit < known else None)

    def reprioritise(self, changes: Sequence[tuple[int, Priority]]) -> int:
        changed = 0
        found = {
            row[0]: row[1:]
            for row in self._db.among(
                "SELECT id, text, state, priority, host, evidence FROM url",
                "id",
                [number for number, _ in changes],
            )
        }
        for number, priority in changes:
            text, state, was, host_id, evidence = found[number]
            if state != WAITING or number in self._leased:
                continue
            self._db.execute(
                "UPDATE url SET priority = ?, evidence = ? WHERE id = ?",
                (priority.value, evidence_with(evidence, priority.parts), number),
            )
            host = self._registry.of(host_id)
            if priority.value > was:
                self._queues.advance(host, number, priority.value)
            elif priority.value < was:
                self._queues.sink(host, number)
            self._registry.touch(host)
            self._recent.replace(text, Met(number, priority.value + RAISED_BY))
            changed += 1
        return changed

    def _asked_ahead(self, limit: int) -> Iterator[tuple[Host, Rows]]:
        """The hosts by their bounds with what waits of each, some asked for at once: an answer may
        be a way to a server and back."""
        hosts = self._hosts_by_bound()
        while some := list(islice(hosts, _AHEAD)):
            yield from [
                (
                    host,
                    self._db.execute(
                        "SELECT id, priority FROM url WHERE state = 0 AND host = ?"
                        " ORDER BY priority DESC, id LIMIT ?",
                        (host.id, limit + host.leased),
                    ),
                )
                for host in some
            ]

    def _hosts_by_bound(self) -> Iterator[Host]:
        """The hosts with Urls to lease, the highest bound first, no more of them than are used."""
        hosts = [(-host.bound, host.id) for host in self._queues.by_id.values() if host.free]
        heapify(hosts)
        while hosts:
            yield self._queues.by_id[heappop(hosts)[1]]


def _waiting_of(row: Any) -> Waiting:
    number, text, priority, depth, blob = row
    evidence = decode_evidence(blob)
    return Waiting(
        id=number,
        url=stored_url(text),
        priority=Priority(priority, evidence.parts),
        depth=depth,
        kind=evidence.kind,
        anchor=evidence.anchor,
        context=evidence.context,
        source_relevance=evidence.source_relevance,
        source_beliefs=evidence.source_beliefs,
    )
