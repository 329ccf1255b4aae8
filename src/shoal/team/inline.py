"""Runs a Team in one process, each Crawler in its own virtual time.

Each Crawler has its own VirtualClock, and the one whose clock is behind goes next, so that a Team
of N does in a virtual second what N Crawlers side by side would. One step costs the logarithm of
how many there are; a Crawler with nothing to do costs nothing until something is sent to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush

from shoal.crawl.crawler import Crawler
from shoal.crawl.stop import Stop, StopReason
from shoal.team.post import PostOffice

ALL_DONE = Stop(StopReason.FINISHED, "every known Url is settled or refused, by every crawler")


class InlineTeam:
    """Crawlers by name, over one PostOffice."""

    def __init__(self, crawlers: Mapping[str, Crawler], office: PostOffice) -> None:
        self._names = list(crawlers)
        self._crawlers = list(crawlers.values())
        self._number = {name: number for number, name in enumerate(self._names)}
        self._office = office
        self._due: list[tuple[float, int]] = []
        self._asleep: set[int] = set()
        self._now_s = 0.0

    def run(self) -> Stop:
        self._office.told = self._wake
        for number, crawler in enumerate(self._crawlers):
            crawler.begin()
            self._go_on(number)
        stop = self._until_stop()
        for crawler in self._crawlers:
            crawler.end(stop)
        return stop

    def _until_stop(self) -> Stop:
        while self._due:
            self._now_s, number = heappop(self._due)
            crawler = self._crawlers[number]
            stop = crawler.reason_to_stop()
            if stop is not None:
                return stop
            if crawler.is_idle() and not self._office.waits_for(self._names[number]):
                self._asleep.add(number)
                crawler.sleep()
                continue
            crawler.step()
            self._go_on(number)
        return ALL_DONE

    def _go_on(self, number: int) -> None:
        heappush(self._due, (self._crawlers[number].clock.now_s(), number))

    def _wake(self, name: str) -> None:
        """Something was sent: whoever sleeps has slept until now."""
        number = self._number[name]
        if number in self._asleep:
            self._asleep.remove(number)
            self._crawlers[number].clock.wait_until(self._now_s)
            self._go_on(number)
