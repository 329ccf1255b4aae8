"""Where best-first differs from the independent reference of experiments/wiki-reference.toml.

python benches/reference.py [--sets 1] [VARIANT ...]

Runs that experiment, on the web with its index pages, with best-first made otherwise in one point
at a time, and prints the share of the oracle's area. docs/explanation/lab.md says what follows. The
variants are strategies of another package: this file, behind entry points in a folder that lives as
long as the bench does.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Final

import Stemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from shoal.lab.results import read_results
from shoal.model import Judgement, Lease, Link, Page, Priority
from shoal.ports import Strategy, Topic
from shoal.strategy.best_first import BestFirst
from shoal.strategy.recipe import Brief, NoOptions, Recipe
from shoal.url import Url

ROOT: Final = Path(__file__).resolve().parent.parent
EXPERIMENT: Final = ROOT / "experiments" / "wiki-reference.toml"
WORD: Final = re.compile(r"[^\W\d_]{2,}")
KEPT: Final = Priority(-1.0)


def counted(text: str) -> Counter[str]:
    return Counter(WORD.findall(text.lower()))


class PlainFrequency:
    """The cosine of stems by their frequency alone, without stop words and without idf."""

    def __init__(self, words: Sequence[str]) -> None:
        self._stem = Stemmer.Stemmer("porter").stemWord
        self._wanted = self._vector(counted(" ".join(words)))

    def _vector(self, counts: Mapping[str, int]) -> Counter[str]:
        vector: Counter[str] = Counter()
        for word, count in counts.items():
            if word not in ENGLISH_STOP_WORDS:
                vector[self._stem(word)] += count
        return vector

    def cosine(self, counts: Mapping[str, int]) -> float:
        vector, wanted = self._vector(counts), self._wanted
        product = sum(vector[stem] * count for stem, count in wanted.items())
        squares = sum(n * n for n in vector.values()) * sum(n * n for n in wanted.values())
        return product / sqrt(squares) if product else 0.0

    def similarity(self, words: str) -> float:
        return self.cosine(counted(words))

    def judge(self, page: Page) -> Judgement:
        similarity = self.cosine(page.terms)
        return Judgement(similarity, similarity)


@dataclass
class JudgedOtherwise:
    """Best-first with another similarity, or with some of a page's words left out."""

    topic: Topic
    title: bool = True
    anchors: bool = True

    def seed(self, url: Url) -> Priority:
        return BestFirst(self.topic).seed(url)

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        terms = Counter(page.terms)
        if not self.title:
            terms -= counted(page.title)
        if not self.anchors:
            terms -= counted(" ".join(link.anchor for link in page.links))
        judgement = self.topic.judge(replace(page, terms=dict(terms)))
        return BestFirst(self.topic).priorities(page, judgement, links, lease)


class FirstPriorityStays:
    """A Url keeps the priority that it was found with, whatever better pages link to it later."""

    def __init__(self, topic: Topic) -> None:
        self._best_first = BestFirst(topic)
        self._met: set[str] = set()

    def seed(self, url: Url) -> Priority:
        return self._best_first.seed(url)

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        found = self._best_first.priorities(page, judgement, links, lease)
        before = {link.target.text for link in links} & self._met
        self._met |= {link.target.text for link in links}
        return [
            KEPT if link.target.text in before else priority
            for link, priority in zip(links, found, strict=True)
        ]


class LastFoundFirst:
    """Of equal priorities the one found last comes first."""

    def __init__(self, topic: Topic) -> None:
        self._best_first = BestFirst(topic)
        self._pages = 0

    def seed(self, url: Url) -> Priority:
        return self._best_first.seed(url)

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        self._pages += 1
        found = self._best_first.priorities(page, judgement, links, lease)
        return [Priority(priority.value + self._pages * 1e-9) for priority in found]


def make(name: str, brief: Brief) -> Strategy:
    topic = brief.topic
    variants: dict[str, Strategy] = {
        "as-it-is": BestFirst(topic),
        "no-idf": JudgedOtherwise(PlainFrequency(brief.words)),
        "no-title": JudgedOtherwise(topic, title=False),
        "no-title-no-anchors": JudgedOtherwise(topic, title=False, anchors=False),
        "first-priority-stays": FirstPriorityStays(topic),
        "last-found-first": LastFoundFirst(topic),
    }
    return variants[name]


VARIANTS: Final = (
    "as-it-is",
    "no-idf",
    "no-title",
    "no-title-no-anchors",
    "first-priority-stays",
    "last-found-first",
)


def __getattr__(name: str) -> Recipe[NoOptions]:
    """What the entry points name: ``reference:no_idf``."""
    variant = name.replace("_", "-")
    if variant not in VARIANTS:
        raise AttributeError(name)
    return Recipe(variant, "A variant.", NoOptions, lambda brief, _options: make(variant, brief))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("variants", nargs="*", help="all there are when none is named")
    parser.add_argument("--sets", type=int, default=1, help="seed sets a topic")
    given = parser.parse_args()
    variants = given.variants or VARIANTS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install(folder)
        experiment = folder / "experiment.toml"
        experiment.write_text(with_strategies(variants, given.sets), encoding="utf-8")
        command = ["-m", "shoal", "lab", "run", experiment, "--out", folder / "out"]
        paths = os.pathsep.join((str(folder), str(Path(__file__).parent)))
        subprocess.run(
            [sys.executable, *command], env={**os.environ, "PYTHONPATH": paths}, check=True
        )
        show(folder / "out")


def install(folder: Path) -> None:
    info = folder / "variants-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: variants\nVersion: 1\n")
    points = [f"{one} = reference:{one.replace('-', '_')}" for one in VARIANTS]
    (info / "entry_points.txt").write_text("\n".join(["[shoal.strategies]", *points]))


def with_strategies(variants: Sequence[str], sets: int) -> str:
    text = EXPERIMENT.read_text(encoding="utf-8")
    names = ", ".join(f'"{variant}"' for variant in variants)
    text = re.sub(r"strategies = \[.*?^\]", f"strategies = [{names}]", text, flags=re.M | re.S)
    text = re.sub(r"sets = \d+", f"sets = {sets}", text)
    text = re.sub(r"^\[webs.wiki-without-index\]$.*?^$", "", text, flags=re.M | re.S)
    return text.replace('"../../shared/', f'"{ROOT.parent}/shared/')


def show(folder: Path) -> None:
    found: dict[str, list[float]] = {}
    for run in read_results(folder).runs:
        found.setdefault(run.strategy, []).append(run.oracle_ratio or 0.0)
    print("| variant | share of the oracle's area |\n| --- | --- |")
    for variant, shares in found.items():
        print(f"| {variant} | {sum(shares) / len(shares):.2f} |")


if __name__ == "__main__":
    main()
