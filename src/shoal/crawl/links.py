"""From the Links of a Page to Offers: scope first, then the Strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shoal.model import (
    Judgement,
    Lease,
    Link,
    LinkKind,
    Offer,
    Page,
    Part,
    Priority,
    Response,
    Ruling,
    Visit,
)
from shoal.ports import Frontier, Scope, Strategy
from shoal.url import BadUrl, Url, UrlParser

META_NOFOLLOW = Ruling(False, "meta-nofollow", "the page asks robots not to follow its links")
SITEMAP_PRIORITY = Priority(0.0, (Part("sitemap", 0.0),))

NOT_RELEVANT = "page-relevance"
"""The rule that keeps out the Links of a Page for what the Topic said of it."""

KEPT_BELIEFS = 3
"""So many of the likeliest go with each Link: a crawl knows far more Links than pages."""


@dataclass(frozen=True, slots=True)
class LinkJudge:
    """Says of every Link whether it may come in, and how soon."""

    scope: Scope
    strategy: Strategy
    frontier: Frontier
    urls: UrlParser
    obey_nofollow: bool = True
    page_relevance: float = 0.0
    """Links of a Page of less relevance are kept out."""

    def seeds(self, urls: Sequence[Url]) -> list[Offer]:
        offers = []
        for url in urls:
            link = Link(None, url, LinkKind.SEED)
            offers.append(Offer(link, self._ruling(link, 0, 0), self.strategy.seed(url)))
        return offers

    def of_page(self, page: Page, judgement: Judgement, lease: Lease) -> list[Offer]:
        links = page.links
        depth = lease.depth + 1
        if self.obey_nofollow and not page.rules.follow:
            rulings = [META_NOFOLLOW] * len(links)
        elif judgement.relevance < self.page_relevance:
            rulings = [_not_relevant(judgement.relevance, self.page_relevance)] * len(links)
        else:
            rulings = self._rulings(links, depth)
        admitted = [link for link, ruling in zip(links, rulings, strict=True) if ruling.admitted]
        priorities = iter(self.strategy.priorities(page, judgement, admitted, lease))
        beliefs = judgement.beliefs[:KEPT_BELIEFS]
        return [
            Offer(link, ruling, next(priorities), depth, 0, judgement.relevance, beliefs)
            if ruling.admitted
            else Offer(link, ruling, depth=depth)
            for link, ruling in zip(links, rulings, strict=True)
        ]

    def of_sitemap(self, page: Page, lease: Lease) -> list[Offer]:
        """A sitemap says what exists, not what it is about: its Links come after all others."""
        return [
            Offer(link, ruling, SITEMAP_PRIORITY, lease.depth)
            for link, ruling in zip(page.links, self._rulings(page.links, lease.depth), strict=True)
        ]

    def of_redirect(self, response: Response, visit: Visit, lease: Lease) -> list[Offer]:
        """The target of a redirect is as urgent as the Url that led to it, and no deeper; what
        recommended that Url recommends it."""
        try:
            target = self.urls.parse(visit.detail, response.url)
        except BadUrl:
            return []
        link = Link(response.url, target, LinkKind.REDIRECT, lease.anchor, lease.context)
        hops = lease.redirects + 1
        priority = Priority(lease.priority, lease.parts)
        ruling = self._ruling(link, lease.depth, hops)
        source = lease.source_relevance, lease.source_beliefs
        return [Offer(link, ruling, priority, lease.depth, hops, *source)]

    def sent_here(self, offers: Sequence[Offer]) -> list[Offer]:
        """What other Crawlers found: admitted by what is known here of their hosts."""
        return [
            replace(offer, ruling=self._ruling(offer.link, offer.depth, offer.redirects))
            for offer in offers
        ]

    def named_sitemaps(self, locations: Sequence[str], lease: Lease) -> list[Offer]:
        """The sitemaps that a robots.txt names."""
        offers = []
        for location in locations:
            try:
                target = self.urls.parse(location, lease.url)
            except BadUrl:
                continue
            link = Link(None, target, LinkKind.SITEMAP)
            ruling = self._ruling(link, lease.depth, 0)
            offers.append(Offer(link, ruling, SITEMAP_PRIORITY, lease.depth))
        return offers

    def _rulings(self, links: Sequence[Link], depth: int) -> list[Ruling]:
        """Those of a page's Links. None of them is offered meanwhile, so what is known of a host
        stays as it is, and each is looked up once."""
        admit, host_known = self.scope.admit, self.frontier.host_known
        known: dict[str, int] = {}
        rulings = []
        for link in links:
            host = link.target.host_key
            count = known.get(host)
            if count is None:
                count = known[host] = host_known(host)
            rulings.append(admit(link, depth, 0, count))
        return rulings

    def _ruling(self, link: Link, depth: int, redirects: int) -> Ruling:
        known = self.frontier.host_known(link.target.host_key)
        return self.scope.admit(link, depth, redirects, known)


def _not_relevant(relevance: float, least: float) -> Ruling:
    why = f"it stands on a page of relevance {relevance:.3f}; links are followed from {least:g}"
    return Ruling(False, NOT_RELEVANT, why)
