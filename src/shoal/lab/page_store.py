"""Parsed pages on disk, so that a hundred runs over one web parse it once.

1. What ``page`` gives equals what the Parser gave, Link by Link and word by word.
2. A store is written whole or not at all, and never changed afterwards: any number of processes
   may read it at once.
3. Memory does not grow with the pages: each is read when it is asked for.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from shoal.model import Language, Link, LinkKind, Page, PageRules
from shoal.url import Url

PAGES_FILE: Final = "pages.bin"
ENDS_FILE: Final = "pages.ends.npy"
NOWHERE: Final = -1
"""In place of the number of an address: it is not on the web."""


class StoredLink(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A Link without its source, which is the page it stands on."""

    target: str
    authority_end: int
    number: int
    """Of the address on the web that it leads to, or NOWHERE."""
    kind: LinkKind
    anchor: str
    context: str
    rel: tuple[str, ...]
    position: float


class StoredPage(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A Page without its Url."""

    media_type: str
    charset: str | None
    title: str
    description: str
    headings: tuple[str, ...]
    text: str
    terms: dict[str, int]
    links: tuple[StoredLink, ...]
    language: str
    confidence: float
    rules: tuple[bool, bool, bool]
    digest: str
    simhash: int | None
    soft_404: bool


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(StoredPage).decode


def stored_page(page: Page, numbers: Sequence[int]) -> bytes:
    """``numbers`` are those of the Links' targets."""
    links = tuple(
        StoredLink(
            link.target.text,
            len(link.target.origin),
            number,
            link.kind,
            link.anchor,
            link.context,
            link.rel,
            link.position,
        )
        for link, number in zip(page.links, numbers, strict=True)
    )
    rules = page.rules
    return _encode(
        StoredPage(
            page.media_type,
            page.charset,
            page.title,
            page.description,
            page.headings,
            page.text,
            dict(page.terms),
            links,
            page.language.code,
            page.language.confidence,
            (rules.index, rules.follow, rules.archive),
            page.digest,
            page.simhash,
            page.soft_404,
        )
    )


class PageWriter:
    """Writes a store into a folder, page by page in the order of their numbers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = (folder / PAGES_FILE).open("wb")
        self._ends = [0]

    def add(self, stored: bytes) -> None:
        """The next page; empty for an address without a parsed page."""
        self._file.write(stored)
        self._ends.append(self._ends[-1] + len(stored))

    def close(self) -> None:
        self._file.close()
        np.save(self._folder / ENDS_FILE, np.array(self._ends, np.int64))


class PageStore:
    """Reads a store."""

    def __init__(self, folder: Path) -> None:
        self._ends: NDArray[np.int64] = np.load(folder / ENDS_FILE)
        with (folder / PAGES_FILE).open("rb") as file:
            # An empty file cannot be mapped, and has no page to read.
            self._data = (
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if self._size else None
            )

    @property
    def _size(self) -> int:
        return int(self._ends[-1])

    def page(self, number: int, url: Url, keep: NDArray[np.bool_] | None = None) -> Page | None:
        """The Page of an address; None where it has none. With ``keep`` only the Links to addresses
        of these numbers are left on it."""
        start, end = int(self._ends[number]), int(self._ends[number + 1])
        if start == end or self._data is None:
            return None
        stored = _decode(self._data[start:end])
        links = tuple(
            Link(
                url,
                Url(link.target, link.authority_end),
                link.kind,
                link.anchor,
                link.context,
                link.rel,
                link.position,
            )
            for link in stored.links
            if keep is None or (link.number != NOWHERE and keep[link.number])
        )
        return Page(
            url,
            stored.media_type,
            stored.charset,
            stored.title,
            stored.description,
            stored.headings,
            stored.text,
            stored.terms,
            links,
            Language(stored.language, stored.confidence),
            PageRules(*stored.rules),
            stored.digest,
            stored.simhash,
            stored.soft_404,
        )

    def close(self) -> None:
        if self._data is not None:
            self._data.close()
