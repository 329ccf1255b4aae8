"""Prometheus metrics of a crawl, on a loopback port of their own."""

from __future__ import annotations

from threading import Thread
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from shoal.events import Committed, Event, Settled
from shoal.model import FailureKind, Outcome
from shoal.watch.tally import Tally

_LOOPBACK = "127.0.0.1"
_FETCH_BUCKETS_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class MetricsWatcher:
    """Counts from the start of this process. ``start`` opens the port, ``close`` ends its thread.

    Each has a registry of its own, so several crawls in one process do not mix.
    """

    def __init__(self, tally: Tally, port: int) -> None:
        self._tally = tally
        self._port = port
        self._server: WSGIServer | None = None
        self._thread: Thread | None = None
        self.registry = registry = CollectorRegistry(auto_describe=True)
        self._pages = Counter("shoal_pages", "Pages kept", registry=registry)
        self._relevant = Counter("shoal_relevant_pages", "Relevant pages", registry=registry)
        self._bytes = Counter("shoal_received_bytes", "Bytes of bodies", registry=registry)
        self._new = Counter("shoal_new_urls", "Urls that became known", registry=registry)
        outcomes = Counter("shoal_settled", "Ends of attempts", ["outcome"], registry=registry)
        failures = Counter("shoal_failures", "Requests unanswered", ["kind"], registry=registry)
        self._outcomes = {outcome: outcomes.labels(outcome.value) for outcome in Outcome}
        self._failures = {kind: failures.labels(kind.value) for kind in FailureKind}
        self._fetch = Histogram(
            "shoal_fetch_seconds",
            "How long an answer took",
            buckets=_FETCH_BUCKETS_S,
            registry=registry,
        )
        self._known = Gauge("shoal_known_urls", "Urls known", registry=registry)
        self._waiting = Gauge("shoal_waiting_urls", "Urls waiting", registry=registry)
        self._later = Gauge("shoal_later_urls", "Urls to be tried again", registry=registry)
        self._hosts = Gauge("shoal_waiting_hosts", "Hosts with Urls waiting", registry=registry)
        self._in_flight = Gauge("shoal_requests_in_flight", "Under way", registry=registry)
        self._harvest = Gauge("shoal_harvest", "Relevant share of all pages", registry=registry)
        self._recent = Gauge("shoal_recent_harvest", "Of the last 500 pages", registry=registry)
        self._clock = Gauge("shoal_clock_seconds", "The crawl's own clock", registry=registry)

    @property
    def port(self) -> int:
        """The port it listens on; the one asked for while it does not."""
        return self._port if self._server is None else self._server.server_port

    def start(self) -> None:
        """Listen. Raises OSError where the port is taken."""
        self._server, self._thread = start_http_server(
            self._port, addr=_LOOPBACK, registry=self.registry
        )

    def see(self, event: Event) -> None:
        tally = self._tally
        tally.see(event)
        if type(event) is Settled:
            self._outcomes[event.outcome].inc()
            if event.outcome is Outcome.PAGE:
                self._pages.inc()
                if (event.relevance or 0.0) >= tally.settings.relevant_at:
                    self._relevant.inc()
            if event.failure is not None:
                self._failures[event.failure].inc()
            if event.size_bytes:
                self._bytes.inc(event.size_bytes)
            if event.new_urls:
                self._new.inc(event.new_urls)
            if event.elapsed_s:
                self._fetch.observe(event.elapsed_s)
            return
        standing = tally.standing
        self._known.set(standing.known)
        self._waiting.set(standing.waiting)
        self._later.set(standing.later)
        self._hosts.set(standing.hosts_waiting)
        self._in_flight.set(event.in_flight if isinstance(event, Committed) else tally.in_flight)
        self._harvest.set(tally.harvest)
        self._recent.set(tally.recent_harvest)
        self._clock.set(event.at_s)

    def close(self) -> None:
        """Stop listening. Idempotent."""
        server, thread = self._server, self._thread
        self._server = self._thread = None
        if server is not None and thread is not None:
            server.shutdown()
            server.server_close()
            thread.join()
