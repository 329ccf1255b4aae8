"""Where a cosine begins to mean relevance: measured on the subjects of the wiki corpus.

For every leaf subject with at least 30 articles, its name is the topic ("Birds", "Poetry and
Opera"), its articles are relevant, and all other articles are not. Prints the cosine at which F1 is
best for each. Many names are no words anybody would search for ("General history"), so the border
is the median over the subjects where F1 reaches 0.4. Subjects whose name is one of the eight topics
that the lab is tested with are left out.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from statistics import quantiles

from shoal.archive.reader import iter_responses
from shoal.compose.crawl import make_parser
from shoal.model import Page
from shoal.settings import Settings
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity

KEPT_OUT = re.compile(
    r"chemis|food|religion|music|railway|mathematic|storms|languages", re.IGNORECASE
)
LEAST_ARTICLES = 30
LEAST_F1 = 0.4


def main(shared: Path) -> None:
    rarity = Rarity()
    pages = labelled_pages(shared)
    members = Counter(name for names, _ in pages for name in names)
    borders = []
    for name, count in sorted(members.items()):
        leaf = name.rpartition(".")[2].replace("_", " ")
        if count < LEAST_ARTICLES or KEPT_OUT.search(name):
            continue
        topic = KeywordTopic((leaf,), rarity)
        scored = sorted(
            ((topic.judge(page).similarity, name in names) for names, page in pages), reverse=True
        )
        found, best = 0, (0.0, 0.0)
        for rank, (similarity, relevant) in enumerate(scored, start=1):
            found += relevant
            best = max(best, (2 * found / (rank + count), similarity))
        print(f"{leaf:55} {count:4} articles  best F1 {best[0]:.2f} at cosine {best[1]:.3f}")
        if best[0] >= LEAST_F1:
            borders.append(best[1])
    low, middle, high = quantiles(borders, n=4)
    print(
        f"{len(borders)} subjects reach F1 {LEAST_F1}: quartiles {low:.3f} {middle:.3f} {high:.3f}"
    )


def labelled_pages(shared: Path) -> list[tuple[list[str], Page]]:
    """The articles with their labels."""
    labels = {}
    for line in (shared / "corpora" / "wiki.labels.tsv").read_text(encoding="utf-8").splitlines():
        url, _, names = line.partition("\t")
        labels[url] = names.split(";")
    parser = make_parser(Settings())
    return [
        (labels[response.url.text], parser.parse(response))
        for response in iter_responses(shared / "corpora" / "wiki.warc.gz")
        if response.url.text in labels
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
