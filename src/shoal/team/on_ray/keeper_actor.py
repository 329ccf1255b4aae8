"""The actor that keeps a Team: on the machine of whoever started the crawl, where its notes are.

It leads the Team (``team/lead.py``) once every Crawler has reported in. Where it ends, Ray starts
it again, and it goes on from what is durable: every host is treated as if it had been asked at that
moment, and the Crawlers, which have lost their line, come back from their last commits and report
in anew.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from threading import Event as Flag
from typing import Any, NamedTuple

from shoal.crawl.stop import Stop
from shoal.crawl.tally import Tally
from shoal.errors import ShoalError
from shoal.events import Event
from shoal.ports import Watcher
from shoal.team.arrival import Arrival, our_versions, why_not
from shoal.team.desk import Broke, Finished, Question
from shoal.team.lead import Lead

OpenLead = Callable[[Mapping[str, Tally], Watcher, Flag], AbstractContextManager[Lead]]
"""Leads a Team whose Crawlers are so far, tells a Watcher, and ends when the Flag is set."""


class Stranger(Exception):
    """Whoever asks has not reported in, or another Crawler of its name has since."""


class Refused(Exception):
    """Whoever reports in cannot be one of the Team."""


class Sight(NamedTuple):
    """How the Team stands, for whoever shows it."""

    events: tuple[Event, ...]
    missing: tuple[str, ...]
    """Who has not reported in yet, of a Team that has not begun."""
    silent: tuple[tuple[str, str], ...]
    """Who is to be ended, and why."""
    machines: Mapping[str, str]
    """Where each reported in from."""
    left: frozenset[str]
    """Who has said its last word."""
    ends: bool
    """The Team has a reason to stop."""
    refused: str | None
    """Why the Team cannot begin."""


class KeeperActor:
    """Its methods are called by one after another, never two at once."""

    def __init__(self, names: Callable[[], tuple[str, ...]], open_lead: OpenLead) -> None:
        """``names`` tells who is in the Team now, also after this actor was started again."""
        self._names = names()
        self._open_lead = open_lead
        self._stack = ExitStack()
        self._halt = Flag()
        self._lead: Lead | None = None
        self._arrivals: dict[str, Arrival] = {}
        self._terms: dict[str, str] = {}
        self._events: list[Event] = []
        self._refused: str | None = None
        self._outcome: Stop | ShoalError | None = None

    # ------------------------------------------------------------------ asked by Crawlers

    def time_s(self) -> float:
        return time.time()

    def arrive(self, arrival: Arrival) -> str:
        """Returns the term under which it may ask. Raises Refused."""
        name = arrival.name
        refused = why_not(arrival, our_versions())
        if refused is not None:
            self._refused = self._refused or refused
            raise Refused(refused)
        if self._lead is not None:
            if name not in self._lead.names or self._lead.has_left(name):
                raise Refused(f"{name} is not one of the team any more")
            if not self._lead.back(name, f"it ended without a word on {arrival.machine}"):
                raise Refused(f"the team ends, without {name}")
        self._arrivals[name] = arrival
        self._terms[name] = secrets.token_hex(8)
        return self._terms[name]

    def has_begun(self, name: str, term: str) -> bool:
        """Whether all are here. Raises Stranger."""
        self._check(name, term)
        if self._lead is None and len(self._arrivals) == len(self._names):
            tallies = {name: arrival.tally for name, arrival in self._arrivals.items()}
            lead = self._open_lead(tallies, self, self._halt)
            self._lead = self._stack.enter_context(lead)
        return self._lead is not None

    def answer(self, name: str, term: str, question: Question) -> Any:
        """Raises Stranger."""
        return self._led(name, term).answer(name, question)

    def part(self, name: str, term: str, word: Finished | Broke) -> None:
        """Raises Stranger."""
        self._led(name, term).part(name, word)
        del self._terms[name]

    # ------------------------------------------------------------------ asked by the engine

    def look(self, halted: bool) -> Sight:
        """Asked several times a second. Raises ShoalError where the notes cannot be written."""
        silent: list[tuple[str, str]] = []
        if halted:
            self._halt.set()
        left: frozenset[str] = frozenset()
        ends = False
        if self._lead is not None:
            silent = self._lead.look_round()
            ends = self._lead.ends
            left = frozenset(name for name in self._lead.names if self._lead.has_left(name))
        events, self._events = tuple(self._events), []
        missing = () if self._lead else tuple(set(self._names) - self._arrivals.keys())
        machines = {name: arrival.machine for name, arrival in self._arrivals.items()}
        return Sight(events, missing, tuple(silent), machines, left, ends, self._refused)

    def lost(self, name: str, why: str) -> None:
        """It is gone for good."""
        self._terms.pop(name, None)
        if self._lead is not None:
            self._lead.lost(name, why)

    def away(self, name: str) -> None:
        """Its machine is away; it comes back when that does, or elsewhere."""
        self._terms.pop(name, None)
        if self._lead is not None:
            self._lead.away(name)

    def expect(self, name: str) -> None:
        """It was ended, and will report in anew."""
        self._terms.pop(name, None)
        if self._lead is not None:
            self._lead.expect(name)

    def regroup(self) -> tuple[str, ...] | None:
        """All have left. Who is in the next generation of the Team; None where there is none.
        Raises ShoalError."""
        assert self._lead is not None
        if not self._lead.regroup():
            return None
        self._names = self._lead.names
        self._arrivals.clear()
        return self._names

    def outcome(self) -> Stop | ShoalError:
        """Why the Team ended, or what it could not get over; the same however often it is asked."""
        if self._outcome is None:
            assert self._lead is not None
            try:
                self._outcome = self._lead.outcome()
            except ShoalError as error:
                self._outcome = error
            self._stack.close()
        return self._outcome

    # ------------------------------------------------------------------ ports.Watcher

    def see(self, event: Event) -> None:
        self._events.append(event)

    def close(self) -> None: ...

    # ------------------------------------------------------------------ who may ask

    def _led(self, name: str, term: str) -> Lead:
        self._check(name, term)
        if self._lead is None:
            raise Stranger(f"{name} asks before the team has begun")
        return self._lead

    def _check(self, name: str, term: str) -> None:
        if self._terms.get(name) != term:
            raise Stranger(f"{name} is no longer the crawler of that name")
