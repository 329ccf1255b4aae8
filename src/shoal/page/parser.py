"""PageParser: a Response becomes a Page.

Bytes become characters, characters one tree, the tree one canonical text; everything else is
read from that text. What each step costs is in ``docs/explanation/parsing.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from shoal.model import Link, Page, PageRules, Response
from shoal.page import dom, media
from shoal.page.encoding import decode
from shoal.page.fingerprint import digest, simhash
from shoal.page.head import read_head
from shoal.page.language import FastTextLanguage, LanguageIdentifier
from shoal.page.links import Place, body_places, head_places, make_links
from shoal.page.rules import page_rules
from shoal.page.soft404 import is_soft_404
from shoal.page.text import Blocks, main_text, plain_text, read_blocks, unmarked
from shoal.page.words import count_terms
from shoal.settings import DuplicateSettings
from shoal.url import Url, UrlParser

TITLE_CHARACTERS: Final = 300
DESCRIPTION_CHARACTERS: Final = 1_000
HEADING_CHARACTERS: Final = 200
MAX_HEADINGS: Final = 50
TEXT_CHARACTERS: Final = 1_000_000
"""No more of a text is kept or counted."""


@dataclass(frozen=True, slots=True)
class PageParser:
    """Implements ``ports.Parser``.

    1. The answer depends on the Response and the arguments alone.
    2. ``title``, ``description``, ``headings``, ``text``, anchors and contexts are bounded, in
       NFC, and have no control characters but the newlines between the blocks of ``text``.
    3. With ``embeds`` the Links tell images, scripts and styles too (kind EMBED).
    """

    url_parser: UrlParser = field(default_factory=UrlParser)
    duplicates: DuplicateSettings = field(default_factory=DuplicateSettings)
    languages: LanguageIdentifier = field(default_factory=FastTextLanguage)
    robots_agent: str = "shoal"
    embeds: bool = False

    def parse(self, response: Response) -> Page:
        content_type = response.header("content-type") or ""
        kind = media.media_type(content_type, response.body)
        payload_digest = digest(response.payload)
        if kind in (media.HTML, media.XHTML):
            return self._html(response, kind, content_type, payload_digest)
        if kind == media.PLAIN:
            return self._plain(response, content_type, payload_digest)
        rules = page_rules(self.robots_agent, (), response.header_values("x-robots-tag"))
        return Page(response.url, kind, rules=rules, digest=payload_digest)

    def _plain(self, response: Response, content_type: str, payload_digest: str) -> Page:
        decoded = decode(response.body, content_type)
        text = plain_text(decoded.text[:TEXT_CHARACTERS])
        terms = count_terms(text)
        return Page(
            response.url,
            media.PLAIN,
            decoded.charset,
            title=text.partition("\n")[0][:TITLE_CHARACTERS],
            text=text,
            terms=terms,
            language=self.languages.identify(text),
            rules=page_rules(self.robots_agent, (), response.header_values("x-robots-tag")),
            digest=payload_digest,
            simhash=self._simhash(terms),
        )

    def _html(self, response: Response, kind: str, content_type: str, payload_digest: str) -> Page:
        decoded = decode(response.body, content_type)
        tree = dom.parse_html(decoded.text)
        head = read_head(tree)
        metas = head.metas
        title = (_clean(head.title) or _clean(metas.get("og:title", "")))[:TITLE_CHARACTERS]
        base = self._base(head.base, response.url)
        places = head_places(tree, head, response.header_values("link"), self.embeds)
        page = dom.canonical(tree)
        blocks = read_blocks(page.markup)
        headings = _headings(blocks)
        text = main_text(blocks)[:TEXT_CHARACTERS]
        description = _clean(metas.get("description") or metas.get("og:description", ""))
        description = description[:DESCRIPTION_CHARACTERS]
        title = title or (headings[0] if headings else "")
        terms = count_terms(f"{title}\n{description}\n{text}")
        return Page(
            response.url,
            kind,
            decoded.charset,
            title,
            description,
            headings,
            text,
            terms,
            self._links(response.url, base, places, page, blocks),
            self.languages.identify(text, head.language),
            self._rules(metas, response),
            payload_digest,
            self._simhash(terms),
            is_soft_404(response.status, title, headings, sum(blocks.words)),
        )

    def _links(
        self, source: Url, base: Url, head: list[Place], page: dom.Canonical, blocks: Blocks
    ) -> tuple[Link, ...]:
        body, text = body_places(page, "\n".join(blocks.texts))
        return make_links(source, base, head + body, text, self.url_parser)

    def _base(self, href: str, url: Url) -> Url:
        return (self.url_parser.parse_links([href], url)[0] if href else None) or url

    def _rules(self, metas: dict[str, str], response: Response) -> PageRules:
        told = [metas[name] for name in ("robots", self.robots_agent.lower()) if name in metas]
        return page_rules(self.robots_agent, told, response.header_values("x-robots-tag"))

    def _simhash(self, terms: dict[str, int]) -> int | None:
        return simhash(terms, self.duplicates.min_words) if self.duplicates.near else None


def _headings(blocks: Blocks) -> tuple[str, ...]:
    found: list[str] = []
    for text, heading in zip(blocks.texts, blocks.headings, strict=True):
        if heading and len(found) < MAX_HEADINGS:
            words = " ".join(unmarked(text).split())[:HEADING_CHARACTERS]
            if words:
                found.append(words)
    return tuple(found)


def _clean(text: str) -> str:
    return plain_text(text[: 4 * DESCRIPTION_CHARACTERS]).replace("\n", " ")
