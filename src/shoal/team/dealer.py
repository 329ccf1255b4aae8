"""Deals a Team's budget out among its Crawlers.

1. What is dealt out never comes to more pages than were asked for.
2. What a Crawler with nothing to do cannot use goes back, so the pages asked for are met exactly.
3. Each has half of its part of what is left before it, whenever it reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.crawl.budget import Budget
from shoal.crawl.stop import Stop
from shoal.crawl.tally import Tally
from shoal.team.desk import Report


class Dealer:
    """One Budget for Crawlers that run apart from one another."""

    def __init__(
        self, budget: Budget, names: Sequence[str], tallies: Mapping[str, Tally] | None = None
    ) -> None:
        """``tallies`` are how far the Crawlers of a resumed Team are, also of those who are in it
        no more."""
        tallies = tallies or {}
        self._budget = budget
        self._names = names
        self._done = {name: (tally.pages, tally.bytes) for name, tally in tallies.items()}
        self._active_s = max((tally.active_s for tally in tallies.values()), default=0.0)
        self._dealt = dict.fromkeys(names, 0)
        self._dealt.update((name, tally.pages) for name, tally in tallies.items())

    def regroup(self, names: Sequence[str]) -> None:
        """All have ended, and others begin: what was dealt out and not used goes back."""
        self._names = names
        self._dealt = dict.fromkeys(names, 0)
        self._dealt.update((name, pages) for name, (pages, _) in self._done.items())

    def spent(self, name: str, report: Report) -> Stop | None:
        """Why to stop now, by what that Crawler says it has done, and the others have said."""
        self._done[name] = (report.pages, report.bytes)
        self._active_s = max(self._active_s, report.active_s)
        self._dealt[name] = max(self._dealt[name], report.pages)
        pages = sum(pages for pages, _ in self._done.values())
        received = sum(size for _, size in self._done.values())
        return self._budget.spent(Tally(pages, 0, received, self._active_s))

    def deal(self, name: str, report: Report) -> int | None:
        """How many pages that Crawler may come to; None is no limit."""
        if self._budget.pages is None:
            return None
        if report.idle:
            # What it cannot use is for the others.
            self._dealt[name] = report.pages
        else:
            # Dealt before it is needed: whoever has to ask for each helping waits for each.
            left = self._budget.pages - sum(self._dealt.values())
            ahead = self._dealt[name] - report.pages
            helping = max(1, (left + ahead) // (2 * len(self._names)))
            self._dealt[name] += max(0, min(left, helping - ahead))
        return self._dealt[name]
