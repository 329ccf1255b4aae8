"""Another Crawler's committed outbox, asked for through its actor.

One question is always on its way, and waits at the mate's hatch until there is an answer: looking
here costs nothing. A mate that is away has nothing to collect; whether it comes back is the Team's
concern, not its mates'.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final

from ray.exceptions import RayError

from shoal.team.on_ray.hatch import Post

WAIT_S: Final = 5.0
"""How long a question waits at the hatch."""
AWAY_S: Final = 0.5
"""Between two questions to a mate that does not answer."""
AHEAD: Final = 128
"""Parcels that are fetched before they are asked for."""


class RayPeer:
    """A ports.Peer over the handle of a CrawlerActor."""

    def __init__(self, name: str, mate: Any, time_s: Callable[[], float]) -> None:
        """``name`` is of the Crawler that asks."""
        self._name = name
        self._mate = mate
        self._time_s = time_s
        self._here: deque[tuple[int, bytes]] = deque()
        self._asked: Future[Post] | None = None
        self._ask_at_s = 0.0
        self._after = 0
        """The number of the last Parcel that was had."""
        self._taken = 0

    def parcels(self, receiver: str, after: int, limit: int) -> Sequence[tuple[int, bytes]]:
        assert receiver == self._name, "a Crawler asks for what is its own"
        while self._here and self._here[0][0] <= after:
            self._here.popleft()
        self._after = max(self._after, after)
        self._look()
        return [self._here[place] for place in range(min(limit, len(self._here)))]

    def taken_from(self, sender: str) -> int:
        assert sender == self._name, "a Crawler asks for what is its own"
        self._look()
        return self._taken

    def close(self) -> None:
        self._asked = None

    def _look(self) -> None:
        if self._asked is not None and self._asked.done():
            self._take(self._asked)
            self._asked = None
        if self._asked is None and len(self._here) < AHEAD and self._time_s() >= self._ask_at_s:
            call = self._mate.collect.remote(self._name, self._after, self._taken, WAIT_S)
            self._asked = call.future()

    def _take(self, asked: Future[Post]) -> None:
        try:
            post = asked.result()
        except RayError:
            self._ask_at_s = self._time_s() + AWAY_S
            return
        self._taken = max(self._taken, post.taken)
        self._here.extend(post.parcels)
        if post.parcels:
            self._after = post.parcels[-1][0]
