"""The oracle: a crawl that knows every label and every Link, as the yardstick of all others.

It fetches the seeds, and then always walks to the nearest relevant page not yet fetched: nearest
by pages to fetch on the way, from anything fetched so far. The pages on the way count as fetched.
Of equally near pages it takes the one with the lowest number. (Finding the very best order is as
hard as the Steiner tree problem; the nearest page is its usual approximation. So a ratio above 1
is possible, and would be no mistake.)

Redirects stand between pages at no cost, for they do not count as fetched pages.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from shoal.lab.survey import Flags, Survey

Step = tuple[int, int]
"""Pages to fetch until an address is there, itself included; its number."""


class Oracle:
    """One walk over a web from given seeds."""

    def __init__(self, survey: Survey, relevant: Flags) -> None:
        self._survey = survey
        self._relevant = relevant
        self._cost: dict[int, int] = {}
        """Of every address reached so far; 0 where it is fetched, or redirected to for nothing."""
        self._before: dict[int, int] = {}
        """The address from which each was reached at that cost."""
        self._near: list[Step] = []
        """Relevant pages reached, by cost; an entry that is dearer than ``_cost`` is stale."""
        self._fetched: dict[int, None] = {}

    def walk(self, seeds: Sequence[int], pages: int) -> list[int]:
        """The numbers of the pages in the order of fetching, at most ``pages``."""
        for seed in seeds:
            self._fetch(seed)
        while len(self._fetched) < pages and (target := self._nearest()) is not None:
            for number in self._way(target):
                self._fetch(number)
        return list(self._fetched)[:pages]

    def _nearest(self) -> int | None:
        while self._near:
            cost, number = heapq.heappop(self._near)
            if cost == self._cost[number]:
                return number
        return None

    def _way(self, target: int) -> list[int]:
        way = [target]
        while self._cost[self._before[way[-1]]] > 0:
            way.append(self._before[way[-1]])
        return way[::-1]

    def _fetch(self, number: int) -> None:
        """An address is fetched, if it was not: from now on its Links start at no cost."""
        if number in self._fetched:
            return
        if self._survey.is_page[number]:
            self._fetched[number] = None
        self._cost[number] = 0
        self._spread(number)

    def _spread(self, start: int) -> None:
        """Make everything cheaper that is nearer from ``start`` than it was."""
        survey, cost = self._survey, self._cost
        heap: list[Step] = [(0, start)]
        while heap:
            here, number = heapq.heappop(heap)
            if here > cost[number]:
                continue
            for target in survey.links.row(number).tolist():
                there = here + int(survey.is_page[target])
                if target not in cost or there < cost[target]:
                    cost[target] = there
                    self._before[target] = number
                    heapq.heappush(heap, (there, target))
                    if self._relevant[target] and there > 0:
                        heapq.heappush(self._near, (there, target))
