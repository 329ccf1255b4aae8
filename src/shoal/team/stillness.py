"""Tells when a whole Team has nothing left to do.

It has when every Crawler has had nothing left, twice in a row with nothing done in between: the
second question is put only when all have answered the first, so at that moment no Parcel can be on
its way.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.team.desk import Report


class Stillness:
    """Puts the question in rounds."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.round = 0
        """The round that is being asked: an answer counts in the round that it names."""
        self._still: dict[str, int] = {}
        """Activity of the Crawlers that had nothing left in this round."""
        self._still_before: dict[str, int] | None = None

    def regroup(self, names: Sequence[str]) -> None:
        """Other Crawlers begin: nobody has said anything yet."""
        self._names = names
        self._begin_anew()

    def hear(self, name: str, report: Report) -> bool:
        """Whether the whole Team has nothing left, now that this Crawler has said so or not."""
        if not report.idle:
            self._begin_anew()
            return False
        if report.round == self.round:
            self._still[name] = report.activity
        if len(self._still) < len(self._names):
            return False
        if self._still == self._still_before:
            return True
        self._still_before, self._still = self._still, {}
        self.round += 1
        return False

    def _begin_anew(self) -> None:
        self._still.clear()
        self._still_before = None
