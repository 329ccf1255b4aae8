"""Reads what a whole Team has committed, as if one Crawler had done it all."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

import msgspec
import numpy as np
from numpy.typing import NDArray

from shoal.crawl.stop import StopReason
from shoal.crawl.tally import Tally
from shoal.model import HostRecord, Known, Outcome, Position, Standing, Visit
from shoal.ports import Ledger
from shoal.url import Url

_LEFT = frozenset({Outcome.HANDED_OVER, Outcome.ELSEWHERE})
Found = tuple[Known, Visit]


class TeamLedger:
    """A ports.Ledger over those of the Crawlers, by their names.

    1. All that ports.Ledger promises, of each Crawler's own committed moment.
    2. A Url that several Crawlers know is told by the one that kept its page, or fetched it.
    3. A Position's file is a path from the crawl's directory.
    4. Each Known says which Crawler tells it.
    """

    def __init__(self, ledgers: Mapping[str, Ledger], file_of: Callable[[str, str], str]) -> None:
        """``file_of`` makes the path of a Crawler's archive file, of its name and the file's."""
        self._ledgers = dict(ledgers)
        self._file_of = file_of

    def fact(self, name: str) -> str | None:
        ledgers = list(self._ledgers.values())
        if name in ("stop_reason", "stop_detail"):
            # Whoever left the Team before the end has nothing to say of why that came.
            stayed = [one for one in ledgers if one.fact("stop_reason") != StopReason.REGROUPED]
            ledgers = stayed or ledgers
        facts = [fact for one in ledgers if (fact := one.fact(name)) is not None]
        if not facts:
            return None
        if name == "tally":
            return _sum_of([Tally.load(fact) for fact in facts]).dump()
        if name == "started_s":
            return min(facts, key=float)
        if name == "clock_s":
            return max(facts, key=float)
        # A Crawler that was ended before the others has nothing to say of why.
        return next((fact for fact in facts if fact), "")

    def standing(self) -> Standing:
        standings = [one.standing() for one in self._ledgers.values()]
        return Standing(*(sum(column) for column in zip(*standings, strict=True)))

    def visits(self, outcomes: frozenset[Outcome] | None = None) -> Iterator[Found]:
        streams = [
            self._placed(name, ledger.visits(outcomes)) for name, ledger in self._ledgers.items()
        ]
        return heapq.merge(*streams, key=lambda found: found[1].at_s)

    def best(self, relevance: float, limit: int | None) -> Iterator[Found]:
        streams = [
            self._placed(name, ledger.best(relevance, limit))
            for name, ledger in self._ledgers.items()
        ]
        return islice(heapq.merge(*streams, key=_least_relevant), limit)

    def find(self, url: Url) -> Known | None:
        """With the visits of all: whoever handed it over, and whoever kept it."""
        found = [
            self._known(name, known)
            for name, ledger in self._ledgers.items()
            if (known := ledger.find(url)) is not None
        ]
        if not found:
            return None
        nearest = min(found, key=_distance)
        visits = sorted((visit for known in found for visit in known.visits), key=_at_s)
        handed_over = [visit for visit in visits if visit.outcome is Outcome.HANDED_OVER]
        ended = [visit for visit in visits if visit.outcome not in _LEFT]
        # Whoever left it to another one did nothing: that is told where there is nothing else.
        return replace(nearest, visits=(*handed_over, *ended) or nearest.visits)

    def linked_from(self, known: Known, limit: int) -> Iterator[Known]:
        url = _url(known.url)
        return islice(
            (
                replace(linking, crawler=name)
                for name, ledger in self._ledgers.items()
                if (own := ledger.find(url)) is not None
                for linking in ledger.linked_from(own, limit)
            ),
            limit,
        )

    def urls(self) -> Iterator[tuple[int, Url]]:
        for place, ledger in enumerate(self._ledgers.values()):
            for number, url in ledger.urls():
                yield self._number(number, place), url

    def links(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Those of one Crawler after those of the other."""
        for place, ledger in enumerate(self._ledgers.values()):
            for source, targets in ledger.links():
                yield self._number(source, place), targets * len(self._ledgers) + place

    def _number(self, number: int, place: int) -> int:
        """The Crawlers' own numbers, one beside the other."""
        return number * len(self._ledgers) + place

    def host(self, host: str) -> HostRecord | None:
        records = [record for one in self._ledgers.values() if (record := one.host(host))]
        return _together(records) if records else None

    def hosts(self) -> Iterator[HostRecord]:
        records: dict[str, list[HostRecord]] = {}
        for ledger in self._ledgers.values():
            for record in ledger.hosts():
                records.setdefault(record.host, []).append(record)
        return map(_together, records.values())

    def note(self, kind: str, key: str) -> bytes | None:
        for ledger in self._ledgers.values():
            note = ledger.note(kind, key)
            if note is not None:
                return note
        return None

    def close(self) -> None:
        for ledger in self._ledgers.values():
            ledger.close()

    def _placed(self, name: str, found: Iterator[Found]) -> Iterator[Found]:
        for known, visit in found:
            yield replace(known, crawler=name), self._visit(name, visit)

    def _known(self, name: str, known: Known) -> Known:
        visits = tuple(self._visit(name, visit) for visit in known.visits)
        return replace(known, visits=visits, crawler=name)

    def _visit(self, name: str, visit: Visit) -> Visit:
        if visit.position is None:
            return visit
        position = visit.position
        file = self._file_of(name, position.file)
        return replace(visit, position=Position(file, position.offset, position.length))


def _sum_of(tallies: list[Tally]) -> Tally:
    fields = [field.name for field in msgspec.structs.fields(Tally) if field.name != "active_s"]
    total = Tally(active_s=max(tally.active_s for tally in tallies))
    for tally in tallies:
        for name in fields:
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    return total


def _together(records: list[HostRecord]) -> HostRecord:
    """One host as several Crawlers know it."""
    rests = [record for record in records if record.rest_until_s is not None]
    last = max(rests, key=lambda record: record.rest_until_s or 0.0, default=None)
    return HostRecord(
        host=records[0].host,
        known=sum(record.known for record in records),
        waiting=sum(record.waiting for record in records),
        settled=sum(record.settled for record in records),
        rest_until_s=None if last is None else last.rest_until_s,
        rest_why="" if last is None else last.rest_why,
        given_up=next((record.given_up for record in records if record.given_up), None),
    )


def _distance(known: Known) -> int:
    """How far a Crawler is from having the page: it has it, it fetched it for another, it has yet
    to fetch it, or it left it to another."""
    if not known.visits:
        return 2
    last = known.visits[-1].outcome
    return {Outcome.HANDED_OVER: 1, Outcome.ELSEWHERE: 3}.get(last, 0)


def _least_relevant(found: Found) -> float:
    judgement = found[1].judgement
    return 0.0 if judgement is None else -judgement.relevance


def _at_s(visit: Visit) -> float:
    return visit.at_s


def _url(text: str) -> Url:
    return Url(text, text.index("/", text.index("//") + 2))
