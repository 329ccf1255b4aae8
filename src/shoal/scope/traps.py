"""The rules against traps: places where a site, meaning well or not, has no end of Urls."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import ClassVar, Final

from shoal.model import Ruling
from shoal.scope.candidate import Candidate

QUERIES_REMEMBERED: Final = 200_000
"""Queries that one scope remembers in all; the paths not asked for longest are forgotten first."""


@dataclass(frozen=True, slots=True)
class PathSegments:
    name: ClassVar[str] = "path-segments"
    setting: ClassVar[str] = "scope.path_segments"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = "The path has more segments."
    most: int

    def opinion(self, candidate: Candidate) -> Ruling | None:
        count = candidate.path.count("/")
        if count <= self.most:
            return None
        return Ruling(False, self.name, f"{count} segments; at most {self.most}")


@dataclass(frozen=True, slots=True)
class RepeatedSegments:
    """A link that is wrongly relative makes ``/a/b/a/b/a/b/`` of ``/a/b/``, without end."""

    name: ClassVar[str] = "repeated-segments"
    setting: ClassVar[str] = "scope.repeated_segments"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = (
        "One segment stands in the path more often than that, or a row of two or more stands that "
        "often, each time right behind itself."
    )
    most: int

    def opinion(self, candidate: Candidate) -> Ruling | None:
        path = candidate.path
        if path.count("/") <= self.most:
            return None
        segments = path.split("/")[1:]
        if not segments[-1]:
            segments.pop()
        if len(set(segments)) == len(segments):
            return None
        segment, count = Counter(segments).most_common(1)[0]
        if count > self.most:
            return Ruling(False, self.name, f"/{segment} stands {count} times in the path")
        row = _repeated_row(segments, max(2, self.most)) if count >= 2 else None
        if row is None:
            return None
        return Ruling(False, self.name, f"/{'/'.join(row)} repeats itself in the path")


def _repeated_row(segments: list[str], times: int) -> list[str] | None:
    """The shortest row of two or more segments that stands ``times`` times on end."""
    for length in range(2, len(segments) // times + 1):
        for start in range(len(segments) - length * times + 1):
            row = segments[start : start + length]
            if segments[start : start + length * times] == row * times:
                return row
    return None


@dataclass(frozen=True, slots=True)
class QueryParameters:
    name: ClassVar[str] = "query-parameters"
    setting: ClassVar[str] = "scope.query_parameters"
    of_url: ClassVar[bool] = True
    meaning: ClassVar[str] = "The query has more parameters."
    most: int

    def opinion(self, candidate: Candidate) -> Ruling | None:
        query = candidate.query
        if not query:
            return None
        count = query.count("&") + query.count(";") + 1
        if count <= self.most:
            return None
        return Ruling(False, self.name, f"{count} parameters; at most {self.most}")


@dataclass(slots=True)
class QueryVariants:
    """Remembers the queries it let in, so that one of them is never refused later.

    Memory is bounded by ``remembered``. What it knows is of this run: a crawl that is taken up
    again counts anew, and the rule on Urls of a host still holds.
    """

    name: ClassVar[str] = "query-variants"
    setting: ClassVar[str] = "scope.query_variants"
    of_url: ClassVar[bool] = False
    meaning: ClassVar[str] = (
        "As many different queries of the same path were let in already (in this run of the crawl)."
    )
    most: int
    remembered: int = QUERIES_REMEMBERED
    _queries: OrderedDict[str, set[int]] = field(
        default_factory=OrderedDict, init=False, repr=False, compare=False
    )
    _count: int = field(default=0, init=False, repr=False, compare=False)

    def opinion(self, candidate: Candidate) -> Ruling | None:
        if not candidate.query:
            return None
        path = candidate.url.origin + candidate.path
        known = self._queries.get(path)
        if known is None:
            known = self._queries[path] = set()
        else:
            self._queries.move_to_end(path)
        key = candidate.url.key
        if key in known:
            return None
        if len(known) >= self.most:
            return Ruling(
                False, self.name, f"{len(known)} other queries of {candidate.path} are in"
            )
        known.add(key)
        self._count += 1
        while self._count > self.remembered and len(self._queries) > 1:
            _, forgotten = self._queries.popitem(last=False)
            self._count -= len(forgotten)
        return None
