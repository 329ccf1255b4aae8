from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from threading import Event as Flag

import pytest

from shoal.clock import VirtualClock
from shoal.frontier.notes import StateNotes
from shoal.frontier.outbox import TAKEN, StateOutbox, StatePeer
from shoal.frontier.state import StateFile
from shoal.ports import Courier
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


class TestPulledCourier(DurableCourierContract):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self._folder = tmp_path
        self._states: dict[str, StateFile] = {}
        self._couriers: dict[str, PulledCourier] = {}

    def open(self, name: str) -> Courier:
        if name in self._states:
            self._states[name].close()
        state = self._states[name] = StateFile.open(self._folder / f"{name}.sqlite")
        self._couriers[name] = PulledCourier(
            name,
            StateOutbox(state),
            StateNotes(state),
            {
                other: StatePeer(partial(StateFile.read, self._folder / f"{other}.sqlite"))
                for other in NAMES
                if other != name
            },
            FULL_BYTES,
            Flag(),
            time.monotonic,
            TAKEN,
        )
        return self._couriers[name]

    def commit(self, name: str) -> None:
        self._states[name].commit()
        self._couriers[name].committed()
        self._states[name].commit()
        # What a courier looks at only now and then, a test cannot wait for.
        for courier in self._couriers.values():
            courier.wait(0.0)
