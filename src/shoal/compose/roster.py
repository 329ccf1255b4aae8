"""What changes of a Team stand on: the crawl's directory, the states in it, and models."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from shoal.compose.partition import facts_of_split, found
from shoal.compose.state import open_house
from shoal.crawl.resort import PLACED
from shoal.directory import CrawlDirectory
from shoal.errors import BusyError, UsageError
from shoal.frontier.database import State
from shoal.frontier.house import StateHouse
from shoal.frontier.ledger import StateLedger
from shoal.frontier.lock import DirectoryLock
from shoal.ports import Peer
from shoal.settings import Settings
from shoal.team import roster as rosters
from shoal.team.orders import Answer, Order, OrderFolder, SplitTopic
from shoal.team.regrouping import Regrouping
from shoal.team.roster import Roster
from shoal.team.sure_claims import is_dealt_with
from shoal.url import Url

LOOK_S: Final = 0.2
"""Between two looks for an answer."""


@dataclass
class TeamGrounds:
    """A regrouping.Grounds, and what claims are made sure by."""

    directory: CrawlDirectory
    settings: Settings
    house: StateHouse
    _states: dict[str, State] = field(default_factory=dict)
    """Open for reading, of those that were asked about."""

    # ------------------------------------------------------------------ regrouping.Grounds

    def folder_of(self, name: str) -> Path:
        return self.directory.crawler(name).path

    def check_reach(self) -> None:
        team = self.settings.team
        if team.engine == "ray" and not team.shared:
            raise UsageError(
                "the crawlers of this team keep what they have where only their own machines reach "
                "it, so nobody can see when one has handed everything on. A team on Ray changes "
                "where team.shared says that every machine reaches the crawl's directory"
            )

    def check_split(self, order: SplitTopic) -> None:
        found = facts_of_split(order.topic, order.model)
        if (found.trained_at, found.categories) != (order.trained_at, order.categories):
            raise UsageError(f"{order.model} was changed since the order was given; give it again")

    def make(self, names: Sequence[str]) -> None:
        self.directory.make_team(names)

    def has_handed_on(self, name: str, roster: Roster) -> bool:
        others = [one.name for one in roster.members if one.name != name]
        own = self._peer(name)
        with closing(own):
            for other in others:
                with closing(self._peer(other)) as peer:
                    if peer.parcels(name, own.taken_from(other), 1):
                        return False
                    if own.parcels(other, peer.taken_from(name), 1):
                        return False
        if not self.house.has(name):
            return True
        with closing(self.house.read(name)) as state:
            ledger = StateLedger(state)
            standing = ledger.standing()
            placed = ledger.fact(PLACED)
        return placed == str(roster.version) and not standing.waiting and not standing.later

    def at_rest(self, name: str) -> AbstractContextManager[object]:
        return DirectoryLock(self.folder_of(name))

    def let_go(self) -> None:
        self.close()

    # ------------------------------------------------------------------ team.SureClaims

    def knows(self, name: str, url: Url) -> bool:
        """Whether a Crawler's committed state has dealt with a Url, or will."""
        state = self._states.get(name)
        if state is None:
            if not self.house.has(name):
                return False
            state = self._states[name] = self.house.read(name)
        return is_dealt_with(StateLedger(state).find(url))

    def close(self) -> None:
        for state in self._states.values():
            state.close()
        self._states.clear()

    def _peer(self, name: str) -> Peer:
        return self.house.peer(name)


def regrouping(
    directory: CrawlDirectory,
    roster: Roster,
    grounds: TeamGrounds,
    balance: Callable[[Roster], Roster] = lambda now: now,
) -> Regrouping:
    """For whoever holds the directory's lock: what may change who is in the Team. The Roster is
    durable from here on."""
    if rosters.read(directory.roster_file) is None:
        rosters.write(directory.roster_file, roster)
    orders = OrderFolder(directory.orders_folder)
    return Regrouping(directory.roster_file, roster, orders, grounds, balance)


def read_roster(directory: CrawlDirectory) -> Roster:
    """Who is in the Team of a directory. Raises ShoalError."""
    directory.require()
    if not directory.is_team():
        raise UsageError(
            f"{directory.path} holds a crawl of one crawler: there is no team to look at or to "
            "change. A team begins with --crawlers or --partition"
        )
    # A Team that began before there were rosters is as it was founded.
    return rosters.read(directory.roster_file) or found(directory.settings().team)


def mend_team(settings: Settings, directory: CrawlDirectory, roster: Roster) -> None:
    """For whoever holds the directory's lock, before a Team begins: finish what an earlier change
    was ended in, and obey what was ordered since."""
    with (
        closing(open_house(settings, directory)) as house,
        closing(TeamGrounds(directory, settings, house)) as grounds,
    ):
        regrouping(directory, roster, grounds).mend()


def change_team(directory: CrawlDirectory, order: Order, wait_s: float) -> Sequence[str]:
    """Have an order obeyed: by the Team that crawls, or, where none does, here. Returns what it
    means, in lines. Raises ShoalError: then nothing has changed."""
    roster, settings = read_roster(directory), directory.settings()
    with closing(open_house(settings, directory)) as house:
        # What can be seen to be wrong is told at once, without stopping anybody.
        grounds = TeamGrounds(directory, settings, house)
        given = OrderFolder(directory.orders_folder)
        Regrouping(directory.roster_file, roster, given, grounds).try_out(order)
    orders = OrderFolder(directory.orders_folder)
    number = orders.give(order)
    try:
        answer = _answer_to(number, directory, orders, wait_s)
    except BaseException:
        orders.take_back(number)
        raise
    if not answer.done:
        raise UsageError("\n".join(answer.lines))
    return answer.lines


def _answer_to(
    number: str, directory: CrawlDirectory, orders: OrderFolder, wait_s: float
) -> Answer:
    until_s = time.monotonic() + wait_s
    while True:
        answer = orders.answer_to(number)
        if answer is not None:
            return answer
        try:
            _obey_here(directory)
        except BusyError:
            time.sleep(LOOK_S)
        if time.monotonic() > until_s and orders.take_back(number):
            raise BusyError(
                f"the team that crawls in {directory.path} did not answer within {wait_s:.0f} s; "
                "the order was taken back. `shoal team status` tells how it is"
            )


def _obey_here(directory: CrawlDirectory) -> None:
    """Raises BusyError while a Team crawls: then it is for that one to obey."""
    with DirectoryLock(directory.path):
        mend_team(directory.settings(), directory, read_roster(directory))
