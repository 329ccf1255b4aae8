"""Guarantee 1 and 2 against any order of events: what servers see, crashes included."""

from __future__ import annotations

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from shoal.model import Failure, FailureKind, Fetched, Slot, Wait
from shoal.settings import PolitenessSettings
from shoal.testing.notes import MemoryNotes
from shoal.testing.politeness import ServerLog, page_of, response
from shoal.web.politeness import HostPoliteness

HOSTS = ("a.example", "b.example", "c.example", "d.example:81")
ADDRESSES = {"a.example": "192.0.2.1", "b.example": "192.0.2.1", "c.example": "192.0.2.1"}
ADDRESSES |= {"d.example": "192.0.2.2", "d.example:81": "192.0.2.2"}

HOST_NAMES = st.sampled_from(HOSTS)
SECONDS = st.sampled_from((0.0, 0.01, 0.3, 1.0, 2.5, 10.0, 61.0, 400.0))
STATUSES = st.sampled_from((200, 200, 200, 301, 404, 429, 500, 503))


class Servers(RuleBasedStateMachine):
    """A crawler and the servers it meets. ServerLog checks every request that begins."""

    @initialize(
        delay_s=st.sampled_from((0.0, 0.5, 3.0)),
        per_host=st.integers(1, 3),
        per_ip=st.integers(1, 3),
        memory_hosts=st.sampled_from((1, 100)),
    )
    def begin(self, delay_s: float, per_host: int, per_ip: int, memory_hosts: int) -> None:
        self.settings = PolitenessSettings(
            delay_s=delay_s, per_host=per_host, per_ip=per_ip, park_s=5.0, park_max_s=50.0
        )
        self.notes = MemoryNotes()
        self.memory_hosts = memory_hosts
        self.log = ServerLog(self.settings, ADDRESSES)
        self.now_s = 1_000.0
        self.start()

    @rule()
    def start(self) -> None:
        """A crash, and another process over the same Notes."""
        self.log.lose_all(self.now_s)
        self.politeness = HostPoliteness(
            self.settings, self.notes, ADDRESSES.get, self.memory_hosts
        )

    @rule(seconds=SECONDS)
    def pass_time(self, seconds: float) -> None:
        self.now_s += seconds

    @rule(host=HOST_NAMES, used=st.booleans())
    def ask(self, host: str, used: bool) -> None:
        answer = self.politeness.reserve(page_of(host), self.now_s)
        if isinstance(answer, Slot):
            if used:
                self.log.begin(answer, self.now_s)
            else:
                self.politeness.release(answer, None, self.now_s)
        elif isinstance(answer, Wait):
            assert answer.until_s > self.now_s
            assert answer.why

    @rule(host=HOST_NAMES)
    def ask_as_soon_as_told(self, host: str) -> None:
        answer = self.politeness.reserve(page_of(host), self.now_s)
        if isinstance(answer, Wait):
            self.now_s = answer.until_s
        self.ask(host, used=True)

    @precondition(lambda self: self.log.under_way)
    @rule(
        data=st.data(), status=STATUSES, elapsed_s=SECONDS, asked_s=st.none() | st.integers(0, 90)
    )
    def answer(
        self, data: st.DataObject, status: int, elapsed_s: float, asked_s: int | None
    ) -> None:
        slot = self.one_under_way(data)
        headers = None if asked_s is None else {"retry-after": str(asked_s)}
        self.end(slot, response(slot.host, status, elapsed_s, headers))

    @precondition(lambda self: self.log.under_way)
    @rule(data=st.data(), kind=st.sampled_from(FailureKind))
    def fail(self, data: st.DataObject, kind: FailureKind) -> None:
        slot = self.one_under_way(data)
        self.end(slot, Failure(page_of(slot.host), kind, "", self.now_s, 0.1))

    @rule(host=HOST_NAMES, wish_s=SECONDS)
    def wish(self, host: str, wish_s: float) -> None:
        self.log.wishes_s[host] = wish_s
        self.politeness.set_delay(host, wish_s)

    def one_under_way(self, data: st.DataObject) -> Slot:
        return data.draw(st.sampled_from(self.log.under_way))[0]

    def end(self, slot: Slot, fetched: Fetched) -> None:
        self.log.end(slot, fetched, self.now_s)
        after = self.politeness.release(slot, fetched, self.now_s)
        if isinstance(after, Wait):
            assert after.until_s >= self.now_s + self.log.delay_s(slot.host) - 1e-6


Servers.TestCase.settings = hypothesis_settings(
    max_examples=60, stateful_step_count=40, deadline=None
)
TestServers = Servers.TestCase
