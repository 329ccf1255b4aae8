"""Partitions that look at a Url alone: no page is needed to tell who owns it (000, 3.1.1).

They differ only in what of the Url is hashed, so each is a function from a Url to a name:

- ``url``: the whole address. Every Url has one owner; a link stays with chance 1/N.
- ``host``: the host, so that links within it stay.
- ``site``: the registrable domain, so that ``www.`` and ``blog.`` of a place stay together.
- ``country``: the country domain (``.jp``), so that what lies close together is fetched from one
  place. A domain without a country (``.org``, an address of numbers) is spread by its site: it says
  nothing of where it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from shoal.model import Link, Page
from shoal.partition.ring import Ring
from shoal.url import Url


def whole(url: Url) -> str:
    return url.text


def host(url: Url) -> str:
    return url.host


def site(url: Url) -> str:
    return url.site


def country(url: Url) -> str:
    domain = url.host.rpartition(".")[2]
    return domain if len(domain) == 2 and domain.isalpha() else url.site


NAMES: Final[dict[str, Callable[[Url], str]]] = {
    "url": whole,
    "host": host,
    "site": site,
    "country": country,
}


class AddressPartition:
    """Whoever the ring gives a part of the Url to: before it is fetched, and ever after."""

    def __init__(self, crawlers: tuple[str, ...], name: str) -> None:
        """``name`` is one of NAMES."""
        self._crawlers = crawlers
        self._ring = Ring(crawlers)
        self._name = name
        self._part = NAMES[name]

    @property
    def crawlers(self) -> tuple[str, ...]:
        return self._crawlers

    @property
    def version(self) -> str:
        return f"{self._name}/1:{','.join(sorted(self._crawlers))}"

    def owners_of_links(self, links: Sequence[Link], met_by: str) -> list[str | None]:
        del met_by
        return [self._ring.owner(self._part(link.target)) for link in links]

    def owner_of_page(self, page: Page, fetched_by: str) -> str:
        del fetched_by
        return self._ring.owner(self._part(page.url))
