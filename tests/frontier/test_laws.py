"""Against a model in plain dictionaries: neither loses nor doubles, in order, through crashes."""

from __future__ import annotations

import copy
import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from shoal.frontier import StateFile, StateFrontier, StateLedger
from shoal.frontier.database import State
from shoal.model import ArchiveMark, Lease, Outcome, Priority, Standing
from shoal.testing.frontier import IN, OUT, offer_of, visit_of
from shoal.url import parse_url

HOSTS = ("a.org", "b.org", "c.org")
HOST = st.sampled_from(HOSTS)
ADDRESS = st.builds(lambda host, path: f"http://{host}/{path}", HOST, st.integers(0, 5))
OFFER = st.tuples(ADDRESS, st.sampled_from((0.0, 0.25, 0.5, 1.0)), st.booleans())


@dataclass
class ModelUrl:
    id: int
    host: str
    state: str
    priority: float
    retry_at_s: float = 0.0
    attempts: int = 0


@dataclass
class Model:
    """What the Frontier should know, written for being obvious."""

    urls: dict[str, ModelUrl] = field(default_factory=dict)
    rests: dict[str, float] = field(default_factory=dict)
    given_up: set[str] = field(default_factory=set)
    admitted: dict[str, int] = field(default_factory=lambda: dict.fromkeys(HOSTS, 0))
    leased: set[str] = field(default_factory=set)

    def offer(self, address: str, priority: float, admitted: bool) -> str:
        host = address.split("/")[2]
        url = self.urls.get(address)
        welcome = admitted and host not in self.given_up
        if url is None:
            state = "waiting" if welcome else "refused"
            self.urls[address] = ModelUrl(len(self.urls) + 1, host, state, priority)
            self.admitted[host] += welcome
            return "new" if welcome else "refused"
        if url.state == "refused" and welcome:
            url.state, url.priority = "waiting", priority
            self.admitted[host] += 1
            return "new"
        if (
            admitted
            and url.state == "waiting"
            and address not in self.leased
            and priority > url.priority
        ):
            url.priority = priority
            return "raised"
        return "known"

    def free(self, now_s: float) -> list[str]:
        for url in self.urls.values():
            if url.state == "later" and url.retry_at_s <= now_s:
                url.state = "waiting"
        return [
            a for a, url in self.urls.items() if url.state == "waiting" and a not in self.leased
        ]

    def has_room(self, host: str, per_host: int) -> bool:
        return sum(self.urls[address].host == host for address in self.leased) < per_host

    def lease(self, now_s: float, per_host: int) -> str | None:
        ready = [
            address
            for address in self.free(now_s)
            if self.rests.get(self.urls[address].host, 0.0) <= now_s
            and self.has_room(self.urls[address].host, per_host)
        ]
        if not ready:
            return None
        best = min(ready, key=lambda a: (-self.urls[a].priority, self.urls[a].id))
        self.leased.add(best)
        return best

    def next_ready_s(self, now_s: float, per_host: int) -> float | None:
        times = [math.inf] if self.free(now_s) else []
        for url in self.urls.values():
            rest_s = self.rests.get(url.host, 0.0)
            if url.state == "later":
                times.append(max(url.retry_at_s, rest_s))
        for address in self.free(now_s):
            host = self.urls[address].host
            if self.has_room(host, per_host):
                times.append(max(now_s, self.rests.get(host, 0.0)))
        return min(times, default=None)

    def give_up(self, host: str) -> int:
        if host in self.given_up:
            return 0
        self.given_up.add(host)
        touched = 0
        for address, url in self.urls.items():
            if (
                url.host == host
                and url.state in ("waiting", "later")
                and address not in self.leased
            ):
                url.state = "refused"
                touched += 1
        return touched

    def standing(self) -> Standing:
        states = [url.state for url in self.urls.values()]
        free = [
            url.host
            for address, url in self.urls.items()
            if url.state == "waiting" and address not in self.leased
        ]
        return Standing(
            known=len(states),
            waiting=len(free),
            leased=len(self.leased),
            later=states.count("later"),
            settled=states.count("settled"),
            refused=states.count("refused"),
            hosts_waiting=len(set(free)),
        )


class FrontierMachine(RuleBasedStateMachine):
    """The Frontier and its Model do the same things and must always agree."""

    @initialize(per_host=st.integers(1, 2), recent=st.sampled_from((0, 2, 100)))
    def begin(self, per_host: int, recent: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.per_host, self.recent = per_host, recent
        self.model = Model()
        self.committed = copy.deepcopy(self.model)
        self.leases: list[Lease] = []
        self.now_s = 0.0
        self.open()

    def open_state(self) -> State:
        return StateFile.open(Path(self.folder.name) / "state.sqlite")

    def read_state(self) -> State:
        return StateFile.read(Path(self.folder.name) / "state.sqlite")

    def open(self) -> None:
        state = self.open_state()
        self.frontier = StateFrontier.open(state, per_host=self.per_host, recent=self.recent)

    @rule(offers=st.lists(OFFER, max_size=6))
    def offer(self, offers: list[tuple[str, float, bool]]) -> None:
        source = self.leases[0].id if self.leases else None
        count = self.frontier.offer(
            source, [offer_of(a, p, IN if admitted else OUT) for a, p, admitted in offers]
        )
        became = [self.model.offer(*offer) for offer in offers]
        assert count == tuple(became.count(name) for name in ("new", "raised", "known", "refused"))

    @rule(limit=st.integers(1, 4))
    def lease(self, limit: int) -> None:
        leases = self.frontier.lease(self.now_s, limit)
        expected: list[str] = []
        while len(expected) < limit and (best := self.model.lease(self.now_s, self.per_host)):
            expected.append(best)
        assert [lease.url.text for lease in leases] == expected
        for lease in leases:
            known = self.model.urls[lease.url.text]
            assert (lease.priority, lease.attempts) == (known.priority, known.attempts)
        self.leases += leases

    @precondition(lambda self: self.leases)
    @rule(index=st.integers(0, 3), retry=st.booleans(), delay_s=st.sampled_from((0.0, 5.0, 20.0)))
    def settle(self, index: int, retry: bool, delay_s: float) -> None:
        lease = self.leases.pop(index % len(self.leases))
        retry_at_s = self.now_s + delay_s if retry else None
        outcome = Outcome.RETRY if retry else Outcome.PAGE
        self.frontier.settle(lease, visit_of(outcome, self.now_s, retry_at_s=retry_at_s))
        url = self.model.urls[lease.url.text]
        self.model.leased.discard(lease.url.text)
        url.attempts += 1
        url.state, url.retry_at_s = "later" if retry else "settled", retry_at_s or 0.0
        if retry and url.host in self.model.given_up:
            url.state = "refused"

    @precondition(lambda self: self.leases)
    @rule(index=st.integers(0, 3))
    def release(self, index: int) -> None:
        lease = self.leases.pop(index % len(self.leases))
        self.frontier.release(lease)
        self.model.leased.discard(lease.url.text)
        url = self.model.urls[lease.url.text]
        if url.host in self.model.given_up:
            url.state = "refused"

    @rule(changes=st.dictionaries(ADDRESS, st.sampled_from((-1.0, 0.0, 0.3, 0.5, 2.0)), max_size=4))
    def reprioritise(self, changes: dict[str, float]) -> None:
        known = [(a, priority) for a, priority in changes.items() if a in self.model.urls]
        free = self.model.free(self.now_s)
        self.frontier.next_ready(self.now_s)
        changed = self.frontier.reprioritise(
            [(self.model.urls[address].id, Priority(value)) for address, value in known]
        )
        assert changed == sum(address in free for address, _ in known)
        for address, value in known:
            if address in free:
                self.model.urls[address].priority = value

    @rule(limit=st.integers(1, 6))
    def look_ahead(self, limit: int) -> None:
        self.frontier.next_ready(self.now_s)
        urls = [self.model.urls[address] for address in self.model.free(self.now_s)]
        told = self.frontier.foremost(limit)
        priorities = [waiting.priority.value for waiting in told]
        assert priorities == sorted((url.priority for url in urls), reverse=True)[:limit]
        free = {url.id for url in urls}
        assert {waiting.id for waiting in told} <= free
        found: list[int] = []
        after: int | None = 0
        while after is not None:
            slice_ = self.frontier.waiting(after, limit)
            found += [waiting.id for waiting in slice_.urls]
            after = slice_.after
        assert found == sorted(free)

    @rule(host=HOST, delay_s=st.sampled_from((1.0, 10.0, 30.0)))
    def rest(self, host: str, delay_s: float) -> None:
        until_s = self.now_s + delay_s
        self.frontier.rest(host, until_s, "tired")
        self.model.rests[host] = max(until_s, self.model.rests.get(host, 0.0))

    @rule(host=HOST, really=st.integers(0, 4))
    def give_up(self, host: str, really: int) -> None:
        if really == 0:
            assert self.frontier.give_up(host, "gone") == self.model.give_up(host)

    @rule(delay_s=st.sampled_from((0.5, 5.0, 25.0)))
    def wait(self, delay_s: float) -> None:
        self.now_s += delay_s

    @rule()
    def commit(self) -> None:
        self.frontier.commit(ArchiveMark((("x", len(self.model.urls)),)), self.now_s)
        self.committed = copy.deepcopy(self.model)
        self.committed.leased.clear()
        ledger = StateLedger(self.read_state())
        urls = self.model.urls.values()
        for host in HOSTS:
            record = ledger.host(host)
            states = [url.state for url in urls if url.host == host]
            assert (
                states.count("waiting"),
                states.count("settled"),
                self.model.admitted[host],
            ) == ((0, 0, 0) if record is None else (record.waiting, record.settled, record.known))
        for address, known in self.model.urls.items():
            found = ledger.find(parse_url(address))
            assert found is not None
            assert (found.id, found.state.value) == (known.id, known.state)
            assert (found.priority.value, len(found.visits)) == (known.priority, known.attempts)
        ledger.close()

    @rule()
    def crash(self) -> None:
        self.frontier.close()
        self.open()
        self.model = copy.deepcopy(self.committed)
        self.leases = []
        expected = (("x", len(self.model.urls)),) if self.frontier.fact("clock_s") else ()
        assert self.frontier.archive_mark().sizes == expected

    @invariant()
    def they_agree(self) -> None:
        wait = self.frontier.next_ready(self.now_s)
        expected_s = self.model.next_ready_s(self.now_s, self.per_host)
        assert (None if wait is None else wait.until_s) == expected_s
        assert self.frontier.standing() == self.model.standing()
        for host in HOSTS:
            assert self.frontier.host_known(host) == self.model.admitted[host]

    def teardown(self) -> None:
        if hasattr(self, "frontier"):
            self.frontier.close()
            self.folder.cleanup()


FrontierMachine.TestCase.settings = settings(
    max_examples=30,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestFrontierMachine = FrontierMachine.TestCase
