"""What a run leaves: which pages it fetched, in order, and what its Topic said of each."""

from __future__ import annotations

from threading import Event as Flag

import msgspec

from shoal.events import Event, Settled
from shoal.lab.survey import Survey
from shoal.model import Outcome
from shoal.url import parse_url

FETCHED = frozenset(
    {
        Outcome.PAGE,
        Outcome.DUPLICATE,
        Outcome.NEAR_DUPLICATE,
        Outcome.SOFT_404,
        Outcome.DOCUMENT,
    }
)
"""Visits that brought content: these are the pages that a run pays for. Redirects, errors and what
robots.txt forbids are not."""
UNKNOWN = -1
"""In place of the number of a page that the Survey does not have, such as one in a trap."""


class Walk(msgspec.Struct, frozen=True, kw_only=True):
    """The pages of one run by their numbers, in the order of fetching."""

    pages: list[int]
    judged: list[float | None]
    """What the crawl's own Topic said of each; None where it was not asked."""
    stopped: str
    """Why the crawl ended: ``pages``, or because nothing was left."""


class WalkWatcher:
    """A Watcher that keeps the Walk of a crawl, and ends it when it has fetched enough.

    A crawl's own budget counts pages that say something new; here every page counts that had to be
    fetched, duplicates among them.
    """

    def __init__(self, survey: Survey, limit: int, halt: Flag) -> None:
        self._survey = survey
        self._limit = limit
        self._halt = halt
        self._pages: list[int] = []
        self._judged: list[float | None] = []

    def see(self, event: Event) -> None:
        if not isinstance(event, Settled) or event.outcome not in FETCHED:
            return
        number = self._survey.number(parse_url(event.url))
        self._pages.append(UNKNOWN if number is None else number)
        self._judged.append(event.relevance)
        if len(self._pages) >= self._limit:
            self._halt.set()

    def close(self) -> None:
        """Nothing is held."""

    def walk(self, stopped: str) -> Walk:
        full = len(self._pages) >= self._limit
        return Walk(pages=self._pages, judged=self._judged, stopped="pages" if full else stopped)
