"""Why a Url is where it is: everything the Ledger remembers of it, or the nearest reason.

A Story says only what the Ledger, the scope and robots.txt say. Where a Url is unknown the reasons
stand in order of likelihood, the nearest first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from shoal.model import FailureKind, HostRecord, Known, Outcome, Part, Position, Ruling, Visit
from shoal.ports import Ledger
from shoal.report import near
from shoal.url import Url, parse_url
from shoal.wording import count, duration, moment, plain

_LONGEST_CHAIN = 50
_LINKED_FROM = 20
_WORDS = {
    Outcome.PAGE: "was fetched and kept as a page",
    Outcome.DUPLICATE: "says exactly what an earlier page says",
    Outcome.NEAR_DUPLICATE: "says nearly what an earlier page says",
    Outcome.REDIRECT: "redirects elsewhere",
    Outcome.NOT_MODIFIED: "had not changed since it was fetched before",
    Outcome.DOCUMENT: "was archived as a document, without parsing",
    Outcome.SOFT_404: "answered as if it were there, but says that it is not",
    Outcome.HTTP_ERROR: "was answered with an error",
    Outcome.FAILED: "could not be fetched",
    Outcome.ROBOTS: "is forbidden by robots.txt",
    Outcome.HANDED_OVER: "was fetched and handed to the crawler that owns it",
    Outcome.ELSEWHERE: "was left to the crawler that has it already",
    Outcome.RETRY: "failed and waits for another attempt",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One Link on the way from a seed."""

    url: str
    kind: str
    anchor: str
    crawler: str | None = None
    """Which of a team kept it; null where one crawler is all there is."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One visit, for reading."""

    at_s: float
    at: str
    outcome: Outcome
    status: int | None
    failure: FailureKind | None
    detail: str
    size_bytes: int
    elapsed_s: float
    title: str
    relevance: float | None
    similarity: float | None
    reasons: tuple[Part, ...]
    beliefs: tuple[Part, ...]
    twin: str | None
    """The Url that says the same, for duplicates."""
    position: Position | None
    retry_at_s: float | None
    fetched_by: str | None = None
    """Which other crawler of the team fetched it, and handed it over."""


@dataclass(frozen=True, slots=True)
class Story:
    """Why a Url is where it is. Empty and null fields are what nobody knows."""

    url: str
    known: bool
    answer: str
    """The whole story in a sentence."""
    reasons: tuple[str, ...]
    """What else explains it, the nearest reason first."""
    state: str | None = None
    ruling: Ruling | None = None
    """The scope rule that admitted or refused it."""
    robots: Ruling | None = None
    """The robots.txt line that speaks of it."""
    depth: int | None = None
    redirects: int | None = None
    kind: str | None = None
    anchor: str = ""
    context: str = ""
    source: str | None = None
    crawler: str | None = None
    """Which crawler of a team kept it, or knows most of it."""
    source_crawler: str | None = None
    """The same of its source."""
    chain: tuple[Step, ...] = ()
    """From the seed to this Url, both included."""
    linked_from: tuple[str, ...] = ()
    """Pages whose Links point here, at most 20."""
    priority: float | None = None
    parts: tuple[Part, ...] = ()
    """The shares of its priority."""
    attempts: tuple[Attempt, ...] = ()
    host: HostRecord | None = None
    waiting: int | None = None
    """How many Urls wait in the whole crawl, where this one waits."""
    waiting_hosts: int | None = None
    neighbours: tuple[near.Neighbour, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """What can be asked besides the Ledger; each may be absent.

    ``admit`` is the scope's ruling on a Url as if a page linked to it now; ``robots`` the ruling of
    robots.txt, None where it was never read; ``parse`` the crawl's own canonical form.
    """

    admit: Callable[[Url], Ruling] | None = None
    robots: Callable[[Url], Ruling | None] | None = None
    parse: Callable[[str], Url] = parse_url
    now_s: float | None = None
    """The time to compare rests with; None means the crawl's last commit."""


def explain(ledger: Ledger, url: Url, witness: Witness | None = None) -> Story:
    """Everything that is known of ``url``, or why it is not known."""
    asked = witness if witness is not None else Witness()
    known = ledger.find(url)
    return _of_unknown(ledger, url, asked) if known is None else _of_known(ledger, known, asked)


def story_json(story: Story) -> str:
    """The Story as indented JSON; the keys are its fields."""
    return msgspec.json.format(msgspec.json.encode(_keyed(story)), indent=2).decode()


def _keyed(value: object) -> object:
    """Tuples with names as objects, so that nobody has to know their order."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: _keyed(getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        if hasattr(value, "_asdict"):
            return {name: _keyed(part) for name, part in value._asdict().items()}
        return [_keyed(part) for part in value]
    return value


def _of_known(ledger: Ledger, known: Known, witness: Witness) -> Story:
    url = witness.parse(known.url)
    host = ledger.host(url.host_key)
    robots = witness.robots(url) if witness.robots is not None else None
    standing = ledger.standing()
    waits = known.state in ("waiting", "later")
    chain = _chain(ledger, known, witness)
    return Story(
        url=known.url,
        known=True,
        answer=_answer(known),
        reasons=tuple(_reasons_of_known(known, host, robots, _now_s(ledger, witness))),
        state=known.state.value,
        ruling=known.ruling,
        robots=robots,
        depth=known.depth,
        redirects=known.redirects,
        kind=known.kind.value,
        anchor=known.anchor,
        context=known.context,
        source=known.source,
        crawler=known.crawler,
        source_crawler=chain[-2].crawler if len(chain) > 1 else None,
        chain=chain,
        linked_from=tuple(other.url for other in ledger.linked_from(known, _LINKED_FROM)),
        priority=known.priority.value,
        parts=known.priority.parts,
        attempts=tuple(_attempt(visit) for visit in known.visits),
        host=host,
        waiting=standing.waiting + standing.later if waits else None,
        waiting_hosts=standing.hosts_waiting if waits else None,
    )


def _of_unknown(ledger: Ledger, url: Url, witness: Witness) -> Story:
    host = ledger.host(url.host_key)
    ruling = witness.admit(url) if witness.admit is not None else None
    robots = witness.robots(url) if witness.robots is not None else None
    neighbours = near.neighbours(ledger, url, witness.parse)
    reasons: list[str] = []
    if ruling is not None and not ruling.admitted:
        reasons.append(f"The scope would refuse it, by the rule {_named(ruling)}.")
    reasons += [
        f"{other.url} is known ({other.state}): {other.difference}."
        for other in neighbours
        if not other.above
    ]
    if host is not None and host.given_up is not None:
        reasons.append(f"Its host {host.host} was given up: {plain(host.given_up)}.")
    reasons += [_above(other) for other in neighbours if other.above]
    if robots is not None and not robots.admitted:
        reasons.append(f"robots.txt forbids it, by {_named(robots)}.")
    if host is None or host.known == 0:
        reasons.append(f"Nothing of its host {url.host_key} is known: no page linked there.")
    elif host.waiting:
        reasons.append(
            f"{count(host.waiting)} Urls of {host.host} still wait; one of them may link to it."
        )
    if not reasons:
        reasons.append("No page fetched so far links to it, and it is no seed.")
    return Story(
        url=url.text,
        known=False,
        answer=f"Unknown. {reasons[0]}",
        reasons=tuple(reasons[1:]),
        ruling=ruling,
        robots=robots,
        host=host,
        neighbours=neighbours,
    )


def _answer(known: Known) -> str:
    if known.state == "refused":
        return f"Refused by the rule {_named(known.ruling)}."
    if not known.visits:
        return "Waiting: it has not been tried yet."
    last = known.visits[-1]
    words = _WORDS[last.outcome]
    if last.outcome is Outcome.PAGE and last.judgement is not None:
        words += f", relevance {last.judgement.relevance:.2f}"
        if known.crawler is not None:
            words += f", by {plain(known.crawler)}"
            words += f"; {plain(last.fetched_by)} fetched it" if last.fetched_by else ""
    elif last.outcome is Outcome.HANDED_OVER and known.crawler is not None:
        # Where the owner has taken it in, that is what was last.
        words = f"was fetched and handed to {plain(last.detail)}, which has yet to take it in"
    elif last.detail:
        words += f": {plain(last.detail)}"
    elif last.status is not None and last.outcome is Outcome.HTTP_ERROR:
        words += f": HTTP {last.status}"
    if last.retry_at_s is not None:
        words += f", not before {moment(last.retry_at_s)}"
    return f"It {words}."


def _reasons_of_known(
    known: Known, host: HostRecord | None, robots: Ruling | None, now_s: float | None
) -> Iterator[str]:
    waits = known.state in ("waiting", "later")
    if host is not None and host.given_up is not None:
        yield f"Its host {host.host} was given up: {plain(host.given_up)}."
    elif host is not None and host.rest_until_s is not None and waits:
        left = "" if now_s is None else f" ({duration(host.rest_until_s - now_s)} more)"
        if now_s is None or host.rest_until_s > now_s:
            yield (
                f"Its host {host.host} rests until {moment(host.rest_until_s)}{left}: "
                f"{plain(host.rest_why)}."
            )
    if robots is not None and not robots.admitted and known.state != "refused":
        yield f"robots.txt forbids it, by {_named(robots)}."
    if waits and host is not None and host.waiting > 1:
        yield f"{count(host.waiting)} Urls of its host wait, this one among them."


def _chain(ledger: Ledger, known: Known, witness: Witness) -> tuple[Step, ...]:
    """Back over the sources to a seed; a ring or a missing page ends it."""
    steps = [_step(known)]
    seen = {known.url}
    at: Known | None = known
    while at is not None and at.source is not None and len(steps) < _LONGEST_CHAIN:
        if at.source in seen:
            break
        seen.add(at.source)
        source = near.find(ledger, at.source, witness.parse)
        steps.append(Step(at.source, "unknown", "") if source is None else _step(source))
        at = source
    return tuple(reversed(steps))


def _step(known: Known) -> Step:
    return Step(known.url, known.kind.value, known.anchor, known.crawler)


def _above(other: near.Neighbour) -> str:
    if other.state == "settled":
        return f"{other.url}, above it, was fetched; no Link followed from there leads to it."
    return f"{other.url}, above it, is known but {other.state}; it may link to it."


def _attempt(visit: Visit) -> Attempt:
    duplicate = visit.outcome in (Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE)
    judgement = visit.judgement
    return Attempt(
        at_s=visit.at_s,
        at=moment(visit.at_s),
        outcome=visit.outcome,
        status=visit.status,
        failure=visit.failure,
        detail=visit.detail,
        size_bytes=visit.size_bytes,
        elapsed_s=visit.elapsed_s,
        title=visit.title,
        relevance=None if judgement is None else judgement.relevance,
        similarity=None if judgement is None else judgement.similarity,
        reasons=() if judgement is None else judgement.reasons,
        beliefs=() if judgement is None else judgement.beliefs,
        twin=visit.detail if duplicate and visit.detail else None,
        position=visit.position,
        retry_at_s=visit.retry_at_s,
        fetched_by=visit.fetched_by,
    )


def _named(ruling: Ruling) -> str:
    return f"{ruling.rule} ({plain(ruling.detail)})" if ruling.detail else ruling.rule


def _now_s(ledger: Ledger, witness: Witness) -> float | None:
    if witness.now_s is not None:
        return witness.now_s
    clock_s = ledger.fact("clock_s")
    return float(clock_s) if clock_s else None
