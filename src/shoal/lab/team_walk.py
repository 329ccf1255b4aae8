"""What a team's run leaves: who fetched which page, and to whom it belonged."""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import Event as Flag
from typing import Final

import msgspec

from shoal.events import Event, Settled
from shoal.lab.survey import Survey
from shoal.lab.walked import UNKNOWN
from shoal.model import Outcome
from shoal.url import Url

MARKS: Final = 100
"""How often, at least, a run's counts are noted."""
UNANSWERED: Final = {Outcome.FAILED: "empty", Outcome.HTTP_ERROR: "invalid"}
"""What C4 calls a fetch that brought no page (000, 3.3.2)."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """The counts of the whole team after so many pages fetched."""

    fetched: int
    links: int
    """Admitted Links on pages that were kept."""
    own_links: int
    """Those whose target belonged to the crawler that kept the page, before it was fetched."""
    exported_bytes: int
    imported_bytes: int
    empty: int
    invalid: int


class TeamWalk(msgspec.Struct, frozen=True, kw_only=True):
    """A run. ``pages``, ``by``, ``to`` and ``sizes`` tell of each page fetched, in the order of
    fetching."""

    crawlers: list[str]
    pages: list[int]
    """Numbers of the Survey."""
    by: list[int]
    """Which crawler fetched it."""
    to: list[int]
    """Which crawler it belongs to."""
    sizes: list[int]
    """Bytes of it."""
    odd: dict[int, str]
    """The pages that could not be classified, and of what kind each is."""
    marks: list[Mark]
    stopped: str
    """Why the crawl ended: ``pages``, or because nothing was left."""


class TeamWalkWatcher:
    """Keeps the TeamWalk of a team, and ends its crawl when it has fetched enough."""

    def __init__(
        self,
        survey: Survey,
        crawlers: Collection[str],
        limits: Collection[float],
        traffic: Callable[[], tuple[int, int]],
        kind_of: Callable[[Url], str | None],
        halt: Flag,
    ) -> None:
        """``limits`` are the numbers of pages at which figures are told; the run ends at the
        largest. ``traffic`` tells the bytes sent and received so far; ``kind_of`` says why a page
        that was fetched could not be classified."""
        self._survey = survey
        self._number = {name: number for number, name in enumerate(crawlers)}
        self._limits = frozenset(limits)
        self._limit = max(limits)
        self._every = max(1, int(min(self._limit, survey.pages)) // MARKS)
        self._traffic = traffic
        self._kind_of = kind_of
        self._halt = halt
        self._pages: list[int] = []
        self._by: list[int] = []
        self._to: list[int] = []
        self._sizes: list[int] = []
        self._odd: dict[int, str] = {}
        self._marks: list[Mark] = []
        self._links = 0
        self._own_links = 0
        self._unanswered = dict.fromkeys(UNANSWERED.values(), 0)

    def met(self, links: int, own_links: int) -> None:
        self._links += links
        self._own_links += own_links

    def fetched(self, name: str, url: Url, owner: str, size_bytes: int) -> None:
        so_far = len(self._pages)
        # Noted before the next page: by now the one before has come where it belongs.
        if so_far and (so_far % self._every == 0 or so_far in self._limits):
            self._note()
        number = self._survey.number(url)
        number = UNKNOWN if number is None else number
        self._pages.append(number)
        self._by.append(self._number[name])
        self._to.append(self._number[owner])
        self._sizes.append(size_bytes)
        kind = self._kind_of(url)
        if kind is not None:
            self._odd[number] = kind
        if len(self._pages) >= self._limit:
            self._halt.set()

    def see(self, event: Event) -> None:
        if isinstance(event, Settled) and event.outcome in UNANSWERED:
            self._unanswered[UNANSWERED[event.outcome]] += 1

    def close(self) -> None:
        """Nothing is held."""

    def walk(self, stopped: str) -> TeamWalk:
        if not self._marks or self._marks[-1].fetched < len(self._pages):
            self._note()
        return TeamWalk(
            crawlers=list(self._number),
            pages=self._pages,
            by=self._by,
            to=self._to,
            sizes=self._sizes,
            odd=dict(sorted(self._odd.items())),
            marks=self._marks,
            stopped="pages" if len(self._pages) >= self._limit else stopped,
        )

    def _note(self) -> None:
        counts = (*self._traffic(), self._unanswered["empty"], self._unanswered["invalid"])
        self._marks.append(Mark(len(self._pages), self._links, self._own_links, *counts))
