"""Names to addresses, remembered."""

from __future__ import annotations

import threading
import time

from shoal.model import Lookedup
from shoal.web.dns import Resolver, system_lookup


class Directory:
    """A lookup that counts, and can be made to hang."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def __call__(self, host: str) -> tuple[str, ...]:
        self.asked.append(host)
        self.may_go_on.wait(10)
        if host.startswith("none"):
            raise OSError("no such name")
        return () if host.startswith("empty") else ("192.0.2.1", "192.0.2.2")


def resolver(directory: Directory, bell: threading.Event, threads: int = 2) -> Resolver:
    return Resolver(directory, ttl_s=100.0, threads=threads, wake=bell.set)


def answer(names: Resolver, bell: threading.Event, host: str, now_s: float) -> Lookedup | None:
    bell.clear()
    names.ask(host)
    assert bell.wait(5)
    assert names.answered(now_s) == [host]
    return names.known(host, now_s)


def test_an_answer_is_kept_for_its_time_to_live() -> None:
    directory, bell = Directory(), threading.Event()
    names = resolver(directory, bell)
    assert names.known("a.example", 0.0) is None
    assert answer(names, bell, "a.example", 0.0) == Lookedup(("192.0.2.1", "192.0.2.2"), 100.0)
    assert names.known("a.example", 99.0) is not None
    assert names.known("a.example", 100.0) is None
    assert answer(names, bell, "a.example", 150.0) is not None
    assert names.known("a.example", 249.0) is not None
    names.close()


def test_a_failure_is_kept_for_a_minute() -> None:
    directory, bell = Directory(), threading.Event()
    names = resolver(directory, bell)
    assert answer(names, bell, "none.example", 0.0) == Lookedup((), 60.0, "no such name")
    assert answer(names, bell, "empty.example", 0.0) == Lookedup((), 60.0, "no address")
    assert names.known("none.example", 60.0) is None
    names.close()


def test_a_name_is_asked_for_once() -> None:
    directory, bell = Directory(), threading.Event()
    directory.may_go_on.clear()
    names = resolver(directory, bell)
    for _ in range(5):
        names.ask("a.example")
    directory.may_go_on.set()
    assert bell.wait(5)
    assert directory.asked == ["a.example"]
    names.close()


def test_one_slow_name_does_not_hold_up_the_others() -> None:
    go_on = threading.Event()

    def lookup(host: str) -> tuple[str, ...]:
        if host == "slow.example":
            go_on.wait(10)
        return ("192.0.2.1",)

    bell = threading.Event()
    names = Resolver(lookup, 100.0, 2, bell.set)
    names.ask("slow.example")
    for number in range(5):
        names.ask(f"{number}.example")
    answered: list[str] = []
    end_s = time.monotonic() + 5
    while len(answered) < 5 and time.monotonic() < end_s:
        bell.wait(0.1)
        answered += names.answered(0.0)
    assert sorted(answered) == [f"{number}.example" for number in range(5)]
    began_s = time.monotonic()
    names.close()
    assert time.monotonic() - began_s < 0.5
    go_on.set()


def test_the_operating_system_knows_this_machine() -> None:
    assert "127.0.0.1" in system_lookup("localhost")
