"""A Strategy that remembers what it saw, and weighs Urls by a Model of it.

1. What is kept on disk is the records of pages, each written once, and how far they had been
   weighed together. Everything else follows from these, so a crash changes no Priority.
2. All evidence is weighed anew whenever the pages are some more than the last time (``renewal``),
   so the cost a page does not grow with the crawl. In between a page changes only what is thought
   of the Urls that it links to.
3. Nothing is left to chance: the same pages in the same order give the same Priorities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import msgspec
import numpy as np

from shoal.model import Judgement, Lease, Link, LinkKind, Page, Priority, Waiting
from shoal.strategy.best_first import SEED
from shoal.strategy.learning.memory import Memory
from shoal.strategy.learning.record import PageRecord, Recorder, number_of
from shoal.strategy.learning.words import Floats, Ints
from shoal.url import Url

RENEW_LEAST: Final = 10
RENEW_SHARE: Final = 10
"""Weigh all anew after so many pages, or after the pages have grown by one part in so many."""
HARDLY: Final = 0.05
"""A Priority that would change by less than this share of it is left: to read it again is cheap, to
write it is not."""
_HEAD: Final = "head"
_encode = msgspec.msgpack.Encoder().encode


class Model(Protocol):
    """What a learning Strategy thinks of the Urls in its Memory.

    1. ``renew`` forgets what was thought, and starts from the Memory alone.
    2. ``add`` is told once of each page after that: it is the last one of the Memory.
    """

    def renew(self, memory: Memory) -> None: ...

    def add(self, memory: Memory, links: int) -> None:
        """``links`` is how many of the Memory's last Links stand on the page."""

    def evidence(self, url: int) -> list[float]:
        """What is to be remembered of the evidence that a Url was chosen by; empty for nothing."""

    def values(self, urls: Ints) -> Floats:
        """Of their Priorities, without the parts."""
        ...

    def priorities(self, urls: Ints) -> list[Priority]: ...


class _Head(msgspec.Struct, frozen=True):
    pages: int
    renewed: int


class LearningStrategy:
    """``ports.Strategy``, ``ports.Rescorer`` and ``ports.Learner`` about a Model."""

    def __init__(self, recorder: Recorder, model: Model) -> None:
        self._recorder = recorder
        self._model = model
        self._memory = Memory()
        self._renewed = 0
        self._new: list[PageRecord] = []
        """Records that are not kept yet."""

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        memory = self._memory
        own = memory.url(number_of(lease.url.text))
        evidence = [] if own is None else self._model.evidence(own)
        record = self._recorder.record(page, judgement, links, lease, evidence, memory.knows)
        targets = self._take(record)
        self._new.append(record)
        if self._is_renewal_due():
            self._renew()
        return self._model.priorities(targets)

    def rescore_due(self) -> bool:
        """Right after all was weighed anew."""
        return self._renewed == self._memory.pages

    def rescore(self, waiting: Sequence[Waiting]) -> Sequence[Priority]:
        """Seeds, what no judged page links to, and what is hardly worth more or less than it was
        keep their Priority."""
        found = [one.priority for one in waiting]
        places: list[int] = []
        urls: list[int] = []
        for place, one in enumerate(waiting):
            url = self._memory.url(number_of(one.url.text))
            if url is not None and one.kind is not LinkKind.SEED:
                places.append(place)
                urls.append(url)
        known = np.array(urls, np.int64)
        was = np.array([found[place].value for place in places])
        moved = np.flatnonzero(np.abs(self._model.values(known) - was) > HARDLY * np.abs(was))
        for place, priority in zip(
            moved.tolist(), self._model.priorities(known[moved]), strict=True
        ):
            found[places[place]] = priority
        return found

    def knowledge(self) -> Mapping[str, bytes]:
        if not self._new:
            return {}
        first = self._memory.pages - len(self._new)
        pieces = {str(first + place): _encode(record) for place, record in enumerate(self._new)}
        self._new = []
        return {**pieces, _HEAD: _encode(_Head(self._memory.pages, self._renewed))}

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        piece = read(_HEAD)
        if piece is None:
            return
        head = msgspec.msgpack.decode(piece, type=_Head)
        for number in range(head.pages):
            kept = read(str(number))
            if kept is None:
                raise ValueError(f"the record of page {number} of {head.pages} is missing")
            record = msgspec.msgpack.decode(kept, type=PageRecord)
            if number < head.renewed:
                self._memory.add(record)
            else:
                self._take(record)
            if number + 1 == head.renewed:
                self._renew()

    def _take(self, record: PageRecord) -> Ints:
        targets = self._memory.add(record)
        self._model.add(self._memory, len(targets))
        return targets

    def _is_renewal_due(self) -> bool:
        pages = self._memory.pages
        return pages - self._renewed >= max(RENEW_LEAST, pages // RENEW_SHARE)

    def _renew(self) -> None:
        self._model.renew(self._memory)
        self._renewed = self._memory.pages
