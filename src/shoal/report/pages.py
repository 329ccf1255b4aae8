"""The pages of a crawl as a short list."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec
from rich.console import Console
from rich.text import Text

from shoal import wording
from shoal.model import Known, Outcome, Visit
from shoal.ports import Ledger

_PAGES = frozenset({Outcome.PAGE})
_LEFT = 11
"""Columns that the relevance takes."""
_RIGHT = 16
"""Columns that language and size take."""


class Sort(StrEnum):
    """What stands first: the most relevant, the latest, or the largest."""

    RELEVANCE = "relevance"
    TIME = "time"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page of the list."""

    url: str
    title: str
    relevance: float | None
    beliefs: dict[str, float]
    """How likely it belongs to each category, or how relevant it is to each part of the topic."""
    fetched_at: str
    """ISO 8601 in UTC, on the crawl's clock."""
    size_bytes: int
    language: str | None
    depth: int


def list_pages(ledger: Ledger, sort: Sort = Sort.RELEVANCE, limit: int = 20) -> tuple[PageRow, ...]:
    """The first ``limit`` pages in that order. Memory grows with ``limit`` alone."""
    rows: Iterable[tuple[Known, Visit]]
    if sort is Sort.RELEVANCE:
        rows = ledger.best(0.0, limit)
    elif sort is Sort.TIME:
        rows = reversed(deque(ledger.visits(_PAGES), maxlen=limit))
    else:
        rows = heapq.nlargest(limit, ledger.visits(_PAGES), key=lambda row: row[1].size_bytes)
    return tuple(_row(known, visit) for known, visit in rows)


def pages_json(rows: Sequence[PageRow]) -> str:
    """The list as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(rows), indent=2).decode()


def render_pages(rows: Sequence[PageRow], console: Console) -> None:
    """Print it. Nothing from the web is read as markup or as control characters."""
    width = min(console.width, 120)
    if not rows:
        console.print("No pages yet.")
        return
    room = width - _LEFT - _RIGHT
    head = f"{'relevance':>{_LEFT - 2}}  {'page':<{room}}{'lang':>6}{'size':>10}"
    console.print(Text(head, "dim"), no_wrap=True)
    for row in rows:
        relevance = "–" if row.relevance is None else f"{row.relevance:.2f}"
        title = Text(wording.clip(wording.plain(row.title) or "untitled", room))
        title.align("left", room)
        language = wording.clip(wording.plain(row.language or ""), 4)
        right = f"{language:>6}{wording.size(row.size_bytes):>10}"
        console.print(Text.assemble(f"{relevance:>{_LEFT - 2}}  ", title, right), no_wrap=True)
        # Never broken over two lines, so that it can be copied, and found by other programs.
        console.print(Text(" " * _LEFT + row.url, "dim"), soft_wrap=True)


def _row(known: Known, visit: Visit) -> PageRow:
    return PageRow(
        url=known.url,
        title=visit.title,
        relevance=None if visit.judgement is None else visit.judgement.relevance,
        beliefs={} if visit.judgement is None else dict(visit.judgement.beliefs),
        fetched_at=wording.iso(visit.at_s),
        size_bytes=visit.size_bytes,
        language=visit.language,
        depth=known.depth,
    )
