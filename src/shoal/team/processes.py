"""Runs a Team as processes of one machine, and keeps what it has in common.

This process has the Slots, the claims, robots.txt and the budget, and answers the Crawlers one
question at a time; each Crawler is a process of its own, with its own state and archive.

- A Crawler that ends without a word, or says nothing for ``SILENT_S``, is started again where its
  last commit left it; the others go on. After ``RESTARTS`` times the Team stops.
- The budget is dealt out: a Crawler may come to so many pages, and asks again when it has them.
  What is dealt out never exceeds what was asked for.
- The Team is over when every Crawler has nothing left, twice in a row with nothing done in between:
  the second question is put only when all have answered the first, so at that moment no Parcel can
  be on its way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from threading import Event as Flag
from typing import Any, Final

from shoal import events
from shoal.crawl.budget import Budget
from shoal.crawl.stop import Stop, StopReason
from shoal.crawl.tally import Tally
from shoal.errors import ShoalError
from shoal.model import Failure, FailureKind, Fetched, Slot, Standing, Taken, Wait
from shoal.model import Farewell as FarewellAnswer
from shoal.ports import Politeness, Robots, Watcher
from shoal.team.desk import Broke, Finished, Orders, Question, Report
from shoal.team.inline import ALL_DONE
from shoal.team.keeper import Claims, TeamPoliteness
from shoal.url import Url, parse_url

LOOK_S: Final = 0.2
"""The longest look away: what a person presses, and who has died, is noticed within this time."""
LATE_S: Final = 5.0
"""A Crawler that says nothing for so long is said to be late ..."""
SILENT_S: Final = 60.0
"""... and after this long it is ended, and started again."""
RESTARTS: Final = 5
END_S: Final = 20.0
"""How long Crawlers may take to end when asked to."""
KEEP_EVERY_S: Final = 1.0
"""What the Team has in common becomes durable this often. After a restart every host is treated as
if it had been asked at that moment, so less than this is never lost at a host's cost."""


class LostCrawler(ShoalError):
    """A Crawler of the Team ended again and again."""


class BrokenCrawler(ShoalError):
    """A Crawler of the Team could not go on; the message is its own."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass
class Keeper:
    """Answers the Crawlers' questions."""

    politeness: Politeness
    robots: Robots
    claims: Claims | None
    addresses: dict[str, str] = field(default_factory=dict)
    """Where hosts stand, as far as a Crawler has told."""
    _slots: dict[str, list[Slot]] = field(default_factory=dict)
    _of: dict[str, TeamPoliteness] = field(default_factory=dict)

    def answer(self, name: str, question: Question) -> Any:
        method, given = question
        if method == "reserve":
            return self._reserve(name, *given)
        if method == "release":
            return self._release(name, *given)
        if method == "verdict":
            return self.robots.verdict(*given)
        if method == "learn":
            return self.robots.learn(*given)
        if method == "set_delay":
            return self.politeness.set_delay(*given)
        if method == "crawl_delay_s":
            return self.robots.crawl_delay_s(*given)
        if method == "sitemaps":
            return self.robots.sitemaps(*given)
        raise ValueError(f"nobody answers {method!r}")

    def forget(self, name: str, now_s: float) -> None:
        """A Crawler is gone: its hosts were asked, for all that is known, until now."""
        for slot in self._slots.pop(name, []):
            gone = Failure(
                parse_url(f"http://{slot.host}/"),
                FailureKind.CANCELLED,
                "its crawler ended",
                slot.granted_s,
                0.0,
            )
            self.politeness.release(slot, gone, max(now_s, slot.granted_s))

    def _reserve(
        self, name: str, url: Url, now_s: float, is_page: bool, ip: str | None
    ) -> Slot | Wait | FarewellAnswer | Taken:
        if ip is not None:
            self.addresses[url.host] = ip
        own = self._of.get(name)
        if own is None:
            own = self._of[name] = TeamPoliteness(name, self.politeness, self.claims)
        answer = own.reserve(url, now_s, is_page=is_page)
        if isinstance(answer, Slot):
            self._slots.setdefault(name, []).append(answer)
        return answer

    def _release(
        self, name: str, slot: Slot, fetched: Fetched | None, now_s: float
    ) -> Wait | FarewellAnswer:
        self._slots[name].remove(slot)
        return self.politeness.release(slot, fetched, now_s)


@dataclass
class _Worker:
    """One Crawler's process, and what it last said."""

    name: str
    process: BaseProcess
    line: Connection
    heard_s: float
    report: Report | None = None
    orders: Orders = Orders(pages=0)
    finished: bool = False
    late: bool = False


class ProcessTeam:
    """Crawlers by name, each made by ``work(line, name)`` in a process of its own."""

    def __init__(
        self,
        names: Sequence[str],
        work: Callable[[Connection, str], None],
        keeper: Keeper,
        budget: Budget,
        watcher: Watcher,
        halt: Flag,
        keep: Callable[[], None],
        tallies: Mapping[str, Tally],
        time_s: Callable[[], float],
    ) -> None:
        """``keep`` makes durable what the Team has in common; ``tallies`` are how far a resumed
        Team's Crawlers are; ``time_s`` is a clock of the machine."""
        self._names = names
        self._work = work
        self._keeper = keeper
        self._budget = budget
        self._crowd = Crowd(watcher, names)
        self._halt = halt
        self._keep = keep
        self._done = {name: (tallies[name].pages, tallies[name].bytes) for name in names}
        self._active_s = max((tallies[name].active_s for name in names), default=0.0)
        self._dealt = {name: tallies[name].pages for name in names}
        self._time_s = time_s
        self._workers: dict[str, _Worker] = {}
        self._restarts = 0
        self._stop: Stop | None = None
        self._error: ShoalError | None = None
        self._stop_s = 0.0
        self._kept_s = 0.0
        self._round = 0
        self._still: dict[str, int] = {}
        """Activity of the Crawlers that had nothing left in this round."""
        self._still_before: dict[str, int] | None = None

    def run(self) -> Stop:
        """Raises what a Crawler could not get over."""
        context = SpawnContext()
        try:
            for name in self._names:
                self._start(context, name)
            while any(not worker.finished for worker in self._workers.values()):
                self._listen(context)
                self._look_round(context)
        finally:
            for worker in self._workers.values():
                if worker.finished:
                    # It has said its last word, and puts its files away.
                    worker.process.join(END_S)
                if worker.process.is_alive():
                    worker.process.terminate()
                worker.process.join()
                worker.line.close()
        self._keep()
        if self._error is not None:
            raise self._error
        assert self._stop is not None, "every crawl has a reason to stop"
        return self._stop

    # ------------------------------------------------------------------ processes

    def _start(self, context: SpawnContext, name: str) -> None:
        ours, theirs = context.Pipe()
        process = context.Process(target=self._work, args=(theirs, name), daemon=True)
        process.start()
        theirs.close()
        orders = self._workers[name].orders if name in self._workers else Orders(pages=0)
        self._workers[name] = _Worker(name, process, ours, self._time_s(), orders=orders)

    def _listen(self, context: SpawnContext) -> None:
        lines = {worker.line: worker for worker in self._workers.values() if not worker.finished}
        for line in wait(list(lines), LOOK_S):
            assert isinstance(line, Connection)
            worker = lines[line]
            try:
                self._hear(worker, line.recv())
            except (EOFError, OSError):
                self._lost(context, worker, "it ended without a word")

    def _hear(self, worker: _Worker, message: object) -> None:
        worker.heard_s = self._time_s()
        worker.late = False
        if isinstance(message, Question):
            if message.method == "report":
                worker.line.send(self._orders(worker, message.given[0]))
            else:
                worker.line.send(self._keeper.answer(worker.name, message))
        elif isinstance(message, Finished):
            self._crowd.see(worker.name, message.events)
            worker.finished = True
        elif isinstance(message, Broke):
            worker.finished = True
            if self._error is None:
                self._error = BrokenCrawler(message.message, message.exit_code)
                if message.trace:
                    self._error.add_note(message.trace)
            self._end(Stop(StopReason.STORAGE, message.message))

    def _look_round(self, context: SpawnContext) -> None:
        now_s = self._time_s()
        if self._halt.is_set():
            self._end(Stop(StopReason.INTERRUPTED, "asked to stop; the same command goes on"))
        if now_s - self._kept_s >= KEEP_EVERY_S:
            self._kept_s = now_s
            self._keep()
        for worker in list(self._workers.values()):
            silent_s = now_s - worker.heard_s
            if worker.finished:
                continue
            if silent_s > SILENT_S or (self._stop and now_s - self._stop_s > END_S):
                worker.process.kill()
                self._lost(context, worker, f"it said nothing for {silent_s:.0f} s")
            elif silent_s > LATE_S and not worker.late:
                worker.late = True
                self._crowd.late(worker.name, silent_s)

    def _lost(self, context: SpawnContext, worker: _Worker, why: str) -> None:
        worker.process.join(1.0)
        worker.line.close()
        code = worker.process.exitcode
        self._keeper.forget(worker.name, self._crowd.clock_s)
        if self._stop is not None:
            worker.finished = True
            return
        self._restarts += 1
        if self._restarts > RESTARTS:
            worker.finished = True
            self._error = LostCrawler(
                f"the crawler {worker.name} ended again and again ({why}, exit code {code}). "
                "What was committed is safe: repeat the command, with fewer --crawlers if memory "
                "is short"
            )
            self._end(Stop(StopReason.INTERRUPTED, str(self._error)))
            return
        self._crowd.lost(worker.name, f"{why} (exit code {code})")
        self._start(context, worker.name)

    def _end(self, stop: Stop) -> None:
        if self._stop is None:
            self._stop = stop
            self._stop_s = self._time_s()

    # ------------------------------------------------------------------ orders

    def _orders(self, worker: _Worker, report: Report) -> Orders:
        worker.report = report
        self._crowd.see(worker.name, report.events)
        self._done[worker.name] = (report.pages, report.bytes)
        self._active_s = max(self._active_s, report.active_s)
        self._dealt[worker.name] = max(self._dealt[worker.name], report.pages)
        pages = sum(pages for pages, _ in self._done.values())
        received = sum(size for _, size in self._done.values())
        spent = self._budget.spent(Tally(pages, 0, received, self._active_s))
        if spent is not None:
            self._end(spent)
        elif self._is_over(worker.name, report):
            self._end(ALL_DONE)
        worker.orders = Orders(self._stop, self._deal(worker.name, report), self._round)
        return worker.orders

    def _deal(self, name: str, report: Report) -> int | None:
        """How many pages that Crawler may come to."""
        if self._budget.pages is None:
            return None
        if report.idle:
            # What it cannot use is for the others.
            self._dealt[name] = report.pages
        elif report.pages >= self._dealt[name]:
            left = self._budget.pages - sum(self._dealt.values())
            self._dealt[name] += min(left, max(1, left // (2 * len(self._names))))
        return self._dealt[name]

    def _is_over(self, name: str, report: Report) -> bool:
        if not report.idle:
            self._still.clear()
            self._still_before = None
            return False
        if report.round == self._round:
            self._still[name] = report.activity
        if len(self._still) < len(self._names):
            return False
        if self._still == self._still_before:
            return True
        self._still_before, self._still = self._still, {}
        self._round += 1
        return False


class Crowd:
    """Makes one stream of the Crawlers' events: they begin once, end once, and stand together."""

    def __init__(self, watcher: Watcher, names: Sequence[str]) -> None:
        self._watcher = watcher
        self._standings: dict[str, Standing] = {}
        self._pages = dict.fromkeys(names, 0)
        self._in_flight = dict.fromkeys(names, 0)
        self._begun: set[str] = set()
        self._ended: set[str] = set()
        self.clock_s = 0.0
        """The latest moment that any Crawler has told of."""

    def see(self, name: str, seen: Sequence[events.Event]) -> None:
        for event in seen:
            self.clock_s = max(self.clock_s, event.at_s)
            together = self._together(name, event)
            if together is not None:
                self._watcher.see(together)

    def late(self, name: str, silent_s: float) -> None:
        why = f"the crawler {name} has said nothing for {silent_s:.0f} s"
        self._watcher.see(events.CrawlerTrouble(self.clock_s, name, why))

    def lost(self, name: str, why: str) -> None:
        why = f"the crawler {name} is started again: {why}"
        self._watcher.see(events.CrawlerTrouble(self.clock_s, name, why))

    def _together(self, name: str, event: events.Event) -> events.Event | None:
        if isinstance(event, events.Started):
            self._standings[name] = event.standing
            first = not self._begun
            self._begun.add(name)
            if not first:
                return None
            return events.Started(event.at_s, event.resumed, event.topic, self._standing())
        if isinstance(event, events.Committed):
            self._standings[name] = event.standing
            self._pages[name], self._in_flight[name] = event.pages, event.in_flight
            return events.Committed(
                event.at_s,
                self._standing(),
                sum(self._pages.values()),
                sum(self._in_flight.values()),
            )
        if isinstance(event, events.Stopped):
            self._standings[name] = event.standing
            self._ended.add(name)
            if self._ended < set(self._pages):
                return None
            return events.Stopped(event.at_s, event.reason, event.detail, self._standing())
        if isinstance(event, events.Waiting):
            # One that waits is no matter of the whole Team's.
            return None
        return event

    def _standing(self) -> Standing:
        return Standing(*(sum(column) for column in zip(*self._standings.values(), strict=True)))
