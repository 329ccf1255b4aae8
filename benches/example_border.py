"""How alike to its examples a relevant page must be: measured on the subjects of the wiki corpus.

For every leaf subject with at least 100 articles, some of its articles, drawn by the MD5 of their
address, are the examples, its other articles are relevant, and all others are not; a
quarter of them is judged. Prints, for each
number of examples, the share of the examples' own median cosine at which F1 is best (quartiles over
the subjects), and the F1 that the topic reaches with its border where it stands: without unwanted
examples, and with as many drawn from the other subjects. Subjects whose name is one of the eight
topics that the lab is tested with are left out.
"""

from __future__ import annotations

import sys
from collections import Counter
from hashlib import md5
from pathlib import Path
from statistics import mean, quantiles

from border import KEPT_OUT, labelled_pages

from shoal.model import Page
from shoal.topic.examples import BORDER_SHARE, ExampleTopic, learn_examples
from shoal.topic.rarity import Rarity

LEAST_ARTICLES = 100
EXAMPLES = (10,)
SAMPLED = 4
"""Every so manieth article is judged."""


def main(shared: Path) -> None:
    pages = sorted(labelled_pages(shared), key=lambda one: md5(one[1].url.text.encode()).digest())
    members = Counter(name for names, _ in pages for name in names)
    subjects = [
        name
        for name, count in sorted(members.items())
        if count >= LEAST_ARTICLES and not KEPT_OUT.search(name)
    ]
    rarity = Rarity()
    for size in EXAMPLES:
        shares, alone, beside = [], [], []
        for name in subjects:
            inside = [page for names, page in pages if name in names][:size]
            outside = [page for names, page in pages if name not in names][:size]
            used = {page.url.text for page in (*inside, *outside)}
            rest = [
                (name in names, page)
                for names, page in pages[::SAMPLED]
                if page.url.text not in used
            ]
            likes, unlikes = [page.terms for page in inside], [page.terms for page in outside]
            topic = learn_examples(likes, [], rarity)
            shares.append(best_border(topic, rest) / topic.border * BORDER_SHARE)
            alone.append(f1(topic, rest))
            beside.append(f1(learn_examples(likes, unlikes, rarity), rest))
        low, middle, high = quantiles(shares, n=4)
        print(
            f"{size:3} examples, {len(subjects)} subjects: best share of the median cosine "
            f"{low:.2f} {middle:.2f} {high:.2f}; mean F1 {mean(alone):.2f} at {BORDER_SHARE}, "
            f"{mean(beside):.2f} with {size} unwanted examples"
        )


def best_border(topic: ExampleTopic, rest: list[tuple[bool, Page]]) -> float:
    """The cosine at which F1 is best."""
    scored = sorted(
        ((topic.judge(page).similarity, relevant) for relevant, page in rest), reverse=True
    )
    total = sum(relevant for relevant, _ in rest)
    found, best = 0, (0.0, 0.0)
    for rank, (similarity, relevant) in enumerate(scored, start=1):
        found += relevant
        best = max(best, (2 * found / (rank + total), similarity))
    return best[1]


def f1(topic: ExampleTopic, rest: list[tuple[bool, Page]]) -> float:
    told = [(relevant, topic.judge(page).relevance >= 0.5) for relevant, page in rest]
    right = sum(relevant and judged for relevant, judged in told)
    return 2 * right / max(1, sum(relevant + judged for relevant, judged in told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
