"""Pages of the synthetic web as HTML, and what stands in for those that are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shoal.lab.synthetic.answer import Answer, document, picture
from shoal.lab.synthetic.graph import Edge, Form, Graph, PageKind
from shoal.lab.synthetic.hosts import Hosts
from shoal.lab.synthetic.text import (
    Draws,
    name_people,
    sentences,
    title_of,
    tongue_table,
    topic_table,
)
from shoal.lab.synthetic.vocabularies import TOPICS
from shoal.lab.synthetic.words import NOUNS, PATH_WORDS, PLAIN_ANCHORS, SECTIONS, TONGUES

HTML: Final = "text/html; charset=utf-8"
_SENTENCES_MIN: Final = 14
_SENTENCES_MAX: Final = 360
_LENGTH_EXPONENT: Final = 0.7
_BYTE_ORDER_MARK_SHARE: Final = 0.02
_TORN: Final = (
    ("</p>\n<p>", "\n<p>"),
    ("</li>", ""),
    ("<main>", "<main><b><i></b>"),
    ("</nav>", "</div></nav></span>"),
    ("<h1>", "<h1><font size=+2 color=#333>"),
    ("</body>\n</html>\n", "</table></html><p>&copy &nosuch; <"),
)


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the Answer of any page from its number."""

    graph: Graph
    hosts: Hosts

    def answer(self, page: int) -> Answer:
        kind = self.graph.kind(page)
        if kind is PageKind.ORDINARY:
            return self._ordinary(page)
        if kind is PageKind.DUPLICATE:
            return self._ordinary(self.graph.original(page))
        if kind is PageKind.NEAR_DUPLICATE:
            return self._near_duplicate(page)
        if kind is PageKind.OTHER_LANGUAGE:
            return self._other_language(page)
        draws = self.graph.draws(page, b"oddity", 512)
        topic = self.graph.topic(page)
        if kind is PageKind.DOCUMENT:
            table = topic_table(topic)
            lines = sentences(draws, table, self._strength(draws), 20 + draws.below(80))
            return Answer(200, "application/pdf", document(self.title(page), lines))
        if kind is PageKind.IMAGE:
            return Answer(200, "image/png", picture(draws.below(256)))
        if kind is PageKind.SERVER_ERROR:
            status = (500, 502, 503)[draws.below(3)]
            extra = (("retry-after", "120"),) if status == 503 else ()
            return Answer(status, HTML, b"<html><body><h1>Server error</h1></body></html>", extra)
        if kind is PageKind.SOFT_404:
            return Answer(200, HTML, self._soft_404(page, draws).encode())
        hub = Edge(self.graph.first(self.graph.place(page).island), Form.PLAIN, None)
        frame = self.href(hub, self.graph.host(page))
        text = (
            f"<!doctype html>\n<html><head><title></title></head>\n<body>\n"
            f'<script>var page = {page};</script>\n<img src="/pictures/figure-{draws.below(9)}.png"'
            f' alt="">\n<iframe src="{frame}"></iframe>\n</body>\n</html>\n'
        )
        return Answer(200, HTML, text.encode())

    def title(self, page: int) -> str:
        return title_of(self.graph.draws(page, b"title", 8), self.graph.topic(page))

    def href(self, edge: Edge, host: int) -> str:
        """The address of a link as a page of ``host`` writes it: short on the same host."""
        graph = self.graph
        target_host, target = graph.whereabouts(edge.target)
        if edge.form is Form.REDIRECT:
            target = f"/go/{graph.code(edge.target)}"
        elif edge.form is Form.BROKEN:
            bits = graph.bits(edge.target)
            target = f"/{SECTIONS[bits & 7]}/gone/{PATH_WORDS[bits >> 3 & 31]}"
        return target if target_host == host else self.hosts.origin(target_host) + target

    # ---------------------------------------------------------------- kinds of pages

    def _ordinary(self, page: int) -> Answer:
        draws = self.graph.draws(page, b"text", 2000)
        title = self.title(page)
        text = self._frame(page, draws, title, self._article(page, draws, title))
        if draws.happens(self.graph.knobs.broken_html):
            for whole, torn in _TORN:
                text = text.replace(whole, torn)
        mark = b"\xef\xbb\xbf" if draws.happens(_BYTE_ORDER_MARK_SHARE) else b""
        declared = draws.below(4)
        return Answer(200, "text/html" if declared == 0 else HTML, mark + text.encode())

    def _near_duplicate(self, page: int) -> Answer:
        answer = self._ordinary(self.graph.original(page))
        draws = self.graph.draws(page, b"near", 16)
        table = topic_table(self.graph.topic(page))
        extra = f"<p>{sentences(draws, table, 0.5, 1)[0]}</p>\n</article>".encode()
        return answer._replace(body=answer.body.replace(b"</article>", extra))

    def _other_language(self, page: int) -> Answer:
        draws = self.graph.draws(page, b"tongue", 512)
        number = draws.below(len(TONGUES))
        tongue = TONGUES[number]
        written = sentences(draws, tongue_table(number), 1.0, 10 + draws.below(40))
        body = f"<h1>{tongue.subjects[draws.below(12)]}</h1>\n" + _paragraphs(written)
        links = [
            f'<li><a href="{self.href(edge, self.graph.host(page))}">'
            f"{tongue.subjects[draws.below(12)]}</a></li>"
            for edge in self.graph.edges(page)
        ]
        declared = draws.below(2) == 0
        meta = f'<meta charset="{tongue.charset}">' if declared or tongue.charset == "utf-8" else ""
        text = (
            f'<!doctype html>\n<html lang="{tongue.code}">\n<head>{meta}'
            f"<title>{tongue.subjects[draws.below(12)]}</title></head>\n<body>\n<main>\n"
            f"<article>\n{body}</article>\n<ul>\n{''.join(links)}\n</ul>\n</main>\n</body>\n</html>\n"
        )
        # What the head does not say, the header does, and now and then both.
        media_type = "text/html" if declared else f"text/html; charset={tongue.charset}"
        return Answer(200, media_type, text.encode(tongue.charset))

    def _soft_404(self, page: int, draws: Draws) -> str:
        article = (
            "<article>\n<h1>Page not found</h1>\n<p>Sorry, the page you are looking for does not "
            "exist any more. It may have been moved or deleted.</p>\n</article>\n"
        )
        return self._frame(page, draws, "Page not found", article)

    # ---------------------------------------------------------------- parts of a page

    def _strength(self, draws: Draws) -> float:
        return self.graph.knobs.topic_words * (0.1 + 1.8 * draws.share())

    def _article(self, page: int, draws: Draws, title: str) -> str:
        graph = self.graph
        topic = graph.topic(page)
        host = graph.host(page)
        table = topic_table(topic)
        count = min(_SENTENCES_MAX, int(_SENTENCES_MIN * draws.share() ** -_LENGTH_EXPONENT))
        written = sentences(draws, table, self._strength(draws), count)
        name_people(draws, written)
        edges = graph.edges(page)
        in_text = [edge for edge in edges if edge.tunnel]
        listed: list[Edge] = []
        for edge in edges:
            if not edge.tunnel:
                (in_text if draws.below(8) < 5 else listed).append(edge)
        for edge in in_text:
            position = draws.below(len(written))
            written[position] += " " + self._sentence_with_link(edge, host, draws)
        words = TOPICS[topic]
        parts = [f"<article>\n<h1>{title}</h1>\n", _paragraphs(written[:10])]
        for start in range(10, len(written), 24):
            parts.append(f"<h2>{draws.pick(words.nouns).capitalize()}</h2>\n")
            parts.append(_paragraphs(written[start : start + 24]))
        extra = draws.below(6)
        if extra == 0:
            parts.append(_data_table(draws, words.nouns))
        elif extra == 1:
            parts.append(
                f'<figure><img src="/pictures/figure-{draws.below(9)}.png" '
                f'alt="{draws.pick(words.nouns)}"><figcaption>The {draws.pick(words.nouns)}, '
                f"seen by the {draws.pick(NOUNS)}</figcaption></figure>\n"
            )
        parts.append("</article>\n")
        if listed:
            items = "".join(f"<li>{self._link(edge, host, draws)}</li>\n" for edge in listed)
            parts.append(f"<aside><h3>Related</h3>\n<ul>\n{items}</ul></aside>\n")
        return "".join(parts)

    def _sentence_with_link(self, edge: Edge, host: int, draws: Draws) -> str:
        """Where the anchor tells the topic, the words around it do so too."""
        table = topic_table(edge.tells) if edge.tells is not None else topic_table(0)
        share = 0.6 if edge.tells is not None else 0.0
        sentence = sentences(draws, table, share, 1)[0]
        return f"{sentence[:-1]} ({self._link(edge, host, draws)})."

    def _link(self, edge: Edge, host: int, draws: Draws) -> str:
        if edge.tells is None:
            anchor = draws.pick(PLAIN_ANCHORS)
        elif edge.tells == self.graph.topic(edge.target):
            anchor = self.title(edge.target)
        else:
            anchor = title_of(draws, edge.tells)
        rel = ' rel="nofollow"' if draws.below(100) == 0 else ""
        return f'<a href="{self.href(edge, host)}"{rel}>{anchor}</a>'

    def _frame(self, page: int, draws: Draws, title: str, article: str) -> str:
        graph = self.graph
        host = graph.host(page)
        place = graph.place(page)
        name = self.hosts.name(host)
        hub = graph.first(place.island)
        following = hub + (place.slot + 1) % place.size
        home = "/" if graph.may_link(place.island, host % graph.islands) else None
        hub_href = self.href(Edge(hub, Form.PLAIN, None), host)
        robots = "index, nofollow" if graph.forbids_to_follow(page) else "index, follow"
        subject = draws.pick(TOPICS[graph.topic(page)].phrases)
        tail = ""
        if self.hosts.has_trap(host):
            tail = (
                '<a href="/calendar/2026/11/">Calendar</a> <a href="/tree/shelf/">Browse the tree'
                '</a> <a href="/browse?sort=name&amp;order=up&amp;page=1">All entries</a>'
            )
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>{title} - {name}</title>\n"
            f'<meta name="description" content="{title}, and what the '
            f'{draws.pick(NOUNS)} has to do with {subject}.">\n'
            f'<meta name="robots" content="{robots}">\n'
            f'<link rel="stylesheet" href="/static/style.css">\n</head>\n<body>\n<header>{name}'
            f'</header>\n<nav><a href="{home or hub_href}">Home</a> <a href="{hub_href}">Contents'
            f'</a> <a href="{self.href(Edge(following, Form.PLAIN, None), host)}">Next</a>'
            f"</nav>\n<main>\n{article}</main>\n<footer><p>&copy; {2015 + draws.below(12)} {name}. "
            f'<a href="/about.html">About this site</a> {tail}</p></footer>\n</body>\n</html>\n'
        )


def _paragraphs(written: list[str]) -> str:
    steps = range(0, len(written), 4)
    return "<p>" + "</p>\n<p>".join(" ".join(written[i : i + 4]) for i in steps) + "</p>\n"


def _data_table(draws: Draws, nouns: tuple[str, ...]) -> str:
    rows = "".join(
        f"<tr><td>{draws.pick(nouns)}</td><td>{draws.below(1000)}</td></tr>\n"
        for _ in range(3 + draws.below(8))
    )
    return f"<table>\n<tr><th>Subject</th><th>Count</th></tr>\n{rows}</table>\n"
