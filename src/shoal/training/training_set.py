"""A training set: the pages of a browsing path, which of them are relevant, how they link.

1. Pages stand in the order in which they were first visited, each once.
2. A Link is told by the place of the page that it leads to; one to itself is left out.
3. Words are kept as they were written, with how often they stand on the page. Stems follow from
   them, so that nobody has to browse again when stems or stop words are told otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from shoal.model import Page


class TrainingPage(msgspec.Struct, frozen=True):
    """A page that was visited."""

    url: str
    relevant: bool
    terms: dict[str, int]
    links: tuple[int, ...]
    """The places of the other pages of the set that it links to, in ascending order."""


class TrainingSet(msgspec.Struct, frozen=True):
    """Pages in the order of the path."""

    pages: tuple[TrainingPage, ...]

    @property
    def relevant(self) -> int:
        return sum(page.relevant for page in self.pages)

    @property
    def links(self) -> int:
        return sum(len(page.links) for page in self.pages)

    def steps(self) -> Iterator[tuple[int, int]]:
        """Every Link within the set: from which place to which."""
        for place, page in enumerate(self.pages):
            for target in page.links:
                yield place, target

    def distances(self) -> list[int | None]:
        """Of each page, the number of Links from it to the nearest relevant page of the set: 0 for
        a relevant one, None where no way leads to any."""
        sources: list[list[int]] = [[] for _ in self.pages]
        for source, target in self.steps():
            sources[target].append(source)
        found: list[int | None] = [0 if page.relevant else None for page in self.pages]
        queue = [place for place, page in enumerate(self.pages) if page.relevant]
        for place in queue:
            here = found[place]
            assert here is not None
            for source in sources[place]:
                if found[source] is None:
                    found[source] = here + 1
                    queue.append(source)
        return found


@dataclass(frozen=True, slots=True)
class Step:
    """One visit of a path."""

    page: Page
    relevant: bool
    came_from: str | None = None
    """The address of the page whose Link was followed, where that is known. It counts as a Link
    also where the page, as it was kept, does not show it."""


def make_training_set(path: Iterable[Step]) -> TrainingSet:
    """A page that was visited twice is there once, and relevant if it was found so once. What its
    address is, is told as replay tools do, by SURT. Holds words and addresses only, never texts."""
    places: dict[str, int] = {}
    read: list[_Read] = []
    relevant: list[bool] = []
    moves: list[tuple[str, int]] = []
    for step in path:
        place = places.setdefault(step.page.url.surt, len(read))
        if place == len(read):
            read.append(_read(step.page))
            relevant.append(step.relevant)
        relevant[place] = relevant[place] or step.relevant
        if step.came_from is not None:
            moves.append((step.came_from, place))
    targets = [{places[surt] for surt in page.surts if surt in places} for page in read]
    by_address = {page.url: place for place, page in enumerate(read)}
    for source, place in moves:
        if source in by_address:
            targets[by_address[source]].add(place)
    return TrainingSet(
        tuple(
            TrainingPage(page.url, mark, page.terms, tuple(sorted(found - {place})))
            for place, (page, mark, found) in enumerate(zip(read, relevant, targets, strict=True))
        )
    )


class _Read(NamedTuple):
    """What is kept of a page until the path is at its end."""

    url: str
    terms: dict[str, int]
    surts: frozenset[str]


def _read(page: Page) -> _Read:
    surts = frozenset(link.target.surt for link in page.links)
    return _Read(page.url.text, dict(page.terms), surts)
