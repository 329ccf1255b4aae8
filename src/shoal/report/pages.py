"""The pages of a crawl as a short list."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from shoal import wording
from shoal.model import Known, Outcome, Visit
from shoal.ports import Ledger

_PAGES = frozenset({Outcome.PAGE})


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
    table = Table(box=None, pad_edge=False, header_style="dim", width=width, padding=(0, 2, 0, 0))
    table.add_column("relevance", justify="right", no_wrap=True)
    table.add_column("page", ratio=1, overflow="fold")
    table.add_column("lang", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    room = width - 34
    for row in rows:
        title = wording.clip(wording.plain(row.title) or "untitled", room)
        page = Text.assemble(title, "\n", (row.url, "dim"))
        table.add_row(
            "–" if row.relevance is None else f"{row.relevance:.2f}",
            page,
            Text(wording.plain(row.language or "")),
            wording.size(row.size_bytes),
        )
    console.print(table, width=width)


def _row(known: Known, visit: Visit) -> PageRow:
    return PageRow(
        url=known.url,
        title=visit.title,
        relevance=None if visit.judgement is None else visit.judgement.relevance,
        fetched_at=wording.iso(visit.at_s),
        size_bytes=visit.size_bytes,
        language=visit.language,
        depth=known.depth,
    )
