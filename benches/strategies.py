"""What each Strategy costs: CPU time of a judged page with fifty Links.

python benches/strategies.py [NAME ...] [--pages 1500] [--set OPTION=VALUE ...]

Pages, anchors and the words around them are those of the wiki corpus; each page is given exactly
fifty of its Links, to addresses of a made-up web of 200 hosts. A real Frontier leases one Url at a
time. Counted is what the Strategy makes a crawl do: ``priorities``, and weighing anew what waits,
together with the Frontier's part of that. Not counted is what is done for every Strategy alike.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

from shoal import config
from shoal.compose.crawl import make_strategy, make_topic, open_web
from shoal.compose.lab import EPOCH_S
from shoal.crawl.learning import Learning
from shoal.errors import UsageError
from shoal.frontier.frontier import StateFrontier
from shoal.frontier.notes import StateNotes
from shoal.frontier.state import MEMORY, StateFile
from shoal.model import (
    ArchiveMark,
    Judgement,
    Lease,
    Link,
    Offer,
    Outcome,
    Page,
    Priority,
    Ruling,
    Visit,
)
from shoal.page.parser import PageParser
from shoal.ports import Frontier, Strategy
from shoal.settings import Settings
from shoal.strategy import registry
from shoal.url import Url, parse_url

SHARED = Path(
    os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parent.parent.parent / "shared")
)
WORDS = "chemistry chemical element atom compound"
LINKS, HOSTS, ADDRESSES = 50, 200, 40_000
SAMPLE, STEP = 300, 13
BATCH_PAGES = 100
ADMITTED = Ruling(True, "bench")


def sample() -> list[Page]:
    """Pages of the corpus with at least ten Links and a few words."""
    shelf = open_web(str(SHARED / "corpora" / "wiki.warc.gz"))
    parser, found = PageParser(), []
    with closing(shelf):
        for number, text in enumerate(shelf.urls()):
            if number % STEP == 0 and len(found) < SAMPLE:
                response = shelf.find(parse_url(text))
                if response is not None and response.status == 200:
                    page = parser.parse(response)
                    if len(page.links) >= 10 and len(page.terms) >= 50:
                        found.append(page)
    return found


class MadeUpWeb:
    """A web of ADDRESSES Urls, each with the words of one page of the sample and fifty Links."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._urls = [
            parse_url(f"http://host{number % HOSTS}.example/{number}")
            for number in range(ADDRESSES)
        ]
        self._number = {url.text: number for number, url in enumerate(self._urls)}

    def seeds(self) -> list[Url]:
        return self._urls[:3]

    def page(self, url: Url) -> Page:
        number = self._number[url.text]
        chance = random.Random(number)
        page = self._pages[number % len(self._pages)]
        own = page.links
        links = tuple(
            replace(own[place % len(own)], source=url, target=chance.choice(self._urls))
            for place in range(LINKS)
        )
        return replace(page, url=url, links=links)


def run(strategy: Strategy, settings: Settings, web: MadeUpWeb, pages: int) -> Iterator[float]:
    """The CPU seconds of each page."""
    topic = make_topic(settings).topic
    with closing(StateFile.open(MEMORY)) as state:
        frontier = StateFrontier.open(state, per_host=1, distance=3)
        learning = Learning(strategy, frontier, StateNotes(state))
        learning.recall()
        seeds = [Offer(Link(None, url), ADMITTED, strategy.seed(url)) for url in web.seeds()]
        frontier.offer(None, seeds)
        for done in range(pages):
            lease = frontier.lease(EPOCH_S, 1)[0]
            page = web.page(lease.url)
            judgement = topic.judge(page)
            before_s = time.process_time()
            priorities = strategy.priorities(page, judgement, page.links, lease)
            spent_s = time.process_time() - before_s
            settle(frontier, lease, judgement, page.links, priorities)
            before_s = time.process_time()
            learning.rescore()
            if done % BATCH_PAGES == BATCH_PAGES - 1:
                learning.keep()
            spent_s += time.process_time() - before_s
            if done % BATCH_PAGES == BATCH_PAGES - 1:
                frontier.commit(ArchiveMark(), EPOCH_S)
            yield spent_s


def settle(
    frontier: Frontier,
    lease: Lease,
    judgement: Judgement,
    links: Sequence[Link],
    priorities: Sequence[Priority],
) -> None:
    offers = [
        Offer(link, ADMITTED, priority, lease.depth + 1)
        for link, priority in zip(links, priorities, strict=True)
    ]
    frontier.offer(lease.id, offers)
    frontier.settle(lease, Visit(EPOCH_S, Outcome.PAGE, judgement=judgement))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="strategies; all there are when none is named")
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--set", action="append", default=[], help="OPTION=VALUE of a strategy")
    given = parser.parse_args()
    web = MadeUpWeb(sample())
    options = config.read_assignments([f"strategy.{one}" for one in given.set])
    print("| strategy | ms a page, mean | most, over 100 pages |\n| --- | --- | --- |", flush=True)
    for name in given.names or registry.names():
        print(f"| `{name}` | {' | '.join(cells(name, options, web, given.pages))} |", flush=True)


def cells(name: str, options: config.Layer, web: MadeUpWeb, pages: int) -> tuple[str, str]:
    has = {field.name for field in fields(registry.find(name).options)}
    own = {key: value for key, value in options.get("strategy", {}).items() if key in has}
    try:
        settings = config.check({"crawl": {"topic": [WORDS], "strategy": name}, "strategy": own})
        strategy = make_strategy(settings, make_topic(settings))
    except UsageError as error:
        return "not measured", str(error)
    gc.collect()
    spent_s = list(run(strategy, settings, web, pages))
    hundreds = [sum(spent_s[at : at + 100]) / 100 for at in range(0, pages - 99, 100)]
    return f"{sum(spent_s) / pages * 1e3:.2f}", f"{max(hundreds, default=0.0) * 1e3:.2f}"


if __name__ == "__main__":
    main()
