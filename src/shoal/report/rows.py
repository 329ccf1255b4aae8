"""What an export holds of each page: one row, the same columns in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import msgspec

from shoal.model import Judgement, Known, Outcome, Position, Response, Visit
from shoal.ports import Ledger
from shoal.report.raw import ReadBytes, record_with_companions
from shoal.wording import iso

_UNIQUE = frozenset({Outcome.PAGE})
_ALL = _UNIQUE | {Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE}


@dataclass(frozen=True, slots=True)
class Row:
    """One page. The string below a field is its documentation."""

    url: str
    """The canonical address."""
    title: str
    """Its title."""
    text: str | None
    """The main text, read anew from the archive; empty where the archive has nothing."""
    language: str | None
    """ISO 639 code, or ``und``."""
    relevance: float | None
    """How relevant it is, in [0, 1]; 0.5 is the border."""
    similarity: float | None
    """The raw cosine to the topic, in [0, 1]."""
    beliefs: str | None
    """What else it was believed to be: a JSON object of categories or parts of the topic, and how
    likely each is; empty for a topic of one part."""
    fetched_at: str
    """When it was fetched, ISO 8601 in UTC, on the crawl's clock."""
    status: int | None
    """The HTTP status."""
    media_type: str | None
    """The media type, as the server named it."""
    outcome: str
    """``page``, ``duplicate`` or ``near_duplicate``."""
    digest: str | None
    """``sha1:`` and the base-32 digest of the payload, as WARC files write it."""
    depth: int
    """Links followed from the nearest seed."""
    source: str | None
    """The page whose Link led here; empty for a seed."""
    warc_file: str | None
    """The archive file with the response: a path from the archive's folder or store on; where a
    team's archives lie in its directory, from there."""
    warc_offset: int | None
    """Where in that file the record begins."""
    warc_length: int | None
    """How many bytes the record has there."""
    size_bytes: int
    """Bytes of the body as received."""


COLUMNS = tuple(field.name for field in fields(Row))


@dataclass(frozen=True, slots=True)
class Selection:
    """Which pages are exported."""

    relevance: float | None = None
    """Only pages at least this relevant; None is all."""
    unique: bool = False
    """Without exact and near duplicates."""

    def visits(self, ledger: Ledger) -> Iterator[tuple[Known, Visit]]:
        """In the order in which they were settled."""
        for known, visit in ledger.visits(_UNIQUE if self.unique else _ALL):
            if self.relevance is None or (
                visit.judgement is not None and visit.judgement.relevance >= self.relevance
            ):
                yield known, visit


@dataclass(frozen=True, slots=True)
class Source:
    """Where an export finds the bytes. Whoever puts the rooms together gives the functions.

    ``read_record`` and ``read_bytes`` raise OSError, ValueError or StorageError for what cannot be
    read.
    """

    read_record: Callable[[Position], Response]
    read_text: Callable[[Response], str]
    read_bytes: ReadBytes
    """The bytes of an archive file."""

    def text(self, position: Position) -> str:
        return self.read_text(self.read_record(position))

    def raw(self, position: Position) -> bytes:
        """The record's bytes, and those of the records that belong to it, as they stand there."""
        return record_with_companions(self.read_bytes, position)


def make_row(known: Known, visit: Visit, text: str | None) -> Row:
    """A row of it. Halves of surrogate pairs, which no encoding can hold, are replaced."""
    judgement, position = visit.judgement, visit.position
    return Row(
        url=known.url,
        title=_sound(visit.title),
        text=None if text is None else _sound(text),
        language=visit.language,
        relevance=None if judgement is None else judgement.relevance,
        similarity=None if judgement is None else judgement.similarity,
        beliefs=_beliefs(judgement),
        fetched_at=iso(visit.at_s),
        status=visit.status,
        media_type=visit.media_type,
        outcome=visit.outcome.value,
        digest=visit.digest,
        depth=known.depth,
        source=known.source,
        warc_file=None if position is None else position.file,
        warc_offset=None if position is None else position.offset,
        warc_length=None if position is None else position.length,
        size_bytes=visit.size_bytes,
    )


def _beliefs(judgement: Judgement | None) -> str | None:
    if judgement is None or not judgement.beliefs:
        return None
    return _sound(msgspec.json.encode(dict(judgement.beliefs)).decode())


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
