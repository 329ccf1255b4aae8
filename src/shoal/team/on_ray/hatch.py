"""Where a Crawler's mates collect what it has for them: read from what it has committed.

A mate's question waits here until there is an answer, so mates ask seldom and learn at once. The
threads that serve them read by a connection of their own, and never touch what the Crawler writes.
"""

from __future__ import annotations

import time
from threading import Condition
from typing import Final, NamedTuple

from shoal.events import Committed, Event
from shoal.ports import Peer

AT_ONCE: Final = 64
"""Parcels in one answer."""


class Post(NamedTuple):
    """What a mate is given."""

    parcels: tuple[tuple[int, bytes], ...]
    """Those for it, with their numbers."""
    taken: int
    """The number of its own last Parcel that was taken in for good."""


class Hatch:
    """One Crawler's; also a Watcher, to hear of its commits."""

    def __init__(self, own: Peer) -> None:
        """``own`` reads what this Crawler has committed."""
        self._own = own
        self._news = Condition()

    def collect(self, mate: str, after: int, taken: int, wait_s: float) -> Post:
        """What there is for ``mate`` beyond what it knows: its Parcels after that number, and how
        many of its own were taken. Waits so long for something new."""
        until_s = time.monotonic() + wait_s
        while True:
            with self._news:
                post = Post(
                    tuple(self._own.parcels(mate, after, AT_ONCE)), self._own.taken_from(mate)
                )
                left_s = until_s - time.monotonic()
                if post.parcels or post.taken > taken or left_s <= 0:
                    return post
                self._news.wait(left_s)

    def see(self, event: Event) -> None:
        if isinstance(event, Committed):
            with self._news:
                self._news.notify_all()

    def close(self) -> None:
        with self._news:
            self._own.close()
