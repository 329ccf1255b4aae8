"""The Courier of Crawlers that each have a state of their own: pulled, and exactly once in effect.

A Parcel stands in its sender's outbox, put there by the transaction that made it. The receiver
reads it there, and notes its number in the transaction that holds what came of it. The sender takes
it out when it reads that note. Nobody writes into another's state, and no acknowledgement can be
lost: a crash on either side leaves both where their last commits were, and what was received but
not committed is read again.

What may wait in an outbox is bounded: a Crawler whose outbox is full fetches nothing more until its
receivers have caught up, but goes on receiving, so a ring of full outboxes drains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event as Flag
from typing import Final

from shoal.model import Parcel
from shoal.ports import Notes, Outbox, Peer
from shoal.team.parcels import Packer
from shoal.team.traffic import Traffic

LOOK_AGAIN_S: Final = 0.02
"""Between two looks for Parcels while there is nothing else to do."""
LOOK_AT: Final = 8
"""Senders that are looked at each time, one after another."""
LOOK_BUSY_S: Final = 0.2
"""Between two looks at a sender that had nothing the last time, while there is."""
TRIM_EVERY_S: Final = 0.5


class PulledCourier:
    """A ports.Courier over one's own Outbox and Notes, and the states of all the others."""

    def __init__(
        self,
        name: str,
        outbox: Outbox,
        notes: Notes,
        peers: Mapping[str, Peer],
        full_bytes: int,
        halt: Flag,
        time_s: Callable[[], float],
        kind: str,
    ) -> None:
        """``kind`` is that of the Notes which the Peers read; ``time_s`` a clock of the machine:
        how long to look away is a matter of processors, not of the crawl's time."""
        self._name = name
        self._outbox = outbox
        self._notes = notes
        self._peers = dict(peers)
        self._full_bytes = full_bytes
        self._halt = halt
        self._time_s = time_s
        self._kind = kind
        self._packer = Packer()
        self._taken = {sender: self._read_taken(sender) for sender in self._peers}
        self._look_at_s = dict.fromkeys(self._peers, 0.0)
        self._trim_at_s = 0.0
        self._order = sorted(self._peers)
        self.traffic = Traffic()

    def send(self, to: str, parcel: Parcel) -> None:
        packed = self._packer.pack(parcel)
        self._outbox.put(to, packed)
        self.traffic.sent(parcel, len(packed))

    def receive(self, limit: int) -> Sequence[Parcel]:
        now_s = self._time_s()
        received: list[Parcel] = []
        for sender in self._order:
            if len(received) == limit or now_s < self._look_at_s[sender]:
                continue
            received += self._receive_from(sender, limit - len(received), now_s)
        # Whoever was looked at first goes last the next time: no sender can starve another.
        self._order = [*self._order[1:], *self._order[:1]]
        return received

    def committed(self) -> None:
        now_s = self._time_s()
        if now_s < self._trim_at_s:
            return
        self._trim_at_s = now_s + TRIM_EVERY_S
        self._trim()

    def is_full(self) -> bool:
        if self._outbox.outstanding_bytes() < self._full_bytes:
            return False
        self._trim()
        return self._outbox.outstanding_bytes() >= self._full_bytes

    def is_empty(self) -> bool:
        self._trim()
        return not self._outbox.outstanding_bytes()

    def wait(self, timeout_s: float) -> None:
        end_s = self._time_s() + timeout_s
        while not self._halt.is_set() and (left_s := end_s - self._time_s()) > 0:
            for sender in self._next_looked_at():
                if self._peers[sender].parcels(self._name, self._taken[sender], 1):
                    self._look_at_s[sender] = 0.0
                    return
            self._halt.wait(min(LOOK_AGAIN_S, left_s))

    def _next_looked_at(self) -> Sequence[str]:
        """Some of the senders in turns, so that waiting costs the same however many there are."""
        looked_at = self._order[:LOOK_AT]
        self._order = [*self._order[LOOK_AT:], *looked_at]
        return looked_at

    def _trim(self) -> None:
        """Take out of the outbox what was taken in."""
        for receiver in self._outbox.receivers():
            self._outbox.trim(receiver, self._peers[receiver].taken_from(self._name))

    def _receive_from(self, sender: str, limit: int, now_s: float) -> list[Parcel]:
        found = self._peers[sender].parcels(self._name, self._taken[sender], limit)
        if not found:
            self._look_at_s[sender] = now_s + LOOK_BUSY_S
            return []
        parcels = []
        for number, packed in found:
            parcel = self._packer.unpack(packed)
            self.traffic.received(parcel, len(packed))
            self._taken[sender] = number
            parcels.append(parcel)
        self._notes.write(self._kind, sender, str(self._taken[sender]).encode())
        return parcels

    def _read_taken(self, sender: str) -> int:
        taken = self._notes.read(self._kind, sender)
        return 0 if taken is None else int(taken)
