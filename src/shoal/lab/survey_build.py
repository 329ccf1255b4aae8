"""Looks at every address of a frozen web once: makes its Survey and its store of parsed pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
import Stemmer

from shoal.http.headers import is_accepted
from shoal.lab.page_store import NOWHERE, PageWriter, stored_page
from shoal.lab.survey import Rows, Survey
from shoal.model import LinkKind, Page, Response
from shoal.ports import Parser, Shelf
from shoal.url import BadUrl, Url, UrlParser

SURVEY_FILE: Final = "survey.npz"
URLS_FILE: Final = "urls.msgpack"
HOPS: Final = 10
"""Redirects followed to see where a Link leads."""


def build_survey(
    shelf: Shelf,
    parser: Parser,
    urls: UrlParser,
    accept: tuple[str, ...],
    folder: Path,
    tell: Callable[[int, int], None],
) -> None:
    """Write the survey and the pages of ``shelf`` into ``folder``, which is there and empty.
    ``tell`` is given the number of addresses done, and that of all. Nothing that is written depends
    on the machine."""
    addresses = _Addresses.of(shelf, urls)
    stems = _Stems()
    writer = PageWriter(folder)
    is_page: list[bool] = []
    links: list[list[int]] = []
    terms: list[list[int]] = []
    counts: list[list[int]] = []
    for done, url in enumerate(addresses.urls, start=1):
        response = shelf.find(url)
        page = _content(response, parser, accept)
        if page is None:
            writer.add(b"")
            hop = None if response is None else _redirect(response, urls)
            targets = [] if hop is None else [addresses.number(hop)]
        else:
            targets = [addresses.number(link.target) for link in page.links]
            writer.add(stored_page(page, targets))
        is_page.append(page is not None)
        links.append([n for n in dict.fromkeys(targets) if n not in (NOWHERE, done - 1)])
        found = stems.count(page.terms if page is not None else {})
        terms.append(list(found))
        counts.append(list(found.values()))
        tell(done, len(addresses.urls))
    writer.close()
    link_rows, term_rows, count_rows = Rows.of(links), Rows.of(terms), Rows.of(counts)
    np.savez(
        folder / SURVEY_FILE,
        is_page=np.array(is_page, np.bool_),
        link_starts=link_rows.starts,
        links=link_rows.values,
        term_starts=term_rows.starts,
        terms=term_rows.values,
        counts=count_rows.values,
        stems=np.array(stems.size),
        sites=np.fromiter(_site_numbers(addresses.urls), np.int32),
    )
    (folder / URLS_FILE).write_bytes(msgspec.msgpack.encode([url.text for url in addresses.urls]))


def read_survey(folder: Path) -> Survey:
    with np.load(folder / SURVEY_FILE) as table:
        return Survey(
            urls=msgspec.msgpack.decode((folder / URLS_FILE).read_bytes(), type=tuple[str, ...]),
            is_page=table["is_page"],
            links=Rows(table["link_starts"], table["links"]),
            terms=Rows(table["term_starts"], table["terms"]),
            counts=Rows(table["term_starts"], table["counts"]),
            stems=int(table["stems"]),
            sites=table["sites"],
        )


class _Addresses:
    """The addresses of a web and their numbers; a redirect that the Shelf makes up (as a synthetic
    web does) counts as the address it leads to."""

    def __init__(self, shelf: Shelf, parser: UrlParser, urls: list[Url]) -> None:
        self.urls = urls
        self._shelf = shelf
        self._parser = parser
        self._by_surt = {url.surt: number for number, url in reversed(list(enumerate(urls)))}
        self._known: dict[str, int] = {}

    @classmethod
    def of(cls, shelf: Shelf, parser: UrlParser) -> _Addresses:
        found: dict[str, Url] = {}
        for text in shelf.urls():
            try:
                url = parser.parse(text)
            except BadUrl:
                # What is no Url for a crawl is not on the web for it either.
                continue
            found.setdefault(url.text, url)
        return cls(shelf, parser, list(found.values()))

    def number(self, url: Url) -> int:
        known = self._known.get(url.text)
        if known is None:
            known = self._known[url.text] = self._look_up(url)
        return known

    def _look_up(self, url: Url) -> int:
        for _ in range(HOPS):
            number = self._by_surt.get(url.surt)
            if number is not None:
                return number
            response = self._shelf.find(url)
            hop = None if response is None else _redirect(response, self._parser)
            if hop is None:
                return NOWHERE
            url = hop
        return NOWHERE


class _Stems:
    """Numbers for stems, in the order in which they were met."""

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("porter")
        self._by_word: dict[str, int] = {}
        self._by_stem: dict[str, int] = {}

    @property
    def size(self) -> int:
        return len(self._by_stem)

    def count(self, terms: Mapping[str, int]) -> dict[int, int]:
        """How often each stem stands on a page, given its words and how often they do."""
        found: dict[int, int] = {}
        for word, count in terms.items():
            stem = self._by_word.get(word)
            if stem is None:
                text = self._stemmer.stemWord(word)
                stem = self._by_word[word] = self._by_stem.setdefault(text, len(self._by_stem))
            found[stem] = found.get(stem, 0) + count
        return found


def _content(response: Response | None, parser: Parser, accept: tuple[str, ...]) -> Page | None:
    """The Page of an address that answers with content; None for redirects, errors, kinds that a
    crawl does not take, and what is there for robots alone."""
    if response is None or not 200 <= response.status < 300:
        return None
    if not is_accepted(response.header("content-type"), accept) or _is_robots(response.url):
        return None
    page = parser.parse(response)
    listed = (LinkKind.SITEMAP, LinkKind.LISTED)
    return None if page.links and page.links[0].kind in listed else page


def _is_robots(url: Url) -> bool:
    return url.path == "/robots.txt"


def _redirect(response: Response, urls: UrlParser) -> Url | None:
    location = response.header("location")
    if not 300 <= response.status < 400 or not location:
        return None
    try:
        return urls.parse(location, response.url)
    except BadUrl:
        return None


def _site_numbers(urls: Iterable[Url]) -> Iterator[int]:
    numbers: dict[str, int] = {}
    for url in urls:
        yield numbers.setdefault(url.site, len(numbers))
