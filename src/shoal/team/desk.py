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
- Slots for all the Urls that were leased together are asked for together.
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
"""Between two reports of a busy Crawler; an idle one reports ..."""
IDLE_REPORT_S: Final = 0.02
"""... this often, ..."""
ASK_AGAIN_S: Final = 0.005
"""... and one that has used up what it was dealt asks for more, but not more often than this."""
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
    process: str = ""
    """Which process it is, and on which machine."""


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
    time_s: Callable[[], float]
    """A clock of the machine."""
    process: str = ""
    """Which one this is, and on which machine."""
    robots: TeachableRobots = field(init=False)
    """Rules by what the Team has told, and writes nothing down. To be given before the crawl."""
    pause: Wait = Wait(0.0, "")
    """The least pause of any host, as a Wait from 0 on."""
    names: Names = field(default_factory=NoNames)
    orders: Orders = Orders(pages=0)
    _told: list[Question] = field(default_factory=list)
    """What goes along with the next question."""
    _foreseen: dict[str, tuple[float, Slot | Wait | Farewell | Taken]] = field(default_factory=dict)
    """What will be answered to those who ask at that time."""
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
        if is_page:
            foreseen = self._foreseen.pop(url.text, None)
            if foreseen is not None and foreseen[0] == now_s:
                return foreseen[1]
        return self._reserve([url], now_s, is_page)[0]

    def foresee(self, urls: Sequence[Url], now_s: float) -> None:
        self._give_back(now_s)
        clear = [url for url in urls if self._is_clear(url, now_s)]
        # One alone is asked for when its time comes.
        if len(clear) > 1:
            answers = self._reserve(clear, now_s, True)
            for url, answer in zip(clear, answers, strict=True):
                self._foreseen[url.text] = (now_s, answer)

    def _is_clear(self, url: Url, now_s: float) -> bool:
        verdict = self.robots.verdict(url, now_s)
        return isinstance(verdict, Ruling) and verdict.admitted

    def _reserve(
        self, urls: Sequence[Url], now_s: float, is_page: bool
    ) -> list[Slot | Wait | Farewell | Taken]:
        owns = [self.names.known(url.host) for url in urls]
        wanted = tuple(
            (url, self._news(url.host, own)) for url, own in zip(urls, owns, strict=True)
        )
        answered = self._ask("reserve", now_s, is_page, wanted)
        answers: list[Slot | Wait | Farewell | Taken] = []
        for url, own, (answer, found) in zip(urls, owns, answered, strict=True):
            if own is None and found is not None:
                self.names.learn(url.host, found)
            answers.append(answer)
        return answers

    def _give_back(self, now_s: float) -> None:
        """Slots that were foreseen and never asked for."""
        for _, answer in self._foreseen.values():
            if isinstance(answer, Slot):
                self._told.append(Question("release", (answer, None, now_s)))
        self._foreseen.clear()

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
        # At once: until it is known others would ask that host too soon.
        self._ask("set_delay", host, delay_s)

    def tell(self, now_s: float) -> None:
        """For a Share: before the Crawler waits, all that was not told yet is told."""
        self._give_back(now_s)
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
        self._report(REPORT_S)
        return self.orders.stop

    def left_s(self, tally: Tally) -> float:
        del tally
        return float("inf")

    def room(self, tally: Tally, under_way: int, parallel: int) -> int:
        room = parallel - under_way
        limit = self.orders.pages
        if limit is None:
            return max(0, room)
        if limit <= tally.pages + under_way:
            # More may be had at once.
            self._tally = tally
            self._report(ASK_AGAIN_S)
            limit = self.orders.pages or 0
        return max(0, min(room, limit - tally.pages - under_way))

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
        self._tell_last()
        self._send(Finished(stop, tuple(self._events)))

    def break_off(self, error: Exception) -> None:
        self._tell_last()
        # In words: not every exception comes out of a pipe as it went in.
        if isinstance(error, ShoalError):
            cut_off = isinstance(error, CutOffError)
            self._send(Broke(str(error), error.exit_code, is_cut_off=cut_off))
        else:
            trace = "".join(traceback.format_exception(error))
            self._send(Broke(f"{type(error).__name__}: {error}", ShoalError.exit_code, trace))

    def _tell_last(self) -> None:
        if self._told:
            self._ask("nothing")

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
            self.process,
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
