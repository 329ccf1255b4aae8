"""A topical web that is made up as it is asked for.

1. Every answer depends on its Url and the knobs alone: the same bytes on every machine, in every
   process, in every order. Nothing is stored.
2. Time and memory do not grow with ``pages``: ten million cost what a thousand cost. (``urls``
   takes as long as there are pages, and holds one at a time.)
3. What a Url is about is known: ``topic_of`` is the truth that a crawl can be measured against.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

import xxhash

from shoal.lab.synthetic.answer import Answer, moved, respond
from shoal.lab.synthetic.graph import TOPICAL_KINDS, make_graph
from shoal.lab.synthetic.hosts import PORTAL, Hosts, hosts_by_name
from shoal.lab.synthetic.knobs import BadKnob, SyntheticKnobs, parse_knobs
from shoal.lab.synthetic.page import Writer
from shoal.lab.synthetic.site import Sites, directory_path
from shoal.lab.synthetic.vocabularies import TOPICS
from shoal.model import Response
from shoal.url import Url, parse_url

_ALIAS: Final = re.compile(r"/go/(?:again/)?([0-9]{1,9})")
_REDIRECTS: Final = (301, 302, 307, 308)
_TWO_HOPS_IN: Final = 16
"""One in this many redirects takes a second hop."""
_BYTES_PER_S: Final = 2_000_000


class SyntheticShelf:
    """A Shelf (see ``shoal.ports``), with the truth about its pages."""

    def __init__(self, knobs: SyntheticKnobs) -> None:
        self.knobs = knobs
        self.graph = make_graph(knobs)
        self.hosts = Hosts(knobs)
        self._writer = Writer(self.graph, self.hosts)
        self._sites = Sites(self._writer)

    # ---------------------------------------------------------------- the Shelf

    def find(self, url: Url) -> Response | None:
        host = self._host(url)
        if host is None:
            return None
        answer = self._answer(host, url.target)
        if answer is None:
            return None
        return respond(url, answer, self._elapsed_s(host, url, len(answer.body)))

    def urls(self) -> Iterator[str]:
        """The portal, then host by host robots.txt and sitemaps, then every page by its number.
        The endless addresses (redirects, traps, sessions) are left out."""
        for host in (PORTAL, *range(self.knobs.hosts)):
            for path in self._sites.paths(host):
                yield self.hosts.origin(host) + path
        for page in range(self.knobs.pages):
            yield self.address(page)

    def close(self) -> None:
        """Nothing is held."""

    # ---------------------------------------------------------------- the truth

    def topic_of(self, url: Url) -> str | None:
        """The topic of a page or document. None for what is about none: errors, redirects, soft
        404s, pictures, empty pages, other languages, the portal, traps."""
        page = self.page_of(url)
        if page is None or self.graph.kind(page) not in TOPICAL_KINDS:
            return None
        return TOPICS[self.graph.topic(page)].label

    def is_relevant(self, url: Url, topic: str) -> bool:
        return self.topic_of(url) == topic

    def page_of(self, url: Url) -> int | None:
        """The number of the page whose own address this is; None where it is no page's."""
        host = self._host(url)
        return None if host is None or host == PORTAL else self._page(host, url.target)

    def address(self, page: int) -> str:
        """The one address of a page that does not redirect."""
        host, target = self.graph.whereabouts(page)
        return self.hosts.origin(host) + target

    # ---------------------------------------------------------------- where to start

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(words.label for words in TOPICS[: self.knobs.topics])

    @property
    def start_url(self) -> Url:
        """The portal: it links to the directory, and to the directory's page of every topic."""
        return parse_url(self.hosts.origin(PORTAL) + "/")

    def directory(self, topic: str) -> Url:
        """The directory's page of a topic: it links to one island of it, and to other topics."""
        number = self._topic_number(topic)
        return parse_url(self.hosts.origin(PORTAL) + directory_path(number))

    def seeds(self, topic: str, count: int) -> tuple[Url, ...]:
        """Hubs of the topic's islands, spread over the web; fewer than ``count`` where there are
        fewer islands."""
        number = self._topic_number(topic)
        blocks = self.knobs.islands // self.knobs.topics
        count = min(count, blocks)
        islands = (place * blocks // count * self.knobs.topics + number for place in range(count))
        return tuple(parse_url(self.address(self.graph.first(island))) for island in islands)

    # ---------------------------------------------------------------- inside

    @cached_property
    def _host_numbers(self) -> dict[str, int]:
        return hosts_by_name(self.hosts)

    def _topic_number(self, topic: str) -> int:
        if topic not in self.topics:
            raise BadKnob(f"no topic {topic!r} in this web: there are {', '.join(self.topics)}")
        return self.topics.index(topic)

    def _host(self, url: Url) -> int | None:
        return self._host_numbers.get(url.host.removeprefix("www."))

    def _page(self, host: int, target: str) -> int | None:
        if target == "/":
            page = self.graph.front(host)
        else:
            found = self.graph.page_with_code(target)
            if found is None:
                return None
            page = found
        return page if self.graph.whereabouts(page) == (host, target) else None

    def _answer(self, host: int, target: str) -> Answer | None:
        answer = self._sites.answer(host, target)
        if answer is not None or host == PORTAL:
            return answer
        page = self._page(host, target)
        if page is not None:
            return self._writer.answer(page)
        if target == "/":
            return moved(301, self.address(self.graph.front(host)))
        return self._redirect(host, target)

    def _redirect(self, host: int, target: str) -> Answer | None:
        alias = _ALIAS.fullmatch(target)
        page = None if alias is None else self.graph.page_with_code(target)
        if page is None or self.graph.host(page) != host:
            return None
        bits = self.graph.bits(page)
        if bits % _TWO_HOPS_IN == 0 and not target.startswith("/go/again/"):
            return moved(302, f"/go/again/{self.graph.code(page)}")
        return moved(_REDIRECTS[bits >> 4 & 3], self.address(page))

    def _elapsed_s(self, host: int, url: Url, size_bytes: int) -> float:
        draw = (xxhash.xxh3_64_intdigest(url.text.encode(), self.knobs.seed) & 0xFFFF) / 65536
        slowest_s = 8.0 if self.hosts.is_slow(host) else 0.3
        return round(slowest_s * (0.25 + 0.75 * draw) + size_bytes / _BYTES_PER_S, 6)


def open_synthetic(spec: str) -> SyntheticShelf:
    """Open ``synthetic:seed=1,pages=5000,hosts=40``. Raises BadKnob, naming what is wrong."""
    return SyntheticShelf(parse_knobs(spec))
