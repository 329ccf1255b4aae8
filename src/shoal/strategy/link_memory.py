"""The links of a crawl as a Strategy remembers them: a graph in memory, pieces on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from shoal.model import Link, Page, Waiting
from shoal.rank.graph import LinkGraph, PageLinks
from shoal.rank.numbers import Digests, Nodes, digests

PIECE_PAGES: Final = 64
"""A piece holds the links of so many pages: it is written again until it is full."""


class LinkMemory:
    """The graph of all pages that were told, and what a Learner needs to have it again.

    1. ``knowledge`` gives the pieces that changed since it was asked last: 8 bytes a link.
    2. ``recall`` tells the pages again, in the order in which they were told first.
    """

    def __init__(self) -> None:
        self.graph = LinkGraph()
        self.pages = 0
        self._open: list[bytes] = []
        """The pages of the piece that is not full."""
        self._changed: dict[str, bytes] = {}

    def tell(self, page: Page, links: Sequence[Link]) -> PageLinks:
        """Take the Links of a page; tells what nodes they lead to, in their order."""
        return self._take(digests((page.url.text, *(link.target.text for link in links))))

    def find(self, waiting: Sequence[Waiting]) -> Nodes:
        """The node of each Url, -1 where no page that was told links to it."""
        return self.graph.find(digests(item.url.text for item in waiting))

    def knowledge(self) -> dict[str, bytes]:
        changed, self._changed = self._changed, {}
        return changed

    def recall(self, read: Callable[[str], bytes | None]) -> Iterator[PageLinks]:
        """Each page as it is told again."""
        number = 0
        while (piece := read(_name(number))) is not None:
            for keys in _pages_of(piece):
                yield self._take(keys)
            number += 1
        self._changed = {}

    def _take(self, keys: Digests) -> PageLinks:
        self._open.append(np.uint64(len(keys)).tobytes() + keys.tobytes())
        self._changed[_name(self.pages // PIECE_PAGES)] = b"".join(self._open)
        self.pages += 1
        if not self.pages % PIECE_PAGES:
            self._open = []
        return self.graph.add(keys)


def _name(number: int) -> str:
    return f"links/{number}"


def _pages_of(piece: bytes) -> Iterator[Digests]:
    numbers = np.frombuffer(piece, np.uint64)
    at = 0
    while at < len(numbers):
        end = at + 1 + int(numbers[at])
        yield numbers[at + 1 : end]
        at = end
