"""What a Crawler in a process of its own says to the process that keeps its Team, and hears.

Everything that only one place can know goes over one line, question by question: Slots and claims,
robots.txt, and how much of the budget is left. A Crawler that loses the line ends at once, without
another commit: whoever kept the Slots is gone, so nobody may send a request any more.
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
    Response,
    RobotsUnknown,
    Ruling,
    Slot,
    Taken,
    Wait,
)
from shoal.url import Url

REPORT_S: Final = 0.2
"""Between two reports of a busy Crawler; an idle one, or one out of pages, reports ..."""
IDLE_REPORT_S: Final = 0.02
"""... this often."""


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
    ip_of: Callable[[str], str | None]
    time_s: Callable[[], float]
    """A clock of the machine."""
    orders: Orders = Orders(pages=0)
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
        answer: Slot | Wait | Farewell | Taken
        answer = self._ask("reserve", url, now_s, is_page, self.ip_of(url.host))
        return answer

    def release(self, slot: Slot, fetched: Fetched | None, now_s: float) -> Wait | Farewell:
        if isinstance(fetched, Response):
            # Politeness reads the status and the headers; the rest stays here.
            fetched = replace(fetched, head=b"", payload=b"", body=b"", request_head=b"")
        answer: Wait | Farewell = self._ask("release", slot, fetched, now_s)
        return answer

    def set_delay(self, host: str, delay_s: float) -> None:
        self._ask("set_delay", host, delay_s)

    # ------------------------------------------------------------------ ports.Robots

    def verdict(self, url: Url, now_s: float) -> Ruling | RobotsUnknown:
        answer: Ruling | RobotsUnknown = self._ask("verdict", url, now_s)
        return answer

    def learn(self, origin: str, fetched: Fetched, now_s: float) -> RobotsUnknown | None:
        answer: RobotsUnknown | None = self._ask("learn", origin, fetched, now_s)
        return answer

    def crawl_delay_s(self, origin: str) -> float | None:
        answer: float | None = self._ask("crawl_delay_s", origin)
        return answer

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        answer: tuple[str, ...] = self._ask("sitemaps", origin)
        return answer

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
        self._send(Finished(stop, tuple(self._events)))

    def break_off(self, error: Exception) -> None:
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
        self._send(Question(method, given))
        try:
            return self.line.recv()
        except (EOFError, OSError) as error:
            raise LostTeam from error

    def _send(self, message: object) -> None:
        try:
            self.line.send(message)
        except (BrokenPipeError, OSError) as error:
            raise LostTeam from error
