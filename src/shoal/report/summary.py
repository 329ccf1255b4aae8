"""What a crawl brought, as one value: read in one pass over its visits, in bounded memory.

All times are the crawl's own clock. A page is a visit whose outcome is PAGE: parsed, judged, and
no duplicate of an earlier one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from shoal.model import Known, Outcome, Visit
from shoal.ports import Ledger
from shoal.report.crawlers import CrawlerShare, Shares, is_own
from shoal.report.curves import Activity, HarvestCurve, HarvestPoint, Interval
from shoal.report.importance import LinkAnalysis, LinkOptions, analyse_links
from shoal.wording import iso

BINS = 20
_Key = TypeVar("_Key", bound=str)


@dataclass(frozen=True, slots=True)
class Duplicates:
    exact: int = 0
    near: int = 0


@dataclass(frozen=True, slots=True)
class HostShare:
    """What one host gave."""

    host: str
    visits: int
    pages: int
    relevant: int
    bytes: int


@dataclass(frozen=True, slots=True)
class LostHost:
    """A host that was given up, and why."""

    host: str
    why: str
    waiting: int


@dataclass(frozen=True, slots=True)
class BestPage:
    url: str
    title: str
    relevance: float
    language: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """A crawl in numbers. The string below a field is its documentation."""

    topic: str
    """The words that were looked for."""
    pages: int
    """Pages kept: parsed, judged, no duplicate of an earlier one."""
    relevant: int
    """Pages whose relevance is at least ``relevant_at``."""
    relevant_at: float
    """From which relevance a page counts as relevant."""
    harvest: float
    """relevant / pages, in [0, 1]; 0 where there are no pages."""
    bytes: int
    """Bytes of bodies received, of every visit."""
    hosts: int
    """Hosts that were visited."""
    errors: dict[str, int]
    """Ends without a page: a failure's kind, ``http_404`` and so on, ``robots``, ``soft_404``."""
    duplicates: Duplicates
    """Pages that say what an earlier one said: all of it (``exact``) or nearly (``near``)."""
    stop_reason: str | None
    """Why it stopped; null while it runs, or where it was killed."""
    stop_detail: str
    """The same in a sentence."""
    visits: int
    """Every attempt that came to an end, repeated ones included; what one Crawler of a Team fetched
    and another keeps is one."""
    retries: int
    """Attempts that ended in another attempt."""
    redirects: int
    """Visits answered with a redirect."""
    documents: int
    """Archived, not parsed: PDF and its like."""
    not_modified: int
    """Answers that nothing had changed."""
    waiting: int
    """Urls still waiting, those for another attempt included."""
    known: int
    """Urls known, those that were refused included; in a Team, by each Crawler that knows them."""
    refused: int
    """Urls that a rule refused."""
    started: str | None
    """When it began, on the crawl's clock, ISO 8601 in UTC."""
    ended: str | None
    """When it was last committed."""
    seconds: float
    """How long it ran on that clock, time between two runs left out."""
    pages_per_second: float
    """pages / seconds; 0 where no time has passed."""
    bytes_per_second: float
    """bytes / seconds."""
    window_pages: int
    """How many pages the ``recent`` harvest looks back."""
    harvest_curve: tuple[HarvestPoint, ...]
    """Harvest over the crawl, at most 200 points."""
    activity: tuple[Interval, ...]
    """Visits, pages and bytes over time, at most 120 intervals."""
    relevance_histogram: tuple[int, ...]
    """Pages by relevance, in 20 equal bins from 0 to 1."""
    languages: dict[str, int]
    """Pages by language, the most frequent first."""
    media_types: dict[str, int]
    """Responses by media type."""
    statuses: dict[str, int]
    """Responses by HTTP status."""
    outcomes: dict[str, int]
    """Visits by outcome; ``handed_over`` are pages still on the way to the Crawlers they belong
    to."""
    top_hosts: tuple[HostShare, ...]
    """The hosts with the most relevant pages, at most 20."""
    given_up_hosts: int
    """Hosts that failed until they were given up."""
    given_up: tuple[LostHost, ...]
    """The first 20 of them."""
    best: tuple[BestPage, ...]
    """The 20 most relevant pages."""
    crawlers: tuple[CrawlerShare, ...] = ()
    """What each Crawler of a Team did, by name; empty for a crawl alone."""
    links: LinkAnalysis | None = None
    """What links make important; null where it was not asked for."""


def summarise(
    ledger: Ledger, relevant_at: float = 0.5, top: int = 20, links: LinkOptions | None = None
) -> Report:
    """Read the whole crawl once. Memory grows with the hosts visited, not with the visits; with
    ``links`` it is that of ``analyse_links`` as well."""
    standing = ledger.standing()
    tally = _Tally(relevant_at, _window(standing.settled), _number(ledger.fact("started_s")))
    for known, visit in ledger.visits():
        tally.add(known, visit)
    clock_s = _number(ledger.fact("clock_s"))
    started_s = tally.started_s
    ended_s = max((t for t in (clock_s, tally.last_s) if t is not None), default=None)
    seconds = _seconds(ledger.fact("tally"), started_s, ended_s)
    lost = [
        LostHost(record.host, record.given_up, record.waiting)
        for record in ledger.hosts()
        if record.given_up is not None
    ]
    return Report(
        topic=ledger.fact("topic") or "",
        pages=tally.curve.pages,
        relevant=tally.curve.relevant,
        relevant_at=relevant_at,
        harvest=tally.curve.relevant / tally.curve.pages if tally.curve.pages else 0.0,
        bytes=tally.size_bytes,
        hosts=len(tally.hosts),
        errors=_ranked(tally.errors),
        duplicates=Duplicates(
            tally.outcomes[Outcome.DUPLICATE], tally.outcomes[Outcome.NEAR_DUPLICATE]
        ),
        stop_reason=ledger.fact("stop_reason") or None,
        stop_detail=ledger.fact("stop_detail") or "",
        visits=tally.visits,
        retries=tally.outcomes[Outcome.RETRY],
        redirects=tally.outcomes[Outcome.REDIRECT],
        documents=tally.outcomes[Outcome.DOCUMENT],
        not_modified=tally.outcomes[Outcome.NOT_MODIFIED],
        waiting=standing.waiting + standing.later,
        known=standing.known,
        refused=standing.refused,
        started=None if started_s is None else iso(started_s),
        ended=None if ended_s is None else iso(ended_s),
        seconds=seconds,
        pages_per_second=tally.curve.pages / seconds if seconds else 0.0,
        bytes_per_second=tally.size_bytes / seconds if seconds else 0.0,
        window_pages=_window(standing.settled),
        harvest_curve=tally.curve.points(),
        activity=_intervals(tally, ended_s),
        relevance_histogram=tuple(tally.bins),
        languages=_ranked(tally.languages),
        media_types=_ranked(tally.media_types),
        statuses=_ranked(tally.statuses),
        outcomes=_ranked(tally.ends()),
        top_hosts=tally.top_hosts(top),
        given_up_hosts=len(lost),
        given_up=tuple(lost[:top]),
        best=tuple(
            BestPage(known.url, visit.title, visit.judgement.relevance, visit.language)
            for known, visit in ledger.best(0.0, top)
            if visit.judgement is not None
        ),
        crawlers=tally.crawlers.table(),
        links=None if links is None else analyse_links(ledger, links),
    )


def report_json(report: Report) -> str:
    """The Report as indented JSON; the keys are its fields."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def error_kind(visit: Visit) -> str | None:
    """The name under which a visit counts as an error; None for one that is none."""
    if visit.outcome is Outcome.HTTP_ERROR:
        return f"http_{visit.status}" if visit.status is not None else "http"
    if visit.outcome is Outcome.FAILED:
        return visit.failure.value if visit.failure is not None else "failed"
    if visit.outcome in (Outcome.ROBOTS, Outcome.SOFT_404):
        return visit.outcome.value
    return None


class _Tally:
    """Counts visits as they stream by."""

    def __init__(self, relevant_at: float, window_pages: int, started_s: float | None) -> None:
        self.relevant_at = relevant_at
        self.started_s = started_s
        self.last_s: float | None = None
        self.size_bytes = 0
        self.curve = HarvestCurve(window_pages)
        self.activity: Activity | None = None
        self.bins = [0] * BINS
        self.visits = 0
        self.outcomes: Counter[Outcome] = Counter()
        self.crawlers = Shares()
        self.errors: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.media_types: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.hosts: dict[str, list[int]] = {}

    def add(self, known: Known, visit: Visit) -> None:
        is_page = visit.outcome is Outcome.PAGE
        is_relevant = is_page and self._judge(visit)
        if is_page:
            self.curve.add(visit.at_s, is_relevant)
            self.languages[visit.language or "und"] += 1
        self.crawlers.add(known, visit, is_page, is_relevant)
        self.outcomes[visit.outcome] += 1
        is_visit = is_own(visit)
        size_bytes = visit.size_bytes if is_visit else 0
        if visit.outcome is not Outcome.ELSEWHERE:
            self._time(visit, is_visit, is_page, size_bytes)
        self.size_bytes += size_bytes
        self.visits += is_visit
        if visit.status is not None and is_visit:
            self.statuses[str(visit.status)] += 1
            if visit.media_type:
                self.media_types[_media_type(visit.media_type)] += 1
        kind = error_kind(visit)
        if kind is not None:
            self.errors[kind] += 1
        if visit.outcome not in (Outcome.ROBOTS, Outcome.ELSEWHERE):
            row = self.hosts.setdefault(_host(known.url), [0, 0, 0, 0])
            row[0] += is_visit
            row[1] += is_page
            row[2] += is_relevant
            row[3] += size_bytes

    def ends(self) -> Counter[Outcome]:
        """What became of the Urls, each once: what was handed over counts where it was kept."""
        ends = Counter(self.outcomes)
        del ends[Outcome.ELSEWHERE]
        ends[Outcome.HANDED_OVER] = self.crawlers.on_the_way()
        return +ends

    def top_hosts(self, top: int) -> tuple[HostShare, ...]:
        def rank(item: tuple[str, list[int]]) -> tuple[int, int, int, str]:
            host, (visits, pages, relevant, _) = item
            return -relevant, -pages, -visits, host

        ranked = sorted(self.hosts.items(), key=rank)
        return tuple(HostShare(host, *row) for host, row in ranked[:top])

    def _judge(self, visit: Visit) -> bool:
        if visit.judgement is None:
            return False
        relevance = visit.judgement.relevance
        self.bins[min(int(relevance * BINS), BINS - 1)] += 1
        return relevance >= self.relevant_at

    def _time(self, visit: Visit, is_visit: bool, is_page: bool, size_bytes: int) -> None:
        if self.started_s is None:
            self.started_s = visit.at_s
        if self.activity is None:
            self.activity = Activity(self.started_s)
        self.last_s = visit.at_s if self.last_s is None else max(self.last_s, visit.at_s)
        self.activity.add(visit.at_s, is_visit, is_page, size_bytes)


def _ranked(counts: Counter[_Key]) -> dict[str, int]:
    return {str(key): number for key, number in counts.most_common()}


def _intervals(tally: _Tally, ended_s: float | None) -> tuple[Interval, ...]:
    if tally.activity is None or ended_s is None:
        return ()
    return tally.activity.intervals(ended_s)


def _window(settled: int) -> int:
    """A tenth of the crawl, so that the curve moves, but never so few that it only jumps."""
    return max(20, min(500, settled // 10))


class _Ran(msgspec.Struct):
    """What the crawl counts of itself, as far as it is needed here."""

    active_s: float | None = None


def _seconds(tally: str | None, started_s: float | None, ended_s: float | None) -> float:
    active_s = msgspec.json.decode(tally, type=_Ran).active_s if tally else None
    if active_s is not None:
        return active_s
    if started_s is None or ended_s is None:
        return 0.0
    return max(0.0, ended_s - started_s)


def _number(fact: str | None) -> float | None:
    return None if fact is None or fact == "" else float(fact)


def _media_type(text: str) -> str:
    return text.partition(";")[0].strip().lower()


def _host(url: str) -> str:
    return url.split("/", 3)[2]
