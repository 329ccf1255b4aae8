"""Who may report in to a Team that runs on several machines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shoal.crawl.tally import Tally
from shoal.team.arrival import (
    CLOCK_MOST_S,
    Arrival,
    Offset,
    Versions,
    compare_clocks,
    our_versions,
    why_not,
)

OURS = Versions("0.1.0", "3.11.7")


def arrival(versions: Versions = OURS, ahead_s: float = 0.0, error_s: float = 0.01) -> Arrival:
    return Arrival("crawler-2", "10.0.0.2", versions, Offset(ahead_s, error_s), Tally())


def test_who_is_like_us_is_welcome() -> None:
    assert why_not(arrival(), OURS) is None
    assert why_not(arrival(our_versions()), our_versions()) is None


@pytest.mark.parametrize("versions", [Versions("0.2.0", "3.11.7"), Versions("0.1.0", "3.12.1")])
def test_another_version_is_refused_by_both_names(versions: Versions) -> None:
    told = why_not(arrival(versions), OURS)
    assert told is not None
    for word in ("10.0.0.2", *versions, *OURS):
        assert word in told


@pytest.mark.parametrize(("ahead_s", "way"), [(61.0, "61.0 s ahead of"), (-2.5, "2.5 s behind")])
def test_another_clock_is_refused_with_figures(ahead_s: float, way: str) -> None:
    told = why_not(arrival(ahead_s=ahead_s), OURS)
    assert told is not None
    assert way in told


def test_what_may_be_the_way_and_not_the_clock_is_let_pass() -> None:
    assert why_not(arrival(ahead_s=CLOCK_MOST_S + 0.5, error_s=0.6), OURS) is None


def test_the_quickest_look_tells_how_far_a_clock_is_ahead() -> None:
    def clock(*times_s: float) -> Iterator[float]:
        yield from times_s

    ours, theirs = clock(100.0, 104.0, 110.0, 110.2, 120.0, 126.0), clock(98.0, 105.1, 118.0)
    offset = compare_clocks(lambda: next(theirs), lambda: next(ours))
    assert offset.ahead_s == pytest.approx(5.0)
    assert offset.error_s == pytest.approx(0.1)
