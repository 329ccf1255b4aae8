"""The pages of a crawl written into its ontology: time and memory of `shoal export`.

A state file of as many settled pages is made first, by another process. Bars: 50,000 pages in under
60 s and within 500 MB.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from shoal.frontier.frontier import StateFrontier
from shoal.frontier.ledger import StateLedger
from shoal.frontier.state import StateFile
from shoal.model import (
    ArchiveMark,
    Judgement,
    Link,
    Offer,
    Outcome,
    Part,
    Position,
    Priority,
    Ruling,
    Visit,
)
from shoal.ontology.draft import Draft
from shoal.ontology.model import Label, Ontology, RelationKind
from shoal.report.export import Format, export
from shoal.report.rows import Selection, Source
from shoal.url import parse_url

CONCEPTS = 5_000
OFFERED_AT_ONCE = 1_000
HOSTS = OFFERED_AT_ONCE
"""A host leases one Url at a time."""


def made_up() -> Ontology:
    """A tree of concepts with three labels each, and a relation across it."""
    draft = Draft()
    for number in range(CONCEPTS):
        key = f"concept-{number}"
        draft.concept(key, key, (f"http://ontology.example/{key}",))
        for text, language in ((f"thing {number}", "en"), (f"Ding {number}", "de")):
            draft.label(key, Label(text, language))
        draft.relation(key, f"concept-{number // 7}", RelationKind.TAXONOMIC, "subclass of")
        draft.relation(key, f"concept-{(number * 31) % CONCEPTS}", RelationKind.OTHER, "near")
    return draft.finish()


def fill(path: Path, pages: int) -> None:
    frontier = StateFrontier.open(StateFile.open(path))
    numbers = iter(range(pages))
    while batch := list(_some(numbers)):
        frontier.offer(None, [_offer(number) for number in batch])
        for lease in frontier.lease(1e9, len(batch)):
            frontier.settle(lease, _visit(lease.id))
    frontier.commit(ArchiveMark(), 1e9)
    frontier.close()


def _some(numbers: Iterator[int]) -> Iterator[int]:
    for _, number in zip(range(OFFERED_AT_ONCE), numbers, strict=False):
        yield number


def _offer(number: int) -> Offer:
    url = parse_url(f"https://www.host{number % HOSTS}.example.org/articles/page-{number}?a=1&b=2")
    return Offer(Link(None, url), Ruling(True, "default"), Priority(1.0))


def _visit(number: int) -> Visit:
    relevance = 0.5 + (number % 500) / 1_000
    return Visit(
        at_s=1.79e9 + number,
        outcome=Outcome.PAGE,
        status=200,
        size_bytes=30_000,
        media_type="text/html",
        language="en",
        title=f"Page {number} of what is known, and <of what> is not & more",
        judgement=Judgement(relevance, 0.2, (Part("thing 7", 0.5), Part("thing 9", 0.3))),
        digest=f"sha1:{number:032X}",
        position=Position("shoal-00001.warc.gz", number * 30_000, 30_000),
    )


def measure(path: Path, to: Format) -> str:
    state = StateFile.read(path)
    source = Source(path.parent, _unread, _unread)
    out = path.parent / f"out{to.suffix}"
    began, cpu = time.perf_counter(), time.process_time()
    ontology = made_up()
    done = export(StateLedger(state), source, to, out, Selection(0.5), ontology=ontology)
    took_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu
    state.close()
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cells = (to, f"{done.pages:,}", f"{took_s:.1f}", f"{cpu_s:.1f}", f"{peak_mb:.0f}")
    return " | ".join((*cells, f"{done.size_bytes / 1e6:.1f}"))


def _unread(*_: object) -> NoReturn:
    raise AssertionError("the archive was read")


def main() -> None:
    arguments = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    arguments.add_argument("--pages", type=int, default=50_000)
    arguments.add_argument("--state", type=Path, help=argparse.SUPPRESS)
    arguments.add_argument("--format", type=Format, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.state and options.format:
        print(f"| {measure(options.state, options.format)} |")
    elif options.state:
        fill(options.state, options.pages)
    else:
        print("| format | pages | seconds | CPU seconds | peak MB | file MB |")
        print("| --- | --- | --- | --- | --- | --- |", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            state = Path(folder) / "state.sqlite"
            again = [sys.executable, __file__, "--state", str(state)]
            subprocess.run([*again, "--pages", str(options.pages)], check=True)
            for to in (Format.XTM, Format.SKOS):
                subprocess.run([*again, "--format", to.value], check=True)


if __name__ == "__main__":
    main()
