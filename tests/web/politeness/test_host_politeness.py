"""HostPoliteness: pauses, rests, parkings, and what is written of them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from shoal.model import Failure, FailureKind, Farewell, Fetched, Slot, Wait
from shoal.ports import Notes
from shoal.settings import PolitenessSettings
from shoal.testing.notes import MemoryNotes
from shoal.testing.politeness import PolitenessContract, failure, no_address, page_of, response
from shoal.web.politeness import PAUSE, HostPoliteness

HOST = "a.example"


class TestHostPolitenessContract(PolitenessContract):
    def make_politeness(
        self, settings: PolitenessSettings, notes: Notes, ip_of: Callable[[str], str | None]
    ) -> HostPoliteness:
        return HostPoliteness(settings, notes, ip_of)


class TestForgetfulHostPolitenessContract(PolitenessContract):
    """The same with hardly any memory: all that must be known is in Notes."""

    def make_politeness(
        self, settings: PolitenessSettings, notes: Notes, ip_of: Callable[[str], str | None]
    ) -> HostPoliteness:
        return HostPoliteness(settings, notes, ip_of, memory_hosts=1)


class Bench:
    """One Politeness, its Notes and the time."""

    def __init__(self, settings: PolitenessSettings, notes: MemoryNotes | None = None) -> None:
        self.settings = settings
        self.notes = notes or MemoryNotes()
        self.politeness = HostPoliteness(settings, self.notes, no_address)
        self.now_s = 0.0

    def restart(self) -> None:
        self.politeness = HostPoliteness(self.settings, self.notes, no_address)

    def ask(self, fetched: Fetched | None = None, host: str = HOST) -> Wait | Farewell:
        """Ask as soon as the host may be asked; time goes on until then."""
        answer = self.politeness.reserve(page_of(host), self.now_s)
        if isinstance(answer, Wait):
            self.now_s = answer.until_s
            answer = self.politeness.reserve(page_of(host), self.now_s)
        assert isinstance(answer, Slot)
        return self.politeness.release(answer, fetched or response(host), self.now_s)

    def rest_s(self, fetched: Fetched | None = None, host: str = HOST) -> float:
        rest = self.ask(fetched, host)
        assert isinstance(rest, Wait)
        return rest.until_s - self.now_s


@pytest.fixture
def bench() -> Bench:
    return Bench(PolitenessSettings())


# --------------------------------------------------------------------------- pauses


def test_the_pause_follows_the_response_time(bench: Bench) -> None:
    assert bench.rest_s(response(HOST, elapsed_s=0.1)) == pytest.approx(1.0)
    bench = Bench(PolitenessSettings())
    assert bench.rest_s(response(HOST, elapsed_s=4.0)) == pytest.approx(8.0)
    assert 2.0 < bench.rest_s(response(HOST, elapsed_s=0.1)) < 8.0
    for _ in range(30):
        bench.ask(response(HOST, elapsed_s=0.1))
    assert bench.rest_s(response(HOST, elapsed_s=0.1)) == pytest.approx(1.0)


def test_the_pause_has_a_limit(bench: Bench) -> None:
    assert bench.rest_s(response(HOST, elapsed_s=100.0)) == pytest.approx(60.0)
    bench.politeness.set_delay("b.example", 3_000.0)
    assert bench.rest_s(host="b.example") == pytest.approx(60.0)


def test_the_limit_does_not_shorten_what_the_user_asked_for() -> None:
    bench = Bench(PolitenessSettings(delay_s=120.0, delay_max_s=60.0))
    assert bench.rest_s() == pytest.approx(120.0)


def test_no_delay_is_no_pause_however_slow_the_host_but_its_wish_counts() -> None:
    bench = Bench(PolitenessSettings(delay_s=0.0))
    assert bench.rest_s(response(HOST, elapsed_s=9.0)) == 0.0
    bench.politeness.set_delay(HOST, 3.0)
    assert bench.rest_s() == pytest.approx(3.0)


def test_an_ordinary_pause_is_no_parking(bench: Bench) -> None:
    rest = bench.ask()
    assert rest == Wait(1.0, PAUSE)
    assert isinstance(rest, Wait)
    assert not rest.parked


def test_the_slowness_of_a_host_outlives_a_restart(bench: Bench) -> None:
    bench.ask(response(HOST, elapsed_s=5.0))
    bench.restart()
    wait = bench.politeness.reserve(page_of(HOST), 0.5)
    assert isinstance(wait, Wait)
    assert wait.until_s >= 10.0


def test_the_first_start_waits_for_nothing_and_a_restart_once(bench: Bench) -> None:
    assert isinstance(bench.politeness.reserve(page_of(HOST), 0.0), Slot)
    bench.restart()
    assert bench.politeness.reserve(page_of("never.example"), 10.0) == Wait(11.0, PAUSE)
    assert isinstance(bench.politeness.reserve(page_of("never.example"), 11.0), Slot)
    assert isinstance(bench.politeness.reserve(page_of("other.example"), 11.0), Slot)


def test_with_two_at_once_starts_are_a_delay_apart_too() -> None:
    politeness = HostPoliteness(PolitenessSettings(per_host=2), MemoryNotes(), no_address)
    assert isinstance(politeness.reserve(page_of(HOST), 0.0), Slot)
    assert politeness.reserve(page_of(HOST), 0.5) == Wait(1.0, PAUSE)
    assert isinstance(politeness.reserve(page_of(HOST), 1.0), Slot)
    assert isinstance(politeness.reserve(page_of(HOST), 2.0), Wait)


def test_ports_are_hosts_of_their_own(bench: Bench) -> None:
    bench.ask(host="a.example:8080")
    assert isinstance(bench.politeness.reserve(page_of(HOST), bench.now_s), Slot)


# --------------------------------------------------------------------------- addresses


def test_an_address_learnt_from_an_answer_counts_from_then_on(bench: Bench) -> None:
    for host in ("a.example", "b.example", "c.example"):
        bench.ask(response(host, ip="192.0.2.1"), host)
    bench.now_s = 10.0
    answers = [
        bench.politeness.reserve(page_of(host), 10.0)
        for host in ("a.example", "b.example", "c.example")
    ]
    assert [type(answer) for answer in answers] == [Slot, Slot, Wait]


def test_many_hosts_of_one_address_are_put_off_one_after_the_other() -> None:
    politeness = HostPoliteness(PolitenessSettings(), MemoryNotes(), lambda _: "192.0.2.1")
    waits = [politeness.reserve(page_of(f"h{n}.example"), 0.0) for n in range(2_000)][2:]
    untils = [wait.until_s for wait in waits if isinstance(wait, Wait)]
    assert len(untils) == 1_998
    assert untils == sorted(untils)
    assert len(set(untils)) > 1_000
    assert untils[-1] == 60.0


def test_a_quick_address_makes_its_hosts_wait_less() -> None:
    settings = PolitenessSettings(per_ip=1, delay_s=0.0)
    politeness = HostPoliteness(settings, MemoryNotes(), lambda _: "192.0.2.1")

    def waits(elapsed_s: float) -> float:
        slot = politeness.reserve(page_of("a.example"), 100.0)
        assert isinstance(slot, Slot)
        politeness.reserve(page_of("b.example"), 100.0)
        politeness.release(slot, response("a.example", elapsed_s=elapsed_s), 100.0)
        second = politeness.reserve(page_of("c.example"), 200.0)
        wait = politeness.reserve(page_of("b.example"), 200.0)
        assert isinstance(second, Slot)
        assert isinstance(wait, Wait)
        politeness.release(second, None, 300.0)
        return wait.until_s - 200.0

    assert waits(0.02) == pytest.approx(0.02)
    assert waits(4.0) == pytest.approx(4.0)


# --------------------------------------------------------------------------- busy


@pytest.mark.parametrize("status", [429, 503])
def test_busy_without_a_time_rests_longer_each_time(status: int) -> None:
    bench = Bench(PolitenessSettings(park_after=100))
    rests = [bench.rest_s(response(HOST, status)) for _ in range(4)]
    assert rests == [pytest.approx(60.0 * factor) for factor in (1, 2, 4, 8)]
    bench.ask()
    assert bench.rest_s(response(HOST, status)) == pytest.approx(60.0)


def test_retry_after_as_a_date_is_counted_from_the_servers_own_clock(bench: Bench) -> None:
    headers = {
        "retry-after": "Wed, 21 Oct 2015 07:30:00 GMT",
        "date": "Wed, 21 Oct 2015 07:28:00 GMT",
    }
    assert bench.rest_s(response(HOST, 503, headers=headers)) == pytest.approx(120.0)


def test_retry_after_never_shortens_a_pause(bench: Bench) -> None:
    busy = response(HOST, 503, headers={"retry-after": "0"})
    assert bench.rest_s(busy) == pytest.approx(1.0)


def test_a_host_that_is_always_busy_for_a_second_is_parked_nonetheless(bench: Bench) -> None:
    busy = response(HOST, 503, headers={"retry-after": "1"})
    rests = [bench.rest_s(busy) for _ in range(4)]
    assert rests == [pytest.approx(rest_s) for rest_s in (1.0, 1.0, 60.0, 240.0)]


def test_retry_after_elsewhere_means_nothing(bench: Bench) -> None:
    assert bench.rest_s(response(HOST, 200, headers={"retry-after": "600"})) == pytest.approx(1.0)


# --------------------------------------------------------------------------- parked, given up


@pytest.mark.parametrize(
    "trouble",
    [
        response(HOST, 500),
        response(HOST, 502),
        failure(HOST, FailureKind.DNS),
        failure(HOST, FailureKind.TIMEOUT),
    ],
    ids=["500", "502", "dns", "timeout"],
)
def test_parkings_grow_fourfold_and_then_the_host_is_given_up(trouble: Fetched) -> None:
    bench = Bench(PolitenessSettings())
    assert [bench.rest_s(trouble) for _ in range(2)] == [pytest.approx(1.0)] * 2
    rests = [bench.rest_s(trouble) for _ in range(5)]
    assert rests == [pytest.approx(60.0 * 4**times) for times in range(5)]
    farewell = bench.ask(trouble)
    assert isinstance(farewell, Farewell)
    assert farewell.why.startswith("it was parked 5 times in a row; at last it ")
    assert bench.politeness.reserve(page_of(HOST), 1e9) == farewell


def test_a_parking_has_a_limit() -> None:
    bench = Bench(PolitenessSettings(park_max_s=100.0))
    rests = [bench.rest_s(failure(HOST)) for _ in range(7)]
    assert rests[2:] == [pytest.approx(60.0)] + [pytest.approx(100.0)] * 4


def test_a_good_answer_ends_the_row(bench: Bench) -> None:
    for _ in range(20):
        for _ in range(2):
            assert bench.rest_s(failure(HOST)) == pytest.approx(1.0)
        bench.ask(response(HOST, 404))


def test_parkings_shorter_than_a_pause_are_counted_through_restarts() -> None:
    bench = Bench(PolitenessSettings(park_s=0.1, park_max_s=0.1, delay_s=5.0))
    for _ in range(3 + 4):
        bench.ask(failure(HOST))
    bench.restart()
    assert isinstance(bench.ask(failure(HOST)), Farewell)


def test_a_good_answer_ends_the_row_of_parkings_for_good(bench: Bench) -> None:
    for _ in range(4):
        bench.ask(failure(HOST))
    bench.restart()
    bench.ask()
    bench.restart()
    rests = [bench.rest_s(failure(HOST)) for _ in range(3)]
    assert rests == [pytest.approx(rest_s) for rest_s in (1.0, 1.0, 60.0)]


def test_the_row_of_parkings_outlives_a_restart(bench: Bench) -> None:
    for _ in range(4):
        bench.ask(failure(HOST))
    bench.restart()
    assert bench.rest_s(failure(HOST)) == pytest.approx(60.0 * 16)


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.PROTOCOL,
        FailureKind.UNWANTED_TYPE,
        FailureKind.FORBIDDEN_ADDRESS,
        FailureKind.HEADERS_TOO_LARGE,
        FailureKind.NOT_IN_WEB,
        FailureKind.CANCELLED,
    ],
)
def test_failures_of_one_url_are_not_held_against_its_host(bench: Bench, kind: FailureKind) -> None:
    for _ in range(20):
        assert bench.rest_s(failure(HOST, kind)) == pytest.approx(1.0)


def test_one_outage_is_one_failure_however_many_were_under_way() -> None:
    politeness = HostPoliteness(
        PolitenessSettings(per_host=8, park_after=1, delay_s=0.0), MemoryNotes(), no_address
    )
    slots = [politeness.reserve(page_of(HOST), float(n)) for n in range(8)]
    rests = [
        politeness.release(slot, failure(HOST), 10.0) for slot in slots if isinstance(slot, Slot)
    ]
    assert len(rests) == 8
    assert {rest.until_s for rest in rests if isinstance(rest, Wait)} == {70.0}


def test_no_rest_outlasts_what_the_settings_now_allow(bench: Bench) -> None:
    bench.now_s = 1e9
    bench.ask(response(HOST, 503, headers={"retry-after": "600"}))
    bench.restart()
    wait = bench.politeness.reserve(page_of(HOST), 0.0)
    assert isinstance(wait, Wait)
    assert wait.until_s <= 86_400.0


# --------------------------------------------------------------------------- notes and memory


def test_nothing_is_written_for_a_mere_request(bench: Bench) -> None:
    for _ in range(200):
        bench.ask(response(HOST, elapsed_s=0.1))
        bench.ask(response("b.example", 404), "b.example")
    assert bench.notes.writes == 1  # that the crawl has begun


def test_a_wish_is_written_when_it_changes(bench: Bench) -> None:
    for _ in range(10):
        bench.politeness.set_delay(HOST, 5.0)
    assert bench.notes.writes == 1
    bench.politeness.set_delay(HOST, 6.0)
    assert bench.notes.writes == 2


def test_slowness_is_written_a_few_times_at_most(bench: Bench) -> None:
    for elapsed_s in range(1, 200):
        bench.ask(response(HOST, elapsed_s=elapsed_s / 3))
    assert bench.notes.writes <= 8


def test_memory_is_bounded_by_what_is_of_interest() -> None:
    notes = MemoryNotes()
    politeness = HostPoliteness(PolitenessSettings(), notes, no_address, memory_hosts=1_000)
    for number in range(20_000):
        host = f"h{number}.example"
        slot = politeness.reserve(page_of(host), number * 0.01)
        assert isinstance(slot, Slot)
        politeness.release(slot, response(host), number * 0.01)
    # Those of the last second still rest.
    assert politeness.hosts_held <= 1_100


def test_a_slot_must_have_been_granted(bench: Bench) -> None:
    with pytest.raises(ValueError, match="was not granted"):
        bench.politeness.release(Slot("x.example", 0.0), response("x.example"), 0.0)


def test_a_slot_is_cheap_where_there_is_no_delay() -> None:
    politeness = HostPoliteness(PolitenessSettings(delay_s=0.0), MemoryNotes(), no_address)
    url, fetched = page_of(HOST), response(HOST)
    best_s = 1.0
    for _ in range(5):
        started_s = time.process_time()
        for _ in range(2_000):
            slot = politeness.reserve(url, 1.0)
            assert isinstance(slot, Slot)
            politeness.release(slot, fetched, 1.0)
        best_s = min(best_s, (time.process_time() - started_s) / 2_000)
    # About 4 µs on the machine it was written on; ten times that is a mistake.
    assert best_s < 40e-6


def test_a_failure_is_counted_as_such_whatever_its_status(bench: Bench) -> None:
    refused = Failure(page_of(HOST), FailureKind.UNWANTED_TYPE, "", 0.0, 0.1, status=503)
    assert bench.rest_s(refused) == pytest.approx(60.0)
