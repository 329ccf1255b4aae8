"""What a Strategy is made of: how it is called, what may be set, what it is told at the start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from shoal.ontology.focus import Wanted
from shoal.ports import Strategy, Topic

Chosen = TypeVar("Chosen")


@dataclass(frozen=True, slots=True)
class Brief:
    """What a Strategy may know before the crawl begins."""

    topic: Topic
    words: tuple[str, ...] = ()
    """The Topic's words as the user gave them; none where it is not given by words."""
    idf: Callable[[str], float] = lambda _word: 1.0
    """How telling a lower-case word is: its inverse document frequency."""
    ontology: Wanted | None = None
    """What is wanted of an ontology, where the Topic is given by one."""
    random_seed: int = 0
    """Where chance begins: the same seed, the same crawl."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOptions:
    """Nothing can be set."""


@dataclass(frozen=True, slots=True)
class Recipe(Generic[Chosen]):
    """A Strategy by its name. Two Recipes never have one option with two types."""

    name: str
    meaning: str
    """One line: which Link comes first."""
    options: type[Chosen]
    """A frozen dataclass with a default for each field and a string below it that explains it."""
    make: Callable[[Brief, Chosen], Strategy]
    """Makes it, or raises UsageError for a Brief or options that it cannot work with."""
    counts_links: bool = False
    """It is a ports.LinkCounter: the Crawlers of a Team can share what they count."""


def check_range(name: str, value: float, least: float, most: float) -> None:
    """For the ``__post_init__`` of options: the error names the option, its value and its range."""
    if not least <= value <= most:
        raise ValueError(f"{name} is {value:g}; it must be from {least:g} to {most:g}")
