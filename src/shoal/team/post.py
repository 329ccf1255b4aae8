"""The Courier of Crawlers that share a process, and whose state ends with it.

What is sent is there for its receiver at once: in one process there is no crash that one Crawler
survives and another does not. Parcels are packed all the same, so that what a Team would send over
a wire is known; only the original is handed on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shoal.model import Parcel
from shoal.ports import Clock
from shoal.team.parcels import Packer
from shoal.team.traffic import Traffic


class PostOffice:
    """Where the Parcels of a Team wait.

    ``told`` hears the name of a receiver whenever something was sent to it.
    """

    def __init__(self, crawlers: Sequence[str], full_bytes: int) -> None:
        """A Crawler has sent too much while ``full_bytes`` of its own wait for their receivers."""
        self._waiting: dict[str, deque[_Sent]] = {name: deque() for name in crawlers}
        self._outstanding_bytes = dict.fromkeys(crawlers, 0)
        self._full_bytes = full_bytes
        self._packer = Packer()
        self.told: Callable[[str], None] = lambda _name: None

    def courier(self, name: str, clock: Clock) -> PostCourier:
        """Of a Crawler that lives by this Clock."""
        return PostCourier(name, self, clock)

    def post(self, sender: str, to: str, parcel: Parcel) -> int:
        """Returns the size of what was sent."""
        size_bytes = len(self._packer.pack(parcel))
        self._waiting[to].append(_Sent(sender, parcel, size_bytes))
        self._outstanding_bytes[sender] += size_bytes
        self.told(to)
        return size_bytes

    def collect(self, name: str, limit: int) -> list[_Sent]:
        waiting = self._waiting[name]
        collected = [waiting.popleft() for _ in range(min(limit, len(waiting)))]
        for sent in collected:
            self._outstanding_bytes[sent.sender] -= sent.size_bytes
        return collected

    def is_full(self, sender: str) -> bool:
        return self._outstanding_bytes[sender] >= self._full_bytes

    def is_empty(self, sender: str) -> bool:
        return not self._outstanding_bytes[sender]

    def waits_for(self, name: str) -> bool:
        """Whether something waits to be received by that Crawler."""
        return bool(self._waiting[name])


class _Sent(NamedTuple):
    sender: str
    parcel: Parcel
    size_bytes: int


class PostCourier:
    """A ports.Courier for one Crawler of a PostOffice."""

    def __init__(self, name: str, office: PostOffice, clock: Clock) -> None:
        self._name = name
        self._office = office
        self._clock = clock
        self.traffic = Traffic()

    def send(self, to: str, parcel: Parcel) -> None:
        self.traffic.sent(parcel, self._office.post(self._name, to, parcel))

    def receive(self, limit: int) -> Sequence[Parcel]:
        collected = self._office.collect(self._name, limit)
        for sent in collected:
            self.traffic.received(sent.parcel, sent.size_bytes)
        return [sent.parcel for sent in collected]

    def committed(self) -> None: ...

    def is_full(self) -> bool:
        return self._office.is_full(self._name)

    def is_empty(self) -> bool:
        return self._office.is_empty(self._name)

    def wait(self, timeout_s: float) -> None:
        """The others go on meanwhile: time is all that has to pass."""
        self._clock.wait_until(self._clock.now_s() + timeout_s)
