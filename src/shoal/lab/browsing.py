"""A simulated user, whose browsing path trains the strategies that learn from one.

What the user sees, and nothing else: the pages that were opened, with their text and the anchors of
their Links, and of each opened page whether it is relevant, as a person can tell who reads it. What
the user never sees: the label of a page that was not opened, how far a page is from a relevant one,
and any page held out: the seeds of the test, and, where the test counts one half of the relevant
pages, those of that half.

How the user browses. A session begins on a page about something else, drawn by lot from the
labelled ones. With each click the user follows the most promising Link of all that this session has
shown, on this page or by going back to an earlier one: by its anchor, and by the page on which it
stands, which counts 1 if it was relevant and otherwise as much as it is like the Topic. One click
in four, by lot, goes to any Link of the page at hand. After a number of clicks a new session begins
elsewhere.

A user who has opened all those pages and found nothing relevant is told of one relevant page, as
somebody would ask a search engine, and has one more session from there.

Lots are drawn by hashes of addresses, so the path is the same on every machine.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec
import numpy as np
import xxhash

from shoal.errors import UsageError
from shoal.lab.experiment import BrowsingSpec
from shoal.lab.plan import Quest
from shoal.lab.seed_sets import draw
from shoal.lab.survey import Flags, Survey
from shoal.model import Page
from shoal.training.training_set import Step, TrainingSet, make_training_set
from shoal.url import Url

_WANDERS: Final = 4
"""One click in so many goes anywhere."""
_HOPS: Final = 10
"""Redirects that a click goes through."""


class CannotBrowse(UsageError):
    """No path can be browsed for a topic; the message says why."""


@dataclass(frozen=True, slots=True)
class Eyes:
    """What the user can make of a web."""

    open: Callable[[int], Page | None]
    """What the address of this number shows; None where that is nothing."""
    page_likeness: Callable[[Page], float]
    """How much a page is like the Topic, in [0, 1]."""
    anchor_likeness: Callable[[str], float]
    """How much a short text is, in [0, 1]."""


def browse(quest: Quest, spec: BrowsingSpec, eyes: Eyes) -> TrainingSet:
    """The training set of one topic on one web. Raises CannotBrowse."""
    survey = quest.terrain.survey
    relevant = _relevant(quest)
    held_out = _held_out(quest)
    allowed = survey.is_page & ~held_out
    lot = f"browsing:{spec.seed}:{quest.name}"
    starts = np.flatnonzero(allowed & quest.terrain.labelled & ~relevant).tolist()
    known = np.flatnonzero(allowed & relevant).tolist()
    if not known:
        raise CannotBrowse(
            f"topics.{quest.name} on webs.{quest.terrain.name}: every relevant page is a seed or "
            "counts in the test, so no user may open one; make a training set with `shoal record` "
            "and name it in [options]"
        )
    user = _User(survey, relevant, held_out, spec.clicks, lot, eyes)
    wanted = spec.pages_of(survey.pages)
    for start in draw(starts, survey, lot, len(starts)):
        if len(user.path) >= wanted:
            break
        user.session(start, wanted)
    if not any(step.relevant for step in user.path.values()):
        user.session(draw(known, survey, lot, 1)[0], wanted + spec.clicks)
    return make_training_set(user.path.values())


def path_key(quest: Quest, spec: BrowsingSpec) -> str:
    """Of all that decides a path, as a digest."""
    terrain = quest.terrain
    told = xxhash.xxh3_128()
    given = [terrain.key, terrain.spec.without, terrain.spec.closed, quest.name, quest.spec, spec]
    told.update(msgspec.json.encode(given, order="sorted"))
    for flags in (_relevant(quest), _held_out(quest), terrain.labelled):
        told.update(flags.tobytes())
    return told.hexdigest()


def _relevant(quest: Quest) -> Flags:
    """Which pages a reader finds relevant, whatever half of them the test counts."""
    return quest.terrain.truth.is_target(quest.terrain.survey, quest.spec.targets)


def _held_out(quest: Quest) -> Flags:
    found = np.zeros(len(quest.terrain.survey.urls), np.bool_)
    for seeds in quest.sets:
        found[list(seeds.numbers)] = True
    return found if quest.spec.half is None else found | quest.targets


class _Choice(NamedTuple):
    """A Link to click on; the smallest is the most promising one."""

    against: float
    ticket: int
    target: int
    source: str


@dataclass
class _User:
    survey: Survey
    relevant: Flags
    held_out: Flags
    clicks: int
    lot: str
    eyes: Eyes
    path: dict[int, Step] = field(default_factory=dict)
    """What was opened, in order."""

    def session(self, start: int, most: int) -> None:
        """From one page, until the clicks are used up, nothing is left to click on, or the path is
        ``most`` pages long."""
        shown: list[_Choice] = []
        here: _Choice | None = _Choice(0.0, 0, start, "")
        for click in range(self.clicks + 1):
            if here is None or len(self.path) >= most:
                return
            links = self._open(here)
            for link in links:
                heapq.heappush(shown, link)
            if links and self._ticket(f"{start} {click}") % _WANDERS == 0:
                here = min(links, key=lambda link: link.ticket)
            else:
                here = self._most_promising(shown)

    def _open(self, here: _Choice) -> list[_Choice]:
        """Read a page, and say what can be clicked on."""
        page = None if here.target in self.path else self.eyes.open(here.target)
        if page is None:
            return []
        relevant = bool(self.relevant[here.target])
        self.path[here.target] = Step(page, relevant, here.source or None)
        liking = 1.0 if relevant else self.eyes.page_likeness(page)
        found = []
        for link in page.links:
            target = self._leads_to(link.target)
            if target is not None and target not in self.path:
                promise = (liking + self.eyes.anchor_likeness(link.anchor)) / 2
                ticket = self._ticket(self.survey.urls[target])
                found.append(_Choice(-promise, ticket, target, page.url.text))
        return found

    def _most_promising(self, shown: list[_Choice]) -> _Choice | None:
        while shown:
            choice = heapq.heappop(shown)
            if choice.target not in self.path:
                return choice
        return None

    def _leads_to(self, url: Url) -> int | None:
        """The page behind a Link, through redirects; None where there is none to be opened."""
        number = self.survey.number(url)
        for _ in range(_HOPS):
            if number is None or self.survey.is_page[number]:
                break
            onward = self.survey.links.row(number)
            number = int(onward[0]) if len(onward) else None
        if number is None or not self.survey.is_page[number] or self.held_out[number]:
            return None
        return number

    def _ticket(self, text: str) -> int:
        return xxhash.xxh3_64_intdigest(f"{self.lot}\n{text}".encode())
