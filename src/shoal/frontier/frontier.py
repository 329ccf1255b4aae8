"""The Frontier in a State. Which Url comes next is told in hosts.py."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from shoal.frontier.database import State
from shoal.frontier.hosts import Head, Host, HostQueues
from shoal.frontier.intake import Intake
from shoal.frontier.recent import Met, Recent
from shoal.frontier.registry import HostRegistry
from shoal.frontier.reorder import Reorder
from shoal.frontier.rows import INSERT_VISIT, decode_evidence, find_row, stored_url, visit_row
from shoal.frontier.schema import LATER, SETTLED, WAITING
from shoal.frontier.twins import DISTANCE_MAX, TwinSearch
from shoal.model import (
    ArchiveMark,
    Lease,
    Offer,
    OfferCount,
    Outcome,
    Priority,
    Standing,
    Twin,
    Visit,
    Wait,
    Waiting,
    WaitingSlice,
)


class NotLeased(ValueError):
    """The Lease was settled or released before, or was given out by another Frontier."""


_SELECT_HEAD: Final = (
    "SELECT url.id, url.priority, url.text, url.depth, url.redirects, url.attempts, url.evidence,"
    " origin.text, visit.etag, visit.last_modified FROM url"
    " LEFT JOIN url AS origin ON origin.id = url.source LEFT JOIN visit ON visit.id = url.visit"
)
"""What a Lease is made of."""

P = ParamSpec("P")
R = TypeVar("R")


def _guarded(
    method: Callable[Concatenate[StateFrontier, P], R],
) -> Callable[Concatenate[StateFrontier, P], R]:
    """Say what the database says in the words of StateError."""

    @wraps(method)
    def guarded(self: StateFrontier, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except self.state.failures as error:
            raise self.state.fail(error) from error

    return guarded


class StateFrontier:
    """A ports.Frontier whose Urls stand in a State.

    1. All that ports.Frontier promises.
    2. Giving a host up refuses what it has waiting by the rule ``given_up``.
    3. Two rests of one host are both kept: the later end counts.
    4. A refused Url that another Link's Ruling admits begins to wait, and counts as new.
    5. ``next_ready`` is at infinity when all that waits belongs to hosts with as many leases as may
       be: no time, only ``settle`` or ``release``, makes a Url ready then.
    6. After a StateError nothing more is written; what was committed is safe.
    """

    def __init__(self, state: State, *, per_host: int, distance: int, recent: int) -> None:
        """For ``open`` only."""
        self.state = self._db = state
        self._leases: dict[int, Lease] = {}
        self._heads: dict[int, Any] = {}
        """Rows of waiting Urls, just read: of hosts' best ones, until anything changes of any."""
        self._queues = HostQueues(per_host, self._head)
        self._registry = HostRegistry(self._db, self._queues)
        self._recent = Recent(recent)
        self._intake = Intake(
            self._db, self._registry, self._queues, self._recent, self._leases.keys()
        )
        self._reorder = Reorder(
            self._db, self._registry, self._queues, self._recent, self._leases.keys()
        )
        self._twins = TwinSearch(self._db, distance)
        self._next_visit = 1
        self._next_later_s = math.inf
        self._later = self._settled = 0

    @classmethod
    def open(
        cls,
        state: State,
        *,
        per_host: int = 1,
        distance: int = DISTANCE_MAX,
        recent: int = 65_536,
    ) -> StateFrontier:
        """The Frontier as of the last commit. ``distance`` is in bits of near duplicates (0 to 3),
        ``recent`` how many Urls are remembered so that Links to them cost next to nothing."""
        if per_host < 1:
            raise ValueError(f"per_host is at least 1, not {per_host}")
        if not 0 <= distance <= DISTANCE_MAX:
            raise ValueError(f"distance is 0 to {DISTANCE_MAX}, not {distance}")
        frontier = cls(state, per_host=per_host, distance=distance, recent=recent)
        frontier._resume()
        return frontier

    @_guarded
    def offer(self, source: int | None, offers: Sequence[Offer]) -> OfferCount:
        self._heads.clear()
        return self._intake.offer(source, offers)

    # ------------------------------------------------------------------------------- leases

    @_guarded
    def lease(self, now_s: float, limit: int) -> list[Lease]:
        self._wake_later(now_s)
        leases: list[Lease] = []
        while len(leases) < limit and (found := self._queues.best(now_s)) is not None:
            host, head = found
            self._queues.take(host, head.priority)
            lease = self._lease(head)
            self._leases[head.id] = lease
            leases.append(lease)
        return leases

    @_guarded
    def take(self, offer: Offer, *, back: bool = False) -> Lease | None:
        self._heads.clear()
        self._intake.offer(None, [offer])
        url = offer.link.target
        host = self._registry.get(url.host_key)
        _, row = find_row(self._db, "id, state, priority, visit", host.id, url)
        assert row is not None, "it was just offered"
        number, state, priority, visit = row
        if number in self._leases or (state == SETTLED and not self._is_to_come(visit, back)):
            return None
        if state != WAITING:
            self._call_back(host, number, state, priority)
        self._queues.seize(host, number)
        self._registry.touch(host)
        lease = self._lease(Head(number, priority))
        self._leases[number] = lease
        return lease

    def _call_back(self, host: Host, number: int, state: int, priority: float) -> None:
        """What waits for another attempt, was refused, or was left to another Crawler, or handed to
        it, waits."""
        self._db.execute("UPDATE url SET state = 0, retry_at_s = NULL WHERE id = ?", (number,))
        if state == LATER:
            self._later -= 1
            self._next_later_s = self._first_later_s()
        elif state == SETTLED:
            self._settled -= 1
            host.settled -= 1
        else:
            self._intake.refused -= 1
            host.known += 1
        self._queues.add(host, number, priority)

    def _is_to_come(self, visit: int, back: bool) -> bool:
        """Whether what was settled by that Visit may still come here, or come back."""
        (outcome,) = self._db.execute("SELECT outcome FROM visit WHERE id = ?", (visit,)).fetchone()
        return outcome == Outcome.ELSEWHERE.value or (back and outcome == Outcome.HANDED_OVER.value)

    @_guarded
    def release(self, lease: Lease) -> None:
        self._returned(lease)
        host = self._registry.get(lease.url.host_key)
        if host.given_up is None:
            self._queues.give_back(host, lease.id, lease.priority)
        else:
            self._refuse(lease, host)

    @_guarded
    def settle(self, lease: Lease, visit: Visit) -> None:
        self._returned(lease)
        host = self._registry.get(lease.url.host_key)
        self._registry.touch(host)
        number = self._next_visit
        self._next_visit = number + 1
        self._db.execute(INSERT_VISIT, (number, lease.id, lease.id, *visit_row(visit)))
        retry_at_s = None
        state = SETTLED
        if visit.outcome is Outcome.RETRY:
            state = LATER
            retry_at_s = visit.at_s if visit.retry_at_s is None else visit.retry_at_s
        self._db.execute(
            "UPDATE url SET state = ?, attempts = attempts + 1, visit = ?, retry_at_s = ?"
            " WHERE id = ?",
            (state, number, retry_at_s, lease.id),
        )
        if retry_at_s is None:
            host.settled += 1
            self._settled += 1
            self._recent.replace(lease.url.text, Met(lease.id, math.inf))
            if visit.outcome is Outcome.PAGE and visit.simhash is not None:
                self._twins.add(visit.simhash, number)
            self._queues.end(host)
        elif host.given_up is None:
            self._later += 1
            self._next_later_s = min(self._next_later_s, retry_at_s)
            self._queues.end(host)
        else:
            self._refuse(lease, host)

    def _lease(self, head: Head) -> Lease:
        found = self._heads.pop(head.id, None)
        if found is None:
            found = self._db.execute(f"{_SELECT_HEAD} WHERE url.id = ?", (head.id,)).fetchone()
        _, _, text, depth, redirects, attempts, evidence, origin, etag, last_modified = found
        told = decode_evidence(evidence)
        source = told.source if origin is None else origin
        return Lease(
            id=head.id,
            url=stored_url(text),
            priority=head.priority,
            depth=depth,
            redirects=redirects,
            attempts=attempts,
            kind=told.kind,
            etag=etag,
            last_modified=last_modified,
            anchor=told.anchor,
            context=told.context,
            parts=told.parts,
            source=None if source is None else stored_url(source),
            source_relevance=told.source_relevance,
            source_beliefs=told.source_beliefs,
        )

    def _returned(self, lease: Lease) -> None:
        if self._leases.get(lease.id) != lease:
            raise NotLeased(f"{lease.url} is not leased: it was settled or released before")
        del self._leases[lease.id]

    def _refuse(self, lease: Lease, host: Host) -> None:
        """What a given-up host had leased waits no more."""
        self._db.execute("UPDATE url SET state = 3, retry_at_s = NULL WHERE id = ?", (lease.id,))
        self._intake.refused += 1
        self._queues.end(host)
        self._registry.touch(host)

    def _head(self, host: Host) -> Head | None:
        """The best Url of a host that is not leased; corrects the host's bound on the way."""
        rows = self._db.execute(
            f"{_SELECT_HEAD} WHERE url.state = 0 AND url.host = ?"
            " ORDER BY url.priority DESC, url.id LIMIT ?",
            (host.id, host.leased + 1),
        ).fetchall()
        if rows:
            host.bound = rows[0][1]
        for row in rows:
            if row[0] not in self._leases:
                # Most heads are leased at once: then there is nothing more to look up.
                self._heads[row[0]] = row
                return Head(row[0], row[1])
        return None

    def _wake_later(self, now_s: float) -> None:
        """Let Urls wait whose time for another attempt has come."""
        while self._next_later_s <= now_s:
            for number, host_id, priority in self._db.execute(
                "SELECT id, host, priority FROM url WHERE state = 1 AND retry_at_s <= ?"
                " ORDER BY retry_at_s LIMIT 1000",
                (now_s,),
            ).fetchall():
                self._db.execute(
                    "UPDATE url SET state = 0, retry_at_s = NULL WHERE id = ?", (number,)
                )
                self._later -= 1
                host = self._registry.of(host_id)
                self._queues.add(host, number, priority)
                self._registry.touch(host)
            self._next_later_s = self._first_later_s()

    def _first_later_s(self) -> float:
        (first_s,) = self._db.execute("SELECT min(retry_at_s) FROM url WHERE state = 1").fetchone()
        return math.inf if first_s is None else float(first_s)

    # ------------------------------------------------------------------------------- order

    @_guarded
    def foremost(self, limit: int) -> Sequence[Waiting]:
        return self._reorder.foremost(limit)

    @_guarded
    def waiting(self, after: int, limit: int, *, later: bool = False) -> WaitingSlice:
        return self._reorder.waiting(after, limit, self._intake.known, later)

    @_guarded
    def reprioritise(self, changes: Sequence[tuple[int, Priority]]) -> int:
        self._heads.clear()
        return self._reorder.reprioritise(changes)

    # ------------------------------------------------------------------------------- hosts

    @_guarded
    def rest(self, host: str, until_s: float, why: str) -> None:
        found = self._registry.get(host)
        if found.rest_until_s is None or until_s > found.rest_until_s:
            found.rest_until_s = until_s
            found.rest_why = why
            self._registry.touch(found)

    @_guarded
    def give_up(self, host: str, why: str) -> int:
        found = self._registry.get(host)
        if found.given_up is not None:
            return 0
        found.given_up = why
        self._registry.touch(found)
        leased = [key for key, lease in self._leases.items() if lease.url.host_key == host]
        waiting = found.free
        later: int
        self._db.execute(
            "UPDATE url SET state = 3 WHERE state = 0 AND host = ?" + " AND id != ?" * len(leased),
            (found.id, *leased),
        )
        (later,) = self._db.execute(
            "SELECT count(*) FROM url WHERE state = 1 AND host = ?", (found.id,)
        ).fetchone()
        self._db.execute(
            "UPDATE url SET state = 3, retry_at_s = NULL WHERE state = 1 AND host = ?", (found.id,)
        )
        self._queues.drop(found)
        self._later -= later
        self._intake.refused += waiting + later
        self._next_later_s = self._first_later_s()
        return waiting + later

    @_guarded
    def next_ready(self, now_s: float) -> Wait | None:
        if self._next_later_s <= now_s:
            self._wake_later(now_s)
        if self._queues.best(now_s) is not None:
            return Wait(now_s, "ready")
        wait = self._queues.next_rested()
        if wait is None and self._queues.waiting:
            wait = Wait(math.inf, "every host that has Urls waiting is being asked")
        if self._next_later_s < (math.inf if wait is None else wait.until_s):
            wait = self._sooner_later(wait)
        return wait

    def _sooner_later(self, wait: Wait | None) -> Wait | None:
        """The first Url to be tried again, where that is sooner; its host may rest longer."""
        # Nearly always one of the first few decides.
        limit = 8
        while True:
            rows = self._db.execute(
                "SELECT url.retry_at_s, url.host, visit.detail FROM url"
                " LEFT JOIN visit ON visit.id = url.visit WHERE url.state = 1"
                " ORDER BY url.retry_at_s LIMIT ?",
                (limit,),
            ).fetchall()
            for retry_at_s, number, detail in rows:
                if wait is not None and wait.until_s <= retry_at_s:
                    return wait
                host = self._registry.of(number)
                until_s = max(retry_at_s, host.rest_until_s or retry_at_s)
                if wait is None or until_s < wait.until_s:
                    since = f", since {detail}" if detail else ""
                    wait = Wait(until_s, f"{host.name}: another attempt{since}")
            if len(rows) < limit:
                return wait
            limit *= 8

    @_guarded
    def host_known(self, host: str) -> int:
        found = self._registry.find(host)
        return 0 if found is None else found.known

    # ------------------------------------------------------------------------------- the rest

    @_guarded
    def twin(self, digest: str, simhash: int | None) -> Twin | None:
        return self._twins.find(digest, simhash)

    def standing(self) -> Standing:
        return Standing(
            known=self._intake.known,
            waiting=self._queues.waiting,
            leased=len(self._leases),
            later=self._later,
            settled=self._settled,
            refused=self._intake.refused,
            hosts_waiting=self._queues.hosts_waiting,
        )

    @_guarded
    def commit(self, mark: ArchiveMark, clock_s: float) -> None:
        self._registry.write()
        self.state.set_fact("archive_mark", json.dumps(mark.sizes))
        self.state.set_fact("clock_s", repr(clock_s))
        self.state.set_fact("known", str(self._intake.known))
        self.state.set_fact("later", str(self._later))
        self.state.set_fact("settled", str(self._settled))
        self.state.set_fact("refused", str(self._intake.refused))
        self.state.commit()
        self._registry.forget_idle()

    def archive_mark(self) -> ArchiveMark:
        """How far the Archive was at the last commit."""
        text = self.fact("archive_mark")
        sizes = [] if text is None else json.loads(text)
        return ArchiveMark(tuple((str(name), int(size)) for name, size in sizes))

    @_guarded
    def fact(self, name: str) -> str | None:
        """A fact of the whole crawl, as the Ledger will read it after the next ``commit``."""
        return self.state.fact(name)

    @_guarded
    def set_fact(self, name: str, value: str) -> None:
        self.state.set_fact(name, value)

    def close(self) -> None:
        self.state.close()

    @_guarded
    def _resume(self) -> None:
        self._intake.known, self._intake.refused, self._later, self._settled = (
            int(self.state.fact(name) or 0) for name in ("known", "refused", "later", "settled")
        )
        (last,) = self._db.execute("SELECT max(id) FROM visit").fetchone()
        self._next_visit = 1 + (last or 0)
        self._registry.resume()
        self._next_later_s = self._first_later_s()
