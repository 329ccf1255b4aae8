"""Leads a Team, whatever runs its Crawlers: hears them, answers them, and decides when to end.

An engine starts the Crawlers, carries what they say here and the answers back, and tells of each
that ended without a word. All else about a Team is here:

- A Crawler that ends without a word, or says nothing for ``SILENT_S``, is started again where its
  last commit left it; the others go on. After ``RESTARTS`` times the Team stops.
- The budget is dealt out (``dealer.py``), and the Team is over when nothing is left
  (``stillness.py``).
- Who is in the Team may change while it crawls. Every Crawler then commits and ends, in order; the
  change is made while nobody is at work; and those who are in it from then on begin. Such a stretch
  between two changes is a generation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event as Flag
from typing import Any, Final, NamedTuple, Protocol

from shoal.crawl.budget import Budget
from shoal.crawl.stop import Stop, StopReason
from shoal.crawl.tally import Tally
from shoal.errors import CutOffError, ShoalError
from shoal.ports import Watcher
from shoal.team.crowd import Crowd
from shoal.team.dealer import Dealer
from shoal.team.desk import Broke, Finished, Orders, Question, Report
from shoal.team.inline import ALL_DONE
from shoal.team.keeper import Keeper
from shoal.team.roll import END_S, Roll
from shoal.team.stillness import Stillness

KEEP_EVERY_S: Final = 1.0
"""What the Team has in common becomes durable this often, and it is asked this often whether
others are to be in it. After a restart every host is treated as if it had been asked at that
moment, so less than this is never lost at a host's cost."""
REGROUP: Final = Stop(StopReason.REGROUPED, "who is in the team changes; it goes on by itself")


class LostCrawler(ShoalError):
    """A Crawler of the Team ended again and again."""


class BrokenCrawler(ShoalError):
    """A Crawler of the Team could not go on; the message is its own."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[Any, ...]:
        # An engine may have to carry it from where the Team is led to where it is shown.
        return type(self), (str(self), self.exit_code), self.__dict__


class CutOffCrawler(BrokenCrawler, CutOffError):
    """What keeps a Crawler's state was lost."""


class Roster(Protocol):
    """Who is in a Team that may change while it crawls."""

    def is_changed(self) -> bool:
        """Asked about once a second: whether others are to be in the Team from now on."""

    def change(self) -> Sequence[str]:
        """Make it so: every Crawler has committed and ended, none is at work. Returns the names of
        the Team's Crawlers from now on. Raises ShoalError where it cannot be."""


class Heard(NamedTuple):
    """What was heard of a Crawler."""

    report: Report | None
    """The last one; None before the first."""
    silence_s: float
    restarts: int


class Lead:
    """Crawlers by name. Nothing here blocks, and nothing here knows how a Crawler is run."""

    def __init__(
        self,
        names: Sequence[str],
        keeper: Keeper,
        budget: Budget,
        watcher: Watcher,
        halt: Flag,
        keep: Callable[[], None],
        tallies: Mapping[str, Tally],
        time_s: Callable[[], float],
        roster: Roster | None = None,
    ) -> None:
        """``keep`` makes durable what the Team has in common; ``tallies`` are how far a resumed
        Team's Crawlers are; ``time_s`` is a clock of the machine; ``roster`` is None where the
        Team stays as it is."""
        self.names = tuple(names)
        self._keeper = keeper
        self._halt = halt
        self._keep = keep
        self._time_s = time_s
        self._roster = roster
        self._dealer = Dealer(budget, names, tallies)
        self._stillness = Stillness(names)
        self._crowd = Crowd(watcher, names)
        self._roll = Roll(time_s)
        self._roll.begin(names)
        self._stop: Stop | None = None
        self._error: ShoalError | None = None
        self._stop_s = 0.0
        self._kept_s = 0.0
        self._reports: dict[str, Report] = {}

    # ------------------------------------------------------------------ what Crawlers say

    def answer(self, name: str, question: Question) -> Any:
        self._roll.hear(name)
        if question.method == "report":
            for word in question.told:
                self._keeper.answer(name, word)
            self._keeper.told(name, *question.given)
            self._reports[name] = question.given[0]
            return self._orders(name, *question.given)
        return self._keeper.answer(name, question)

    def part(self, name: str, word: Finished | Broke) -> None:
        """A Crawler's last word."""
        self._roll.leave(name)
        if isinstance(word, Finished):
            self._crowd.see(name, word.events)
            return
        if self._error is None:
            kind = CutOffCrawler if word.is_cut_off else BrokenCrawler
            self._error = kind(word.message, word.exit_code)
            if word.trace:
                self._error.add_note(word.trace)
        self._end(Stop(StopReason.STORAGE, word.message))

    def lost(self, name: str, why: str) -> bool:
        """A Crawler ended without a word. Returns whether it is to be started again."""
        self._keeper.forget(name, self._crowd.clock_s)
        if self._stop is not None:
            self._roll.leave(name)
            return False
        if self._roll.may_return(name):
            self._crowd.lost(name, why)
            return True
        self._roll.leave(name)
        self._error = LostCrawler(
            f"the crawler {name} ended again and again ({why}). What was committed is safe: repeat "
            "the command, with fewer --crawlers if memory is short"
        )
        self._end(Stop(StopReason.INTERRUPTED, str(self._error)))
        return False

    def expect(self, name: str) -> None:
        """It is being started again by whatever runs it, and will report in anew."""
        self._roll.expect(name)

    def away(self, name: str) -> None:
        """The machine of a Crawler is away. It comes back of itself; its hosts are the others'."""
        self._keeper.forget(name, self._crowd.clock_s)
        self._roll.miss(name)

    def back(self, name: str, why: str) -> bool:
        """A Crawler has been started again. Returns whether it may go on: one whose machine was
        away may, and any other is counted as lost."""
        if self._stop is None and self._roll.is_away(name):
            self._roll.hear(name)
            return True
        return self.lost(name, why)

    # ------------------------------------------------------------------ what an engine asks

    def look_round(self) -> list[tuple[str, str]]:
        """Asked several times a second. Returns who is to be ended, being silent, and why; what
        becomes of them is told by ``lost``."""
        now_s = self._time_s()
        if self._halt.is_set():
            self._end(Stop(StopReason.INTERRUPTED, "asked to stop; the same command goes on"))
        if now_s - self._kept_s >= KEEP_EVERY_S:
            self._kept_s = now_s
            self._keep()
            if self._stop is None and self._roster is not None and self._roster.is_changed():
                self._end(REGROUP)
        for name, silent_s in self._roll.newly_late():
            self._crowd.late(name, silent_s)
        overdue = self._stop is not None and now_s - self._stop_s > END_S
        return [
            (name, f"it said nothing for {silent_s:.0f} s")
            for name, silent_s in (self._roll.at_work() if overdue else self._roll.silent())
        ]

    @property
    def ends(self) -> bool:
        """There is a reason to stop."""
        return self._stop is not None

    def heard(self) -> dict[str, Heard]:
        """How those stand that are at work, as they said last."""
        return {
            name: Heard(
                self._reports.get(name), self._roll.silence_s(name), self._roll.restarts_of(name)
            )
            for name in self.names
            if not self._roll.has_left(name)
        }

    def has_left(self, name: str) -> bool:
        return self._roll.has_left(name)

    def all_left(self) -> bool:
        return self._roll.all_left()

    def regroup(self) -> bool:
        """All have left. Makes the Team the next generation, and returns whether there is one."""
        if self._error is not None or self._stop != REGROUP:
            return False
        assert self._roster is not None, "only a roster regroups a Team"
        for name in self.names:
            self._keeper.forget(name, self._crowd.clock_s)
        self._keep()
        self.names = tuple(self._roster.change())
        self._dealer.regroup(self.names)
        self._stillness.regroup(self.names)
        self._crowd.regroup(self.names)
        self._roll.begin(self.names)
        self._stop = None
        return True

    def outcome(self) -> Stop:
        """Why the Team ended. Raises what a Crawler could not get over."""
        self._keep()
        if self._error is not None:
            raise self._error
        assert self._stop is not None, "every crawl has a reason to stop"
        return self._stop

    # ------------------------------------------------------------------ orders

    def _orders(self, name: str, report: Report) -> Orders:
        self._crowd.see(name, report.events, idle=report.idle)
        spent = self._dealer.spent(name, report)
        if spent is not None:
            self._end(spent)
        elif self._stillness.hear(name, report):
            self._end(ALL_DONE)
        return Orders(self._stop, self._dealer.deal(name, report), self._stillness.round)

    def _end(self, stop: Stop) -> None:
        if self._stop is None:
            self._stop = stop
            self._stop_s = self._time_s()
