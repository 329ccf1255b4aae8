from __future__ import annotations

import time
from abc import abstractmethod
from functools import partial
from pathlib import Path
from threading import Event as Flag

import pytest

from shoal.clock import VirtualClock
from shoal.frontier.database import State
from shoal.frontier.notes import StateNotes
from shoal.frontier.outbox import TAKEN, StateOutbox, StatePeer
from shoal.frontier.state import StateFile
from shoal.ports import Courier, Peer
from shoal.team.post import PostOffice
from shoal.team.pulled import PulledCourier
from shoal.testing.courier import FULL_BYTES, CourierContract, DurableCourierContract

NAMES = ("one", "two", "three")


class TestPostCourier(CourierContract):
    @pytest.fixture(autouse=True)
    def office(self) -> None:
        self._office = PostOffice(NAMES, FULL_BYTES)

    def open(self, name: str) -> Courier:
        return self._office.courier(name, VirtualClock())

    def commit(self, name: str) -> None: ...


class PulledCourierContract(DurableCourierContract):
    """Over Outboxes and Peers of any kind."""

    @pytest.fixture(autouse=True)
    def _nobody(self) -> None:
        self._open_states: dict[str, State] = {}
        self._couriers: dict[str, PulledCourier] = {}

    @abstractmethod
    def open_state(self, name: str) -> State: ...

    @abstractmethod
    def peer(self, name: str) -> Peer: ...

    def open(self, name: str) -> Courier:
        if name in self._open_states:
            self._open_states[name].close()
        state = self._open_states[name] = self.open_state(name)
        self._couriers[name] = PulledCourier(
            name,
            StateOutbox(state),
            StateNotes(state),
            {other: self.peer(other) for other in NAMES if other != name},
            FULL_BYTES,
            Flag(),
            time.monotonic,
            TAKEN,
        )
        return self._couriers[name]

    def commit(self, name: str) -> None:
        self._open_states[name].commit()
        self._couriers[name].committed()
        self._open_states[name].commit()
        # What a courier looks at only now and then, a test cannot wait for.
        for courier in self._couriers.values():
            courier.wait(0.0)


class TestFileCourier(PulledCourierContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self._folder = tmp_path

    def open_state(self, name: str) -> State:
        return StateFile.open(self._folder / f"{name}.sqlite")

    def peer(self, name: str) -> Peer:
        return StatePeer(partial(StateFile.read, self._folder / f"{name}.sqlite"))
