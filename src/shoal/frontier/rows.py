"""What stands in the rows of a state file, as the frozen values of ``model``, and back."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from shoal.frontier.database import Row, State
from shoal.frontier.schema import REFUSED, STATES
from shoal.model import (
    FailureKind,
    HostRecord,
    Judgement,
    Known,
    LinkKind,
    Offer,
    Outcome,
    Part,
    Position,
    Priority,
    Ruling,
    Visit,
)
from shoal.url import Url


class Evidence(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Why a Url is where it is: nothing here is searched for, so it is one blob."""

    kind: LinkKind
    anchor: str
    context: str
    admitted: bool
    rule: str
    detail: str
    parts: tuple[Part, ...]
    source: str | None
    """Where the Link stood, when that page is not in this state file."""
    source_relevance: float | None = None
    """This and what follows is missing where an earlier Shoal wrote it."""
    source_beliefs: tuple[Part, ...] = ()


_encode: Final = msgspec.msgpack.Encoder().encode
decode_evidence: Final = msgspec.msgpack.Decoder(Evidence).decode
_decode_parts: Final = msgspec.msgpack.Decoder(tuple[Part, ...]).decode


def evidence_of(offer: Offer, source: int | None) -> bytes:
    link, ruling = offer.link, offer.ruling
    return _encode(
        Evidence(
            link.kind,
            link.anchor,
            link.context,
            ruling.admitted,
            ruling.rule,
            ruling.detail,
            offer.priority.parts,
            link.source.text if source is None and link.source is not None else None,
            offer.source_relevance,
            offer.source_beliefs,
        )
    )


def evidence_with(evidence: bytes, parts: tuple[Part, ...]) -> bytes:
    """The same evidence, weighed anew."""
    return _encode(msgspec.structs.replace(decode_evidence(evidence), parts=parts))


def stored_url(text: str) -> Url:
    """The Url whose text we stored. Not parsed again: today's policy may differ from the one it was
    made by, and the server must be asked for what was decided then."""
    return Url(text, text.index("/", text.index("//") + 2))


# ------------------------------------------------------------------------------------ visits

# OFFSET is a word of SQL's own.
_VISIT_COLUMNS: Final = (
    "at_s", "outcome", "status", "failure", "detail", "size_bytes", "elapsed_s", "media_type",
    "language", "title", "relevance", "similarity", "reasons", "beliefs",
    "digest", "simhash", "file",
    '"offset"', "length", "etag", "last_modified", "retry_at_s", "fetched_by",
)  # fmt: skip

INSERT_VISIT: Final = (
    f"INSERT INTO visit (id, url, previous, {', '.join(_VISIT_COLUMNS)})"
    f" VALUES (?, ?, (SELECT visit FROM url WHERE id = ?){', ?' * len(_VISIT_COLUMNS)})"
)
"""Its number, the Url's twice, and ``visit_row``."""
SELECT_VISIT: Final = ", ".join(f"visit.{column}" for column in _VISIT_COLUMNS)
VISIT_WIDTH: Final = len(_VISIT_COLUMNS)


def signed(fingerprint: int) -> int:
    """64 bits as databases hold them."""
    return fingerprint - (1 << 64) if fingerprint >= 1 << 63 else fingerprint


def visit_row(visit: Visit) -> Row:
    judgement, position = visit.judgement, visit.position
    return (
        visit.at_s,
        visit.outcome.value,
        visit.status,
        None if visit.failure is None else visit.failure.value,
        visit.detail,
        visit.size_bytes,
        visit.elapsed_s,
        visit.media_type,
        visit.language,
        visit.title,
        None if judgement is None else judgement.relevance,
        None if judgement is None else judgement.similarity,
        None if judgement is None or not judgement.reasons else _encode(judgement.reasons),
        None if judgement is None or not judgement.beliefs else _encode(judgement.beliefs),
        visit.digest,
        None if visit.simhash is None else signed(visit.simhash),
        None if position is None else position.file,
        None if position is None else position.offset,
        None if position is None else position.length,
        visit.etag,
        visit.last_modified,
        visit.retry_at_s,
        visit.fetched_by,
    )


def visit_of(row: Any) -> Visit:
    (
        at_s, outcome, status, failure, detail, size_bytes, elapsed_s, media_type, language, title,
        relevance, similarity, reasons, beliefs,
        digest, simhash, file, offset, length, etag, last_modified,
        retry_at_s, fetched_by,
    ) = row  # fmt: skip
    return Visit(
        at_s=at_s,
        outcome=Outcome(outcome),
        status=status,
        failure=None if failure is None else FailureKind(failure),
        detail=detail,
        size_bytes=size_bytes,
        elapsed_s=elapsed_s,
        media_type=media_type,
        language=language,
        title=title,
        judgement=None
        if relevance is None
        else Judgement(relevance, similarity, _parts_of(reasons), _parts_of(beliefs)),
        digest=digest,
        simhash=None if simhash is None else simhash & 0xFFFF_FFFF_FFFF_FFFF,
        position=None if file is None else Position(file, offset, length),
        etag=etag,
        last_modified=last_modified,
        retry_at_s=retry_at_s,
        fetched_by=fetched_by,
    )


def _parts_of(blob: bytes | None) -> tuple[Part, ...]:
    return () if blob is None else _decode_parts(blob)


def visits_of(state: State, latest: int | None) -> tuple[Visit, ...]:
    """Every attempt, the first one first, from the latest one back."""
    found = []
    while latest is not None:
        row = state.execute(
            f"SELECT visit.previous, {SELECT_VISIT} FROM visit WHERE id = ?", (latest,)
        ).fetchone()
        latest = row[0]
        found.append(visit_of(row[1:]))
    return tuple(reversed(found))


# ------------------------------------------------------------------------------------ urls

KNOWN_FROM: Final = (
    "url JOIN host ON host.id = url.host LEFT JOIN url AS origin ON origin.id = url.source"
)
SELECT_KNOWN: Final = (
    "url.id, url.text, url.state, url.priority, url.depth, url.redirects, url.evidence,"
    " origin.text, host.given_up"
)
KNOWN_WIDTH: Final = 9
_LOW: Final = 0xFFFF_FFFF


def known_of(row: Any, visits: tuple[Visit, ...] = ()) -> Known:
    number, text, state, priority, depth, redirects, blob, source, given_up = row
    evidence = decode_evidence(blob)
    ruling = Ruling(evidence.admitted, evidence.rule, evidence.detail)
    if state == REFUSED and evidence.admitted:
        # Only giving a host up refuses what was admitted, so its Urls need no rewriting for it.
        ruling = Ruling(False, "given_up", given_up or "")
    return Known(
        id=number,
        url=text,
        state=STATES[state],
        ruling=ruling,
        priority=Priority(priority, evidence.parts),
        depth=depth,
        redirects=redirects,
        source=evidence.source if source is None else source,
        kind=evidence.kind,
        anchor=evidence.anchor,
        context=evidence.context,
        visits=visits,
        source_relevance=evidence.source_relevance,
        source_beliefs=evidence.source_beliefs,
    )


def key_of(host: int, url: Url) -> int:
    """The key of a Url that shares it with no other one."""
    return host << 32 | url.key & _LOW


def find_row(state: State, columns: str, host: int, url: Url) -> tuple[int, Any]:
    """The row of a Url, or None; and its key, or the one that is free for it.

    A key is the host's number and 32 bits of the Url's fingerprint: Links mostly stay on their
    site, so what is looked up and written together lies together. Two texts may share a key. The
    later one then takes the host's next free one: a row is never removed, so walking on from the
    Url's own key always meets it or the place it would have.
    """
    low = url.key & _LOW
    while True:
        key = host << 32 | low
        row = state.execute(f"SELECT text, {columns} FROM url WHERE key = ?", (key,)).fetchone()
        if row is None:
            return key, None
        if row[0] == url.text:
            return key, row[1:]
        low = low + 1 & _LOW


# ------------------------------------------------------------------------------------ hosts

SELECT_HOST: Final = "name, known, waiting, settled, rest_until_s, rest_why, given_up"


def host_of(row: Any) -> HostRecord:
    return HostRecord(*row)
