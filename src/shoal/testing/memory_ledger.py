"""A Ledger in memory, for tests of whatever reads one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from shoal.model import HostRecord, Known, Outcome, Standing, UrlState, Visit
from shoal.url import Url, parse_url


@dataclass(frozen=True, slots=True)
class MemoryLedger:
    """Holds Knowns with their visits; answers as the Ledger Protocol promises.

    ``edges`` are (source, target) addresses beyond the one in ``Known.source``.
    """

    knowns: Sequence[Known]
    facts: Mapping[str, str] = field(default_factory=dict)
    edges: Sequence[tuple[str, str]] = ()
    rests: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    given_up: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[tuple[str, str], bytes] = field(default_factory=dict)

    def fact(self, name: str) -> str | None:
        return self.facts.get(name)

    def standing(self) -> Standing:
        states = [known.state for known in self.knowns]
        waiting = states.count(UrlState.WAITING)
        later = states.count(UrlState.LATER)
        refused = states.count(UrlState.REFUSED)
        hosts = {
            parse_url(known.url).host_key
            for known in self.knowns
            if known.state in (UrlState.WAITING, UrlState.LATER)
        }
        return Standing(
            known=len(states),
            waiting=waiting,
            leased=0,
            later=later,
            settled=states.count(UrlState.SETTLED),
            refused=refused,
            hosts_waiting=len(hosts),
        )

    def visits(self, outcomes: frozenset[Outcome] | None = None) -> Iterator[tuple[Known, Visit]]:
        rows = [
            (replace(known, visits=()), visit)
            for known in self.knowns
            for visit in known.visits
            if outcomes is None or visit.outcome in outcomes
        ]
        yield from sorted(rows, key=lambda row: row[1].at_s)

    def best(self, relevance: float, limit: int | None) -> Iterator[tuple[Known, Visit]]:
        rows = [
            (visit.judgement.relevance, known, visit)
            for known, visit in self.visits(frozenset({Outcome.PAGE}))
            if visit.judgement is not None and visit.judgement.relevance >= relevance
        ]
        rows.sort(key=lambda row: -row[0])
        for _, known, visit in rows[:limit]:
            yield known, visit

    def find(self, url: Url) -> Known | None:
        return next((known for known in self.knowns if known.url == url.text), None)

    def linked_from(self, known: Known, limit: int) -> Iterator[Known]:
        sources = {source for source, target in self.edges if target == known.url}
        if known.source is not None:
            sources.add(known.source)
        found = [other for other in self.knowns if other.url in sources]
        found.sort(key=lambda other: other.visits[0].at_s if other.visits else float("inf"))
        yield from found[:limit]

    def urls(self) -> Iterator[tuple[int, Url]]:
        for known in self.knowns:
            yield known.id, parse_url(known.url)

    def links(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        numbers = {known.url: known.id for known in self.knowns}
        targets: dict[str, list[int]] = {}
        for known in self.knowns:
            if known.source in numbers:
                targets.setdefault(known.source, []).append(known.id)
        for source, target in self.edges:
            targets.setdefault(source, []).append(numbers[target])
        for known, _ in self.visits():
            found = targets.pop(known.url, None)
            if found is not None:
                yield known.id, np.array(found, np.int64)

    def host(self, host: str) -> HostRecord | None:
        return next((record for record in self.hosts() if record.host == host), None)

    def hosts(self) -> Iterator[HostRecord]:
        by_host: dict[str, list[UrlState]] = {}
        for known in self.knowns:
            by_host.setdefault(parse_url(known.url).host_key, []).append(known.state)
        for host in {**by_host, **dict.fromkeys(self.given_up), **dict.fromkeys(self.rests)}:
            states = by_host.get(host, [])
            rest_until_s, rest_why = self.rests.get(host, (None, ""))
            yield HostRecord(
                host=host,
                known=len(states),
                waiting=states.count(UrlState.WAITING) + states.count(UrlState.LATER),
                settled=states.count(UrlState.SETTLED),
                rest_until_s=rest_until_s,
                rest_why=rest_why,
                given_up=self.given_up.get(host),
            )

    def note(self, kind: str, key: str) -> bytes | None:
        return self.notes.get((kind, key))

    def close(self) -> None:
        """Nothing to let go."""
