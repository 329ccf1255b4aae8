"""Changes who is in a Team: obeys the orders that were given, and retires who handed everything on.

1. The Roster's file is the one switch: what is done before it is written counts for nothing if it
   ends there, and what is done after it is done again (``mend``) by whoever goes on.
2. An order is obeyed once, or refused with the reason; one that was refused has changed nothing.
3. Nobody is at work while a change is made: between two generations of a Team, or under the lock of
   a crawl that does not run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from shoal.errors import ShoalError
from shoal.team import changes, movement, roster
from shoal.team.orders import Answer, Move, Order, OrderFolder, SplitTopic, next_roster
from shoal.team.roster import Roster


class Grounds(Protocol):
    """What a change stands on: the crawl's directory, and the models in it."""

    def folder_of(self, name: str) -> Path:
        """Where a Crawler keeps its own; a link, where it was moved."""

    def check_reach(self) -> None:
        """Raises ShoalError where the Team cannot be changed at all."""

    def check_split(self, order: SplitTopic) -> None:
        """Raises ShoalError where the model is not what the order says."""

    def make(self, names: Sequence[str]) -> None:
        """Folders for those that have none yet."""

    def at_rest(self, name: str) -> AbstractContextManager[object]:
        """Keeps a Crawler from beginning. Raises BusyError where it is at work."""

    def let_go(self) -> None:
        """Close whatever is open: folders are about to change."""

    def has_handed_on(self, name: str, roster: Roster) -> bool:
        """Whether nothing waits with a leaving Crawler, nor on its way to it or from it."""


class Regrouping:
    """A lead.Roster over a file."""

    def __init__(
        self,
        file: Path,
        now: Roster,
        orders: OrderFolder,
        grounds: Grounds,
        balance: Callable[[Roster], Roster] = lambda now: now,
    ) -> None:
        """``balance`` says what a Roster should be, by how much waits with whom."""
        self._file = file
        self._orders = orders
        self._grounds = grounds
        self._balance = balance
        self._balanced = now
        self.now = now

    def try_out(self, order: Order) -> Roster:
        """What would become of the Roster. Raises ShoalError where it cannot be."""
        after = next_roster(self.now, order)
        self._grounds.check_reach()
        if isinstance(order, SplitTopic):
            self._grounds.check_split(order)
        elif isinstance(order, Move):
            movement.check(self._grounds.folder_of(order.name), Path(order.place))
        return after

    # ------------------------------------------------------------------ lead.Roster

    def is_changed(self) -> bool:
        if self._acceptable() or self._done_leaving():
            return True
        self._balanced = self._balance(self.now)
        return self._balanced.version > self.now.version

    def change(self) -> Sequence[str]:
        before = self.now
        self.obey()
        self.retire()
        if self.now == before and self._balanced.version > before.version:
            self._put(self._balanced)
        return self.now.working

    # ------------------------------------------------------------------ changes

    def mend(self) -> None:
        """Finish what an earlier change was ended in, and obey what was ordered meanwhile."""
        self._grounds.make([one.name for one in self.now.members if one.place is None])
        for one in self.now.members:
            if one.place is not None:
                movement.settle(self._grounds.folder_of(one.name), Path(one.place))
        self.obey()
        self.retire()

    def obey(self) -> None:
        """Every order that can be obeyed, in their order; the others are refused."""
        while given := self._acceptable():
            number, order = given[0]
            try:
                lines = self.carry_out(number, order)
            except ShoalError as error:
                self._orders.refuse(number, error)
            else:
                self._orders.answer(number, Answer(True, tuple(lines)))

    def carry_out(self, number: str, order: Order) -> list[str]:
        """Returns what it means, in lines. Raises ShoalError, with nothing changed."""
        before, after = self.now, self.try_out(order)
        self._grounds.let_go()
        if isinstance(order, Move):
            folder = self._grounds.folder_of(order.name)
            with self._grounds.at_rest(order.name):
                movement.copy_to(folder, Path(order.place))
                self._put(changes.obeyed(after, number))
                movement.settle(folder, Path(order.place))
        else:
            self._put(changes.obeyed(after, number))
        known = {one.name for one in before.members}
        self._grounds.make([one.name for one in after.members if one.name not in known])
        return changes.differences(before, after)

    def retire(self) -> None:
        """Whoever has handed everything on."""
        for name in self._done_leaving():
            self._put(changes.retire(self.now, name))

    def _acceptable(self) -> list[tuple[str, Order]]:
        """Orders that can be obeyed as things are; others are answered."""
        found = []
        for number, order in self._orders.given():
            if number in self.now.orders:
                # It was obeyed, and ended before it was answered.
                self._orders.answer(number, Answer(True, ()))
                continue
            try:
                self.try_out(order)
            except ShoalError as error:
                self._orders.refuse(number, error)
            else:
                found.append((number, order))
        return found

    def _done_leaving(self) -> list[str]:
        return [name for name in self.now.leaving if self._grounds.has_handed_on(name, self.now)]

    def _put(self, after: Roster) -> None:
        roster.write(self._file, after)
        self.now = after
