"""The live Web: HTTP over libcurl, many requests at once in one thread.

A request goes through three places: it is *routed* (its host's address must be known first), it
*queues* for a free easy handle, and it is *under way* in libcurl's multi handle. ``poll`` moves
every request as far as it will go and returns those that came to their end.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pycurl

from shoal.model import Failure, FailureKind, Fetched, Lookedup, Request
from shoal.ports import Clock
from shoal.settings import FetchSettings
from shoal.web.addresses import literal_address
from shoal.web.bandwidth import Bandwidth
from shoal.web.dns import Lookup, Resolver, system_lookup
from shoal.web.exchange import Exchange
from shoal.web.loop import CurlLoop, Done
from shoal.web.routes import NameUnknown, Refusal, Route, Router
from shoal.web.terms import Terms

_LOOKUP_THREADS = 16
_IDLE_CONNECTIONS = 256
"""Connections kept open for reuse, where four for every parallel request are not fewer."""
_GLANCE_S = 0.5
"""How often those that wait, for a name or for a byte, are looked over."""


class _Unrouted(NamedTuple):
    request: Request
    started_s: float


class LiveWeb:
    """``ports.Web`` over the network. Nothing is opened before the first ``start``.

    ``certificates`` is a file of certificate authorities to trust in place of the machine's own.
    """

    def __init__(
        self,
        settings: FetchSettings,
        clock: Clock,
        parallel: int,
        resolver: Lookup = system_lookup,
        certificates: Path | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._parallel = parallel
        self._lookup = resolver
        self._router = Router(settings)
        self._terms = Terms.of(settings, certificates)
        self._bandwidth = (
            None if settings.bandwidth_bytes_s is None else Bandwidth(settings.bandwidth_bytes_s)
        )
        self._loop: CurlLoop | None = None
        self._names: Resolver | None = None
        self._unrouted: dict[str, list[_Unrouted]] = {}
        self._queue: deque[tuple[Request, Route]] = deque()
        self._under_way: dict[pycurl.Curl, Exchange] = {}
        self._free: list[Exchange] = []
        self._held: deque[Exchange] = deque()
        self._ready: list[Fetched] = []
        self._in_flight = 0
        self._glanced_s = 0.0
        self._is_closed = False

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def ip_of(self, host: str) -> str | None:
        """The address at which ``host`` (as in ``Url.host``) is asked. None while it is not known;
        the first call for a host begins to look it up."""
        found = self.known(host)
        if found is None:
            if not self._is_closed:
                self._opened()[1].ask(host)
            return None
        return found.addresses[0] if found.addresses else None

    def known(self, host: str) -> Lookedup | None:
        """What is known of where ``host`` stands. Begins nothing."""
        override = self._router.override(host, None)
        if override is not None:
            return Lookedup((override.address.strip("[]"),), math.inf)
        literal = literal_address(host)
        if literal is not None:
            return Lookedup((literal,), math.inf)
        if self._names is None:
            return None
        self._take_names(self._names)
        return self._names.known(host, self._clock.now_s())

    def learn(self, host: str, found: Lookedup) -> None:
        """Take over what another Web has looked up. Whether its addresses may be connected to is
        asked here as for any other."""
        if not self._is_closed:
            self._opened()[1].learn(host, found)

    def start(self, request: Request) -> None:
        if self._is_closed:
            raise RuntimeError("this Web is closed")
        self._in_flight += 1
        self._route(_Unrouted(request, self._clock.now_s()), self._opened()[1])

    def poll(self, timeout_s: float) -> Sequence[Fetched]:
        if self._is_closed:
            return ()
        loop, names = self._opened()
        end_s = self._clock.now_s() + timeout_s
        while True:
            now_s = self._clock.now_s()
            self._take_names(names)
            self._begin_queued(loop)
            wait_s = 0.0 if self._ready else min(end_s - now_s, self._resume(now_s), _GLANCE_S)
            for done in loop.turn(wait_s):
                self._finish(loop, done)
            now_s = self._clock.now_s()
            if now_s >= self._glanced_s + _GLANCE_S:
                self._glanced_s = now_s
                self._give_up_names(now_s)
                self._give_up_stalled(loop, now_s)
            if self._ready or now_s >= end_s:
                self._begin_queued(loop)
                return self._take_ready()

    def close(self) -> None:
        """End every transfer. Idempotent."""
        self._is_closed = True
        if self._names is not None:
            self._names.close()
            self._names = None
        if self._loop is not None:
            for curl in self._under_way:
                self._loop.remove(curl)
            # The connections go before the handles whose callbacks they know.
            self._loop.close()
            self._loop = None
        for exchange in (*self._under_way.values(), *self._free):
            exchange.curl.close()
        self._under_way.clear()
        self._free.clear()
        self._held.clear()
        self._queue.clear()
        self._unrouted.clear()
        self._ready.clear()
        self._in_flight = 0

    # ------------------------------------------------------------------ the three places

    def _opened(self) -> tuple[CurlLoop, Resolver]:
        if self._loop is None:
            idle = min(4 * self._parallel, max(self._parallel, _IDLE_CONNECTIONS))
            self._loop = CurlLoop.open(idle)
        if self._names is None:
            threads = min(self._parallel, _LOOKUP_THREADS)
            self._names = Resolver(self._lookup, self._settings.dns_ttl_s, threads, self._loop.ring)
        return self._loop, self._names

    def _route(self, unrouted: _Unrouted, names: Resolver) -> None:
        url = unrouted.request.url
        known = names.known(url.host, self._clock.now_s())
        route = self._router.find(url, known)
        if isinstance(route, Route):
            self._queue.append((unrouted.request, route))
        elif isinstance(route, NameUnknown):
            self._unrouted.setdefault(route.host, []).append(unrouted)
            names.ask(route.host)
        else:
            self._refuse(unrouted, route)

    def _take_names(self, names: Resolver) -> None:
        for host in names.answered(self._clock.now_s()):
            for unrouted in self._unrouted.pop(host, ()):
                self._route(unrouted, names)

    def _give_up_names(self, now_s: float) -> None:
        oldest_s = now_s - self._settings.connect_timeout_s
        for host, waiting in list(self._unrouted.items()):
            late = [unrouted for unrouted in waiting if unrouted.started_s <= oldest_s]
            for unrouted in late:
                waiting.remove(unrouted)
                self._refuse(unrouted, Refusal(FailureKind.DNS, f"{host}: no answer in time"))
            if not waiting:
                del self._unrouted[host]

    def _refuse(self, unrouted: _Unrouted, refusal: Refusal) -> None:
        elapsed_s = self._clock.now_s() - unrouted.started_s
        self._ready.append(
            Failure(
                unrouted.request.url,
                refusal.kind,
                refusal.message,
                started_s=unrouted.started_s,
                elapsed_s=elapsed_s,
            )
        )

    def _begin_queued(self, loop: CurlLoop) -> None:
        while self._queue and len(self._under_way) < self._parallel:
            exchange = self._free.pop() if self._free else self._new_exchange()
            exchange.begin(*self._queue.popleft())
            self._under_way[exchange.curl] = exchange
            loop.add(exchange.curl)

    def _finish(self, loop: CurlLoop, done: Done) -> None:
        exchange = self._under_way.pop(done.curl)
        loop.remove(done.curl)
        self._free.append(exchange)
        self._ready.append(exchange.fetched(done))

    def _give_up_stalled(self, loop: CurlLoop, now_s: float) -> None:
        stalled = [each for each in self._under_way.values() if each.is_stalled(now_s)]
        for exchange in stalled:
            message = f"nothing came for {self._settings.read_timeout_s:g} s"
            self._finish(loop, Done(exchange.curl, pycurl.E_OPERATION_TIMEDOUT, message))

    def _new_exchange(self) -> Exchange:
        exchange = Exchange(
            pycurl.Curl(), self._terms, self._clock, self._bandwidth, self._held.append
        )
        exchange.prepare()
        return exchange

    def _resume(self, now_s: float) -> float:
        """Let held transfers go on in turn, as far as bandwidth goes. Returns how long no more
        can; a day where none is held."""
        while self._held:
            if self._bandwidth is not None:
                wait_s = self._bandwidth.wait_s(now_s)
                if wait_s:
                    return wait_s
            exchange = self._held.popleft()
            if exchange.curl in self._under_way:
                # What it had received is handed over at once; should that end the transfer, the
                # loop tells so in its turn.
                with suppress(pycurl.error):
                    exchange.curl.pause(pycurl.PAUSE_CONT)
        return 86_400.0

    def _take_ready(self) -> list[Fetched]:
        ready, self._ready = self._ready, []
        self._in_flight -= len(ready)
        return ready
