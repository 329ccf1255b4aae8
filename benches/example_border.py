"""How alike to its examples a relevant page must be: measured on the subjects of the wiki corpus.

For every leaf subject with at least 100 articles, ten of its articles, drawn by the MD5 of their
address, are the examples, its other articles are relevant, and all others are not; a quarter of
them is judged. Prints the share of the examples' own median cosine at which F1 is best (quartiles
over the subjects), and for several shares the mean F1 of a topic with that share as its border:
without unwanted examples, and with ten drawn from the other subjects. Subjects whose name is one of
the eight topics that the lab is tested with are left out.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import md5
from pathlib import Path
from statistics import mean, quantiles

from border import KEPT_OUT, labelled_pages

from shoal.topic.examples import BORDER_SHARE, learn_examples
from shoal.topic.rarity import Rarity

LEAST_ARTICLES = 100
EXAMPLES = 10
SAMPLED = 4
"""Every so manieth article is judged."""
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
ANYTHING = 1e-9
"""A border that every page is beyond."""


def main(shared: Path) -> None:
    pages = sorted(labelled_pages(shared), key=lambda one: md5(one[1].url.text.encode()).digest())
    members = Counter(name for names, _ in pages for name in names)
    subjects = [
        name
        for name, count in sorted(members.items())
        if count >= LEAST_ARTICLES and not KEPT_OUT.search(name)
    ]
    rarity = Rarity()
    best, alone, beside = [], [], []
    for name in subjects:
        inside = [page for names, page in pages if name in names][:EXAMPLES]
        outside = [page for names, page in pages if name not in names][:EXAMPLES]
        used = {page.url.text for page in (*inside, *outside)}
        likes, unlikes = [page.terms for page in inside], [page.terms for page in outside]
        topic = learn_examples(likes, unlikes, rarity)
        median = topic.border / BORDER_SHARE
        lenient = replace(topic, border=ANYTHING)
        judged = [
            (name in names, judgement.similarity / median, judgement.relevance >= 0.5)
            for names, page in pages[::SAMPLED]
            if page.url.text not in used
            for judgement in [lenient.judge(page)]
        ]
        relevant = [one for one, _, _ in judged]
        at = sorted({share for _, share, _ in judged})
        best.append(max(at, key=lambda low: f1(relevant, [one >= low for _, one, _ in judged])))
        alone.append([f1(relevant, [one >= low for _, one, _ in judged]) for low in SHARES])
        beside.append(
            [f1(relevant, [one >= low and ahead for _, one, ahead in judged]) for low in SHARES]
        )
    low, middle, high = quantiles(best, n=4)
    print(
        f"{len(subjects)} subjects; "
        f"best share of the median cosine {low:.2f} {middle:.2f} {high:.2f}"
    )
    print("share  F1 of wanted examples alone  with unwanted ones")
    for number, share in enumerate(SHARES):
        print(
            f"{share:5.1f}  {mean(row[number] for row in alone):.2f}"
            f"                         {mean(row[number] for row in beside):.2f}"
        )


def f1(relevant: Sequence[bool], judged: Sequence[bool]) -> float:
    right = sum(map(bool.__and__, relevant, judged))
    return 2 * right / max(1, sum(relevant) + sum(judged))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
