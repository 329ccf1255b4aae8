"""A Share that tells what it sorts, for those who measure how a Team shares the web."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shoal.crawl.share import Share
from shoal.model import Lease, LinkKind, Offer, Page
from shoal.url import Url


class Sight(Protocol):
    """Is told of what a Share sorts."""

    def met(self, links: int, own_links: int) -> None:
        """A page that was kept has so many admitted Links, so many of them to what is ours."""

    def fetched(self, name: str, url: Url, owner: str, size_bytes: int) -> None:
        """A Crawler fetched a page that belongs to ``owner``."""


def _unknown(url: Url) -> int:
    raise LookupError(f"nobody said how large {url.text} is")


@dataclass
class WatchedShare(Share):
    """Sorts as a Share does."""

    sight: Sight = field(kw_only=True)
    size_of: Callable[[Url], int] = _unknown
    """The bytes of what was fetched."""

    def keep(self, offers: Sequence[Offer]) -> list[Offer]:
        ours = super().keep(offers)
        self.sight.met(_links(offers), _links(ours))
        return ours

    def owner_of(self, page: Page, lease: Lease) -> str | None:
        owner = super().owner_of(page, lease)
        self.sight.fetched(self.name, lease.url, owner or self.name, self.size_of(lease.url))
        return owner


def _links(offers: Sequence[Offer]) -> int:
    """A redirect is no Link of a page."""
    return sum(one.ruling.admitted and one.link.kind is not LinkKind.REDIRECT for one in offers)
