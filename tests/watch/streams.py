"""A made-up stream of events."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from shoal.events import (
    Committed,
    CrawlerTrouble,
    Event,
    HostGivenUp,
    HostParked,
    Settled,
    Started,
    Stopped,
    Waiting,
)
from shoal.model import FailureKind, Outcome, Standing

START_S = 1_790_000_000.0


def settled(at_s: float, outcome: Outcome = Outcome.PAGE, relevance: float = 0.7) -> Settled:
    is_page = outcome is Outcome.PAGE
    return Settled(
        at_s=at_s,
        url="https://host.example.org/page",
        host="host.example.org",
        outcome=outcome,
        status=200 if is_page else None,
        failure=FailureKind.TIMEOUT if outcome is Outcome.FAILED else None,
        size_bytes=10_000 if is_page else 0,
        elapsed_s=0.2,
        relevance=relevance if is_page else None,
        language="en" if is_page else None,
        new_urls=3,
    )


def stream(urls: int, step_s: float = 0.05, seed: int = 3) -> Iterator[Event]:
    """Started, batches of a hundred, a host parked and one lost, a wait, Stopped."""
    rng = random.Random(seed)
    yield Started(START_S, False, "dengue fever", Standing(40, 40, 0, 0, 0, 0, 30))
    pages = 0
    for number in range(1, urls + 1):
        at_s = START_S + number * step_s
        outcome = rng.choices(
            (Outcome.PAGE, Outcome.HTTP_ERROR, Outcome.FAILED, Outcome.DUPLICATE, Outcome.ROBOTS),
            (85, 5, 3, 5, 2),
        )[0]
        pages += outcome is Outcome.PAGE
        relevance = min(1.0, max(0.0, 0.9 * math.exp(-number / urls) + rng.gauss(0, 0.2)))
        event = settled(at_s, outcome, relevance)
        url = f"https://host{number % 97}.example.org/articles/{number}/dengue-and-climate.html"
        yield Settled(**{**{name: getattr(event, name) for name in event.__slots__}, "url": url})
        if number % 100 == 0:
            standing = Standing(
                40 + number * 4, 40 + number * 3, 12, number // 50, number, number // 9, 97
            )
            yield Committed(at_s, standing, pages, 48)
        if number == urls // 2:
            yield HostParked(at_s, "slow.example.net", at_s + 60, "3 timeouts in a row")
            yield HostGivenUp(at_s, "dead.example.net", "5 parkings in a row", 12)
            yield CrawlerTrouble(at_s, "crawler-2", "the crawler crawler-2 is started again")
    end_s = START_S + urls * step_s
    yield Waiting(end_s, end_s + 42, "host7.example.org, which asked for a pause")
    yield Stopped(end_s + 1, "pages", f"{pages} pages, as asked for", Standing(9, 8, 0, 0, 7, 6, 5))
