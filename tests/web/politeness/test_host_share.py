"""The X4 rule: no host has more than its share of a window."""

from __future__ import annotations

import pytest

from shoal.model import Slot, Wait
from shoal.settings import PolitenessSettings
from shoal.testing.notes import MemoryNotes
from shoal.testing.politeness import no_address, page_of, response
from shoal.web.host_share import FEWEST, Activity, ShareWindow
from shoal.web.politeness import HostPoliteness


def counted(window: ShareWindow, activity: Activity, times: int, now_s: float) -> list[bool]:
    return [window.count(activity, now_s) for _ in range(times)]


def test_more_than_its_share_is_told() -> None:
    window = ShareWindow(0.1, 100.0)
    for _ in range(200):
        counted(window, Activity(), 1, 0.0)
    greedy = Activity()
    assert counted(window, greedy, 30, 0.0).index(True) == 22  # 23 of 223


def test_too_few_hosts_cannot_share() -> None:
    window = ShareWindow(0.1, 100.0)
    for _ in range(8):
        counted(window, Activity(), 1, 0.0)
    greedy = Activity()
    assert not any(counted(window, greedy, 1_000, 0.0))
    counted(window, Activity(), 1, 0.0)
    assert counted(window, greedy, 1, 0.0) == [True]


def test_few_requests_are_never_too_many() -> None:
    window = ShareWindow(0.1, 100.0)
    for _ in range(10):
        counted(window, Activity(), 1, 0.0)
    assert counted(window, Activity(), FEWEST, 0.0) == [False] * (FEWEST - 1) + [True]


def test_the_window_slides() -> None:
    window = ShareWindow(0.1, 100.0)
    for _ in range(100):
        counted(window, Activity(), 1, 90.0)
    greedy = Activity()
    assert not any(counted(window, greedy, 11, 90.0))
    # 11 + 1 of 111 + 1 shortly afterwards; long afterwards, they are no longer counted.
    assert counted(window, greedy, 1, 101.0) == [True]
    for _ in range(100):
        counted(window, Activity(), 1, 290.0)
    assert counted(window, greedy, 1, 301.0) == [False]


@pytest.mark.parametrize("share", [1.0, 0.0])
def test_the_two_ends_of_the_scale(share: float) -> None:
    window = ShareWindow(share, 100.0)
    for _ in range(100):
        counted(window, Activity(), 1, 0.0)
    assert not any(counted(window, Activity(), 1_000, 0.0))


def test_a_greedy_host_is_set_aside_for_a_window_through_a_restart() -> None:
    settings = PolitenessSettings(delay_s=0.0, host_share=0.01, share_window_s=3_600.0)
    notes = MemoryNotes()
    politeness = HostPoliteness(settings, notes, no_address)

    def ask(host: str, now_s: float) -> Wait:
        slot = politeness.reserve(page_of(host), now_s)
        assert isinstance(slot, Slot)
        rest = politeness.release(slot, response(host), now_s)
        assert isinstance(rest, Wait)
        return rest

    for number in range(500):
        assert not ask(f"h{number}.example", 0.0).parked
    rests = [ask("greedy.example", 10.0) for _ in range(6)]
    assert not any(rest.parked for rest in rests)
    while not (rest := ask("greedy.example", 10.0)).parked:
        rests.append(rest)
    assert len(rests) + 1 == 10
    assert rest.until_s == 3_610.0
    assert rest.why == "it had more than 1.0 % of the requests of the last 1 h 0 min"
    again = HostPoliteness(settings, notes, no_address)
    assert again.reserve(page_of("greedy.example"), 20.0) == rest
    # Once it has sat out its time, nothing of before is held against it.
    assert not ask("greedy.example", 3_610.0).parked
