"""How Links become known Urls."""

from __future__ import annotations

import math
import sqlite3
import sys
from array import array
from collections.abc import Container, Sequence
from enum import Enum, auto
from typing import Final

from shoal.frontier.hosts import Host, HostQueues
from shoal.frontier.recent import Met, Recent
from shoal.frontier.registry import HostRegistry
from shoal.frontier.rows import Row, evidence_of, find_row
from shoal.frontier.schema import REFUSED, SETTLED, URLS_MAX, WAITING
from shoal.frontier.state import StateError
from shoal.model import Offer, OfferCount
from shoal.url import Url

RAISED_BY: Final = 1e-9
"""A priority is raised only by more than this: less is the noise of adding floats up."""

_INSERT: Final = "INSERT INTO url VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, NULL, ?)"


class Change(Enum):
    """What an Offer changed."""

    NEW = auto()
    RAISED = auto()
    NOTHING = auto()
    REFUSED = auto()


class Intake:
    """Takes Offers in.

    1. Each Offer counts once: as new (its Url waits from now on), raised, refused (remembered so
       from now on), or known (nothing changed).
    2. A Url that was offered lately, and is not worth more than then, costs no look into the file.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        registry: HostRegistry,
        queues: HostQueues,
        recent: Recent,
        leased: Container[int],
    ) -> None:
        self._db = connection
        self._registry = registry
        self._queues = queues
        self._recent = recent
        self._leased = leased
        self._pending: list[Row] = []
        self._pending_keys: set[int] = set()
        self.known = 0
        """Urls in the file; ids are given in this order, from 1."""
        self.refused = 0

    def offer(self, source: int | None, offers: Sequence[Offer]) -> OfferCount:
        counts = dict.fromkeys(Change, 0)
        ids: list[int] = []
        young = self._recent.young
        for offer in offers:
            text = offer.link.target.text
            met = young.get(text)
            if met is None or (offer.priority.value > met.bar and offer.ruling.admitted):
                met, change = self._take(offer, met or self._recent.recall(text), source)
                young[text] = met
                counts[change] += 1
            ids.append(met.id)
        self._flush()
        self._recent.turn()
        if source is not None and ids:
            self._db.execute(
                "INSERT INTO targets (source, ids) VALUES (?, ?)", (source, _packed(ids))
            )
        new, raised, refused = counts[Change.NEW], counts[Change.RAISED], counts[Change.REFUSED]
        return OfferCount(new, raised, len(offers) - new - raised - refused, refused)

    def _take(self, offer: Offer, met: Met | None, source: int | None) -> tuple[Met, Change]:
        if met is None:
            host = self._registry.get(offer.link.target.host_key)
            met, key = self._look_up(host, offer.link.target)
            if met is None:
                return self._insert(host, key, offer, source)
        if offer.ruling.admitted and offer.priority.value > met.bar:
            return self._reconsider(met.id, offer, source)
        return met, Change.NOTHING

    def _look_up(self, host: Host, url: Url) -> tuple[Met | None, int]:
        """A Url that was not met lately; where it is not known, the key that is free for it."""
        key, row = find_row(self._db, "id, state, priority", host.id, url)
        if row is None and key in self._pending_keys:
            self._flush()
            key, row = find_row(self._db, "id, state, priority", host.id, url)
        if row is None:
            return None, key
        return Met(row[0], _bar(row[1], row[2])), key

    def _insert(self, host: Host, key: int, offer: Offer, source: int | None) -> tuple[Met, Change]:
        if self.known == URLS_MAX:
            raise StateError(f"The state file holds {URLS_MAX:,} Urls, its limit: split the crawl.")
        self.known += 1
        number = self.known
        url, priority = offer.link.target, offer.priority.value
        admitted = offer.ruling.admitted
        state = WAITING if admitted and host.given_up is None else REFUSED
        self._pending_keys.add(key)
        self._pending.append(
            (
                number,
                key,
                url.text,
                host.id,
                state,
                priority,
                offer.depth,
                offer.redirects,
                source,
                evidence_of(offer, source),
            )
        )
        if state == WAITING:
            host.known += 1
            self._queues.add(host, number, priority)
            self._registry.touch(host)
            return Met(number, priority + RAISED_BY), Change.NEW
        self.refused += 1
        # What a given-up host has can change no more; what a rule refused, another may admit.
        return Met(number, math.inf if admitted else -math.inf), Change.REFUSED

    def _reconsider(self, number: int, offer: Offer, source: int | None) -> tuple[Met, Change]:
        """An admitted Offer that may be worth more than what is known of its Url."""
        self._flush()
        state, was, depth, host_id = self._db.execute(
            "SELECT state, priority, depth, host FROM url WHERE id = ?", (number,)
        ).fetchone()
        host = self._registry.of(host_id)
        priority = offer.priority.value
        raised = state == WAITING and number not in self._leased and priority > was + RAISED_BY
        welcome = state == REFUSED and host.given_up is None
        if not raised and not welcome:
            return Met(number, math.inf if state == REFUSED else _bar(state, was)), Change.NOTHING
        self._db.execute(
            "UPDATE url SET state = 0, priority = ?, depth = ?, redirects = ?, source = ?,"
            " evidence = ? WHERE id = ?",
            (
                priority,
                min(depth, offer.depth) if raised else offer.depth,
                offer.redirects,
                source,
                evidence_of(offer, source),
                number,
            ),
        )
        self._registry.touch(host)
        met = Met(number, priority + RAISED_BY)
        if raised:
            self._queues.advance(host, number, priority)
            return met, Change.RAISED
        host.known += 1
        self.refused -= 1
        self._queues.add(host, number, priority)
        return met, Change.NEW

    def _flush(self) -> None:
        if self._pending:
            rows, self._pending = self._pending, []
            self._pending_keys.clear()
            self._db.executemany(_INSERT, rows)


def _bar(state: int, priority: float) -> float:
    """The priority up to which an Offer of a known Url changes nothing."""
    if state == SETTLED:
        return math.inf
    if state == REFUSED:
        return -math.inf
    return priority + RAISED_BY


def _packed(ids: list[int]) -> bytes:
    """Ids as four bytes each, low byte first."""
    numbers = array("I", ids)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
