"""A made-up crawl, hostile titles included, for the tests of this room."""

from __future__ import annotations

import math
import random

from shoal.model import (
    FailureKind,
    Judgement,
    Known,
    LinkKind,
    Outcome,
    Part,
    Position,
    Priority,
    Ruling,
    UrlState,
    Visit,
)
from shoal.testing.memory_ledger import MemoryLedger

START_S = 1_790_000_000.0
HOSTILE = "<script>alert('x')</script> \x1b[31m[bold]red\u202e & \"quoted\""
ADMITTED = Ruling(True, "default")


def page_visit(at_s: float, relevance: float, **other: object) -> Visit:
    values: dict[str, object] = {
        "at_s": at_s,
        "outcome": Outcome.PAGE,
        "status": 200,
        "size_bytes": 20_000,
        "elapsed_s": 0.2,
        "media_type": "text/html",
        "language": "en",
        "title": "A page",
        "judgement": Judgement(relevance, relevance / 2, (Part("fever", relevance),)),
        "digest": "sha1:AAAA",
        "position": Position("shoal-000001.warc.gz", 0, 10),
    }
    return Visit(**{**values, **other})  # type: ignore[arg-type]  # keywords of any type, for tests


def known(
    number: int,
    url: str,
    *visits: Visit,
    state: UrlState = UrlState.SETTLED,
    source: str | None = None,
    depth: int = 0,
    ruling: Ruling = ADMITTED,
    kind: LinkKind = LinkKind.ANCHOR,
    anchor: str = "",
) -> Known:
    return Known(
        id=number,
        url=url,
        state=state,
        ruling=ruling,
        priority=Priority(0.75, (Part("parent", 0.5), Part("anchor", 0.25))),
        depth=depth,
        redirects=0,
        source=source,
        kind=kind if source is not None else LinkKind.SEED,
        anchor=anchor,
        context="",
        visits=visits,
    )


def made_up(urls: int = 400, hosts: int = 30, seed: int = 7) -> MemoryLedger:
    """Harvest falls from high to low; a tenth of the Urls brings something other than a page."""
    rng = random.Random(seed)
    knowns = []
    for number in range(urls):
        at_s = START_S + number * 0.6 + rng.random()
        host = f"host{int(rng.paretovariate(0.8)) % hosts}.example.org"
        url = f"https://{host}/page/{number}"
        bent = 0.9 * math.exp(-number / urls) + rng.gauss(0, 0.18)
        relevance = min(max(bent, 0.0), 1.0)
        visit = page_visit(
            at_s,
            relevance,
            size_bytes=rng.randrange(2_000, 60_000),
            language=rng.choice(("en", "en", "en", "es", "pt", "fr")),
            title=f"Dengue fever in district {number}",
        )
        chance = rng.random()
        if chance < 0.12:
            visit = _other(rng, at_s)
        knowns.append(known(number, url, visit, depth=1, source="https://seed.example.org/"))
    knowns.append(known(urls, "https://seed.example.org/", page_visit(START_S, 1.0, title=HOSTILE)))
    for number in range(urls + 1, urls + 60):
        waits = known(number, f"https://later.example.org/{number}", state=UrlState.WAITING)
        knowns.append(waits)
    refused = Ruling(False, "skip_extensions", "zip")
    knowns.append(
        known(urls + 60, "https://x.example.org/a.zip", state=UrlState.REFUSED, ruling=refused)
    )
    facts = {
        "topic": "dengue fever",
        "stop_reason": "pages",
        "stop_detail": "",
        "started_s": str(START_S),
        "clock_s": str(START_S + urls * 0.6 + 2),
    }
    return MemoryLedger(
        knowns, facts, given_up={"dead.example.net": "5 parkings in a row: connection refused"}
    )


def _other(rng: random.Random, at_s: float) -> Visit:
    page = page_visit(at_s, 0.6)
    kinds = [
        Visit(at_s, Outcome.HTTP_ERROR, status=404, media_type="text/html", size_bytes=900),
        Visit(at_s, Outcome.HTTP_ERROR, status=503, media_type="text/html", size_bytes=90),
        Visit(at_s, Outcome.FAILED, failure=FailureKind.TIMEOUT, detail="no answer in 30 s"),
        Visit(at_s, Outcome.ROBOTS, detail="Disallow: /page/"),
        Visit(at_s, Outcome.REDIRECT, status=301, detail="https://host1.example.org/page/1"),
        Visit(at_s, Outcome.DUPLICATE, status=200, media_type="text/html", size_bytes=20_000,
              judgement=page.judgement, detail="https://host1.example.org/page/1"),
        Visit(at_s, Outcome.NEAR_DUPLICATE, status=200, media_type="text/html", size_bytes=20_000,
              judgement=page.judgement, detail="https://host1.example.org/page/1"),
        Visit(at_s, Outcome.DOCUMENT, status=200, media_type="application/pdf", size_bytes=400_000),
    ]  # fmt: skip
    return rng.choice(kinds)
