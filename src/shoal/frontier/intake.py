"""How Links become known Urls."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Container, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from shoal.frontier.database import Row, State
from shoal.frontier.hosts import Host, HostQueues
from shoal.frontier.recent import Met, Recent
from shoal.frontier.registry import HostRegistry
from shoal.frontier.rows import evidence_of, find_row, key_of
from shoal.frontier.schema import REFUSED, SETTLED, URLS_MAX, WAITING
from shoal.frontier.state import StateError
from shoal.model import Offer, OfferCount
from shoal.url import Url

RAISED_BY: Final = 1e-9
"""A priority is raised only by more than this: less is the noise of adding floats up."""

_COLUMNS: Final = (
    "id", "key", "text", "host", "state", "priority", "depth", "redirects", "source", "attempts",
    "evidence",
)  # fmt: skip
_SELECT: Final = "SELECT key, text, id, state, priority, depth FROM url"


class Change(Enum):
    """What an Offer changed."""

    NEW = auto()
    RAISED = auto()
    NOTHING = auto()
    REFUSED = auto()


@dataclass(slots=True)
class Stored:
    """What stands of a Url in the State, or will once its row is written."""

    id: int
    state: int
    priority: float
    depth: int


class Intake:
    """Takes Offers in.

    1. Each Offer counts once: as new (its Url waits from now on), raised, refused (remembered so
       from now on), or known (nothing changed).
    2. A Url that was offered lately, and is not worth more than then, costs no look into the State.
    3. However many others there are, they cost a few statements and not a few each.
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
        self._pending: list[Row] = []
        self._taken_keys: set[int] = set()
        """Keys at which other Urls stand, as far as this batch has met them."""
        self.known = 0
        """Urls in the State; ids are given in this order, from 1."""
        self.refused = 0

    def offer(self, source: int | None, offers: Sequence[Offer]) -> OfferCount:
        counts = dict.fromkeys(Change, 0)
        young = self._recent.young
        ids = [0] * len(offers)
        open_places: list[int] = []
        for place, offer in enumerate(offers):
            met = young.get(offer.link.target.text)
            if met is None or (offer.priority.value > met.bar and offer.ruling.admitted):
                open_places.append(place)
            else:
                ids[place] = met.id
        if open_places:
            stored = self._read([offers[place] for place in open_places])
            for place in open_places:
                met, change = self._take(offers[place], source, stored)
                young[offers[place].link.target.text] = met
                counts[change] += 1
                ids[place] = met.id
            self._flush()
            self._recent.turn()
        if source is not None and ids:
            self._db.execute(
                "INSERT INTO targets (source, ids) VALUES (?, ?)", (source, _packed(ids))
            )
        new, raised, refused = counts[Change.NEW], counts[Change.RAISED], counts[Change.REFUSED]
        return OfferCount(new, raised, len(offers) - new - raised - refused, refused)

    def _read(self, offers: Sequence[Offer]) -> dict[str, Stored]:
        """What stands of the Urls that these Offers may change, by their text."""
        unmet: dict[str, Url] = {}
        numbers: set[int] = set()
        hosts: dict[str, None] = {}
        young = self._recent.young
        for offer in offers:
            url = offer.link.target
            met = young.get(url.text) or self._recent.recall(url.text)
            if met is None:
                unmet[url.text] = url
            elif offer.priority.value > met.bar and offer.ruling.admitted:
                numbers.add(met.id)
            else:
                continue
            hosts[url.host_key] = None
        # Asked together where it can be, for each answer may be a way to a server and back.
        by_number = self._db.among(_SELECT, "id", [*numbers])
        self._registry.gather(hosts)
        self._taken_keys.clear()
        by_key: dict[int, list[Url]] = {}
        for url in unmet.values():
            host = self._registry.get(url.host_key)
            by_key.setdefault(key_of(host.id, url), []).append(url)
        found_by_key = self._db.among(_SELECT, "key", [*by_key])
        stored = {text: Stored(*found) for _, text, *found in by_number}
        for key, text, *found in found_by_key:
            for url in by_key[key]:
                if url.text == text:
                    stored[text] = Stored(*found)
                else:
                    # Two Urls with one key: this one stands further on, if anywhere.
                    self._taken_keys.add(key)
                    host = self._registry.get(url.host_key)
                    _, row = find_row(self._db, "id, state, priority, depth", host.id, url)
                    if row is not None:
                        stored[url.text] = Stored(*row)
        return stored

    def _take(
        self, offer: Offer, source: int | None, stored: dict[str, Stored]
    ) -> tuple[Met, Change]:
        url = offer.link.target
        met = self._recent.young.get(url.text)
        known = stored.get(url.text)
        if met is None:
            if known is None:
                host = self._registry.get(url.host_key)
                known, met, change = self._insert(host, offer, source)
                stored[url.text] = known
                return met, change
            met = Met(known.id, _bar(known.state, known.priority))
        if offer.ruling.admitted and offer.priority.value > met.bar:
            assert known is not None, "it was read with all that may change"
            return self._reconsider(known, offer, source)
        return met, Change.NOTHING

    def _insert(self, host: Host, offer: Offer, source: int | None) -> tuple[Stored, Met, Change]:
        if self.known == URLS_MAX:
            raise StateError(
                f"{self._db.name} holds {URLS_MAX:,} Urls, its limit: split the crawl."
            )
        key = self._free_key(host, offer.link.target)
        self.known += 1
        number = self.known
        url, priority = offer.link.target, offer.priority.value
        admitted = offer.ruling.admitted
        state = WAITING if admitted and host.given_up is None else REFUSED
        self._taken_keys.add(key)
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
                0,
                evidence_of(offer, source),
            )
        )
        known = Stored(number, state, priority, offer.depth)
        if state == WAITING:
            host.known += 1
            self._queues.add(host, number, priority)
            self._registry.touch(host)
            return known, Met(number, priority + RAISED_BY), Change.NEW
        self.refused += 1
        # What a given-up host has can change no more; what a rule refused, another may admit.
        return known, Met(number, math.inf if admitted else -math.inf), Change.REFUSED

    def _free_key(self, host: Host, url: Url) -> int:
        """The key under which a Url that is not known yet will be found."""
        key = key_of(host.id, url)
        if key in self._taken_keys:
            self._flush()
            key, _ = find_row(self._db, "id", host.id, url)
        return key

    def _reconsider(self, known: Stored, offer: Offer, source: int | None) -> tuple[Met, Change]:
        """An admitted Offer that may be worth more than what is known of its Url."""
        host = self._registry.get(offer.link.target.host_key)
        number, state, was = known.id, known.state, known.priority
        priority = offer.priority.value
        raised = state == WAITING and number not in self._leased and priority > was + RAISED_BY
        welcome = state == REFUSED and host.given_up is None
        if not raised and not welcome:
            return Met(number, math.inf if state == REFUSED else _bar(state, was)), Change.NOTHING
        if self._pending and number >= int(self._pending[0][0] or 0):
            self._flush()
        known.state, known.priority = WAITING, priority
        known.depth = min(known.depth, offer.depth) if raised else offer.depth
        self._db.execute(
            "UPDATE url SET state = 0, priority = ?, depth = ?, redirects = ?, source = ?,"
            " evidence = ? WHERE id = ?",
            (
                priority,
                known.depth,
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
            self._db.add("url", _COLUMNS, rows)


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
