"""What must be true before a Url is asked for: robots.txt allows it, and its host has a Slot.

A site whose robots.txt is not known yet is asked for that first; the Url that brought us there
keeps its Lease meanwhile. Everything sent to a host, robots.txt included, takes a Slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from shoal.model import (
    Failure,
    FailureKind,
    Farewell,
    Fetched,
    Lease,
    LinkKind,
    Request,
    RobotsUnknown,
    Ruling,
    Slot,
    Taken,
    Wait,
)
from shoal.ports import Foreseeing, Politeness, Robots
from shoal.url import Url

ROBOTS_LIMIT_BYTES = 512_000
"""RFC 9309 wants at least 500 KiB to be read; more is not parsed."""

ALLOWED = Ruling(True, "robots", "robots.txt is not asked (politeness.robots = false)")


@dataclass(frozen=True, slots=True)
class PageErrand:
    """A leased Url on its way."""

    lease: Lease
    slot: Slot
    request: Request


@dataclass(frozen=True, slots=True)
class RobotsErrand:
    """A robots.txt on its way, or one hop of its redirects, for the sake of ``origin``."""

    origin: str
    slot: Slot
    request: Request


Errand = PageErrand | RobotsErrand


class Held:
    """The Lease waits here until the robots.txt of its site is known."""


HELD = Held()
Answer = Errand | Held | Ruling | Wait | Farewell | Taken
"""A Ruling among these is always a refusal."""


@dataclass
class Admission:
    """Decides for each Lease whether it may be fetched now.

    1. At most one robots.txt errand for an origin is under way.
    2. Every Slot it takes is in the Errand it returns: whoever runs the Errand gives it back.
    """

    robots: Robots | None
    politeness: Politeness
    conditional: bool = True
    _held: dict[str, list[Lease]] = field(default_factory=dict)
    _hops: list[tuple[float, str, Url]] = field(default_factory=list)

    def foresee(self, leases: Sequence[Lease], now_s: float) -> None:
        """Called with those that will be asked about next."""
        if isinstance(self.politeness, Foreseeing):
            held = self._held
            urls = [lease.url for lease in leases if lease.url.origin not in held]
            self.politeness.foresee(urls, now_s)

    def ask(self, lease: Lease, now_s: float) -> Answer:
        origin = lease.url.origin
        if origin in self._held:
            self._held[origin].append(lease)
            return HELD
        verdict = self.robots.verdict(lease.url, now_s) if self.robots else ALLOWED
        if isinstance(verdict, Ruling) and not verdict.admitted:
            return verdict
        if isinstance(verdict, RobotsUnknown):
            slot = self.politeness.reserve(verdict.url, now_s, is_page=False)
            if not isinstance(slot, Slot):
                return slot
            self._held[origin] = [lease]
            return RobotsErrand(origin, slot, _robots_request(verdict.url))
        slot = self.politeness.reserve(lease.url, now_s)
        if not isinstance(slot, Slot):
            return slot
        return PageErrand(lease, slot, self._page_request(lease))

    def learn(self, origin: str, fetched: Fetched, now_s: float) -> list[Lease]:
        """Take the answer to a RobotsErrand. Returns the Leases that no longer wait for it."""
        if self.robots is None:
            raise AssertionError("robots.txt was fetched though nobody asks for it")
        further = self.robots.learn(origin, fetched, now_s)
        if further is not None:
            self._hops.append((now_s, origin, further.url))
            return []
        delay_s = self.robots.crawl_delay_s(origin)
        freed = self._held.pop(origin, [])
        if delay_s is not None and freed:
            self.politeness.set_delay(freed[0].url.host_key, delay_s)
        return freed

    def hops(self, now_s: float) -> tuple[list[RobotsErrand], list[Lease]]:
        """Redirects of robots.txt that may be followed now, and Leases set free because a hop
        leads to a host that was given up."""
        due = [hop for hop in self._hops if hop[0] <= now_s]
        self._hops = [hop for hop in self._hops if hop[0] > now_s]
        errands: list[RobotsErrand] = []
        freed: list[Lease] = []
        for _, origin, url in due:
            slot = self.politeness.reserve(url, now_s, is_page=False)
            if isinstance(slot, Slot):
                errands.append(RobotsErrand(origin, slot, _robots_request(url)))
            elif isinstance(slot, Wait):
                self._hops.append((slot.until_s, origin, url))
            elif isinstance(slot, Farewell):
                lost = Failure(url, FailureKind.CONNECT, slot.why, now_s, 0.0)
                freed += self.learn(origin, lost, now_s)
        return errands, freed

    def next_hop_s(self) -> float | None:
        return min((until_s for until_s, _, _ in self._hops), default=None)

    def _page_request(self, lease: Lease) -> Request:
        # A sitemap is XML, or gzip, under many names: its own parser tells what it is.
        accept = ("*",) if lease.kind is LinkKind.SITEMAP else None
        if not self.conditional:
            return Request(lease.url, accept=accept)
        return Request(lease.url, lease.etag, lease.last_modified, accept=accept)


def _robots_request(url: Url) -> Request:
    return Request(url, accept=("*",), body_limit_bytes=ROBOTS_LIMIT_BYTES)
