"""The actor that is a Crawler: its own state, its own archive, its part of the Team's work.

``run`` is one call that lasts as long as the Crawler does. Where the actor ends in the middle of
it, Ray starts it again and repeats the call, and the Crawler goes on from its last commit. Its
mates collect what it has for them by other threads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple

import ray

from shoal.crawl.tally import Tally
from shoal.ports import Peer, Watcher
from shoal.team.desk import Desk, LostTeam
from shoal.team.on_ray.cluster import this_machine
from shoal.team.on_ray.hatch import Hatch, Post
from shoal.team.on_ray.keeper_actor import Refused
from shoal.team.on_ray.line import RayLine
from shoal.team.on_ray.mates import RayPeer

HATCH: Final = "hatch"
"""The threads that serve mates."""


class Opened(NamedTuple):
    """A Crawler that is ready to run."""

    tally: Tally
    """How far its last commit is."""
    run: Callable[[], None]
    """Crawl, and say the last word at the Desk."""


class Work(NamedTuple):
    """What a Crawler does, whatever machine it is on. Every field can be pickled."""

    open: Callable[[str, Desk, Mapping[str, Peer], Watcher], AbstractContextManager[Opened]]
    """By its name, with its mates; its commits are told to the Watcher."""
    own_peer: Callable[[str], Peer]
    """Reads what the Crawler of that name has committed, on its own machine."""


class CrawlerActor:
    def __init__(self, name: str, work: Work) -> None:
        self._name = name
        self._work = work
        self._hatch = Hatch(work.own_peer(name))

    def run(self, keeper: Any, mates: Mapping[str, Any]) -> None:
        """``keeper`` and ``mates`` are the handles of the KeeperActor and of the other
        CrawlerActors."""
        peers = {other: RayPeer(self._name, mate, time.monotonic) for other, mate in mates.items()}
        line = RayLine(keeper, self._name)
        process = f"{os.getpid()} on {this_machine()}"
        desk = Desk(line, _none, _yes, time.monotonic, process)
        with self._work.open(self._name, desk, peers, self._hatch) as opened:
            try:
                line.report_in(this_machine(), opened.tally)
                opened.run()
            except Refused:
                return
            except LostTeam:
                # At once, and without another commit. Ray starts this actor again.
                os._exit(1)

    def collect(self, mate: str, after: int, taken: int, wait_s: float) -> Post:
        return self._hatch.collect(mate, after, taken, wait_s)

    def process(self) -> int:
        return os.getpid()


def crawler_class(crawlers: int) -> Any:
    """The CrawlerActor as Ray runs it, with a thread for each of its mates. Only ``run`` is called
    again by Ray: who asks at the hatch of a mate that is away asks again by itself."""
    ray.method(max_task_retries=-1)(CrawlerActor.run)
    ray.method(concurrency_group=HATCH)(CrawlerActor.collect)
    return ray.remote(concurrency_groups={HATCH: max(2, crawlers)})(CrawlerActor)


def _none() -> int:
    return 0


def _yes() -> bool:
    return True
