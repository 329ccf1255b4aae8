"""The shape of the synthetic web: which pages there are, and which links lead where.

Everything here is arithmetic on page numbers: no table grows with the web, and every question
costs the same in a web of a thousand pages and of ten million.

- Pages stand in islands of about ``island_pages``; the islands' topics take turns.
- The topics stand on a ring. A link to another topic leads ahead by 1 to ``ring_step`` places.
  So whoever leaves an island needs at least ``tunnel_min`` off-topic pages to come to another
  island of the same topic: fewer steps do not go round the ring.
- From each island ``TUNNELS`` tunnels lead to other islands of its topic, through pages of other
  islands of the same block (one island of each topic), whose places on the ring lie in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

import xxhash

from shoal.lab.synthetic.knobs import FIXED_SLOTS, TUNNELS, SyntheticKnobs
from shoal.lab.synthetic.text import Draws
from shoal.lab.synthetic.vocabularies import TOPICS
from shoal.lab.synthetic.words import PATH_WORDS, SECTIONS

_CODE_BITS: Final = 24
_CODE_MASK: Final = (1 << _CODE_BITS) - 1
_CODE_FACTOR: Final = 0x9E3779
"""Odd, so that multiplying by it is undone by multiplying by its inverse."""
_CODE_INVERSE: Final = pow(_CODE_FACTOR, -1, 1 << _CODE_BITS)
_LAST_NUMBER: Final = re.compile(r"([0-9]{1,9})[^0-9]*$")
_PLAIN_WORD: Final = re.compile(r"[a-z]+")


class PageKind(StrEnum):
    ORDINARY = "ordinary"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    SOFT_404 = "soft_404"
    SERVER_ERROR = "server_error"
    OTHER_LANGUAGE = "other_language"
    DOCUMENT = "document"
    IMAGE = "image"
    EMPTY = "empty"


TOPICAL_KINDS: Final = frozenset(
    {PageKind.ORDINARY, PageKind.DUPLICATE, PageKind.NEAR_DUPLICATE, PageKind.DOCUMENT}
)


class Form(StrEnum):
    """How a link is written."""

    PLAIN = "plain"
    REDIRECT = "redirect"
    BROKEN = "broken"


class Edge(NamedTuple):
    """A link from one page to another, and what its anchor tells."""

    target: int
    form: Form
    tells: int | None
    """The topic that the anchor tells, by number; None for "read more"."""
    tunnel: bool = False


class Place(NamedTuple):
    """Where a page stands."""

    island: int
    slot: int
    size: int


@dataclass(frozen=True, slots=True)
class Graph:
    """Made by ``make_graph``."""

    knobs: SyntheticKnobs
    islands: int
    fixed_slots: int
    kind_limits: tuple[tuple[int, PageKind], ...]
    nofollow_limit: int
    salt: bytes

    # ---------------------------------------------------------------- islands

    def first(self, island: int) -> int:
        """The number of the island's first page, its hub."""
        return island * self.knobs.pages // self.islands

    def place(self, page: int) -> Place:
        islands = self.islands
        island = ((page + 1) * islands - 1) // self.knobs.pages
        first = self.first(island)
        return Place(island, page - first, self.first(island + 1) - first)

    def topic(self, page: int) -> int:
        return self.place(page).island % self.knobs.topics

    def kind(self, page: int) -> PageKind:
        return self._kind(self.place(page), self.bits(page))

    def _kind(self, place: Place, bits: int) -> PageKind:
        if place.slot < self.fixed_slots:
            return PageKind.ORDINARY
        draw = bits >> 96
        for limit, kind in self.kind_limits:
            if draw < limit:
                return kind
        return PageKind.ORDINARY

    def forbids_to_follow(self, page: int) -> bool:
        """Whether an ordinary page asks robots not to follow its links."""
        free = self.place(page).slot >= self.fixed_slots
        return free and self.bits(page) >> 60 & 0xFFFF < self.nofollow_limit

    def original(self, page: int) -> int:
        """The page that a duplicate or near duplicate repeats."""
        return self.first(self.place(page).island) + 1 + (self.bits(page) >> 80) % (FIXED_SLOTS - 1)

    def bits(self, page: int) -> int:
        """128 bits that are the page's own."""
        value: int = xxhash.xxh3_128_intdigest(self.salt + page.to_bytes(4, "little"))
        return value

    def draws(self, page: int, purpose: bytes, count: int) -> Draws:
        return Draws(self.salt + purpose + page.to_bytes(4, "little"), count)

    # ---------------------------------------------------------------- addresses

    def host(self, page: int) -> int:
        return self.whereabouts(page)[0]

    def target(self, page: int) -> str:
        """Path and query of the page."""
        return self.whereabouts(page)[1]

    def whereabouts(self, page: int) -> tuple[int, str]:
        """Host, and path and query, of the page."""
        place = self.place(page)
        bits = self.bits(page)
        kind = self._kind(place, bits)
        return self._host(page, place, bits, kind), self._target(page, place, bits >> 24, kind)

    def _host(self, page: int, place: Place, bits: int, kind: PageKind) -> int:
        """An island has most of its pages on one host, and the others on two more."""
        hosts = self.knobs.hosts
        if place.slot == 0:
            return place.island % hosts
        if kind is PageKind.DUPLICATE or kind is PageKind.NEAR_DUPLICATE:
            return self.host(self.original(page))
        choice = bits & 0xFF
        if choice >= 192:
            return (place.island * 31 + 7 + choice % 2) % hosts
        if hosts > self.islands:
            copies = 1 + (hosts - 1 - place.island) // self.islands
            return place.island + self.islands * ((bits >> 8 & 0xFFFF) % copies)
        return place.island % hosts

    def front(self, host: int) -> int:
        """The page that a host shows at ``/``, or that its ``/`` redirects to."""
        return self.first(host % self.islands)

    def code(self, page: int) -> int:
        """The page's number as addresses show it: neighbours do not look like neighbours."""
        return (page * _CODE_FACTOR + self.knobs.seed * 7_919) & _CODE_MASK

    def _target(self, page: int, place: Place, bits: int, kind: PageKind) -> str:
        if place.slot == 0 and place.island < self.knobs.hosts:
            return "/"
        code = self.code(page)
        word = PATH_WORDS[bits & 31]
        noun = TOPICS[place.island % self.knobs.topics].nouns[(bits >> 5 & 0xFF) % 60]
        plain = _PLAIN_WORD.match(noun)
        hint = plain[0] if plain and bits >> 13 & 1 else PATH_WORDS[bits >> 14 & 31]
        section = SECTIONS[bits >> 19 & 7]
        if kind is PageKind.DOCUMENT:
            return f"/files/{word}-{hint}-{code}.pdf"
        if kind is PageKind.IMAGE:
            return f"/pictures/{hint}-{code}.png"
        style = bits >> 22 & 7
        if style == 0:
            return f"/{section}/{word}-{hint}-{code}.html"
        if style == 1:
            return f"/{section}/{hint}/{code}/"
        if style == 2:
            return f"/{2008 + (bits >> 25) % 18}/{1 + (bits >> 29) % 12:02}/{word}-{hint}-{code}"
        if style == 3:
            return f"/stories/{word}-{hint}-{code}"
        if style == 4:
            return f"/show.php?id={code}"
        if style == 5:
            return f"/archive/{hint}/{word}-{code}.html"
        if style == 6:
            return f"/~{word}/{hint}{code}.htm"
        return f"/wiki/{word.capitalize()}_{hint}_{code}"

    def page_with_code(self, target: str) -> int | None:
        """The page whose code is the last number of a path; None where there is no such page."""
        number = _LAST_NUMBER.search(target)
        if number is None or int(number[1]) > _CODE_MASK:
            return None
        page = (int(number[1]) - self.knobs.seed * 7_919) * _CODE_INVERSE & _CODE_MASK
        return page if page < self.knobs.pages else None

    # ---------------------------------------------------------------- links

    def may_link(self, source_island: int, target_island: int) -> bool:
        """Whether a link between two islands keeps islands of one topic apart."""
        topics, step = self.knobs.topics, self.knobs.ring_step
        ahead = (target_island - source_island) % topics
        return (
            source_island == target_island
            or 1 <= ahead <= step
            or (ahead == 0 and self.knobs.tunnel_min == 0)
        )

    def edges(self, page: int) -> list[Edge]:
        """The links in the page's text, tunnels last."""
        knobs = self.knobs
        place = self.place(page)
        draws = self.draws(page, b"links", 1024)
        exponent = 1.0 / (knobs.degree_exponent - 1.0)
        degree = min(knobs.degree_max, int(knobs.degree_min * draws.share() ** -exponent))
        skew = 1.0 / (1.0 - knobs.popularity)
        blocks = self.islands // knobs.topics
        edges = []
        for _ in range(degree):
            if draws.happens(knobs.locality):
                slot = int(place.size * draws.share() ** skew)
                if slot == place.slot:
                    slot = (slot + 1) % place.size
                target = page - place.slot + slot
                island = place.island
            else:
                topic = (place.island + 1 + draws.below(knobs.ring_step)) % knobs.topics
                island = int(blocks * draws.share() ** skew) * knobs.topics + topic
                first = self.first(island)
                target = first + int((self.first(island + 1) - first) * draws.share() ** skew)
            tells = island % knobs.topics if draws.happens(knobs.anchor_quality) else None
            edges.append(Edge(target, self._form(draws), tells))
        for target, topic in self.tunnels_at(place):
            told = topic if draws.happens(knobs.tunnel_hints) else None
            edges.append(Edge(target, Form.PLAIN, told, tunnel=True))
        return edges

    def _form(self, draws: Draws) -> Form:
        draw = draws.share()
        if draw < self.knobs.redirects:
            return Form.REDIRECT
        return Form.BROKEN if draw < self.knobs.redirects + self.knobs.broken_links else Form.PLAIN

    # ---------------------------------------------------------------- tunnels

    def tunnel(self, island: int, number: int) -> tuple[int, ...]:
        """The pages of a tunnel: the gateway, what lies between, and the hub it leads to.
        Empty where the topic has no other island."""
        topics = self.knobs.topics
        block, topic = divmod(island, topics)
        blocks = self.islands // topics
        if blocks < 2:
            return ()
        # The first tunnels of all islands of a topic form a circle, so that none is cut off.
        ahead = 1 if number == 0 else 1 + self._tunnel_bits(island, number) % (blocks - 1)
        length = self._tunnel_length(island, number)
        way = [self.first(island) + 1 + number]
        for step in range(1, length + 1):
            between = block * topics + (topic + step * topics // (length + 1)) % topics
            way.append(self.first(between) + self._tunnel_slot(number, step))
        way.append(self.first((block + ahead) % blocks * topics + topic))
        return tuple(way)

    def tunnels_at(self, place: Place) -> Iterator[tuple[int, int]]:
        """The next page, and the topic at the end, of every tunnel that goes through a place."""
        knobs = self.knobs
        page = self.first(place.island) + place.slot
        if 1 <= place.slot <= TUNNELS:
            way = self.tunnel(place.island, place.slot - 1)
            if way:
                yield way[1], place.island % knobs.topics
            return
        if not FIXED_SLOTS <= place.slot < self.fixed_slots:
            return
        number, step = divmod(place.slot - FIXED_SLOTS, knobs.tunnel_max)
        step += 1
        block, here = divmod(place.island, knobs.topics)
        for length in range(max(step, knobs.tunnel_min), knobs.tunnel_max + 1):
            topic = (here - step * knobs.topics // (length + 1)) % knobs.topics
            way = self.tunnel(block * knobs.topics + topic, number)
            if len(way) == length + 2 and way[step] == page:
                yield way[step + 1], topic

    def _tunnel_slot(self, number: int, step: int) -> int:
        return FIXED_SLOTS + number * self.knobs.tunnel_max + step - 1

    def _tunnel_bits(self, island: int, number: int) -> int:
        value: int = xxhash.xxh3_64_intdigest(self.salt + b"tunnel%d:%d" % (island, number))
        return value

    def _tunnel_length(self, island: int, number: int) -> int:
        low, high = self.knobs.tunnel_min, self.knobs.tunnel_max
        return low + (self._tunnel_bits(island, number) >> 40) % (high - low + 1)


def make_graph(knobs: SyntheticKnobs) -> Graph:
    # Only the free places of an island can be special, so there they must be so more often.
    scale = knobs.island_pages / knobs.free_slots * (1 << 32)
    limits = []
    total = 0.0
    for share, kind in (
        (knobs.duplicates, PageKind.DUPLICATE),
        (knobs.near_duplicates, PageKind.NEAR_DUPLICATE),
        (knobs.soft_404, PageKind.SOFT_404),
        (knobs.server_errors, PageKind.SERVER_ERROR),
        (knobs.other_languages, PageKind.OTHER_LANGUAGE),
        (knobs.documents, PageKind.DOCUMENT),
        (knobs.images, PageKind.IMAGE),
        (knobs.empty_pages, PageKind.EMPTY),
    ):
        total += share
        limits.append((int(total * scale), kind))
    ordinary = 1.0 - knobs.kind_shares
    free_ordinary = ordinary - knobs.fixed_slots / knobs.island_pages
    scarcity = ordinary / free_ordinary if free_ordinary > 0 else 1.0
    return Graph(
        knobs=knobs,
        islands=knobs.islands,
        fixed_slots=knobs.fixed_slots,
        kind_limits=tuple(limits),
        nofollow_limit=int(knobs.nofollow_pages * scarcity * 65536),
        salt=b"web:%d:" % knobs.seed,
    )
