"""What every Courier must do. Subclass CourierContract, or DurableCourierContract for one that
outlives its process, and say how a team's Couriers are made."""

from __future__ import annotations

from abc import ABC, abstractmethod

from shoal.model import Link, LinkParcel, Offer, Parcel, Ruling
from shoal.ports import Courier
from shoal.url import parse_url

FULL_BYTES = 2_000
"""What the Couriers of this contract may have on its way."""


def parcel_of(number: int) -> LinkParcel:
    link = Link(None, parse_url(f"http://a.example/{number}"), anchor=f"number {number}")
    return LinkParcel((Offer(link, Ruling(True, "default")),))


class CourierContract(ABC):
    @abstractmethod
    def open(self, name: str) -> Courier:
        """The Courier of ``one``, ``two`` or ``three``: made anew, with what its Crawler has
        committed, as after a crash. No more than FULL_BYTES of its Parcels may be on their way."""

    @abstractmethod
    def commit(self, name: str) -> None:
        """Make durable what the Courier of that name has done, and tell it."""

    def receive_all(self, name: str, courier: Courier) -> list[Parcel]:
        received: list[Parcel] = []
        while more := courier.receive(3):
            received += more
            self.commit(name)
        return received

    def test_what_is_sent_arrives_once_and_in_order(self) -> None:
        one, two, three = self.open("one"), self.open("two"), self.open("three")
        for number in range(10):
            one.send("two", parcel_of(number))
        one.send("three", parcel_of(99))
        self.commit("one")
        assert self.receive_all("two", two) == [parcel_of(number) for number in range(10)]
        assert self.receive_all("three", three) == [parcel_of(99)]
        assert not two.receive(3)

    def test_each_sender_is_heard(self) -> None:
        one, two, three = self.open("one"), self.open("two"), self.open("three")
        for number in range(5):
            one.send("three", parcel_of(number))
            two.send("three", parcel_of(number + 10))
        self.commit("one")
        self.commit("two")
        received = self.receive_all("three", three)
        assert [parcel for parcel in received if parcel in [parcel_of(n) for n in range(5)]] == [
            parcel_of(number) for number in range(5)
        ]
        assert len(received) == 10

    def test_it_is_empty_once_everything_was_taken(self) -> None:
        one, two = self.open("one"), self.open("two")
        assert one.is_empty()
        one.send("two", parcel_of(1))
        self.commit("one")
        assert not one.is_empty()
        self.receive_all("two", two)
        assert one.is_empty()

    def test_it_is_full_while_its_receiver_is_slow(self) -> None:
        one, two = self.open("one"), self.open("two")
        number = 0
        while not one.is_full():
            one.send("two", parcel_of(number))
            self.commit("one")
            number += 1
            assert number < 1_000, "it is never full"
        assert len(self.receive_all("two", two)) == number
        assert not one.is_full()

    def test_waiting_ends(self) -> None:
        self.open("one").wait(0.01)


class DurableCourierContract(CourierContract):
    """Of Couriers that outlive their process, besides."""

    def test_what_was_not_committed_is_not_received_by_anybody(self) -> None:
        one, two = self.open("one"), self.open("two")
        one.send("two", parcel_of(1))
        assert not two.receive(3)
        one = self.open("one")
        self.commit("one")
        assert not two.receive(3)
        one.send("two", parcel_of(2))
        self.commit("one")
        two.wait(0.01)
        assert self.receive_all("two", two) == [parcel_of(2)]

    def test_what_was_received_and_not_committed_is_received_again(self) -> None:
        one, two = self.open("one"), self.open("two")
        one.send("two", parcel_of(1))
        one.send("two", parcel_of(2))
        self.commit("one")
        assert two.receive(1) == [parcel_of(1)]
        self.commit("two")
        assert two.receive(1) == [parcel_of(2)]
        two = self.open("two")
        assert two.receive(9) == [parcel_of(2)]
        self.commit("two")
        assert not self.open("two").receive(9)
