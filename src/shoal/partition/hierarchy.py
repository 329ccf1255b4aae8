"""Url hierarchy with load balancing (000, 3.1.1, after the IBM Almaden experiment).

A Url is a path from the general to the particular: ``org / example / www / a / b``. A table gives
stretches of that tree to Crawlers; the longest entry that a Url begins with decides, and what no
entry covers is spread by its first two steps. ``balanced`` makes the next table from how much each
Crawler had: it breaks the stretches of the busiest Crawlers into smaller ones and gives those to
the idlest. A table never changes: the balanced one is another Partition, with another version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import xxhash

from shoal.model import Link, Page
from shoal.partition.ring import Ring
from shoal.url import Url

Stretch = tuple[str, ...]
"""The labels of a host from the right, then the directories of the path."""
DEEPEST: Final = 8
"""Steps of a Url that are looked at; what differs only below stays together."""


def stretch_of(url: Url) -> Stretch:
    """Where a Url stands in the tree. A page's own name is no step, so that a page and its
    neighbours share their stretch."""
    labels = url.host.split(".")[::-1] if not url.host[-1].isdigit() else [url.host]
    directories = url.path.split("/")[1:-1]
    return tuple((*labels, *directories)[:DEEPEST])


class HierarchyPartition:
    def __init__(
        self, crawlers: tuple[str, ...], table: Mapping[Stretch, str] | None = None
    ) -> None:
        self._crawlers = crawlers
        self._ring = Ring(crawlers)
        self._table = dict(table or {})
        strangers = sorted(set(self._table.values()) - set(crawlers))
        if strangers:
            raise ValueError(f"no crawler of this team is called {', '.join(strangers)}")

    @property
    def crawlers(self) -> tuple[str, ...]:
        return self._crawlers

    @property
    def version(self) -> str:
        table = xxhash.xxh3_64_hexdigest(repr(sorted(self._table.items())).encode())
        return f"hierarchy/1:{','.join(sorted(self._crawlers))}:{table}"

    @property
    def table(self) -> Mapping[Stretch, str]:
        return self._table

    def owners_of_links(self, links: Sequence[Link], met_by: str) -> list[str | None]:
        del met_by
        return [self.owner(link.target) for link in links]

    def owner_of_page(self, page: Page, fetched_by: str) -> str:
        del fetched_by
        return self.owner(page.url)

    def owner(self, url: Url) -> str:
        return self._owner(stretch_of(url))

    def balanced(self, load: Mapping[Stretch, int], most: float = 1.1) -> HierarchyPartition:
        """The Partition under which no Crawler has more than ``most`` times the mean of ``load``
        (Urls by their whole stretch), as far as whole stretches allow; as few as can be move."""
        owned = self._by_crawler(load)
        mean = sum(load.values()) / len(self._crawlers)
        table = dict(self._table)
        totals = {crawler: sum(owned[crawler].values()) for crawler in self._crawlers}
        while True:
            busiest = max(self._crawlers, key=lambda crawler: (totals[crawler], crawler))
            idlest = min(self._crawlers, key=lambda crawler: (totals[crawler], crawler))
            excess = totals[busiest] - mean
            if totals[busiest] <= most * mean:
                break
            # The largest stretch that makes neither of the two worse off than the busiest was.
            room = totals[busiest] - totals[idlest]
            fitting = [
                (urls, stretch) for stretch, urls in owned[busiest].items() if 0 < urls < room
            ]
            if not fitting:
                break
            urls, moved = max(fitting, key=lambda one: (one[0] <= excess, one[0], one[1]))
            table[moved] = idlest
            owned[idlest][moved] = owned[busiest].pop(moved)
            totals[busiest] -= urls
            totals[idlest] += urls
        return HierarchyPartition(self._crawlers, table)

    def _by_crawler(self, load: Mapping[Stretch, int]) -> dict[str, Counter[Stretch]]:
        owned: dict[str, Counter[Stretch]] = {crawler: Counter() for crawler in self._crawlers}
        for stretch, urls in load.items():
            owned[self._owner(stretch)][stretch] += urls
        return owned

    def _owner(self, stretch: Stretch) -> str:
        for length in range(len(stretch), 0, -1):
            owner = self._table.get(stretch[:length])
            if owner is not None:
                return owner
        return self._ring.owner("/".join(stretch[:2]))
