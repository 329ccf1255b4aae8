"""In how many of the Pages that a crawl has met each Concept stood.

1. ``idf`` goes by the Pages met so far, and by nothing else.
2. What was counted survives a crash: ``knowledge`` gives the pieces that have changed, and counts
   that were told all pieces by ``recall`` go on from there.
3. Memory: four bytes a Concept. A piece holds ``PIECE`` of them, so that a batch writes what its
   Pages speak of, and not a large ontology as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import log10
from typing import Final

import numpy as np

PIECE: Final = 1_024
_PAGES: Final = "pages"
_STORED: Final = "<u4"


class CrawlCounts:
    """Of Concepts by their numbers."""

    def __init__(self, concepts: int) -> None:
        self._counts = np.zeros(concepts, np.uint32)
        self._changed: set[int] = set()
        self.pages = 0

    def meet(self, concepts: Iterable[int]) -> None:
        """One Page more, with the Concepts that stand on it."""
        self.pages += 1
        for concept in concepts:
            self._counts[concept] += 1
            self._changed.add(concept // PIECE)

    def idf(self, concept: int) -> float:
        """log10(D / df). A Concept that was never met is as rare as one that was met once."""
        return log10(max(1, self.pages) / max(1, int(self._counts[concept])))

    def knowledge(self) -> Mapping[str, bytes]:
        pieces = {_PAGES: str(self.pages).encode()}
        for number in sorted(self._changed):
            pieces[f"counts/{number}"] = self._piece(number).astype(_STORED).tobytes()
        self._changed.clear()
        return pieces

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        self.pages = int(read(_PAGES) or b"0")
        for number in range(-(-len(self._counts) // PIECE)):
            stored = read(f"counts/{number}")
            if stored is not None:
                self._piece(number)[:] = np.frombuffer(stored, _STORED)

    def _piece(self, number: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        return self._counts[number * PIECE : (number + 1) * PIECE]
