"""The contract of ``ports.Politeness``, to be run against any implementation.

Subclass :class:`PolitenessContract` in a test module and give it ``make_politeness``::

    class TestHostPoliteness(PolitenessContract):
        def make_politeness(self, settings, notes, ip_of):
            return HostPoliteness(settings, notes, ip_of)

Its heart is :class:`ServerLog`: what the servers of a crawl would have seen, checked at every
request against what was promised to them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from shoal.model import Failure, FailureKind, Farewell, Fetched, Response, Slot, Wait
from shoal.ports import Notes, Politeness
from shoal.settings import PolitenessSettings
from shoal.testing.notes import MemoryNotes
from shoal.url import Url, parse_url

TOLERANCE_S = 1e-6
"""Times are sums of floats."""


def no_address(host: str) -> str | None:
    """An ``ip_of`` that knows nobody."""
    del host
    return None


def page_of(host: str) -> Url:
    return parse_url(f"http://{host}/")


def response(
    host: str,
    status: int = 200,
    elapsed_s: float = 0.1,
    headers: Mapping[str, str] | None = None,
    ip: str | None = None,
) -> Response:
    pairs = tuple((headers or {}).items())
    return Response(page_of(host), status, b"", pairs, b"", b"", 0.0, elapsed_s, ip=ip)


def failure(host: str, kind: FailureKind = FailureKind.CONNECT) -> Failure:
    return Failure(page_of(host), kind, "nothing came", 0.0, 0.1)


@dataclass
class ServerLog:
    """The requests that all servers saw, and what each of them was promised."""

    settings: PolitenessSettings
    ip_of: Mapping[str, str]
    wishes_s: dict[str, float] = field(default_factory=dict)
    not_before_s: dict[str, float] = field(default_factory=dict)
    """What a server asked for with Retry-After."""
    ended_s: dict[str, float] = field(default_factory=dict)
    under_way: list[tuple[Slot, float]] = field(default_factory=list)

    def delay_s(self, host: str) -> float:
        wish_s = min(self.wishes_s.get(host, 0.0), self.settings.delay_max_s)
        return max(self.settings.delay_s, wish_s)

    def begin(self, slot: Slot, now_s: float) -> None:
        """A request arrives. Fails where it breaks the first or second guarantee."""
        host = slot.host
        if host in self.ended_s:
            pause_s = now_s - self.ended_s[host]
            assert pause_s >= self.delay_s(host) - TOLERANCE_S, f"{host} after {pause_s} s"
        assert now_s >= self.not_before_s.get(host, now_s) - TOLERANCE_S, f"{host} wanted rest"
        self.under_way.append((slot, now_s))
        hosts = [other.host for other, _ in self.under_way]
        assert hosts.count(host) <= self.settings.per_host
        addresses = [self.ip_of[other] for other in hosts]
        assert addresses.count(self.ip_of[host]) <= self.settings.per_ip

    def end(self, slot: Slot, fetched: Fetched, now_s: float) -> None:
        self.under_way = [entry for entry in self.under_way if entry[0] is not slot]
        self.ended_s[slot.host] = now_s
        if isinstance(fetched, Response) and fetched.status in (429, 503):
            asked = fetched.header("retry-after")
            if asked is not None and asked.isdecimal():
                rest_s = min(float(asked), self.settings.retry_after_max_s)
                self.not_before_s[slot.host] = now_s + rest_s

    def lose_all(self, now_s: float) -> None:
        """The crawler dies: its connections end."""
        for slot, _ in self.under_way:
            self.ended_s[slot.host] = now_s
        self.under_way = []


class PolitenessContract(ABC):
    """What any Politeness must do."""

    @abstractmethod
    def make_politeness(
        self, settings: PolitenessSettings, notes: Notes, ip_of: Callable[[str], str | None]
    ) -> Politeness: ...

    @pytest.fixture
    def notes(self) -> MemoryNotes:
        return MemoryNotes()

    def made(
        self,
        notes: MemoryNotes,
        settings: PolitenessSettings | None = None,
        addresses: Mapping[str, str] | None = None,
    ) -> Politeness:
        return self.make_politeness(
            settings or PolitenessSettings(), notes, dict(addresses or {}).get
        )

    # ------------------------------------------------------------------ 1: delay, host, address

    def test_the_delay_passes_from_end_to_start(self, notes: MemoryNotes) -> None:
        politeness = self.made(notes, PolitenessSettings(delay_s=2.0, delay_factor=0.0))
        rest = self.ask(politeness, "a.example", 0.0, until_s=5.0)
        assert rest.until_s == pytest.approx(7.0)
        early = politeness.reserve(page_of("a.example"), 6.99)
        assert isinstance(early, Wait)
        assert early.until_s == pytest.approx(7.0)
        assert isinstance(politeness.reserve(page_of("a.example"), 7.0), Slot)

    def test_hosts_do_not_wait_for_one_another(self, notes: MemoryNotes) -> None:
        politeness = self.made(notes)
        self.ask(politeness, "a.example", 0.0)
        assert isinstance(politeness.reserve(page_of("b.example"), 0.1), Slot)

    def test_one_request_at_a_time(self, notes: MemoryNotes) -> None:
        politeness = self.made(notes)
        assert isinstance(politeness.reserve(page_of("a.example"), 0.0), Slot)
        wait = politeness.reserve(page_of("a.example"), 100.0)
        assert isinstance(wait, Wait)
        assert wait.until_s > 100.0

    def test_an_address_has_its_limit(self, notes: MemoryNotes) -> None:
        addresses = dict.fromkeys(("a.example", "b.example", "c.example"), "192.0.2.1")
        politeness = self.made(notes, PolitenessSettings(per_ip=2), addresses)
        first = politeness.reserve(page_of("a.example"), 0.0)
        assert isinstance(first, Slot)
        assert isinstance(politeness.reserve(page_of("b.example"), 0.0), Slot)
        wait = politeness.reserve(page_of("c.example"), 0.0)
        assert isinstance(wait, Wait)
        assert wait.until_s > 0.0
        politeness.release(first, response("a.example"), 1.0)
        assert isinstance(politeness.reserve(page_of("c.example"), max(1.0, wait.until_s)), Slot)

    def test_no_delay_is_no_pause(self, notes: MemoryNotes) -> None:
        politeness = self.made(notes, PolitenessSettings(delay_s=0.0))
        for _ in range(20):
            assert self.ask(politeness, "a.example", 3.0, until_s=3.0).until_s == 3.0

    def test_a_slot_that_was_not_used_costs_nothing(self, notes: MemoryNotes) -> None:
        politeness = self.made(notes)
        slot = politeness.reserve(page_of("a.example"), 0.0)
        assert isinstance(slot, Slot)
        politeness.release(slot, None, 0.5)
        assert isinstance(politeness.reserve(page_of("a.example"), 0.5), Slot)

    # ------------------------------------------------------------------ 2: through restarts

    @pytest.mark.parametrize("status", [429, 503])
    def test_retry_after_is_obeyed_through_a_restart(self, notes: MemoryNotes, status: int) -> None:
        busy = response("a.example", status, headers={"retry-after": "600"})
        rest = self.ask(self.made(notes), "a.example", 0.0, busy, until_s=1.0)
        assert rest.until_s == pytest.approx(601.0)
        assert rest.parked
        again = self.made(notes)
        wait = again.reserve(page_of("a.example"), 300.0)
        assert isinstance(wait, Wait)
        assert wait.until_s == pytest.approx(601.0)
        assert isinstance(again.reserve(page_of("a.example"), 602.0), Slot)

    def test_retry_after_has_a_limit(self, notes: MemoryNotes) -> None:
        settings = PolitenessSettings(retry_after_max_s=100.0)
        busy = response("a.example", 503, headers={"retry-after": "99999999"})
        rest = self.ask(self.made(notes, settings), "a.example", 0.0, busy, until_s=1.0)
        assert rest.until_s == pytest.approx(101.0)

    def test_a_wish_is_obeyed_through_a_restart(self, notes: MemoryNotes) -> None:
        self.made(notes).set_delay("a.example", 30.0)
        again = self.made(notes)
        assert self.ask(again, "a.example", 0.0, until_s=1.0).until_s == pytest.approx(31.0)

    def test_a_wish_counts_from_the_request_that_brought_it(self, notes: MemoryNotes) -> None:
        politeness = self.made(notes)
        self.ask(politeness, "a.example", 0.0, until_s=1.0)
        politeness.set_delay("a.example", 30.0)
        assert isinstance(politeness.reserve(page_of("a.example"), 30.9), Wait)
        assert isinstance(politeness.reserve(page_of("a.example"), 31.0), Slot)

    def test_a_host_that_fails_is_parked_through_a_restart(self, notes: MemoryNotes) -> None:
        settings = PolitenessSettings(park_after=3, park_s=1_000.0)
        politeness = self.made(notes, settings)
        now_s = 0.0
        for _ in range(3):
            rest = self.ask(politeness, "a.example", now_s, failure("a.example"))
            now_s = rest.until_s
        assert rest.parked
        assert rest.until_s >= 1_000.0
        wait = self.made(notes, settings).reserve(page_of("a.example"), 500.0)
        assert isinstance(wait, Wait)
        assert wait.until_s == pytest.approx(rest.until_s)

    def test_a_host_that_goes_on_failing_is_given_up_for_good(self, notes: MemoryNotes) -> None:
        politeness = self.made(notes)
        now_s = 0.0
        for _ in range(1_000):
            slot = politeness.reserve(page_of("a.example"), now_s)
            assert isinstance(slot, Slot)
            rest = politeness.release(slot, failure("a.example"), now_s)
            if isinstance(rest, Farewell):
                break
            now_s = rest.until_s
        assert isinstance(rest, Farewell)
        assert isinstance(politeness.reserve(page_of("a.example"), now_s + 1e6), Farewell)
        assert isinstance(self.made(notes).reserve(page_of("a.example"), now_s), Farewell)

    def test_a_restart_asks_no_host_sooner_than_its_delay(self, notes: MemoryNotes) -> None:
        settings = PolitenessSettings(delay_s=5.0)
        self.ask(self.made(notes, settings), "a.example", 0.0, until_s=1.0)
        wait = self.made(notes, settings).reserve(page_of("a.example"), 1.1)
        assert isinstance(wait, Wait)
        assert wait.until_s >= 6.0

    # ------------------------------------------------------------------ 3: once each

    def test_a_slot_cannot_be_released_twice(self, notes: MemoryNotes) -> None:
        politeness = self.made(notes)
        slot = politeness.reserve(page_of("a.example"), 0.0)
        assert isinstance(slot, Slot)
        politeness.release(slot, response("a.example"), 1.0)
        with pytest.raises(ValueError, match=r"."):
            politeness.release(slot, response("a.example"), 1.0)

    # ------------------------------------------------------------------ a small crawl

    @pytest.mark.parametrize("per_host", [1, 2])
    def test_a_crawl_with_crashes_keeps_every_promise(
        self, notes: MemoryNotes, per_host: int
    ) -> None:
        hosts = [f"h{number}.example" for number in range(6)]
        addresses = {host: f"192.0.2.{number % 2}" for number, host in enumerate(hosts)}
        settings = PolitenessSettings(
            delay_s=1.0, delay_factor=0.0, per_host=per_host, per_ip=2, delay_max_s=60.0
        )
        log = ServerLog(settings, addresses)
        politeness = self.made(notes, settings, addresses)
        now_s = 0.0
        asked = 0
        for step in range(3_000):
            now_s += 0.37
            if step % 500 == 499:
                log.lose_all(now_s)
                politeness = self.made(notes, settings, addresses)
            if step % 700 == 350:
                wish_s = float(step % 9)
                log.wishes_s[hosts[0]] = wish_s
                politeness.set_delay(hosts[0], wish_s)
            asked += self._step(politeness, log, hosts, step, now_s)
        assert asked > 100

    def _step(
        self, politeness: Politeness, log: ServerLog, hosts: Sequence[str], step: int, now_s: float
    ) -> int:
        host = hosts[step * 7 % len(hosts)]
        if log.under_way and step % 3 == 0:
            slot = log.under_way[0][0]
            busy = step % 21 == 0
            headers = {"retry-after": "20"} if busy else None
            fetched = response(slot.host, 503 if busy else 200, headers=headers)
            log.end(slot, fetched, now_s)
            politeness.release(slot, fetched, now_s)
        answer = politeness.reserve(page_of(host), now_s)
        if isinstance(answer, Slot):
            log.begin(answer, now_s)
            return 1
        return 0

    @staticmethod
    def ask(
        politeness: Politeness,
        host: str,
        now_s: float,
        fetched: Fetched | None = None,
        until_s: float | None = None,
    ) -> Wait:
        """One request; what comes after it."""
        slot = politeness.reserve(page_of(host), now_s)
        assert isinstance(slot, Slot)
        ended_s = now_s + 0.1 if until_s is None else until_s
        rest = politeness.release(slot, fetched or response(host), ended_s)
        assert isinstance(rest, Wait)
        return rest
