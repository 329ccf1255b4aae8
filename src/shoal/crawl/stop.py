"""Why a crawl ends. Every crawl has a reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StopReason(StrEnum):
    PAGES = "pages"
    """As many pages as were asked for."""
    TIME = "time"
    BYTES = "bytes"
    FINISHED = "finished"
    """Nothing is left to fetch."""
    INTERRUPTED = "interrupted"
    """Somebody asked it to stop; the same command goes on."""
    REGROUPED = "regrouped"
    """Who is in the Team changes; it goes on by itself."""
    STORAGE = "storage"
    """The disk is full or cannot be written; the same command goes on once it can."""


@dataclass(frozen=True, slots=True)
class Stop:
    reason: StopReason
    detail: str
