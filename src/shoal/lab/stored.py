"""A frozen web as a run of the lab sees it: a Shelf without the hidden pages, and a Parser that
remembers what it said of each page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from shoal.lab.page_store import PageStore
from shoal.lab.survey import Flags, Survey
from shoal.model import Page, Response
from shoal.ports import Parser, Shelf
from shoal.url import Url


@dataclass(frozen=True)
class ShelfWithout:
    """``ports.Shelf`` over another one, from which the hidden addresses are missing."""

    shelf: Shelf
    survey: Survey
    hidden: Flags

    def find(self, url: Url) -> Response | None:
        number = self.survey.number(url)
        if number is not None and self.hidden[number]:
            return None
        return self.shelf.find(url)

    def urls(self) -> Iterator[str]:
        for text, hide in zip(self.survey.urls, self.hidden, strict=True):
            if not hide:
                yield text

    def close(self) -> None:
        self.shelf.close()


@dataclass(frozen=True)
class StoredParser:
    """``ports.Parser``: what the store has is read from there, the rest is parsed.

    1. The Page equals what ``parser`` would make of the Response.
    2. With ``keep`` its Links are only those to addresses of these numbers: on a closed web there
       is nothing else that a Link could lead to.
    """

    parser: Parser
    store: PageStore
    survey: Survey
    keep: Flags | None

    def parse(self, response: Response) -> Page:
        number = self.survey.number(response.url)
        if number is not None and self.survey.urls[number] == response.url.text:
            page = self.store.page(number, response.url, self.keep)
            if page is not None:
                return page
        return self._closed(self.parser.parse(response))

    def _closed(self, page: Page) -> Page:
        if self.keep is None:
            return page
        links = tuple(link for link in page.links if self._is_kept(link.target))
        return replace(page, links=links)

    def _is_kept(self, url: Url) -> bool:
        number = self.survey.number(url)
        return number is not None and self.keep is not None and bool(self.keep[number])
