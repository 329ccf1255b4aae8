"""What a Crawler in a process of its own says to the process that keeps its Team, and hears.

Everything that only one place can know goes over one line, question by question: Slots and claims,
robots.txt, where hosts stand, and how much of the budget is left. A Crawler that loses the line
ends at once, without another commit: whoever kept the Slots is gone, so nobody may send a request
any more.

A Crawler waits for each answer, so as little as can be is asked:

- A robots.txt is asked for once, and rules here until its time is over.
- A Slot that brought a plain answer is given back along with the next question, or before the
  Crawler waits for anything. Until then its host counts as asked, for everybody. An answer that may
  make the host rest longer than its pause is told at once.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Protocol

from shoal.crawl.stop import Stop
from shoal.crawl.tally import Tally
from shoal.errors import CutOffError, ShoalError
from shoal.events import Event, Settled
from shoal.model import (
    Farewell,
    Fetched,
    Lookedup,
    Response,
    RobotsUnknown,
    Ruling,
    Slot,
    Taken,
    Wait,
)
from shoal.ports import Robots
from shoal.url import Url

REPORT_S: Final = 0.2
"""Between two reports of a busy Crawler; an idle one, or one out of pages, reports ..."""
IDLE_REPORT_S: Final = 0.02
"""... this often."""
_ABSENT: Final = (404, 410)
TOLD_NAMES: Final = 65_536
"""Hosts of which it is remembered that the Team knows where they stand."""


class LostTeam(Exception):
    """The process that keeps the Team is gone."""


class Line(Protocol):
    """One end of a pipe."""

    def send(self, message: Any) -> None: ...

    def recv(self) -> Any: ...


class Question(NamedTuple):
    """One of the methods of Keeper, and what it is asked."""

    method: str
    given: tuple[Any, ...]
    told: tuple[Question, ...] = ()
    """What is to be known before it is answered, and itself needs no answer."""


class Names(Protocol):
    """Where hosts stand, as far as a Crawler knows. Nothing here looks a name up."""

    def known(self, host: str) -> Lookedup | None: ...

    def learn(self, host: str, found: Lookedup) -> None:
        """Take over what a team mate has looked up."""


class NoNames:
    """Hosts of a frozen Web stand nowhere."""

    def known(self, host: str) -> None:
        del host

    def learn(self, host: str, found: Lookedup) -> None: ...


class TeachableRobots(Robots, Protocol):
    """Robots that can be told what another one knows."""

    def recall(self, origin: str, told: bytes) -> None: ...


class Report(NamedTuple):
    """How a Crawler stands."""

    pages: int
    bytes: int
    active_s: float
    idle: bool
    """It has nothing to fetch and nothing under way, and all that it sent was taken in."""
    activity: int
    """Urls settled and Parcels received since the process began: the same number again means that
    nothing has happened in between."""
    round: int
    """Of the latest Orders it has."""
    events: tuple[Event, ...]


class Orders(NamedTuple):
    """What the Team wants of a Crawler."""

    stop: Stop | None = None
    pages: int | None = None
    """It may come to so many pages; None is no limit."""
    round: int = 0


class Finished(NamedTuple):
    """A Crawler's last words."""

    stop: Stop
    events: tuple[Event, ...]


class Broke(NamedTuple):
    """A Crawler's last words, where it could not go on."""

    message: str
    exit_code: int
    trace: str = ""
    """Where it happened, for an error that nobody had foreseen."""
    is_cut_off: bool = False
    """Whether what keeps its state was lost, and it could go on if that were back."""


@dataclass
class Desk:
    """A Crawler's end of the line: its Politeness, its Robots, its Allowance and its Watcher."""

    line: Line
    received: Callable[[], int]
    """How many Parcels have come."""
    is_empty: Callable[[], bool]
    """Whether all that was sent was taken in."""
    robots: TeachableRobots
    """Rules by what the Team has told, and writes nothing down."""
    pause: Wait
    """The least pause of any host, as a Wait from 0 on."""
    time_s: Callable[[], float]
    """A clock of the machine."""
    names: Names = field(default_factory=NoNames)
    orders: Orders = Orders(pages=0)
    _told: list[Question] = field(default_factory=list)
    """What goes along with the next question."""
    _told_names: dict[str, float] = field(default_factory=dict)
    _tally: Tally | None = None
    _events: list[Event] = field(default_factory=list)
    _settled: int = 0
    _reported_s: float = float("-inf")
    _idle_at: int | None = None
    """The activity at which it last had nothing left: it is idle while there is no more."""

    # ------------------------------------------------------------------ ports.Politeness

    def reserve(
        self, url: Url, now_s: float, *, is_page: bool = True
    ) -> Slot | Wait | Farewell | Taken:
        host = url.host
        own = self.names.known(host)
        answer: Slot | Wait | Farewell | Taken
        answer, found = self._ask("reserve", url, now_s, is_page, self._news(host, own))
        if own is None and found is not None:
            self.names.learn(host, found)
        return answer

    def release(self, slot: Slot, fetched: Fetched | None, now_s: float) -> Wait | Farewell:
        if isinstance(fetched, Response) and _is_plain(fetched.status):
            # All that it means is that the host rests for its pause: it is told with the next
            # question. Where the pause is longer than the least, that one's answer says so.
            plain = (fetched.status, fetched.elapsed_s, fetched.ip)
            host = fetched.url.host
            news = self._news(host, self.names.known(host))
            self._told.append(Question("welcome", (slot, *plain, now_s, host, news)))
            return Wait(now_s + self.pause.until_s, self.pause.why)
        if isinstance(fetched, Response):
            # Politeness reads the status and the headers; the rest stays here.
            fetched = replace(fetched, head=b"", payload=b"", body=b"", request_head=b"")
        answer: Wait | Farewell = self._ask("release", slot, fetched, now_s)
        return answer

    def set_delay(self, host: str, delay_s: float) -> None:
        self._told.append(Question("set_delay", (host, delay_s)))

    def tell(self) -> None:
        """For a Share: before the Crawler waits, all that was not told yet is told."""
        if self._told:
            self._ask("nothing")

    def _news(self, host: str, own: Lookedup | None) -> Lookedup | None:
        """Where a host stands, if the Team has not been told."""
        if own is None or self._told_names.get(host) == own.until_s:
            return None
        if len(self._told_names) >= TOLD_NAMES:
            self._told_names.clear()
        self._told_names[host] = own.until_s
        return own

    # ------------------------------------------------------------------ ports.Robots

    def verdict(self, url: Url, now_s: float) -> Ruling | RobotsUnknown:
        verdict = self.robots.verdict(url, now_s)
        if isinstance(verdict, RobotsUnknown):
            told: bytes | None = self._ask("robots", url.origin, now_s)
            if told is not None:
                self.robots.recall(url.origin, told)
                return self.robots.verdict(url, now_s)
        return verdict

    def learn(self, origin: str, fetched: Fetched, now_s: float) -> RobotsUnknown | None:
        answer: RobotsUnknown | bytes = self._ask("learn", origin, fetched, now_s)
        if isinstance(answer, RobotsUnknown):
            return answer
        self.robots.recall(origin, answer)
        return None

    def crawl_delay_s(self, origin: str) -> float | None:
        return self.robots.crawl_delay_s(origin)

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        return self.robots.sitemaps(origin)

    # ------------------------------------------------------------------ crawl.Allowance

    def spent(self, tally: Tally) -> Stop | None:
        self._tally = tally
        limit = self.orders.pages
        wants = limit is not None and tally.pages >= limit
        self._report(IDLE_REPORT_S if wants else REPORT_S)
        return self.orders.stop

    def left_s(self, tally: Tally) -> float:
        del tally
        return float("inf")

    def room(self, tally: Tally, under_way: int, parallel: int) -> int:
        room = parallel - under_way
        if self.orders.pages is not None:
            room = min(room, self.orders.pages - tally.pages - under_way)
        return max(0, room)

    def is_over(self) -> bool:
        """For a Share: asked by a Crawler that has nothing left."""
        self._idle_at = self._activity() if self.is_empty() else None
        self._report(IDLE_REPORT_S)
        return False

    def inherit(self, urls: Sequence[Url], by: str) -> None:
        """For a Share: the claims that ``by`` had to these Urls are ours."""
        self._ask("inherit", tuple(urls), by)

    # ------------------------------------------------------------------ ports.Watcher

    def see(self, event: Event) -> None:
        self._events.append(event)
        self._settled += isinstance(event, Settled)

    def close(self) -> None: ...

    # ------------------------------------------------------------------ the line

    def finish(self, stop: Stop) -> None:
        self.tell()
        self._send(Finished(stop, tuple(self._events)))

    def break_off(self, error: Exception) -> None:
        self.tell()
        # In words: not every exception comes out of a pipe as it went in.
        if isinstance(error, ShoalError):
            cut_off = isinstance(error, CutOffError)
            self._send(Broke(str(error), error.exit_code, is_cut_off=cut_off))
        else:
            trace = "".join(traceback.format_exception(error))
            self._send(Broke(f"{type(error).__name__}: {error}", ShoalError.exit_code, trace))

    def _activity(self) -> int:
        return self._settled + self.received()

    def _report(self, every_s: float) -> None:
        now_s = self.time_s()
        if now_s - self._reported_s < every_s or self._tally is None:
            return
        self._reported_s = now_s
        tally = self._tally
        events, self._events = tuple(self._events), []
        report = Report(
            tally.pages,
            tally.bytes,
            tally.active_s,
            self._idle_at == self._activity(),
            self._activity(),
            self.orders.round,
            events,
        )
        self.orders = self._ask("report", report)

    def _ask(self, method: str, *given: Any) -> Any:
        told, self._told = tuple(self._told), []
        self._send(Question(method, given, told))
        try:
            return self.line.recv()
        except (EOFError, OSError) as error:
            raise LostTeam from error

    def _send(self, message: object) -> None:
        try:
            self.line.send(message)
        except (BrokenPipeError, OSError) as error:
            raise LostTeam from error


def _is_plain(status: int) -> bool:
    """An answer after which every host rests for its pause and no longer."""
    return status < 400 or status in _ABSENT
