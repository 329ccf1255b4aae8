"""Orders that change a Team, from the command that gives one to the Team that obeys it.

An order is a file in the crawl's ``orders`` folder, there whole or not at all. The Team looks there
about once a second, obeys, and leaves its answer beside it; then the order is gone. An order whose
Team ended meanwhile stays, until the Team goes on or whoever gave it takes it back. What was obeyed
stands in the Roster by its id, so that no order is obeyed twice, whatever ends when.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from shoal.atomic import write_atomically
from shoal.errors import ShoalError
from shoal.team import changes
from shoal.team.roster import Roster

ORDER: Final = ".order.json"
ANSWER: Final = ".answer.json"


class Add(msgspec.Struct, frozen=True, tag="add"):
    name: str | None = None
    categories: tuple[str, ...] = ()


class SplitTopic(msgspec.Struct, frozen=True, tag="split"):
    topic: str
    model: str
    trained_at: str
    categories: tuple[str, ...]


class Drain(msgspec.Struct, frozen=True, tag="drain"):
    name: str
    to: str | None = None


class Move(msgspec.Struct, frozen=True, tag="move"):
    name: str
    place: str


Order = Add | SplitTopic | Drain | Move


class Answer(msgspec.Struct, frozen=True):
    """What became of an order."""

    done: bool
    lines: tuple[str, ...]
    """What it means; or what was wrong with it."""


def next_roster(roster: Roster, order: Order) -> Roster:
    """Raises BadChange."""
    if isinstance(order, Add):
        return changes.add(roster, order.name, order.categories)
    if isinstance(order, SplitTopic):
        given = order.topic, order.model, order.trained_at, order.categories
        return changes.split(roster, *given)
    if isinstance(order, Drain):
        return changes.drain(roster, order.name, order.to)
    return changes.move(roster, order.name, order.place)


class OrderFolder:
    """Where orders lie."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def give(self, order: Order) -> str:
        """Returns its id: orders come in the order of their ids."""
        self._path.mkdir(exist_ok=True)
        number = f"{time.time_ns():020d}-{secrets.token_hex(3)}"
        write_atomically(self._path / (number + ORDER), msgspec.json.encode(order).decode())
        return number

    def take_back(self, number: str) -> bool:
        """Returns whether it was still there."""
        try:
            (self._path / (number + ORDER)).unlink()
        except FileNotFoundError:
            return False
        return True

    def answer_to(self, number: str) -> Answer | None:
        """None while there is none; told once."""
        path = self._path / (number + ANSWER)
        try:
            answer = msgspec.json.decode(path.read_bytes(), type=Answer)
        except FileNotFoundError:
            return None
        path.unlink()
        return answer

    def given(self) -> Sequence[tuple[str, Order]]:
        """Those that nobody has obeyed yet. One that cannot be read is answered."""
        if not self._path.is_dir():
            return ()
        found = []
        for path in sorted(self._path.glob("*" + ORDER)):
            number = path.name.removesuffix(ORDER)
            try:
                found.append((number, msgspec.json.decode(path.read_bytes(), type=Order)))
            except FileNotFoundError:
                continue
            except msgspec.MsgspecError as error:
                wrong = f"the order cannot be read ({error}): is this the Shoal that crawls?"
                self.answer(number, Answer(False, (wrong,)))
        return found

    def answer(self, number: str, answer: Answer) -> None:
        """The order is done with."""
        text = msgspec.json.encode(answer).decode()
        write_atomically(self._path / (number + ANSWER), text)
        with contextlib.suppress(FileNotFoundError):
            (self._path / (number + ORDER)).unlink()

    def refuse(self, number: str, error: ShoalError) -> None:
        self.answer(number, Answer(False, (str(error),)))
