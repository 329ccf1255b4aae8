"""What each Crawler of a Team did.

A page that its fetcher handed over is settled twice: where it was fetched, and where it is kept.
It is one visit, and one answer, of whoever fetched it; it is a page of whoever keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model import Known, Outcome, Visit


@dataclass(frozen=True, slots=True)
class CrawlerShare:
    """One Crawler's part of a Team's work."""

    crawler: str
    pages: int
    """Kept by it."""
    relevant: int
    fetched: int
    """Answers that it received."""
    bytes: int
    handed_over: int
    """Fetched by it, and handed to the Crawlers that own them."""
    taken_in: int
    """Fetched by others, and handed to it."""


def is_own(visit: Visit) -> bool:
    """Whether this is an attempt of whoever settled it, and no other's attempt come to an end."""
    return visit.fetched_by is None and visit.outcome is not Outcome.ELSEWHERE


class Shares:
    """Counts visits by Crawler, as they stream by; nothing of a crawl alone."""

    def __init__(self) -> None:
        self._rows: dict[str, list[int]] = {}

    def add(self, known: Known, visit: Visit, is_page: bool, is_relevant: bool) -> None:
        if known.crawler is None:
            return
        row = self._rows.setdefault(known.crawler, [0] * 6)
        row[0] += is_page
        row[1] += is_relevant
        if is_own(visit):
            row[2] += visit.status is not None
            row[3] += visit.size_bytes
        row[4] += visit.outcome is Outcome.HANDED_OVER
        row[5] += visit.fetched_by is not None

    def on_the_way(self) -> int:
        """Pages that were handed over, and that nobody has taken in yet."""
        handed_over = sum(row[4] for row in self._rows.values())
        return max(0, handed_over - sum(row[5] for row in self._rows.values()))

    def table(self) -> tuple[CrawlerShare, ...]:
        return tuple(CrawlerShare(name, *row) for name, row in sorted(self._rows.items()))
