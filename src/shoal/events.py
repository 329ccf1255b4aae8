"""What happens in a crawl, as it happens. One stream; displays, logs and metrics all read it."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model import FailureKind, Outcome, Standing


@dataclass(frozen=True, slots=True)
class Started:
    """The crawl began, or began again."""

    at_s: float
    resumed: bool
    topic: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Settled:
    """One Url came to an end, or is to be tried again (RETRY)."""

    at_s: float
    url: str
    host: str
    outcome: Outcome
    status: int | None
    failure: FailureKind | None
    size_bytes: int
    elapsed_s: float
    relevance: float | None
    language: str | None
    new_urls: int


@dataclass(frozen=True, slots=True)
class Committed:
    """A batch is durable."""

    at_s: float
    standing: Standing
    pages: int
    """Pages of the whole crawl so far."""
    in_flight: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing can be fetched before ``until_s``."""

    at_s: float
    until_s: float
    why: str


@dataclass(frozen=True, slots=True)
class HostParked:
    """A host rests because it failed, was too busy, or had more than its share."""

    at_s: float
    host: str
    until_s: float
    why: str


@dataclass(frozen=True, slots=True)
class HostGivenUp:
    at_s: float
    host: str
    why: str
    urls: int


@dataclass(frozen=True, slots=True)
class CrawlerTrouble:
    """A Crawler of the Team is late, or was started again. Without a name: the server that keeps
    the state was lost."""

    at_s: float
    crawler: str
    why: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The crawl ended. Every crawl says why."""

    at_s: float
    reason: str
    """A StopReason's value: pages, time, bytes, finished, interrupted, disk_full ..."""
    detail: str
    standing: Standing


Event = (
    Started | Settled | Committed | Waiting | HostParked | HostGivenUp | CrawlerTrouble | Stopped
)
