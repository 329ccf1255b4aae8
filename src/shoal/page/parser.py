"""PageParser: a Response becomes a Page.

Bytes become characters, characters one tree, and one walk over the tree makes one marked text;
everything else is read from that text. What each step costs is in ``docs/explanation/parsing.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from shoal.model import Page, PageRules, Response
from shoal.page import dom, media
from shoal.page.encoding import decode
from shoal.page.fingerprint import digest, simhash
from shoal.page.language import FastTextLanguage, LanguageIdentifier
from shoal.page.links import body_places, embed_places, head_places, make_links
from shoal.page.plain import TEXT_CHARACTERS, plain_text
from shoal.page.rules import page_rules
from shoal.page.soft404 import MAX_WORDS, is_soft_404
from shoal.page.visible import cut, visible_text
from shoal.page.walk import walk
from shoal.page.words import count_terms
from shoal.settings import DuplicateSettings
from shoal.url import Url, UrlParser

TITLE_CHARACTERS: Final = 300
DESCRIPTION_CHARACTERS: Final = 1_000
HEADING_CHARACTERS: Final = 200


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
        tree = dom.parse_html(decoded.utf8)
        embeds = embed_places(tree) if self.embeds else []
        head, headings, spots, marked = walk(tree)
        metas = head.metas
        headings = [_clean(heading)[:HEADING_CHARACTERS] for heading in headings]
        headings = [heading for heading in headings if heading]
        title = (_clean(head.title) or _clean(metas.get("og:title", "")))[:TITLE_CHARACTERS]
        title = title or (headings[0] if headings else "")
        description = _clean(metas.get("description") or metas.get("og:description", ""))
        description = description[:DESCRIPTION_CHARACTERS]
        pieces = cut(marked)
        text = visible_text(marked, pieces)[:TEXT_CHARACTERS]
        terms = count_terms(f"{title}\n{description}\n{text}")
        places = head_places(head, response.header_values("link"), self.embeds)
        anchors, plain = body_places(spots, pieces)
        base = self._base(head.base, response.url)
        return Page(
            response.url,
            kind,
            decoded.charset,
            title,
            description,
            tuple(headings),
            text,
            terms,
            make_links(response.url, base, places + embeds + anchors, plain, self.url_parser),
            self.languages.identify(text, head.language),
            self._rules(metas, response),
            payload_digest,
            self._simhash(terms),
            is_soft_404(response.status, title, headings, len(plain.split(None, MAX_WORDS))),
        )

    def _base(self, href: str, url: Url) -> Url:
        return (self.url_parser.parse_links([href], url)[0] if href else None) or url

    def _rules(self, metas: dict[str, str], response: Response) -> PageRules:
        told = [metas[name] for name in ("robots", self.robots_agent.lower()) if name in metas]
        return page_rules(self.robots_agent, told, response.header_values("x-robots-tag"))

    def _simhash(self, terms: dict[str, int]) -> int | None:
        return simhash(terms, self.duplicates.min_words) if self.duplicates.near else None


def _clean(text: str) -> str:
    """A line of it."""
    if text.isascii() and text.isprintable():
        return " ".join(text[: 4 * DESCRIPTION_CHARACTERS].split())
    return plain_text(text[: 4 * DESCRIPTION_CHARACTERS]).replace("\n", " ")
