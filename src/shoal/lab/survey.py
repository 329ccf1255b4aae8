"""All that is on a frozen web, looked at once: its pages, Links, words and sites.

A Survey is what the lab knows and a crawl does not. Measures, seed sets and the oracle read it;
no Strategy ever sees it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.url import BadUrl, Url, parse_url

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of numbers of different lengths, end to end."""

    starts: NDArray[np.int64]
    """Where each row starts, and where the last one ends."""
    values: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row(self, number: int) -> Ints:
        return self.values[self.starts[number] : self.starts[number + 1]]

    @classmethod
    def of(cls, rows: Iterable[Iterable[int]]) -> Rows:
        lists = [np.fromiter(row, np.int32) for row in rows]
        starts = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(row) for row in lists], out=starts[1:])
        return cls(starts, np.concatenate(lists) if lists else np.empty(0, np.int32))


@dataclass(frozen=True)
class Survey:
    """A frozen web from above. Everything is told by an address's number, its place in ``urls``."""

    urls: tuple[str, ...]
    """Every address on the web once, canonical, in the Shelf's order."""
    is_page: Flags
    """Whether it answers with content of a kind that a crawl keeps: what counts as fetched.
    Redirects and errors do not."""
    links: Rows
    """Where its Links (a redirect's target among them) lead on this web; each address once."""
    terms: Rows
    """The numbers of the stems on the page."""
    counts: Rows
    """How often each of them stands there."""
    stems: int
    """How many different stems the web has."""
    sites: Ints
    """The number of its site."""

    def number(self, url: Url) -> int | None:
        """The number of an address; scheme, ``www.`` and a last slash do not matter."""
        found = self._by_text.get(url.text)
        return self._by_surt.get(url.surt) if found is None else found

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self.urls)}

    @cached_property
    def _by_surt(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for number, text in enumerate(self.urls):
            try:
                found.setdefault(parse_url(text).surt, number)
            except BadUrl:
                continue
        return found

    @property
    def pages(self) -> int:
        return int(self.is_page.sum())

    def hidden(self, patterns: Iterable[str]) -> Flags:
        """Which addresses match one of the patterns of ``webs.NAME.without``."""
        matches = address_matcher(patterns)
        return np.fromiter((matches(text) for text in self.urls), np.bool_, len(self.urls))

    def without(self, hidden: Flags) -> Survey:
        """The same web, in which the hidden addresses have no content and nothing links to them.
        Numbers stay what they are."""
        if not hidden.any():
            return self
        rows = (self.links.row(number) for number in range(len(self.urls)))
        return Survey(
            self.urls,
            self.is_page & ~hidden,
            Rows.of(
                row[:0] if hide else row[~hidden[row]]
                for hide, row in zip(hidden, rows, strict=True)
            ),
            self.terms,
            self.counts,
            self.stems,
            self.sites,
        )


def address_matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Whether an address is one of those that the patterns mean: ``*`` is anything, a pattern that
    begins with ``/`` is matched against path and query, any other against the whole address."""
    expressions = [
        (r"[a-z]+://[^/]*" if pattern.startswith("/") else "")
        + ".*".join(map(re.escape, pattern.split("*")))
        for pattern in patterns
    ]
    if not expressions:
        return lambda _: False
    compiled = re.compile("|".join(f"(?:{one})" for one in expressions), re.DOTALL)
    return lambda text: compiled.fullmatch(text) is not None


def link_distances(links: Rows, seeds: Iterable[int]) -> dict[int, int]:
    """How many Links each address is from the nearest of the seeds, where there is a way."""
    found = dict.fromkeys(seeds, 0)
    queue = list(found)
    for number in queue:
        for target in links.row(number).tolist():
            if target not in found:
                found[target] = found[number] + 1
                queue.append(target)
    return found
