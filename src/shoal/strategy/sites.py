"""Sites rather than pages: an outer crawl over sites, and an inner one within each of them.

    vote(link)   = 1 - (1 - relevance(page)) * (1 - similarity(anchor, topic))
    belief(site) = (sum of the votes of pages of other sites and of the relevance of its own ones)
                   / (1 + number of all these pages)
    text(u)      = (similarity(page, topic) + similarity(anchor, topic)) / 2
    leads(site)  = sites first met on its pages / (these + its pages read)

A site has shown what it is when ``proof`` of its pages were relevant (it is), or ``patience`` of
them were not (it is not).

    priority(u) = (belief(site of u) + text(u)) / 2        one Url of a site of which no page was
                                                           read; of another one as many as it
                                                           surely takes until it has shown itself
                  (belief(site of u) + text(u)) / 2 - 1    the others of these sites
                  (leads(site of u) + text(u)) / 2 - 2     of sites that have shown what they are

(004, section 2.5, on Ester, Kriegel and Schubert, "Accurate and efficient crawling for relevant
websites". The two crawls are theirs; the formulas are ours.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from shoal.model import Judgement, Lease, Link, Page, Part, Priority, Waiting
from shoal.ports import Topic
from shoal.rank.numbers import digests
from shoal.strategy.recipe import Recipe, check_range
from shoal.url import Url

SEED: Final = Priority(2.0, (Part("seed", 2.0),))
RESERVE: Final = Part("reserve", -1.0)
SHOWN: Final = Part("shown", -2.0)
RESCORE_PAGES: Final = 20
"""What waits is weighed anew once in so many pages."""
MOVED: Final = 0.01
"""To move a Url by less than this is not worth what it costs."""
PIECE_SITES: Final = 64
"""A piece of knowledge holds so many sites."""
_FOREMOST: Final = 400
"""So many of the foremost are surely told to a Rescorer."""
_PAGES: Final = "pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class SitesOptions:
    proof: int = 3
    """So many relevant pages show that a site is relevant."""
    patience: int = 5
    """So many pages that are not relevant show that it is not."""
    relevant_from: float = 0.5
    """From which relevance on a page counts as relevant."""

    def __post_init__(self) -> None:
        check_range("proof", self.proof, 1, 100)
        check_range("patience", self.patience, 1, 100)
        check_range("relevant_from", self.relevant_from, 0, 1)


class Site(msgspec.Struct, array_like=True):
    """What is known of a site. Url digests stand for Urls."""

    voters: int = 0
    """Pages that say something of it: its own ones, and those of other sites that link to it."""
    votes: float = 0.0
    """The sum of what they say."""
    relevant: int = 0
    other: int = 0
    """Pages read that were not relevant."""
    met: int = 0
    """Sites that were first met on its pages."""
    shown: bool = False
    """Whether it has shown what it is: nothing below changes any more."""
    asked: dict[int, float] = msgspec.field(default_factory=dict)
    """Urls that inner or outer crawl wait for, with the value that they were given last."""
    read: set[int] = msgspec.field(default_factory=set)
    """Urls that were read."""

    @property
    def belief(self) -> float:
        return self.votes / (1 + self.voters)

    @property
    def leads(self) -> float:
        return self.met / max(1, self.met + self.relevant + self.other)


class Sites:
    """A site is a registrable domain (``Url.site``). Each that was ever linked to is kept, in some
    hundred bytes."""

    def __init__(self, topic: Topic, options: SitesOptions) -> None:
        self._topic = topic
        self._options = options
        self._names: list[str] = []
        """In the order in which they were met."""
        self._sites: dict[str, tuple[int, Site]] = {}
        """With its place among the names."""
        self._begun: set[str] = set()
        """Those of which a page was read and which have not shown what they are."""
        self._changed: set[int] = set()
        """The pieces of knowledge that are out of date."""
        self._pages = 0
        """Pages told since what waits was last weighed anew."""

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del lease
        self._pages += 1
        keys = digests((page.url.text, *(link.target.text for link in links))).tolist()
        home = page.url.site
        self._read(home, keys[0], judgement.relevance)
        similarity = self._topic.similarity
        anchors = [similarity(link.anchor) if link.anchor else 0.0 for link in links]
        names = [link.target.site for link in links]
        votes: dict[str, float] = {}
        for name, anchor in zip(names, anchors, strict=True):
            if name != home:
                vote = 1.0 - (1.0 - judgement.relevance) * (1.0 - anchor)
                votes[name] = max(vote, votes.get(name, 0.0))
        for name, vote in votes.items():
            if name not in self._sites:
                self._site(home).met += 1
            site = self._change(name)
            site.voters += 1
            site.votes += vote
        texts = [(judgement.similarity + anchor) / 2 for anchor in anchors]
        found = dict.fromkeys(range(len(links)), SEED)
        for place in sorted(found, key=lambda place: -texts[place]):
            found[place] = self._priority(names[place], keys[place + 1], texts[place])
        return list(found.values())

    def rescore_due(self) -> bool:
        return self._pages >= RESCORE_PAGES

    def rescore(self, waiting: Sequence[Waiting]) -> Sequence[Priority]:
        self._pages = 0
        keys = digests(item.url.text for item in waiting).tolist()
        self._recount(waiting, keys)
        texts = [_text_of(item) for item in waiting]
        found = [item.priority for item in waiting]
        for place in sorted(range(len(waiting)), key=lambda n: (-texts[n], waiting[n].id)):
            if found[place] != SEED:
                name = waiting[place].url.site
                new, old = self._priority(name, keys[place], texts[place]), found[place]
                if abs(new.value - old.value) >= MOVED:
                    found[place] = new
        return found

    def knowledge(self) -> Mapping[str, bytes]:
        pieces = {_PAGES: str(self._pages).encode()}
        for number in sorted(self._changed):
            names = self._names[number * PIECE_SITES : (number + 1) * PIECE_SITES]
            pieces[_piece(number)] = _encode([(name, self._sites[name][1]) for name in names])
        self._changed.clear()
        return pieces

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        self._pages = int(read(_PAGES) or b"0")
        number = 0
        while (piece := read(_piece(number))) is not None:
            for name, site in _decode(piece):
                self._sites[name] = (len(self._names), site)
                self._names.append(name)
                if site.read:
                    self._begun.add(name)
            number += 1

    def _read(self, name: str, key: int, relevance: float) -> None:
        """A page of a site was read."""
        site = self._change(name)
        site.voters += 1
        site.votes += relevance
        if relevance >= self._options.relevant_from:
            site.relevant += 1
        else:
            site.other += 1
        if site.shown:
            return
        site.asked.pop(key, None)
        site.read.add(key)
        self._begun.add(name)
        if site.relevant >= self._options.proof or site.other >= self._options.patience:
            site.shown = True
            site.asked.clear()
            site.read.clear()
            self._begun.discard(name)

    def _recount(self, waiting: Sequence[Waiting], keys: Sequence[int]) -> None:
        """Forget what inner crawls ask for and does not wait: it brought no page, or is on its
        way. What is worth more than the last of the foremost and is not told does not wait."""
        values = sorted((item.priority.value for item in waiting), reverse=True)
        last = values[_FOREMOST - 1] if len(values) >= _FOREMOST else -math.inf
        waits = set(keys)
        for name in sorted(self._begun):
            asked = self._site(name).asked
            sure = [key for key, value in asked.items() if value > last + MOVED]
            for key in set(sure) - waits:
                del self._change(name).asked[key]

    def _priority(self, name: str, key: int, text: float) -> Priority:
        site = self._site(name)
        if site.shown:
            return _sum(Part("leads", site.leads / 2), Part("text", text / 2), SHOWN)
        parts = (Part("site", site.belief / 2), Part("text", text / 2))
        if key not in site.asked and (key in site.read or len(site.asked) >= self._needed(site)):
            return _sum(*parts, RESERVE)
        priority = _sum(*parts)
        self._change(name).asked[key] = priority.value
        return priority

    def _needed(self, site: Site) -> int:
        """How many pages it takes at least until a site has shown what it is; one to begin with."""
        if not site.read:
            return 1
        return min(self._options.proof - site.relevant, self._options.patience - site.other)

    def _site(self, name: str) -> Site:
        if name not in self._sites:
            self._changed.add(len(self._names) // PIECE_SITES)
            self._sites[name] = (len(self._names), Site())
            self._names.append(name)
        return self._sites[name][1]

    def _change(self, name: str) -> Site:
        site = self._site(name)
        self._changed.add(self._sites[name][0] // PIECE_SITES)
        return site


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[tuple[str, Site]]).decode


def _piece(number: int) -> str:
    return f"sites/{number}"


def _sum(*parts: Part) -> Priority:
    return Priority(sum(part.value for part in parts), parts)


def _text_of(item: Waiting) -> float:
    return 2 * next((part.value for part in item.priority.parts if part.name == "text"), 0.0)


RECIPE = Recipe(
    "sites",
    "The Link to the site that is expected to be relevant, and within it until that is known.",
    SitesOptions,
    lambda brief, options: Sites(brief.topic, options),
)
