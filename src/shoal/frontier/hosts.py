"""Which host's Url comes next.

Every host with something to lease stands in one of two heaps: ``ready``, by the priority of its
best waiting Url, or ``resting``, by the time its rest ends. A host is in neither while as many of
its Urls are leased as may be, and comes back when one returns.

The best Url of a host is looked up only when the host has come to the top of the heap. Until then
it stands there by an upper bound: its entry then has the id 0, which puts it before any Url of that
priority, so it is looked up before anything that might have to wait for it is given out. Whatever
is at the top with an id is therefore exactly the best Url of all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heapify, heappop, heappush, heapreplace
from typing import NamedTuple

from shoal.model import Wait

Entry = tuple[float, int, int]
"""Minus the priority, the Url's id or 0, the host's id."""


class Head(NamedTuple):
    """The best Url of a host that may be leased."""

    id: int
    priority: float


class Host:
    """One host, in memory while it has Urls waiting or leased, or was met lately."""

    __slots__ = (
        "bound",
        "entry",
        "free",
        "given_up",
        "id",
        "known",
        "leased",
        "name",
        "rest_until_s",
        "rest_why",
        "resting",
        "settled",
    )

    def __init__(self, number: int, name: str) -> None:
        self.id = number
        self.name = name
        self.known = 0
        self.free = 0
        """Urls that wait and are not leased."""
        self.leased = 0
        self.settled = 0
        self.bound = 0.0
        """No Url that waits or is leased has a higher priority."""
        self.rest_until_s: float | None = None
        self.rest_why = ""
        self.given_up: str | None = None
        self.entry: Entry | None = None
        """Its one valid entry among the ready hosts; any other is stale."""
        self.resting: float | None = None
        """The time of its one valid entry among the resting hosts."""


class HostQueues:
    """The hosts by who comes next.

    1. ``best`` is the highest priority among hosts that neither rest nor have ``per_host`` leases;
       the lowest id among equal ones.
    2. Memory grows with the hosts, not with their Urls.
    """

    def __init__(self, per_host: int, head: Callable[[Host], Head | None]) -> None:
        self._per_host = per_host
        self._head = head
        self.by_id: dict[int, Host] = {}
        self.waiting = 0
        self.hosts_waiting = 0
        self._ready: list[Entry] = []
        self._resting: list[tuple[float, int]] = []

    def load(self, host: Host) -> None:
        """A host that was not in memory, with the Urls it has waiting."""
        self.by_id[host.id] = host
        if host.free:
            self.waiting += host.free
            self.hosts_waiting += 1
            self._wake(host)

    def add(self, host: Host, number: int, priority: float) -> None:
        """One more Url waits."""
        if host.free == 0:
            self.hosts_waiting += 1
            if host.leased == 0:
                host.bound = priority
        host.free += 1
        self.waiting += 1
        self.advance(host, number, priority)

    def advance(self, host: Host, number: int, priority: float) -> None:
        """A waiting Url has this priority now, higher than before if it had one."""
        host.bound = max(host.bound, priority)
        if host.entry is None:
            self._wake(host)
        elif (head := (-priority, number, host.id)) < host.entry:
            self._push(host, head)

    def sink(self, host: Host, number: int) -> None:
        """A waiting Url has a lower priority now: what the host offers best is looked up again."""
        if host.entry is not None and host.entry[1] == number:
            self._push(host, (-host.bound, 0, host.id))

    def take(self, host: Host, priority: float) -> None:
        """The best Url, which ``best`` has just told, is leased."""
        heappop(self._ready)
        host.entry = None
        host.leased += 1
        self._less(host, 1)
        self._wake(host, priority)

    def seize(self, host: Host, number: int) -> None:
        """A waiting Url is leased, be it the best or not."""
        host.leased += 1
        self._less(host, 1)
        if host.entry is not None and host.entry[1] in (number, 0):
            host.entry = None
            self._wake(host)

    def give_back(self, host: Host, number: int, priority: float) -> None:
        """A leased Url waits as before."""
        host.leased -= 1
        self.add(host, number, priority)

    def end(self, host: Host) -> None:
        """A leased Url waits no longer."""
        host.leased -= 1
        self._wake(host)

    def drop(self, host: Host) -> None:
        """Nothing of the host waits any longer, and nothing will."""
        self._less(host, host.free)
        host.entry = host.resting = None

    def best(self, now_s: float) -> tuple[Host, Head] | None:
        self._end_rests(now_s)
        ready = self._ready
        while ready:
            entry = ready[0]
            host = self.by_id.get(entry[2])
            if host is None or host.entry is not entry:
                heappop(ready)
            elif host.rest_until_s is not None and host.rest_until_s > now_s:
                heappop(ready)
                host.entry = None
                self._lay(host, host.rest_until_s)
            elif entry[1]:
                return host, Head(entry[1], -entry[0])
            else:
                head = self._head(host)
                if head is None:
                    heappop(ready)
                    host.entry = None
                else:
                    host.entry = (-head.priority, head.id, host.id)
                    heapreplace(ready, host.entry)
        return None

    def next_rested(self) -> Wait | None:
        """When the first of the resting hosts may be asked again."""
        while self._resting:
            until_s, number = self._resting[0]
            host = self.by_id.get(number)
            if host is None or host.resting != until_s:
                heappop(self._resting)
            elif host.rest_until_s is not None and host.rest_until_s > until_s:
                heappop(self._resting)
                self._lay(host, host.rest_until_s)
            else:
                return Wait(until_s, f"{host.name}: {host.rest_why}")
        return None

    def forget_idle(self, keep: int) -> list[Host]:
        """Let go of hosts with nothing waiting or leased, when there are more than ``keep``."""
        if len(self.by_id) - self.hosts_waiting <= keep:
            return []
        idle = [host for host in self.by_id.values() if not host.free and not host.leased]
        for host in idle:
            del self.by_id[host.id]
        return idle

    def _less(self, host: Host, urls: int) -> None:
        if urls:
            host.free -= urls
            self.waiting -= urls
            if host.free == 0:
                self.hosts_waiting -= 1

    def _wake(self, host: Host, bound: float = math.inf) -> None:
        """Put a host among the ready ones if it belongs there; when it rests shows at the top."""
        if (
            host.free
            and host.entry is None
            and host.resting is None
            and host.leased < self._per_host
        ):
            self._push(host, (-min(bound, host.bound), 0, host.id))

    def _push(self, host: Host, entry: Entry) -> None:
        host.entry = entry
        if len(self._ready) > 64 + 2 * len(self.by_id):
            self._ready = [host.entry for host in self.by_id.values() if host.entry is not None]
            heapify(self._ready)
        else:
            heappush(self._ready, entry)

    def _lay(self, host: Host, until_s: float) -> None:
        host.resting = until_s
        heappush(self._resting, (until_s, host.id))

    def _end_rests(self, now_s: float) -> None:
        while (wait := self.next_rested()) is not None and wait.until_s <= now_s:
            _, number = heappop(self._resting)
            host = self.by_id[number]
            host.resting = None
            self._wake(host)
