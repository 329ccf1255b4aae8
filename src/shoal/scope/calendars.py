"""The rule against calendars, which have a page for every month there ever will be."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import ClassVar, Final

from shoal.model import Ruling
from shoal.ports import Clock
from shoal.scope.candidate import Candidate

# All of these look at text in lower case. The first two are the quick ones: most Urls end there.
_TWO_DIGITS: Final = re.compile(r"[0-9][0-9]")
_PERHAPS: Final = re.compile(r"[1-9]\d{3}|=\d{9}|(?:month|week|day)[=/]")
_DATE: Final = re.compile(r"(?<![0-9a-z])([12]\d{3})[-/_.](?:0?[1-9]|1[0-2])(?!\d)")
_COMPACT_DATE: Final = re.compile(
    r"(?<![0-9a-z])([12]\d{3})(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])?(?!\d)"
)
_NAMED_YEAR: Final = re.compile(r"(?<![a-z])(?:year|jahr|annee|ano|yr)[=/]([1-9]\d{3})(?!\d)")
_TIMESTAMP: Final = re.compile(r"=(\d{9,11})(?!\d)")
_COUNTER: Final = re.compile(r"(?<![a-z])(month|week|day)[=/]((?:[+-]|%2b)?\d+)(?![\d._-])")
_CALENDAR: Final = re.compile(
    r"(?<![a-z])(?:calend[aeiou]\w*|kalend\w*|agenda|events?|termine?|schedule|almanac|cal|ical"
    r"|(?:by)?(?:day|week|month|year)(?:view|ly)?|date)(?![a-z])"
)
_SENSIBLE_YEARS: Final = range(1_900, 2_200)
_LARGEST: Final = {"month": 12, "week": 53, "day": 31}


@dataclass(frozen=True, slots=True)
class Calendar:
    """A date to come is refused wherever it stands: nobody has written about it yet. A date gone
    by is refused only where the Url speaks of a calendar, because archives are dated too."""

    name: ClassVar[str] = "calendar"
    setting: ClassVar[str] = "scope.calendar_years"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = (
        "The Url is dated further ahead than that many years; or it speaks of a calendar "
        "(`calendar`, `events`, `month=` ...) and is dated further back, or counts its months, "
        "weeks or days beyond those there are."
    )
    most_years: int
    clock: Clock

    def opinion(self, candidate: Candidate) -> Ruling | None:
        if _TWO_DIGITS.search(candidate.text) is None:
            return None
        target = f"{candidate.path}?{candidate.query}".lower()
        if _PERHAPS.search(target) is None:
            return None
        years = [int(year) for year in _NAMED_YEAR.findall(target)]
        years += [year for year in map(int, _DATE.findall(target)) if year in _SENSIBLE_YEARS]
        calendar = _CALENDAR.search(target) is not None
        if not years and not calendar:
            return None
        now = time.gmtime(self.clock.now_s()).tm_year
        for year in years:
            if year > now + self.most_years:
                return Ruling(False, self.name, f"dated {year}, and now is {now}")
        return self._of_calendar(target, now) if calendar else None

    def _of_calendar(self, target: str, now: int) -> Ruling | None:
        years = [int(year) for year in _NAMED_YEAR.findall(target)]
        years += [int(year) for year in _DATE.findall(target)]
        years += [int(year) for year in _COMPACT_DATE.findall(target)]
        years += [time.gmtime(int(seconds)).tm_year for seconds in _TIMESTAMP.findall(target)]
        for year in years:
            if abs(year - now) > self.most_years:
                return Ruling(False, self.name, f"a calendar dated {year}, and now is {now}")
        for unit, number in _COUNTER.findall(target):
            digits = number.lstrip("+-%").removeprefix("2b").lstrip("0") or "0"
            # Four digits are a year, six or eight a date: those were looked at before.
            dated = len(digits) == 4 or _COMPACT_DATE.fullmatch(digits) is not None
            if not dated and (len(digits) > 4 or int(digits) > _LARGEST[unit]):
                return Ruling(False, self.name, f"a calendar at {unit} {number}")
        return None
