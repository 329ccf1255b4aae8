from __future__ import annotations

from abc import abstractmethod
from contextlib import closing
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
from shoal.team.pulled import LOOK_AT, LOOK_BUSY_S, PulledCourier
from shoal.testing.courier import FULL_BYTES, CourierContract, DurableCourierContract

NAMES = ("one", "two", "three")


class TestPostCourier(CourierContract):
    @pytest.fixture(autouse=True)
    def office(self) -> None:
        self._office = PostOffice(NAMES, FULL_BYTES)

    def open(self, name: str) -> Courier:
        return self._office.courier(name, VirtualClock())

    def commit(self, name: str) -> None: ...


class _Ticks:
    """A clock that goes on by ``step_s`` whenever somebody looks at it."""

    def __init__(self, step_s: float) -> None:
        self._step_s = step_s
        self._now_s = 0.0

    def __call__(self) -> float:
        self._now_s += self._step_s
        return self._now_s


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
            # What a courier looks at only now and then, a test cannot wait for.
            _Ticks(LOOK_BUSY_S),
            TAKEN,
        )
        return self._couriers[name]

    def commit(self, name: str) -> None:
        self._open_states[name].commit()
        self._couriers[name].committed()
        self._open_states[name].commit()


class TestFileCourier(PulledCourierContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self._folder = tmp_path

    def open_state(self, name: str) -> State:
        return StateFile.open(self._folder / f"{name}.sqlite")

    def peer(self, name: str) -> Peer:
        return StatePeer(partial(StateFile.read, self._folder / f"{name}.sqlite"))


class Quiet:
    """A Peer that has nothing, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def parcels(self, receiver: str, after: int, limit: int) -> tuple[()]:
        del receiver, after, limit
        self.asked += 1
        return ()

    def taken_from(self, sender: str) -> int:
        del sender
        return 0

    def close(self) -> None: ...


def test_waiting_costs_the_same_in_a_team_of_any_size() -> None:
    peers = {f"sender-{number}": Quiet() for number in range(100)}
    with closing(StateFile.open(":memory:")) as state:
        courier = PulledCourier(
            "one",
            StateOutbox(state),
            StateNotes(state),
            peers,
            FULL_BYTES,
            Flag(),
            _Ticks(1.0),
            TAKEN,
        )
        courier.wait(6.5)
        looks = sum(peer.asked for peer in peers.values())
        assert 0 < looks <= 6 * LOOK_AT
        # Each has its turn.
        courier.wait(6.5)
        assert max(peer.asked for peer in peers.values()) == 1
