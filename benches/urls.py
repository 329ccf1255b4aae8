"""Microseconds of processor time that a link costs: made canonical, asked of the scope, keyed.

``python benches/urls.py [WARC]``: links of real pages where a WARC file is given (or lies in the
shared folder), made-up ones otherwise.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

from shoal.clock import VirtualClock
from shoal.model import Link
from shoal.scope import build_scope
from shoal.settings import FetchSettings, PolitenessSettings, ScopeSettings
from shoal.surt import surt
from shoal.url import BadUrl, Url, UrlParser

PAGES = 400
ROUNDS = 3


def pages_of(warc: Path) -> Iterator[tuple[str, list[str]]]:
    with warc.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            tree = LexborHTMLParser(record.reader.read())
            hrefs = [node.attributes.get("href") or "" for node in tree.css("a[href]")]
            if hrefs:
                yield record.headers["WARC-Target-URI"], hrefs


def made_up() -> Iterator[tuple[str, list[str]]]:
    for number in range(PAGES):
        hrefs = [f"../topic/{(number * 7 + step) % 5_000}.html" for step in range(120)]
        hrefs += [f"https://host{step}.example/a/b?page={step}" for step in range(20)]
        hrefs += ["#top", "index.html", "mailto:a@b.example", "/about/", "?sort=name"] * 2
        yield f"http://host{number % 40}.example/d/{number}.html", hrefs


def best_s(work: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def one_by_one(parser: UrlParser, pages: Sequence[tuple[Url, list[str]]]) -> None:
    for base, hrefs in pages:
        for href in hrefs:
            try:
                parser.parse(href, base)
            except BadUrl:
                continue


def measure(name: str, source: Iterator[tuple[str, list[str]]]) -> None:
    parser = UrlParser()
    pages = [(parser.parse(text), hrefs) for text, hrefs in islice(source, PAGES)]
    count = sum(len(hrefs) for _, hrefs in pages)
    print(f"{name}: {len(pages)} pages, {count} links")
    links = [
        Link(source=base, target=target)
        for base, hrefs in pages
        for target in parser.parse_links(hrefs, base)
        if target is not None
    ]

    def batch() -> None:
        fresh = UrlParser()
        for base, hrefs in pages:
            fresh.parse_links(hrefs, base)

    def judge() -> None:
        fresh = build_scope(
            ScopeSettings(), FetchSettings(), PolitenessSettings(), VirtualClock(1e9)
        )
        for link in links:
            fresh.admit(link, 1, 0, 0)

    def whole() -> None:
        for base, hrefs in pages:
            for href in hrefs:
                try:
                    parser._whole(href, base)
                except BadUrl:
                    continue

    rows: list[tuple[str, Callable[[], object], int]] = [
        ("parse_links", batch, count),
        ("parse", lambda: one_by_one(parser, pages), count),
        ("parse, without the short way", whole, count),
        ("Scope.admit", judge, len(links)),
        ("Url.key", lambda: [link.target.key for link in links], len(links)),
        ("Url.host_key", lambda: [link.target.host_key for link in links], len(links)),
        ("Url.site", lambda: [link.target.site for link in links], len(links)),
        ("surt", lambda: [surt(link.target.text) for link in links], len(links)),
    ]
    for title, work, times in rows:
        print(f"  {title:30} {best_s(work) / times * 1e6:6.2f} us a link")


def main() -> None:
    root = Path(os.environ.get("SHOAL_SHARED", Path(__file__).parents[2] / "shared"))
    given = [Path(text) for text in sys.argv[1:]]
    found = given or [root / "corpora" / f"{name}.warc.gz" for name in ("wiki", "sites")]
    for path in found:
        if path.exists():
            measure(path.name, pages_of(path))
    measure("made up", made_up())


if __name__ == "__main__":
    main()
