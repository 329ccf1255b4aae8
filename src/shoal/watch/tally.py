"""What a display needs to know, counted from the events as they come: constant memory."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from shoal.events import (
    Committed,
    CrawlerTrouble,
    Event,
    HostGivenUp,
    HostParked,
    Settled,
    Started,
    Stopped,
    Waiting,
)
from shoal.model import Outcome, Standing
from shoal.settings import CrawlSettings
from shoal.wording import count, duration, size

WINDOW_PAGES = 500
_TREND = 120
_LATEST = 6
_RATE_S = 20.0
_ERRORS = frozenset({Outcome.HTTP_ERROR, Outcome.FAILED, Outcome.ROBOTS, Outcome.SOFT_404})
_NOTHING = Standing(0, 0, 0, 0, 0, 0, 0)


class Before(NamedTuple):
    """What earlier runs of a resumed crawl have brought, for whoever shows the whole crawl."""

    pages: int = 0
    relevant: int = 0
    bytes: int = 0
    seconds: float = 0.0


NOTHING_BEFORE = Before()


class Found(NamedTuple):
    """A page just kept."""

    relevance: float
    url: str


class Progress(NamedTuple):
    """How much of a budget is used."""

    share: float
    whole: str
    """The budget in words: ``5,000 pages``."""


class Rates(NamedTuple):
    """Over the last 20 seconds of real time."""

    pages_s: float
    bytes_s: float


class Tally:
    """Counts of one crawl. ``see`` costs microseconds; it keeps no event."""

    def __init__(self, settings: CrawlSettings, before: Before = NOTHING_BEFORE) -> None:
        self.settings = settings
        self.before = before
        self.topic = ""
        self.resumed = False
        self.pages = before.pages
        self.relevant = before.relevant
        self.bytes = before.bytes
        self.settled = 0
        self.errors = 0
        self.retries = 0
        self.duplicates = 0
        self.in_flight = 0
        self.standing = _NOTHING
        self.started_s = 0.0
        self.now_s = 0.0
        self.waiting: Waiting | None = None
        self.parked = 0
        self.given_up = 0
        self.trouble = ""
        """What last happened to a Crawler of the Team."""
        self.stopped: Stopped | None = None
        self.latest: deque[Found] = deque(maxlen=_LATEST)
        self.trend: list[float] = []
        self._window: deque[bool] = deque(maxlen=WINDOW_PAGES)
        self._window_relevant = 0
        self._trend_every = 5
        self._judged = 0
        self._samples: deque[tuple[float, int, int]] = deque()

    @property
    def harvest(self) -> float:
        return self.relevant / self.pages if self.pages else 0.0

    @property
    def recent_harvest(self) -> float:
        """Of the last 500 pages of this run."""
        return self._window_relevant / len(self._window) if self._window else 0.0

    @property
    def window_pages(self) -> int:
        return len(self._window)

    @property
    def clock_s(self) -> float:
        """How long this run took on the crawl's own clock."""
        return max(0.0, self.now_s - self.started_s)

    def see(self, event: Event) -> None:
        self.now_s = event.at_s
        if type(event) is Settled:
            self._settle(event)
        elif isinstance(event, Committed):
            self.standing, self.pages, self.in_flight = event.standing, event.pages, event.in_flight
        elif isinstance(event, Waiting):
            self.waiting = event
        elif isinstance(event, HostParked):
            self.parked += 1
        elif isinstance(event, HostGivenUp):
            self.given_up += 1
        elif isinstance(event, CrawlerTrouble):
            self.trouble = event.why
        elif isinstance(event, Started):
            self.topic, self.resumed, self.standing = event.topic, event.resumed, event.standing
            self.started_s = event.at_s
        elif isinstance(event, Stopped):
            self.stopped, self.standing, self.in_flight = event, event.standing, 0

    def progress(self) -> Progress | None:
        """Of the budget that is nearest to its end; None where there is no budget."""
        wanted = self.settings
        budgets = []
        if wanted.pages:
            budgets.append(Progress(self.pages / wanted.pages, f"{count(wanted.pages)} pages"))
        if wanted.time_s:
            seconds = self.before.seconds + self.clock_s
            budgets.append(Progress(seconds / wanted.time_s, duration(wanted.time_s)))
        if wanted.bytes:
            budgets.append(Progress(self.bytes / wanted.bytes, size(wanted.bytes)))
        if not budgets:
            return None
        nearest = max(budgets)
        return Progress(min(1.0, nearest.share), nearest.whole)

    def rates(self, wall_s: float) -> Rates:
        """To be asked a few times a second at most; each asking is a sample."""
        samples = self._samples
        samples.append((wall_s, self.pages, self.bytes))
        while len(samples) > 2 and samples[1][0] <= wall_s - _RATE_S:
            samples.popleft()
        then_s, pages, received = samples[0]
        passed_s = wall_s - then_s
        if passed_s <= 0:
            return Rates(0.0, 0.0)
        return Rates((self.pages - pages) / passed_s, (self.bytes - received) / passed_s)

    def _settle(self, event: Settled) -> None:
        self.waiting = None
        self.settled += 1
        self.bytes += event.size_bytes
        outcome = event.outcome
        if outcome is Outcome.PAGE:
            self._page(event)
        elif outcome is Outcome.RETRY:
            self.retries += 1
        elif outcome in _ERRORS:
            self.errors += 1
        elif outcome is Outcome.DUPLICATE or outcome is Outcome.NEAR_DUPLICATE:
            self.duplicates += 1

    def _page(self, event: Settled) -> None:
        relevance = event.relevance if event.relevance is not None else 0.0
        relevant = relevance >= self.settings.relevant_at
        self.pages += 1
        self.relevant += relevant
        window = self._window
        if len(window) == WINDOW_PAGES:
            self._window_relevant -= window[0]
        window.append(relevant)
        self._window_relevant += relevant
        self.latest.append(Found(relevance, event.url))
        self._judged += 1
        if self._judged % self._trend_every == 0:
            self.trend.append(self.recent_harvest)
            if len(self.trend) >= _TREND:
                self.trend = self.trend[1::2]
                self._trend_every *= 2
