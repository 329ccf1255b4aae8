"""The contracts of Frontier, Ledger, Notes, Couriers and Claims, over PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shoal.frontier import StateFrontier, StateLedger, StateNotes
from shoal.frontier.database import State
from shoal.frontier.house import ALONE
from shoal.ports import Claims, Frontier, Ledger, Notes, Peer
from shoal.postgres.house import PostgresHouse
from shoal.testing.claims import ClaimsContract
from shoal.testing.frontier import FrontierContract
from shoal.testing.ledger import LedgerContract
from shoal.testing.notes import NotesContract
from tests.postgres.server import Server
from tests.team.test_couriers import PulledCourierContract

NAMES = ("one", "two", "three")


class Housed:
    @pytest.fixture(autouse=True)
    def house(self, server: Server, name: str) -> Iterator[PostgresHouse]:
        self._house = PostgresHouse(server.address, name)
        self._states: list[State] = []
        yield self._house
        for state in self._states:
            state.close()
        self._house.close()

    def open_state(self, crawler: str = ALONE) -> State:
        self._states.append(self._house.open(crawler))
        return self._states[-1]


class TestPostgresFrontier(Housed, FrontierContract):
    def make_frontier(self, per_host: int = 1) -> Frontier:
        return StateFrontier.open(self.open_state(), per_host=per_host)


class TestPostgresFrontierForgetful(Housed, FrontierContract):
    """With no memory of recent Urls every Offer goes to the server."""

    def make_frontier(self, per_host: int = 1) -> Frontier:
        return StateFrontier.open(self.open_state(), per_host=per_host, recent=0)


class TestPostgresLedger(Housed, LedgerContract):
    def make_frontier(self) -> Frontier:
        self._state = self.open_state()
        return StateFrontier.open(self._state)

    def make_notes(self) -> Notes:
        return StateNotes(self._state)

    def make_ledger(self) -> Ledger:
        return StateLedger(self._house.read(ALONE))


class TestPostgresNotes(Housed, NotesContract):
    def make_notes(self) -> Notes:
        return StateNotes(self.open_state())


class TestPostgresCourier(Housed, PulledCourierContract):
    def peer(self, name: str) -> Peer:
        return self._house.peer(name)


class TestPostgresClaims(Housed, ClaimsContract):
    def open(self) -> Claims:
        if not self._states:
            self._states.append(self._house.open_team())
        return self._house.claims()
