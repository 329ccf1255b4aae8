"""Names to addresses, remembered.

1. ``known`` never waits. ``ask`` begins a lookup once, however often it is asked; its host comes
   out of ``answered`` when ``known`` can tell.
2. An answer is kept for its time to live, a failure for a minute; memory is bounded.
3. ``close`` waits for nobody: a lookup that hangs in the system hangs alone.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from queue import SimpleQueue

from shoal.model import Lookedup

Lookup = Callable[[str], tuple[str, ...]]
"""Gives a name's addresses, the best first. May block; raises OSError where there are none."""

_FAILURE_TTL_S = 60.0
_HOSTS = 100_000
"""Hosts remembered at once; the ones learnt first are forgotten first."""


def system_lookup(host: str) -> tuple[str, ...]:
    """Ask the operating system."""
    try:
        # As bytes, because Python's own IDNA rules differ from those the Url was made by.
        found = socket.getaddrinfo(
            host.encode("ascii"), None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
        )
    except UnicodeError as error:
        raise OSError(f"not a host name: {host!r}") from error
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class Resolver:
    """Looks names up in threads of its own. All methods are for one thread, the Web's."""

    def __init__(
        self, lookup: Lookup, ttl_s: float, threads: int, wake: Callable[[], None]
    ) -> None:
        self._lookup = lookup
        self._ttl_s = ttl_s
        self._threads = threads
        self._wake = wake
        self._known: dict[str, Lookedup] = {}
        self._asked: set[str] = set()
        self._running = 0
        self._questions: SimpleQueue[str | None] = SimpleQueue()
        self._answers: SimpleQueue[tuple[str, tuple[str, ...], str]] = SimpleQueue()
        self._closed = False

    def known(self, host: str, now_s: float) -> Lookedup | None:
        found = self._known.get(host)
        return found if found is not None and now_s < found.until_s else None

    def learn(self, host: str, found: Lookedup) -> None:
        """Somebody else has looked it up."""
        self._known.pop(host, None)
        self._known[host] = found
        if len(self._known) > _HOSTS:
            del self._known[next(iter(self._known))]

    def ask(self, host: str) -> None:
        if host in self._asked or self._closed:
            return
        self._asked.add(host)
        self._questions.put(host)
        if self._running < min(self._threads, len(self._asked)):
            self._running += 1
            # A daemon, because a lookup cannot be interrupted and must not hold up the end.
            threading.Thread(target=self._work, name="shoal-dns", daemon=True).start()

    def answered(self, now_s: float) -> list[str]:
        """The hosts that became known since last time."""
        hosts: list[str] = []
        # Nobody else takes answers, so one that is there stays there.
        while not self._answers.empty():
            host, addresses, problem = self._answers.get_nowait()
            self._asked.discard(host)
            ttl_s = self._ttl_s if addresses else _FAILURE_TTL_S
            self.learn(host, Lookedup(addresses, now_s + ttl_s, problem))
            hosts.append(host)
        return hosts

    def close(self) -> None:
        self._closed = True
        for _ in range(self._running):
            self._questions.put(None)

    def _work(self) -> None:
        while (host := self._questions.get()) is not None and not self._closed:
            addresses: tuple[str, ...] = ()
            problem = ""
            try:
                addresses = self._lookup(host)
            except OSError as error:
                problem = error.strerror or str(error)
            if not addresses and not problem:
                problem = "no address"
            self._answers.put((host, addresses, problem))
            self._wake()
