"""A Parser that also reads sitemaps; everything else it hands on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from shoal.model import Link, LinkKind, Page, Response
from shoal.page.fingerprint import digest
from shoal.page.sitemap import SitemapEntry, read_sitemap
from shoal.ports import Parser
from shoal.url import BadUrl, Url, UrlParser

_SITEMAP: Final = re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex)[\s>]")
_LOOK_BYTES: Final = 2_000
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class SitemapParser:
    """What is a sitemap by its content becomes a Page of SITEMAP and LISTED Links; the rest goes on
    to ``pages``. The name and the media type of a sitemap tell nothing reliable."""

    pages: Parser
    urls: UrlParser

    def parse(self, response: Response) -> Page:
        body = response.body
        named = "sitemap" in response.url.path.lower()
        if not (_SITEMAP.search(body, 0, _LOOK_BYTES) or (named and body.startswith(_GZIP))):
            return self.pages.parse(response)
        media_type = response.header("content-type")
        found = read_sitemap(body, media_type)
        links = [
            *self._links(response.url, found.nested, LinkKind.SITEMAP),
            *self._links(response.url, found.entries, LinkKind.LISTED),
        ]
        return Page(
            url=response.url,
            media_type=media_type or "application/xml",
            links=tuple(links),
            digest=digest(response.payload),
        )

    def _links(
        self, source: Url, entries: Iterable[SitemapEntry], kind: LinkKind
    ) -> Iterator[Link]:
        for entry in entries:
            try:
                yield Link(source, self.urls.parse(entry.location, source), kind)
            except BadUrl:
                continue
