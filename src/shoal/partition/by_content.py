"""Partitions that look at what a page says, and not at what it is about (000, 3.1.1).

- Content hashing: the owner of a page is told by its bytes, so that the same page under two
  addresses has one owner. Nobody knows the owner of a Url before it is fetched: whoever meets it
  fetches it, and a page is fetched by as many as meet it, unless the Team keeps claims.
- Combination hashing: a Url has an owner by its address, who fetches it; its page has another by
  its bytes, who follows its links. Neither a Url nor a content is ever had twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.model import Link, Page
from shoal.partition.ring import Ring


class ContentPartition:
    def __init__(self, crawlers: tuple[str, ...]) -> None:
        self._crawlers = crawlers
        self._ring = Ring(crawlers)

    @property
    def crawlers(self) -> tuple[str, ...]:
        return self._crawlers

    @property
    def version(self) -> str:
        return f"content/1:{','.join(sorted(self._crawlers))}"

    def owners_of_links(self, links: Sequence[Link], met_by: str) -> list[str | None]:
        del met_by
        return [None] * len(links)

    def owner_of_page(self, page: Page, fetched_by: str) -> str:
        return self._ring.owner(page.digest) if page.digest else fetched_by


class CombinationPartition(ContentPartition):
    @property
    def version(self) -> str:
        return f"combination/1:{','.join(sorted(self._crawlers))}"

    def owners_of_links(self, links: Sequence[Link], met_by: str) -> list[str | None]:
        del met_by
        # Another name than the page's own, so that the two owners are independent.
        return [self._ring.owner(f"url {link.target.text}") for link in links]
