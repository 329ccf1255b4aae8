"""When a host may be asked again.

The life of a host: it is *ready*; a granted Slot makes it *asked*; a released one makes it *rest*
for its pause, after which it is ready again. Trouble makes the rest longer:

- 429 or 503 with ``Retry-After``: as long as it says, up to ``retry_after_max_s``;
- 429 or 503 without: ``park_s``, doubling each time in a row;
- ``park_after`` troubles in a row (these, other 5xx, failures to connect or to answer): *parked*
  for ``park_s``, and four times longer each further time;
- trouble again after ``give_up_after`` parkings in a row: *given up*, for the rest of the crawl;
- more than its share of a window's requests: *set aside* for a window.

Any other answer ends the row. Whatever a host may hold against us after a restart is in Notes,
written when it changes and never for a mere request: wishes, rests longer than a pause, parkings,
and pauses that its slowness has stretched. Everything else is forgotten when memory is short.
After a restart, every host is treated as if it had been asked at that moment.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import msgspec

from shoal.model import HOST_FAILURES, Failure, Farewell, Fetched, Response, Slot, Taken, Wait
from shoal.ports import Notes
from shoal.settings import PolitenessSettings
from shoal.url import Url
from shoal.web.address_limit import AddressLimit
from shoal.web.host_share import Activity, ShareWindow
from shoal.web.retry_after import retry_after_s
from shoal.wording import duration, share

PAUSE: Final = "the pause between two requests to this host"
UNDER_WAY: Final = "a request to this host is under way"
_NOTE: Final = "politeness"
_BUSY: Final = (429, 503)
_BEGUN: Final = ""
"""The key of a Note that says that this crawl has begun: whoever reads it was restarted."""
_SMOOTHING: Final = 0.3
"""How much the latest response time counts against all earlier ones."""
_PARK_FACTOR: Final = 4.0
_LOOK_AGAIN_S: Final = 0.1
"""The shortest wait for a request that is under way: its end is not known beforehand."""


class _Note(msgspec.Struct, array_like=True):
    """What outlives a restart."""

    rest_until_s: float = float("-inf")
    why: str = ""
    wish_s: float = 0.0
    stretched_s: float = 0.0
    """A pause that the host's slowness made longer than the settings', rounded up."""
    parkings: int = 0
    farewell: str = ""


class _Host:
    """What is known of one host while it is of interest."""

    __slots__ = (
        "activity",
        "address",
        "addresses",
        "ended_s",
        "failures",
        "note",
        "parked_s",
        "rest_until_s",
        "started_s",
        "took_s",
        "under_way",
    )

    def __init__(self, note: _Note, rest_until_s: float, failures: int) -> None:
        self.note = note
        self.rest_until_s = rest_until_s
        self.failures = failures
        self.under_way = 0
        self.addresses: list[str | None] = []
        """Where each request under way goes, the oldest first."""
        self.address: str | None = None
        """Where the latest answer came from."""
        self.started_s = float("-inf")
        self.ended_s = float("-inf")
        self.parked_s = float("-inf")
        self.took_s: float | None = None
        """The smoothed response time."""
        self.activity = Activity()


class HostPoliteness:
    """Politeness over Notes.

    ``ip_of`` tells the address a host name stands for, where it is known: it is asked at every
    reservation, so it must answer from memory. A host whose address is not known yet counts for
    no address until its first Response has told it.
    """

    def __init__(
        self,
        settings: PolitenessSettings,
        notes: Notes,
        ip_of: Callable[[str], str | None],
        memory_hosts: int = 100_000,
    ) -> None:
        self._settings = settings
        self._notes = notes
        self._ip_of = ip_of
        self._memory_hosts = memory_hosts
        self._sweep_at = memory_hosts
        self._hosts: dict[str, _Host] = {}
        self._addresses = AddressLimit(settings.per_ip)
        self._window = ShareWindow(settings.host_share, settings.share_window_s)
        self._quiet_from_s: float | None = None

    @property
    def hosts_held(self) -> int:
        """Hosts in memory."""
        return len(self._hosts)

    # ------------------------------------------------------------------ the port

    def reserve(
        self, url: Url, now_s: float, *, is_page: bool = True
    ) -> Slot | Wait | Farewell | Taken:
        del is_page  # Whose a Url is, is no question of Politeness alone: see team/keeper.py.
        name = url.host_key
        host = self._hosts.get(name)
        if host is None:
            host = self._meet(name, now_s)
        if host.note.farewell:
            return Farewell(host.note.farewell)
        if now_s < host.rest_until_s:
            return _rest_of(host, now_s)
        if host.under_way:
            if host.under_way >= self._settings.per_host:
                return Wait(now_s + max(_LOOK_AGAIN_S, host.took_s or 0.0), UNDER_WAY)
            next_s = host.started_s + self._pause_s(host)
            if now_s < next_s:
                return Wait(next_s, PAUSE)
        address = self._ip_of(url.host) or host.address
        if address is not None:
            wait = self._addresses.take(address, now_s)
            if wait is not None:
                return wait
        host.under_way += 1
        host.started_s = now_s
        host.addresses.append(address)
        return Slot(name, now_s)

    def release(self, slot: Slot, fetched: Fetched | None, now_s: float) -> Wait | Farewell:
        host = self._hosts.get(slot.host)
        if host is None or not host.under_way:
            raise ValueError(f"{slot} was not granted, or was released before")
        host.under_way -= 1
        address = host.addresses.pop(0)
        if address is not None:
            self._addresses.leave(address, fetched, now_s)
        if fetched is None:
            return _rest_of(host, now_s) if now_s < host.rest_until_s else Wait(now_s, PAUSE)
        host.ended_s = now_s
        if fetched.ip is not None:
            host.address = fetched.ip
        if self._is_trouble(fetched):
            self._bear(slot, host, fetched, now_s)
        elif isinstance(fetched, Response):
            self._welcome(slot.host, host, fetched)
        if self._window.count(host.activity, now_s):
            self._set_aside(slot.host, host, now_s)
        if host.note.farewell:
            return Farewell(host.note.farewell)
        host.rest_until_s = max(host.rest_until_s, now_s + self._pause_s(host))
        return _rest_of(host, now_s)

    def set_delay(self, host: str, delay_s: float) -> None:
        known = self._hosts.get(host)
        note = self._read(host) if known is None else known.note
        if note.wish_s != delay_s:
            note.wish_s = delay_s
            self._write(host, note)
        if known is not None:
            # It may have come with the answer to the request that has just ended.
            known.rest_until_s = max(known.rest_until_s, known.ended_s + self._pause_s(known))

    # ------------------------------------------------------------------ what an answer means

    def _is_trouble(self, fetched: Fetched) -> bool:
        status = fetched.status
        if status is not None:
            return status >= 500 or status == 429
        return isinstance(fetched, Failure) and fetched.kind in HOST_FAILURES

    def _welcome(self, name: str, host: _Host, response: Response) -> None:
        """The host answers as it should."""
        before_s = host.took_s
        took_s = response.elapsed_s
        host.took_s = took_s if before_s is None else before_s + _SMOOTHING * (took_s - before_s)
        host.failures = 0
        note = host.note
        if note.parkings:
            note.parkings = 0
            self._write(name, note)
        settings = self._settings
        slow_s = min(settings.delay_factor * host.took_s, settings.delay_max_s)
        if slow_s > note.stretched_s and slow_s > settings.delay_s > 0:
            # Rounded up to a power of two: a host's slowness is written a few times at most.
            note.stretched_s = min(2.0 ** math.ceil(math.log2(slow_s)), settings.delay_max_s)
            self._write(name, note)

    def _bear(self, slot: Slot, host: _Host, fetched: Fetched, now_s: float) -> None:
        """The host fails, or is too busy."""
        settings = self._settings
        note = host.note
        trouble = _trouble(fetched)
        rest_s = 0.0
        why = ""
        parkings = note.parkings
        # What was asked before the host began to rest tells nothing new of it.
        is_news = slot.granted_s >= host.parked_s
        if is_news:
            host.failures += 1
        if fetched.status in _BUSY:
            asked_s = _asked_s(fetched, now_s)
            host.parked_s = now_s
            if asked_s is not None:
                rest_s = min(asked_s, settings.retry_after_max_s)
                why = f"it {trouble} and asked for {duration(rest_s)}"
            else:
                doublings = min(max(host.failures - 1, 0), 30)
                rest_s = min(settings.park_s * 2.0**doublings, settings.park_max_s)
                why = f"it {trouble}"
        if is_news and host.failures >= settings.park_after:
            if note.parkings >= settings.give_up_after:
                note.farewell = (
                    f"it was parked {note.parkings} times in a row; at last it {trouble}"
                )
                self._write(slot.host, note)
                return
            parked_s = settings.park_s * _PARK_FACTOR ** min(note.parkings, 15)
            parked_s = min(parked_s, settings.park_max_s)
            note.parkings += 1
            host.parked_s = now_s
            if parked_s > rest_s:
                rest_s = parked_s
                why = f"{host.failures} failures in a row; the last time it {trouble}"
        rests = self._rest(slot.host, host, now_s + rest_s, why)
        if note.parkings != parkings and not rests:
            self._write(slot.host, note)

    def _set_aside(self, name: str, host: _Host, now_s: float) -> None:
        settings = self._settings
        window_s = settings.share_window_s
        why = (
            f"it had more than {share(settings.host_share)} of the requests of the last "
            f"{duration(window_s)}"
        )
        host.activity.clear()
        self._rest(name, host, now_s + window_s, why)

    def _rest(self, name: str, host: _Host, until_s: float, why: str) -> bool:
        """A rest longer than a pause: it outlives a restart. True where it was needed."""
        if until_s <= host.ended_s + self._pause_s(host) or until_s <= host.rest_until_s:
            return False
        host.rest_until_s = until_s
        host.note.rest_until_s = until_s
        host.note.why = why
        self._write(name, host.note)
        return True

    def _pause_s(self, host: _Host) -> float:
        """The pause after each request. No ``delay_s`` means none, however slow the host; its
        own wish counts all the same."""
        settings = self._settings
        pause_s = host.note.wish_s
        if settings.delay_s > 0:
            took_s = host.took_s
            slow_s = host.note.stretched_s if took_s is None else settings.delay_factor * took_s
            pause_s = max(pause_s, slow_s)
        return max(settings.delay_s, min(pause_s, settings.delay_max_s))

    # ------------------------------------------------------------------ memory

    def _meet(self, name: str, now_s: float) -> _Host:
        if self._quiet_from_s is None:
            restarted = self._notes.read(_NOTE, _BEGUN) is not None
            self._quiet_from_s = now_s if restarted else float("-inf")
            if not restarted:
                self._notes.write(_NOTE, _BEGUN, b"begun")
        if len(self._hosts) >= self._sweep_at:
            self._sweep(now_s)
        settings = self._settings
        note = self._read(name)
        # Whatever the clock or the settings were before, no rest is longer than they now allow.
        longest_s = max(settings.park_max_s, settings.retry_after_max_s, settings.share_window_s)
        note.rest_until_s = min(note.rest_until_s, now_s + longest_s)
        host = _Host(note, note.rest_until_s, settings.park_after if note.parkings else 0)
        host.rest_until_s = max(host.rest_until_s, self._quiet_from_s + self._pause_s(host))
        self._hosts[name] = host
        return host

    def _sweep(self, now_s: float) -> None:
        """Forget the hosts whose Notes say all that must be known of them."""
        self._hosts = {
            name: host
            for name, host in self._hosts.items()
            if host.under_way
            or now_s < host.rest_until_s != host.note.rest_until_s
            or self._window.watches(host.activity, now_s)
        }
        self._sweep_at = max(self._memory_hosts, 2 * len(self._hosts))
        self._addresses.forget_idle(now_s)

    def _read(self, name: str) -> _Note:
        stored = self._notes.read(_NOTE, name)
        return _Note() if stored is None else msgspec.msgpack.decode(stored, type=_Note)

    def _write(self, name: str, note: _Note) -> None:
        self._notes.write(_NOTE, name, msgspec.msgpack.encode(note))


def _rest_of(host: _Host, now_s: float) -> Wait:
    until_s = host.rest_until_s
    if until_s == host.note.rest_until_s and now_s < until_s:
        return Wait(until_s, host.note.why, parked=True)
    return Wait(until_s, PAUSE)


def _asked_s(fetched: Fetched, now_s: float) -> float | None:
    if isinstance(fetched, Failure):
        return None
    return retry_after_s(fetched.header("retry-after"), fetched.header("date"), now_s)


def _trouble(fetched: Fetched) -> str:
    if isinstance(fetched, Failure) and fetched.status is None:
        return f"failed ({fetched.kind})"
    return f"answered {fetched.status}"
