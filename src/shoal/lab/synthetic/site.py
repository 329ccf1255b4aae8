"""What a host of the synthetic web has besides its pages: robots.txt, sitemaps, portal, traps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import xxhash

from shoal.lab.synthetic.answer import Answer, gzip_stored, moved, picture
from shoal.lab.synthetic.graph import Edge, Form, Graph
from shoal.lab.synthetic.hosts import PORTAL
from shoal.lab.synthetic.page import HTML, Writer
from shoal.lab.synthetic.text import Draws, general_table, sentences, topic_table
from shoal.lab.synthetic.vocabularies import TOPICS
from shoal.lab.synthetic.words import PATH_WORDS

SITEMAPS_MAX: Final = 50
"""A host with more islands than this has the others in no sitemap."""
_DIRECTORY_LINKS: Final = 6
_FIGURE: Final = re.compile(r"/pictures/figure-([0-9])\.png")
_SITEMAP: Final = re.compile(r"/sitemap-([0-9]{1,3})\.xml(\.gz)?")
_CALENDAR: Final = re.compile(r"/calendar/([0-9]{1,6})/([0-9]{2})/(?:[0-9]{2}/)?")
_DIRECTORY: Final = re.compile(r"/directory/([a-z-]+)/")
_SITEMAP_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SITEMAP_SPACE: Final = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def directory_path(topic: int) -> str:
    return f"/directory/{TOPICS[topic].label.replace(' ', '-')}/"


@dataclass(frozen=True, slots=True)
class Sites:
    """Answers everything that is not a page of the graph."""

    writer: Writer

    @property
    def graph(self) -> Graph:
        return self.writer.graph

    def answer(self, host: int, target: str) -> Answer | None:
        """The Answer at a path and query of a host; None where this host has nothing there."""
        if target == "/robots.txt":
            return self._robots(host)
        if target == "/sitemap.xml":
            return self._sitemap_index(host)
        if host == PORTAL:
            return self._portal(target)
        if target == "/about.html":
            return self._about(host)
        if target == "/static/style.css":
            return Answer(200, "text/css", b"body { max-width: 45em }\n")
        if figure := _FIGURE.fullmatch(target):
            return Answer(200, "image/png", picture(28 * int(figure[1])))
        if sitemap := _SITEMAP.fullmatch(target):
            return self._sitemap(host, int(sitemap[1]), packed=sitemap[2] is not None)
        if self.writer.hosts.has_trap(host):
            return self._trap(host, target)
        return None

    def paths(self, host: int) -> Iterator[str]:
        """Path and query of everything that ``answer`` has, traps and pictures left out."""
        if self.writer.hosts.robots(host)[0] != 404:
            yield "/robots.txt"
        yield "/sitemap.xml"
        if host == PORTAL:
            yield "/"
            yield "/directory/"
            yield from (directory_path(topic) for topic in range(self.graph.knobs.topics))
            return
        yield "/about.html"
        yield from (self._sitemap_path(host, number) for number in range(self._sitemaps(host)))

    # ---------------------------------------------------------------- for robots

    def _robots(self, host: int) -> Answer | None:
        status, text = self.writer.hosts.robots(host)
        if status == 404:
            return None
        return moved(status, text) if status == 301 else Answer(status, "text/plain", text.encode())

    def _sitemaps(self, host: int) -> int:
        """The first is of the island that the host fronts; each further one of the next."""
        if host == PORTAL:
            return 0
        knobs = self.graph.knobs
        first = host % knobs.islands
        return min(SITEMAPS_MAX, 1 + (knobs.islands - 1 - first) // knobs.hosts)

    def _sitemap_path(self, host: int, number: int) -> str:
        return f"/sitemap-{number}.xml" + ".gz" * self.writer.hosts.sitemap_is_packed(host)

    def _sitemap_index(self, host: int) -> Answer:
        origin = self.writer.hosts.origin(host)
        if host == PORTAL:
            paths = ["/", "/directory/"]
            paths += [directory_path(topic) for topic in range(self.graph.knobs.topics)]
            rows = "".join(f"<url><loc>{origin}{path}</loc></url>\n" for path in paths)
            text = f"{_SITEMAP_HEAD}<urlset {_SITEMAP_SPACE}>\n{rows}</urlset>\n"
            return Answer(200, "application/xml", text.encode())
        rows = "".join(
            f"<sitemap><loc>{origin}{self._sitemap_path(host, number)}</loc></sitemap>\n"
            for number in range(self._sitemaps(host))
        )
        text = f"{_SITEMAP_HEAD}<sitemapindex {_SITEMAP_SPACE}>\n{rows}</sitemapindex>\n"
        return Answer(200, "application/xml", text.encode())

    def _sitemap(self, host: int, number: int, *, packed: bool) -> Answer | None:
        if number >= self._sitemaps(host) or packed != self.writer.hosts.sitemap_is_packed(host):
            return None
        graph = self.graph
        island = host % graph.knobs.islands + number * graph.knobs.hosts
        origin = self.writer.hosts.origin(host)
        rows = "".join(
            f"<url><loc>{origin}{graph.target(page)}</loc>"
            f"<lastmod>2026-{1 + page % 12:02}-{1 + page % 28:02}</lastmod></url>\n"
            for page in range(graph.first(island), graph.first(island + 1))
            if graph.host(page) == host
        )
        text = f"{_SITEMAP_HEAD}<urlset {_SITEMAP_SPACE}>\n{rows}</urlset>\n".encode()
        if packed:
            return Answer(200, "application/gzip", gzip_stored(text))
        return Answer(200, "application/xml", text)

    # ---------------------------------------------------------------- for readers

    def _portal(self, target: str) -> Answer | None:
        if target == "/":
            links = [("/directory/", "The directory")]
            links += [
                (directory_path(topic), TOPICS[topic].label)
                for topic in range(self.graph.knobs.topics)
            ]
            return self._listing("Wayfinder, the portal", links, topic=None)
        if target == "/directory/":
            links = [
                (self._href(self.graph.first(topic)), self.writer.title(self.graph.first(topic)))
                for topic in range(self.graph.knobs.topics)
            ]
            return self._listing("The directory: one address for each subject", links, topic=None)
        found = _DIRECTORY.fullmatch(target)
        labels = [words.label.replace(" ", "-") for words in TOPICS[: self.graph.knobs.topics]]
        if found is None or found[1] not in labels:
            return None
        topic = labels.index(found[1])
        first = self.graph.first(topic)
        links = [(self._href(p), self.writer.title(p)) for p in range(first, first + 3)]
        for page in range(_DIRECTORY_LINKS):
            other = self.graph.first((topic + 1 + page) % self.graph.knobs.topics)
            links.append((self._href(other), self.writer.title(other)))
        return self._listing(f"The directory: {TOPICS[topic].label}", links, topic)

    def _href(self, page: int) -> str:
        return self.writer.href(Edge(page, Form.PLAIN, None), PORTAL)

    def _listing(self, title: str, links: list[tuple[str, str]], topic: int | None) -> Answer:
        draws = Draws(self.graph.salt + title.encode(), 512)
        table = general_table() if topic is None else topic_table(topic)
        remarks = sentences(draws, table, 0.0, len(links))
        items = "".join(
            f'<li><a href="{href}">{anchor}</a>: {remark}</li>\n'
            for (href, anchor), remark in zip(links, remarks, strict=True)
        )
        text = " ".join(sentences(draws, table, 0.3, 8))
        return _html(title, f"<p>{text}</p>\n<ul>\n{items}</ul>\n")

    def _about(self, host: int) -> Answer:
        draws = Draws(self.graph.salt + b"about%d" % host, 256)
        text = " ".join(sentences(draws, general_table(), 0.0, 12))
        return _html(f"About {self.writer.hosts.name(host)}", f"<p>{text}</p>\n")

    # ---------------------------------------------------------------- for the unwary

    def _trap(self, host: int, target: str) -> Answer | None:
        """An endless calendar, an endless tree, and one list in endlessly many orders."""
        path, _, query = target.partition("?")
        links: list[str]
        if calendar := _CALENDAR.fullmatch(path):
            year, month = int(calendar[1]), int(calendar[2])
            later, earlier = 12 * year + month, max(0, 12 * year + month - 2)
            links = [f"/calendar/{m // 12}/{m % 12 + 1:02}/" for m in (later, earlier)]
            links += [f"/calendar/{year}/{month:02}/{day:02}/" for day in (1, 7, 14, 21, 28)]
        elif path.startswith("/tree/") and path.endswith("/"):
            bits = xxhash.xxh3_64_intdigest(path.encode(), self.graph.knobs.seed)
            words = {PATH_WORDS[bits >> shift & 31] for shift in (0, 5, 10)}
            links = [f"{path}{word}/" for word in sorted(words)]
        elif path == "/browse":
            bits = xxhash.xxh3_64_intdigest(query.encode(), self.graph.knobs.seed + host)
            links = [
                f"/browse?sort={sort}&amp;order={order}&amp;page={1 + (bits >> shift) % 9999}"
                for shift, sort in enumerate(("name", "date", "size", "author"), 8)
                for order in ("up", "down")
            ]
            links += [f"/browse?page=1&amp;sid={bits:016x}", f"/browse;jsessionid={bits:016X}"]
        elif path.startswith("/browse;jsessionid="):
            links = ["/browse?sort=name&amp;order=up&amp;page=1"]
        else:
            return None
        draws = Draws(self.graph.salt + target.encode(), 64)
        text = " ".join(sentences(draws, general_table(), 0.0, 2))
        items = "".join(f'<li><a href="{link}">{link}</a></li>\n' for link in links)
        return _html("Nothing on this day", f"<p>{text}</p>\n<ul>\n{items}</ul>\n")


def _html(title: str, content: str) -> Answer:
    text = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>'
        f"\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{content}</main>\n</body>\n</html>\n"
    )
    return Answer(200, HTML, text.encode())
