"""Who is in a Team, and what each owns where that is not for a ring to say.

1. A Roster never changes: a change makes another one (``changes.py``), with a higher ``version``
   wherever a Url or a Page may have another owner than before.
2. Every name that was ever in the Team stays in its Roster: what a retired Crawler fetched is still
   where it was.
3. The file is there whole or not at all, and on disk before anybody acts on it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from shoal.atomic import write_atomically
from shoal.errors import StorageError

BETWEEN = "/"
"""Stands between a topic and a category of the model that splits it."""


class MemberState(StrEnum):
    """Whether a Crawler takes part."""

    ACTIVE = "active"
    LEAVING = "leaving"
    """It owns nothing any more, and hands on what waits with it."""
    RETIRED = "retired"
    """All that waited with it is with others; its pages stay where they are."""


class Member(msgspec.Struct, frozen=True):
    """A Crawler of the Team."""

    name: str
    state: MemberState = MemberState.ACTIVE
    place: str | None = None
    """The folder that its own folder lies in; None is the crawl's."""
    joined: int = 1
    """The version with which it came."""
    gained: int = 1
    """The version with which something became its own last."""
    heirs: tuple[str, ...] = ()
    """Who has what was its own, of one that is not active; empty is everybody else."""


class Split(msgspec.Struct, frozen=True):
    """A topic whose pages another model tells apart."""

    topic: str
    model: str
    """The model's file."""
    trained_at: str
    """When it was trained: another model in the same file would have other categories."""
    categories: tuple[str, ...]


class Roster(msgspec.Struct, frozen=True):
    partition: str
    """The rule that it was made for, by its name in the settings."""
    members: tuple[Member, ...]
    """In the order in which they came."""
    topics: Mapping[str, str] = {}
    """Which Crawler has a topic; empty where topics do not decide. A topic of a Split is named
    ``topic/category``."""
    splits: tuple[Split, ...] = ()
    """No Split before the one that made its topic."""
    stretches: Mapping[str, str] = {}
    """Which Crawler has a stretch of the Url hierarchy, where balancing has said so."""
    version: int = 1
    orders: tuple[str, ...] = ()
    """The latest orders that it has obeyed, by their ids: an order is obeyed once."""

    @property
    def active(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.members if one.state is MemberState.ACTIVE)

    @property
    def leaving(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.members if one.state is MemberState.LEAVING)

    @property
    def working(self) -> tuple[str, ...]:
        """Whoever has something to do: the active and the leaving."""
        return tuple(one.name for one in self.members if one.state is not MemberState.RETIRED)

    @property
    def retired(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.members if one.state is MemberState.RETIRED)

    @property
    def founders(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.members if one.joined == 1)

    def member(self, name: str) -> Member | None:
        return next((one for one in self.members if one.name == name), None)

    def heirs(self, name: str) -> tuple[str, ...]:
        """The active Crawlers that have what was the own of ``name``, which may be active itself:
        never nobody, while anybody is active."""
        found: list[str] = []
        asked: set[str] = set()
        ask = [name]
        while ask:
            one = self.member(ask.pop(0))
            if one is None or one.name in asked:
                continue
            asked.add(one.name)
            if one.state is MemberState.ACTIVE:
                found.append(one.name)
            else:
                ask += one.heirs or self.active
        return tuple(found) or self.active

    def topics_of(self, name: str) -> tuple[str, ...]:
        return tuple(topic for topic, owner in self.topics.items() if owner == name)


def dump(roster: Roster) -> str:
    return msgspec.json.format(msgspec.json.encode(roster), indent=2).decode() + "\n"


def load(text: str) -> Roster:
    """Raises msgspec.MsgspecError."""
    return msgspec.json.decode(text, type=Roster)


def write(path: Path, roster: Roster) -> None:
    """Make it durable, in place of the one before."""
    write_atomically(path, dump(roster))
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: Path) -> Roster | None:
    """None where there is none. Raises StorageError."""
    try:
        return load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError) as error:
        raise StorageError(
            f"{path} cannot be read ({error}). It says who is in the team: restore it from a copy"
        ) from error
