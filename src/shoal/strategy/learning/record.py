"""What is remembered of a judged page: enough to weigh its Links anew, and no more.

Records are what a learning Strategy keeps on disk. All else that it knows follows from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import xxhash

from shoal.model import Judgement, Lease, Link, LinkKind, Page
from shoal.ports import Topic
from shoal.strategy.learning.words import Numbering
from shoal.url import Url

PAGE_WORDS: Final = 64
"""The most telling words of a page; those beyond hardly change a cosine."""
ANCHOR_WORDS: Final = 12
CONTEXT_WORDS: Final = 12
URL_WORDS: Final = 8

Words = list[tuple[int, float]]


class LinkRecord(msgspec.Struct, frozen=True, array_like=True):
    """A Link of the page, by numbers."""

    target: int
    anchor_similarity: float
    host: int = 0
    """This and what follows: of a Url that no record before had."""
    directory: int = 0
    anchor: Words = []
    context: Words = []
    path: Words = []


class PageRecord(msgspec.Struct, frozen=True, array_like=True):
    """A judged page."""

    url: int
    seed: bool
    similarity: float
    relevance: float
    words: list[int]
    weights: list[float]
    links: list[LinkRecord]
    evidence: list[float]
    """By which its Url was chosen; empty where none was."""


class Recorder:
    """Makes records of what a Strategy is told."""

    def __init__(self, topic: Topic, numbering: Numbering) -> None:
        self._topic = topic
        self._numbering = numbering

    def record(
        self,
        page: Page,
        judgement: Judgement,
        links: Sequence[Link],
        lease: Lease,
        evidence: list[float],
        is_known: Callable[[int], bool],
    ) -> PageRecord:
        words, weights = self._numbering.counts(page.terms, PAGE_WORDS)
        return PageRecord(
            number_of(lease.url.text),
            lease.kind is LinkKind.SEED,
            judgement.similarity,
            judgement.relevance,
            words.tolist(),
            weights.tolist(),
            [self._link(link, is_known) for link in links],
            evidence,
        )

    def _link(self, link: Link, is_known: Callable[[int], bool]) -> LinkRecord:
        target = number_of(link.target.text)
        similarity = self._topic.similarity(link.anchor) if link.anchor else 0.0
        if is_known(target):
            return LinkRecord(target, similarity)
        numbering = self._numbering
        return LinkRecord(
            target,
            similarity,
            number_of(link.target.host_key),
            number_of(directory_of(link.target)),
            numbering.text(link.anchor, ANCHOR_WORDS),
            numbering.text(link.context, CONTEXT_WORDS),
            numbering.text(link.target.path, URL_WORDS),
        )


def number_of(text: str) -> int:
    """The same for the same text, everywhere; positive."""
    return xxhash.xxh3_64_intdigest(text.encode()) >> 1


def directory_of(url: Url) -> str:
    return url.text.rpartition("/")[0]
