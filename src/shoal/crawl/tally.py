"""What a crawl has done so far, through every restart."""

from __future__ import annotations

import msgspec

from shoal.model import Outcome, Visit


class Tally(msgspec.Struct):
    """Counts that budgets and displays need without asking the Frontier. Saved with each batch."""

    pages: int = 0
    """Visits that ended as PAGE: parsed, and saying something new."""
    relevant: int = 0
    bytes: int = 0
    active_s: float = 0.0
    """Time on the crawl's clock during which it ran."""

    def count(self, visit: Visit, relevant_at: float) -> None:
        if visit.fetched_by is None:
            self.bytes += visit.size_bytes
        if visit.outcome is Outcome.PAGE:
            self.pages += 1
            if visit.judgement is not None and visit.judgement.relevance >= relevant_at:
                self.relevant += 1

    def dump(self) -> str:
        return msgspec.json.encode(self).decode()

    @classmethod
    def load(cls, text: str | None) -> Tally:
        return msgspec.json.decode(text, type=cls) if text else cls()
