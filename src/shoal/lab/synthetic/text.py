"""Sentences for the synthetic web, put together from tables of halves.

A sentence is a start (``The council praised the vaccine trial``) and a tail (``, but the old
mosquito infected the town.``). Each table is made once, from the name of its topic alone, so that
a page costs one list access a half, and two machines write the same text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from itertools import cycle
from typing import Final, NamedTuple

import numpy as np

from shoal.lab.synthetic.vocabularies import TOPICS
from shoal.lab.synthetic.words import (
    ADJECTIVES,
    ENDINGS,
    JOINS,
    NOUNS,
    OPENERS,
    SYLLABLES,
    TONGUES,
    VERBS,
)

TABLE_SIZE: Final = 2048
_MASK: Final = TABLE_SIZE - 1
_DRAWS_PER_ROW: Final = 16


class Draws:
    """Random numbers from 0 to 65535 that depend on nothing but the key.

    They come from SHAKE-128, so they are the same on every machine and in every process. What is
    drawn beyond ``count`` begins again with the first.
    """

    __slots__ = ("one",)

    def __init__(self, key: bytes, count: int) -> None:
        stream = hashlib.shake_128(key).digest(2 * count)
        numbers: list[int] = np.frombuffer(stream, "<u2").tolist()
        self.one: Callable[[], int] = cycle(numbers).__next__
        """The next number."""

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit`` - 1."""
        return self.one() * limit >> 16

    def pick(self, choices: tuple[str, ...]) -> str:
        return choices[self.one() * len(choices) >> 16]

    def share(self) -> float:
        """A number in (0, 1)."""
        return (self.one() + 0.5) / 65536.0

    def happens(self, probability: float) -> bool:
        return self.one() < probability * 65536.0


class Table(NamedTuple):
    """Halves of sentences: any start fits any tail."""

    starts: tuple[str, ...]
    tails: tuple[str, ...]


@lru_cache(maxsize=64)
def topic_table(topic: int) -> Table:
    """The sentences in which the words of a topic stand among general ones."""
    words = TOPICS[topic]
    draws = Draws(b"table:" + words.label.encode(), TABLE_SIZE * _DRAWS_PER_ROW * 2)

    def noun() -> str:
        kind = draws.below(100)
        if kind < 30:
            return draws.pick(words.phrases)
        if kind < 45:
            return f"the {draws.pick(words.adjectives)} {draws.pick(NOUNS)}"
        return f"the {draws.pick(words.nouns)}"

    def clause() -> str:
        kind = draws.below(4)
        if kind == 0:
            return f"the {draws.pick(NOUNS)} {draws.pick(VERBS)} {noun()}"
        if kind == 1:
            return f"{noun()} {draws.pick(words.verbs)} the {draws.pick(NOUNS)}"
        if kind == 2:
            return f"the {draws.pick(ADJECTIVES)} {draws.pick(NOUNS)} {draws.pick(VERBS)} {noun()}"
        return f"{noun()} {draws.pick(words.verbs)} {noun()}"

    return _table(draws, clause)


@lru_cache(maxsize=1)
def general_table() -> Table:
    """Sentences about nothing in particular."""
    draws = Draws(b"table:general", TABLE_SIZE * _DRAWS_PER_ROW * 2)

    def noun() -> str:
        if draws.below(3) == 0:
            return f"the {draws.pick(ADJECTIVES)} {draws.pick(NOUNS)}"
        return f"the {draws.pick(NOUNS)}"

    def clause() -> str:
        text = f"{noun()} {draws.pick(VERBS)} {noun()}"
        return f"{text} of the {draws.pick(NOUNS)}" if draws.below(4) == 0 else text

    return _table(draws, clause)


def _table(draws: Draws, clause: Callable[[], str]) -> Table:
    starts = []
    tails = []
    for _ in range(TABLE_SIZE):
        text = clause()
        if draws.below(4) == 0:
            starts.append(f"{draws.pick(OPENERS)}, {text}")
        else:
            starts.append(text[0].upper() + text[1:])
        kind = draws.below(4)
        if kind == 0:
            tails.append(f"{draws.pick(ENDINGS)}.")
        elif kind == 1:
            tails.append(f"{draws.pick(JOINS)} {clause()}{draws.pick(ENDINGS)}.")
        else:
            tails.append(f"{draws.pick(JOINS)} {clause()}.")
    return Table(tuple(starts), tuple(tails))


@lru_cache(maxsize=8)
def tongue_table(tongue: int) -> Table:
    """Sentences in another language."""
    words = TONGUES[tongue]
    draws = Draws(b"table:" + words.code.encode(), TABLE_SIZE * 4)
    starts = tuple(
        f"{draws.pick(words.subjects)} {draws.pick(words.predicates)}" for _ in range(TABLE_SIZE)
    )
    tails = tuple(
        f". {draws.pick(words.subjects)} {draws.pick(words.predicates)}." for _ in range(TABLE_SIZE)
    )
    return Table(starts, tails)


def sentences(draws: Draws, table: Table, share: float, count: int) -> list[str]:
    """``count`` sentences; each half comes from ``table`` with the probability ``share``."""
    general = general_table()
    limit = int(share * 65536)
    one = draws.one
    written = []
    for _ in range(count):
        starts = (table if one() < limit else general).starts
        tails = (table if one() < limit else general).tails
        written.append(starts[one() & _MASK] + tails[one() & _MASK])
    return written


def name_people(draws: Draws, written: list[str]) -> None:
    """Let a few invented people of the page's own act, a sentence in every four: pages of one
    topic share its words, but not their people."""
    people = [
        "".join(draws.pick(SYLLABLES) for _ in range(2 + number % 2)).capitalize()
        for number in range(5)
    ]
    for position in range(0, len(written), 4):
        who, whose = people[draws.below(5)], people[draws.below(5)]
        deed = f"{draws.pick(VERBS)} the {draws.pick(NOUNS)}"
        written[position] += f" {who} {deed} of {whose}."


def title_of(draws: Draws, topic: int) -> str:
    """A headline in which the topic can be seen, sometimes only by a word of it."""
    words = TOPICS[topic]
    kind = draws.below(6)
    first = draws.pick(words.phrases)
    second = draws.pick(words.nouns)
    adjective = draws.pick(ADJECTIVES)
    general = draws.pick(NOUNS)
    text = (
        f"{first}: the {adjective} {general}",
        f"the {second} and the {general}",
        f"this {adjective} {general} on {first}",
        f"{first} and the {second}",
        f"what the {general} tells about the {second}",
        f"notes on {first}",
    )[kind]
    return text[0].upper() + text[1:]
