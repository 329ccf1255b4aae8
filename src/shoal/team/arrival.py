"""Reporting in: what a Crawler on another machine says of itself before it is one of the Team.

1. Nobody crawls beside a Shoal or a Python of another version: what one writes into a Parcel or an
   answer, the other might read as something else.
2. Nobody crawls by a clock that is more than ``CLOCK_MOST_S`` away from the keeper's: hosts' pauses
   are reckoned from the times that Crawlers tell.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Final, NamedTuple

from shoal.crawl.tally import Tally

CLOCK_MOST_S: Final = 1.0
_LOOKS: Final = 3
"""How often the clocks are compared; the quickest comparison counts."""


class Versions(NamedTuple):
    shoal: str
    python: str


class Offset(NamedTuple):
    """How far one clock is ahead of another."""

    ahead_s: float
    error_s: float
    """What is not known of it: half the time that asking took."""


class Arrival(NamedTuple):
    """What a Crawler says when it reports in."""

    name: str
    machine: str
    """Its address."""
    versions: Versions
    offset: Offset
    """Of its clock to the keeper's."""
    tally: Tally
    """How far its last commit is."""


def our_versions() -> Versions:
    return Versions(version("shoal"), platform.python_version())


def compare_clocks(
    keepers_s: Callable[[], float], ours_s: Callable[[], float] = time.time
) -> Offset:
    """``keepers_s`` asks the keeper's clock, which takes its time."""
    found = []
    for _ in range(_LOOKS):
        before_s = ours_s()
        theirs_s = keepers_s()
        after_s = ours_s()
        found.append(Offset((before_s + after_s) / 2 - theirs_s, (after_s - before_s) / 2))
    return min(found, key=lambda offset: offset.error_s)


def why_not(arrival: Arrival, ours: Versions) -> str | None:
    """Why that Crawler cannot be one of the Team, in words for whoever can mend it; None where it
    can. ``ours`` are the keeper's versions."""
    theirs = arrival.versions
    if theirs != ours:
        return (
            f"{arrival.machine} has Shoal {theirs.shoal} on Python {theirs.python}, but this "
            f"machine has Shoal {ours.shoal} on Python {ours.python}. Install the same on all "
            "machines, and repeat the command"
        )
    ahead_s, error_s = arrival.offset
    if abs(ahead_s) - error_s > CLOCK_MOST_S:
        way = "ahead of" if ahead_s > 0 else "behind"
        return (
            f"the clock of {arrival.machine} is {abs(ahead_s):,.1f} s {way} this machine's (give "
            f"or take {error_s:.1f} s), and hosts' pauses are kept by both. Set the clocks, best "
            "by NTP, and repeat the command"
        )
    return None
