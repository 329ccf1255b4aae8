"""What the semantic strategies cost over WordNet 3.0, in CPU time and memory.

`python benches/semantic.py ../shared`: the first start and the later ones, making each strategy for
a topic of four words, then judged pages of the wiki corpus, their links trimmed or repeated to
exactly 50. The cold figure is of pages whose anchors were never seen before, as at the beginning of
a crawl; the mean is of a thousand pages.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from statistics import mean, quantiles

from shoal.archive.reader import iter_responses
from shoal.compose.crawl import make_parser
from shoal.model import Lease, Page
from shoal.settings import Settings
from shoal.strategy import registry
from shoal.strategy.recipe import Brief
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.wordnet import opening

PAGES = 1_000
LINKS = 50
WORDS = ("railway train locomotive rail",)
NAMES = ("ehrig", "ssrm", "synset-expansion")


def main(shared: Path) -> None:
    path = str(shared / "wordnet" / "wn30.tar.xz")
    rarity = Rarity()
    topic = KeywordTopic(WORDS, rarity)
    brief = Brief(topic, WORDS, rarity.idf)
    pages = list(islice(_pages(shared), PAGES))
    judged = [topic.judge(page) for page in pages]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        for name in ("first start", "second start"):
            opening._open.cache_clear()
            before_mb, started_s = _memory_mb(), time.process_time()
            opening.open_wordnet(path, os.environ).entries_of("word")
            print(f"{name}: {time.process_time() - started_s:.2f} s of CPU")
            if name == "first start":
                print(f"  memory at most {_memory_mb() - before_mb:.0f} MB more than before")
        for name in NAMES:
            recipe = registry.find(name)
            started_s = time.process_time()
            strategy = recipe.make(brief, recipe.options(wordnet=path))
            made_s = time.process_time() - started_s
            costs_ms = []
            for page, judgement in zip(pages, judged, strict=True):
                links = list(islice(cycle(page.links), LINKS))
                lease = Lease(1, page.url, 1.0, depth=0, redirects=0, attempts=0)
                started_s = time.process_time()
                strategy.priorities(page, judgement, links, lease)
                costs_ms.append((time.process_time() - started_s) * 1000)
            print(
                f"{name}: made in {made_s:.2f} s; a page of {LINKS} links: mean "
                f"{mean(costs_ms):.2f} ms, of the first 20 {mean(costs_ms[:20]):.2f} ms, "
                f"99 % within {quantiles(costs_ms, n=100)[98]:.2f} ms"
            )


def _pages(shared: Path) -> list[Page]:
    parser = make_parser(Settings())
    found = []
    for response in iter_responses(shared / "corpora" / "wiki.warc.gz"):
        page = parser.parse(response)
        if page.links:
            found.append(page)
        if len(found) == PAGES:
            break
    return found


def _memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]))
