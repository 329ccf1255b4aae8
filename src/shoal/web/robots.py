"""The robots.txt of every origin, asked for once and remembered through restarts.

The life of an origin: *unknown* until its robots.txt was fetched (``verdict`` says so and names
the Url to fetch); then *known* until its time is over, when it is unknown again. What an answer
means is RFC 9309, section 2.3.1:

| answer | meaning | asked again after |
| --- | --- | --- |
| 2xx | the lines of the file | ``robots_ttl_s`` |
| 3xx | look there instead, up to five times, on any host; beyond that as 4xx | |
| 4xx, and a frozen Web without one | everything is allowed | ``robots_ttl_s`` |
| 429, 5xx, cut short, no answer | everything is forbidden | an hour, doubling to ``robots_ttl_s`` |
| none, as its address is not allowed | everything is refused for good | a minute |
| out of reach for 30 days | everything is allowed | ``robots_ttl_s`` |

Memory holds the files in use up to a number of lines; the others are read back from Notes.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeGuard

import msgspec

from shoal.model import Cut, Failure, FailureKind, Fetched, Response, RobotsUnknown, Ruling
from shoal.ports import Notes
from shoal.settings import PolitenessSettings
from shoal.url import BadUrl, Url, parse_url
from shoal.web.robots_file import RobotsFile, RobotsLine

HOPS: Final = 5
"""Redirects followed on the way to a robots.txt."""
UNREACHABLE_RETRY_S: Final = 3_600.0
UNREACHABLE_PATIENCE_S: Final = 30 * 86_400.0
TTL_MIN_S: Final = 60.0
"""A shorter life would leave time for nothing but fetching robots.txt."""

_NOTE: Final = "robots"
_OFF: Final = Ruling(True, _NOTE, "robots.txt is not obeyed: politeness.robots is off")


class _Standing(StrEnum):
    """How a known origin stands."""

    FILE = "file"
    OPEN = "open"
    CLOSED = "closed"
    BARRED = "barred"
    """We may not ask there at all, so there is nothing to wait for."""


class _Note(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of an origin: of its file, the lines that speak to ``agent``."""

    agent: str
    standing: _Standing
    until_s: float
    why: str = ""
    unreachable_times: int = 0
    unreachable_since_s: float = 0.0
    crawl_delay_s: float | None = None
    sitemaps: tuple[str, ...] = ()
    lines: tuple[tuple[int, bool, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Origin:
    """A Note made ready to rule."""

    note: _Note
    ruling: Ruling | None
    """The same for every Url; None where the file decides."""
    file: RobotsFile


_EMPTY: Final = RobotsFile.made_of((), None, ())


class SiteRobots:
    """Robots over Notes, for the product token ``agent``."""

    def __init__(
        self,
        settings: PolitenessSettings,
        agent: str,
        notes: Notes,
        memory_lines: int = 200_000,
    ) -> None:
        self._settings = settings
        self._agent = agent
        self._notes = notes
        self._memory_lines = memory_lines
        self._origins: OrderedDict[str, _Origin] = OrderedDict()
        self.lines_held = 0
        """Lines of robots.txt in memory."""
        self._hops: dict[str, int] = {}

    def verdict(self, url: Url, now_s: float) -> Ruling | RobotsUnknown:
        if not self._settings.robots:
            return _OFF
        name = url.origin
        origin = self._find(name)
        if now_s > origin.note.until_s:
            return RobotsUnknown(parse_url(name + "/robots.txt"))
        return origin.ruling or origin.file.ruling(url.target)

    def learn(self, origin: str, fetched: Fetched, now_s: float) -> RobotsUnknown | None:
        if isinstance(fetched, Failure) and fetched.kind is FailureKind.CANCELLED:
            return RobotsUnknown(fetched.url)
        if isinstance(fetched, Response) and 300 <= fetched.status < 400:
            hop = self._next_hop(origin, fetched)
            if hop is not None:
                return hop
        self._hops.pop(origin, None)
        note, file = self._meaning(origin, fetched, now_s)
        self._notes.write(_NOTE, origin, msgspec.msgpack.encode(note))
        self._remember(origin, _ready(note, file))
        return None

    def crawl_delay_s(self, origin: str) -> float | None:
        return self._find(origin).note.crawl_delay_s

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        return self._find(origin).note.sitemaps

    # ------------------------------------------------------------------ from one to another

    def tell(self, origin: str, now_s: float) -> bytes | None:
        """What is known of ``origin``, for another that is to ``recall`` it; None while it is
        unknown."""
        note = self._find(origin).note
        return None if now_s > note.until_s else msgspec.msgpack.encode(note)

    def recall(self, origin: str, told: bytes) -> None:
        """Know what another has told, for as long as that one knows it; write nothing down."""
        self._remember(origin, self._read(told))

    # ------------------------------------------------------------------ what an answer means

    def _next_hop(self, origin: str, response: Response) -> RobotsUnknown | None:
        location = response.header("location")
        hops = self._hops.get(origin, 0) + 1
        if not location or hops > HOPS:
            return None
        try:
            url = parse_url(location, response.url)
        except BadUrl:
            return None
        self._hops[origin] = hops
        return RobotsUnknown(url)

    def _meaning(self, origin: str, fetched: Fetched, now_s: float) -> tuple[_Note, RobotsFile]:
        until_s = now_s + max(self._settings.robots_ttl_s, TTL_MIN_S)
        status = fetched.status
        if isinstance(fetched, Failure) and fetched.kind is FailureKind.NOT_IN_WEB:
            why = "there is no robots.txt in the frozen web"
        elif _is_barred(fetched, origin):
            # Soon unknown again: the crawl may go on with an address allowed.
            why = f"robots.txt may not be asked for: {fetched.message}"
            return _Note(self._agent, _Standing.BARRED, now_s + TTL_MIN_S, why), _EMPTY
        elif isinstance(fetched, Response) and 300 <= fetched.status < 400:
            why = f"robots.txt answered {fetched.status} and led nowhere within {HOPS} redirects"
        elif status is not None and 400 <= status < 500 and status != 429:
            why = f"robots.txt answered {status}"
        elif (
            isinstance(fetched, Response)
            and 200 <= fetched.status < 300
            and fetched.cut in (None, Cut.LENGTH)
        ):
            file = RobotsFile.read(fetched.body, self._agent)
            note = _Note(
                self._agent,
                _Standing.FILE,
                until_s,
                crawl_delay_s=file.crawl_delay_s,
                sitemaps=file.sitemaps,
                lines=file.lines,
            )
            return note, file
        else:
            return self._unreachable(origin, fetched, now_s, until_s), _EMPTY
        return _Note(self._agent, _Standing.OPEN, until_s, why), _EMPTY

    def _unreachable(self, origin: str, fetched: Fetched, now_s: float, until_s: float) -> _Note:
        before = self._find(origin).note
        times = before.unreachable_times + 1
        since_s = before.unreachable_since_s if before.unreachable_times else now_s
        why = f"robots.txt {_trouble(fetched)}"
        standing = _Standing.CLOSED
        if now_s - since_s >= UNREACHABLE_PATIENCE_S:
            standing = _Standing.OPEN
            why += ", and has been out of reach for 30 days"
        else:
            # The exponent is bounded so that the doubling cannot overflow.
            until_s = min(until_s, now_s + UNREACHABLE_RETRY_S * 2.0 ** min(times - 1, 30))
        return _Note(self._agent, standing, until_s, why, times, since_s)

    # ------------------------------------------------------------------ memory

    def _find(self, name: str) -> _Origin:
        origin = self._origins.get(name)
        if origin is not None:
            self._origins.move_to_end(name)
            return origin
        origin = self._read(self._notes.read(_NOTE, name))
        self._remember(name, origin)
        return origin

    def _read(self, stored: bytes | None) -> _Origin:
        # One never heard of is remembered too, as one whose time is over.
        note = _Note(self._agent, _Standing.CLOSED, float("-inf"))
        if stored is not None:
            found = msgspec.msgpack.decode(stored, type=_Note)
            # What was kept for another product token says nothing about ours.
            note = found if found.agent == self._agent else note
        file = RobotsFile.made_of(
            tuple(RobotsLine(*line) for line in note.lines), note.crawl_delay_s, note.sitemaps
        )
        return _ready(note, file)

    def _remember(self, name: str, origin: _Origin) -> None:
        replaced = self._origins.pop(name, None)
        if replaced is not None:
            self.lines_held -= _cost(replaced)
        self._origins[name] = origin
        self.lines_held += _cost(origin)
        while self.lines_held > self._memory_lines and len(self._origins) > 1:
            self.lines_held -= _cost(self._origins.popitem(last=False)[1])


def _ready(note: _Note, file: RobotsFile) -> _Origin:
    if note.standing is _Standing.FILE:
        return _Origin(note, None, file)
    is_open, passing = note.standing is _Standing.OPEN, note.standing is _Standing.CLOSED
    return _Origin(note, Ruling(is_open, _NOTE, note.why, passing), file)


def _is_barred(fetched: Fetched, origin: str) -> TypeGuard[Failure]:
    """The site's own address is refused; that of a hop says nothing about the site."""
    return (
        isinstance(fetched, Failure)
        and fetched.kind is FailureKind.FORBIDDEN_ADDRESS
        and fetched.url.origin == origin
    )


def _cost(origin: _Origin) -> int:
    return 1 + len(origin.note.lines) + len(origin.note.sitemaps)


def _trouble(fetched: Fetched) -> str:
    if isinstance(fetched, Failure):
        return f"could not be had ({fetched.kind})"
    if fetched.cut is not None:
        return f"was cut short ({fetched.cut})"
    return f"answered {fetched.status}"
