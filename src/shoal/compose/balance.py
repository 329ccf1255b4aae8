"""Divides the Url hierarchy anew while a crawl runs, when too much waits with one Crawler.

000, section 3.1.1, has the approach dynamically alter "the division of Web among the crawler", and
does not say how. Here what waits is weighed, host by host, and the hosts of the busiest Crawlers go
to the idlest until nobody has more than the factor asked for (``partition/hierarchy.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing

from shoal.frontier.house import StateHouse
from shoal.frontier.ledger import StateLedger
from shoal.partition.hierarchy import HierarchyPartition, Stretch, stretch_of
from shoal.team import changes
from shoal.team.roster import BETWEEN, Roster
from shoal.url import parse_url


class Balance:
    """Asked about once a second, looks every ``every_s``."""

    def __init__(
        self, house: StateHouse, most: float, every_s: float, time_s: Callable[[], float]
    ) -> None:
        """``most`` is how many times the mean may wait with one Crawler."""
        self._house = house
        self._most = most
        self._every_s = every_s
        self._time_s = time_s
        self._looked_s = time_s()

    def __call__(self, now: Roster) -> Roster:
        """The Roster as it should be; the same one where nobody has too much."""
        if self._time_s() - self._looked_s < self._every_s:
            return now
        self._looked_s = self._time_s()
        waiting = {name: self._waiting(name) for name in now.active}
        mean = sum(waiting.values()) / len(waiting)
        if max(waiting.values()) <= self._most * mean:
            return now
        load = sum((self._load(name) for name in now.active), Counter[Stretch]())
        table = {tuple(path.split(BETWEEN)): name for path, name in now.stretches.items()}
        balanced = HierarchyPartition(now.active, table).balanced(load, self._most)
        stretches = {BETWEEN.join(stretch): name for stretch, name in balanced.table.items()}
        return changes.balance(now, stretches)

    def _waiting(self, name: str) -> int:
        if not self._house.has(name):
            return 0
        with closing(self._house.read(name)) as state:
            return StateLedger(state).standing().waiting

    def _load(self, name: str) -> Counter[Stretch]:
        found: Counter[Stretch] = Counter()
        if self._house.has(name):
            with closing(self._house.read(name)) as state:
                for host in StateLedger(state).hosts():
                    if host.waiting:
                        found[stretch_of(parse_url(f"http://{host.host}/"))] += host.waiting
        return found
