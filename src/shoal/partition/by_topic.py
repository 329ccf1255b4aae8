"""Topic partition: a page belongs to the Crawler of its topic (C4; 000, 3.3).

What C4 did about pages that no classifier can claim (000, 3.3.2) is done here:

- EMPTY and INVALID pages (nothing came; another status than 2XX) never reach a Partition: a Crawler
  settles them itself.
- A page in another language than the model's belongs to WORLD, and so does one that is about none
  of the topics, where those are the Team's own and not all that a model can tell.
- A page without text belongs to the Crawler of text-less pages where the Team has one, so that it
  spoils nobody's topic, or to Crawler 0, as C4 had it.
- A page of too few terms (X4: fewer than 50) says too little: it stays with whoever fetched it.

A Url that nobody has fetched belongs to whoever met it, or, by host, to the Crawler that its host
falls to on the ring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from shoal.errors import UsageError
from shoal.model import Link, Page
from shoal.partition.ring import Ring

TEXTLESS: Final = "NO-TEXT"
"""What a Teller says of a page without words, and the name of the Crawler that may keep those."""
Teller = Callable[[Page], str | None]
"""Tells the category of a Page; TEXTLESS for one without text; None where it cannot be told."""


class UnownedTopic(UsageError):
    """Pages of a topic would have nobody to keep them."""


class TopicPartition:
    def __init__(
        self,
        crawlers: tuple[str, ...],
        category_of: Teller,
        owners: Mapping[str, str],
        told_by: str,
        *,
        links_by_host: bool = False,
    ) -> None:
        """``owners`` says which Crawler has a category; TEXTLESS may be among them.
        ``told_by`` names the model or topics, as part of the version."""
        strangers = sorted(set(owners.values()) - set(crawlers))
        if strangers:
            raise ValueError(f"no crawler of this team is called {', '.join(strangers)}")
        self._crawlers = crawlers
        self._category_of = category_of
        self._owners = {TEXTLESS: crawlers[0], **owners}
        self._told_by = told_by
        self._ring = Ring(crawlers) if links_by_host else None

    @property
    def crawlers(self) -> tuple[str, ...]:
        return self._crawlers

    @property
    def version(self) -> str:
        by_host = "+host" if self._ring is not None else ""
        owners = ",".join(f"{category}={owner}" for category, owner in sorted(self._owners.items()))
        return f"topic{by_host}/1:{self._told_by}:{owners}"

    def owners_of_links(self, links: Sequence[Link], met_by: str) -> list[str | None]:
        del met_by
        if self._ring is None:
            return [None] * len(links)
        return [self._ring.owner(link.target.host) for link in links]

    def owner_of_page(self, page: Page, fetched_by: str) -> str:
        category = self._category_of(page)
        if category is None:
            return fetched_by
        owner = self._owners.get(category)
        if owner is None:
            raise UnownedTopic(
                f"no crawler of this team owns the topic {category!r}, and {page.url.text} is "
                f"about it; there are {', '.join(sorted(self._owners))}"
            )
        return owner
