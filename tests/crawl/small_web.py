"""Crawls of a few pages written down in a test, in memory and on a virtual clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event as Flag

from shoal import config
from shoal.archive.nothing import NoArchive
from shoal.clock import VirtualClock
from shoal.compose.crawl import Source, assemble
from shoal.crawl.stop import Stop
from shoal.events import Event, Settled
from shoal.frontier.frontier import StateFrontier
from shoal.frontier.ledger import StateLedger
from shoal.frontier.state import StateFile
from shoal.http.heads import make_head
from shoal.model import Known, Outcome, Response, Visit
from shoal.url import Url, parse_url
from shoal.web.frozen import FrozenWeb

START = "http://a.example/"


@dataclass(frozen=True)
class Answer:
    body: str = ""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("content-type", "text/html"),)


def page(*targets: str, text: str = "", head: str = "") -> Answer:
    """An HTML page with links to ``targets``; an anchor is what stands behind a space."""
    links = "".join(
        f'<p><a href="{target.partition(" ")[0]}">{target.partition(" ")[2] or "more"}</a></p>'
        for target in targets
    )
    return Answer(
        f"<html><head><title>t</title>{head}</head><body><p>{text}</p>{links}</body></html>"
    )


class PageShelf:
    """A Shelf over a dictionary; what each Url was asked for is in ``asked``."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def find(self, url: Url) -> Response | None:
        self.asked.append(url.text)
        answer = self._answers.get(url.text)
        if answer is None:
            return None
        body = answer.body.encode()
        head = make_head(answer.status, answer.headers)
        return Response(url, answer.status, head, answer.headers, body, body, 0.0, 0.1)

    def urls(self) -> Iterator[str]:
        return iter(self._answers)

    def close(self) -> None: ...


@dataclass
class Crawled:
    """What a crawl did."""

    stop: Stop
    ledger: StateLedger
    shelf: PageShelf
    clock: VirtualClock
    events: list[Event] = field(default_factory=list)

    def visits(self, url: str) -> tuple[Visit, ...]:
        return self.known(url).visits

    def known(self, url: str) -> Known:
        found = self.ledger.find(parse_url(url))
        assert found is not None, f"{url} is not known"
        return found

    def outcome(self, url: str) -> Outcome:
        return self.visits(url)[-1].outcome

    def pages_asked(self) -> list[str]:
        return [url for url in self.shelf.asked if not url.endswith("robots.txt")]

    def settled(self) -> list[str]:
        return [event.url for event in self.events if isinstance(event, Settled)]


class Ear:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def see(self, event: Event) -> None:
        self.events.append(event)

    def close(self) -> None: ...


def crawl(
    answers: Mapping[str, Answer],
    *assignments: str,
    seeds: Sequence[str] = (START,),
    topic: str = "dengue fever",
    start_s: float = 1_000_000.0,
    halt: Flag | None = None,
) -> Crawled:
    """Crawl the pages until there is a reason to stop, one request at a time."""
    layer = config.merge(
        [
            {"crawl": {"topic": [topic], "seeds": list(seeds), "parallel": 1}},
            config.read_assignments(assignments),
        ]
    )
    settings = config.check(layer)
    shelf, clock, ear = PageShelf(answers), VirtualClock(start_s), Ear()
    state = StateFile.open(":memory:")
    frontier = StateFrontier.open(state, per_host=settings.politeness.per_host)
    web = FrozenWeb(shelf, clock, settings.fetch)
    source = Source(web, clock, lambda _host: None)
    crawler = assemble(settings, source, state, frontier, NoArchive(), [ear], halt or Flag())
    stop = crawler.run()
    return Crawled(stop, StateLedger(state), shelf, clock, ear.events)
