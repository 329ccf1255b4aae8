"""How often each witness of predicted topic guesses right, and all of them together.

    python benches/guesses.py EXPERIMENT [--parents 250] [--half 1] [--update-docs]

EXPERIMENT is one of kind ``partition`` with a model, such as
``experiments/partitions-seeds.toml``. Of some of its web's pages, drawn by chance, every Link to
another page of the web is guessed, and compared with where the model puts its target. Targets count
once, however many Links lead there, and those of one half of the web only: the half that the model
has not learnt from. What is known of other pages is a share of them, drawn by chance too.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from figures import say, table, update_docs
from numpy.typing import NDArray

from shoal.classify.model import Model
from shoal.classify.model_file import load
from shoal.classify.sort import sort_all
from shoal.compose.lab import Ground
from shoal.compose.lab_team import open_team_lab
from shoal.compose.partition import reader_of
from shoal.lab.team_experiment import TeamExperiment
from shoal.lab.team_experiment_file import read_any_experiment
from shoal.lab.truth import half_of
from shoal.model import Lesson, Link, Page
from shoal.partition import predicted
from shoal.partition.by_topic import TopicPartition
from shoal.partition.predicted import PredictedPartition
from shoal.url import parse_url

PAGE: Final = Path(__file__).resolve().parent.parent / "docs/explanation/collaboration.md"
COMMAND: Final = "python benches/guesses.py experiments/partitions-seeds.toml --update-docs"
KNOWN: Final = (0.0, 0.02, 0.05, 0.2, 0.4)
"""Shares of the pages of which it is known whose they are."""
Rows = NDArray[np.float64]


class Sample(NamedTuple):
    """Pages, their Links, and where the model puts everything."""

    pages: Sequence[Page]
    links: Mapping[str, Sequence[Link]]
    """Of each page, those to other pages of the web."""
    owners: Mapping[str, str]
    """The category of each page that has one."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("experiment", type=Path)
    parser.add_argument("--parents", type=int, default=250)
    parser.add_argument("--half", type=int, choices=(0, 1), default=1)
    parser.add_argument("--model", type=Path, help="in place of the experiment's")
    parser.add_argument("--update-docs", action="store_true")
    given = parser.parse_args()
    experiment = read_any_experiment(given.experiment)
    if not isinstance(experiment, TeamExperiment):
        raise SystemExit(f"{given.experiment} is not of kind partition")
    model = load(given.model or Path(experiment.set["team"]["model"]))
    cache = Path.home() / ".cache" / "shoal"
    with open_team_lab(experiment, cache, lambda *_told: None) as lab:
        sample = draw(next(iter(lab.grounds.values())), model, given.parents)
    say(f"{len(sample.pages)} pages, {sum(map(len, sample.links.values())):,} links")
    markdown = told(sample, model, given.half)
    print(markdown)
    if given.update_docs:
        update_docs(markdown, PAGE, "guesses", COMMAND)


def draw(ground: Ground, model: Model, parents: int) -> Sample:
    survey, store = ground.terrain.survey, ground.store
    found = (
        (url, store.page(number, parse_url(url), None)) for number, url in enumerate(survey.urls)
    )
    pages = {url: page for url, page in found if page is not None}
    owners = {
        page.url.text: verdict.category
        for page, verdict in sort_all(model, pages.values())
        if verdict.category in model.categories
    }
    chosen = random.Random(5).sample(sorted(owners), min(parents, len(owners)))
    links = {
        url: [link for link in pages[url].links if link.target.text in owners] for url in chosen
    }
    return Sample([pages[url] for url in chosen], links, owners)


def told(sample: Sample, model: Model, half: int) -> str:
    names = tuple(model.categories)
    owners = {name: name for name in names}
    pages = TopicPartition(names, lambda _page: None, owners, "bench")
    read = reader_of(model)
    rows = []
    for witness in ("name", "context", "parent", "all"):
        for share in KNOWN if witness == "all" else KNOWN[:1]:
            partition = PredictedPartition(pages, names, owners, read)
            chance = random.Random(7)
            known = {url for url in sorted(sample.owners) if chance.random() < share}
            partition.hear(
                [Lesson(parse_url(url).key, sample.owners[url]) for url in sorted(known)]
            )
            right = rightly(sample, partition, witness, half, known)
            rows.append((witness, f"{100 * share:.0f} %", f"{100 * right:.1f} %"))
    return table(("witness", "pages known", "guessed right"), rows)


def rightly(
    sample: Sample, partition: PredictedPartition, witness: str, half: int, known: set[str]
) -> float:
    """The share of targets guessed right: the mean over targets of that over their Links."""
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for page in sample.pages:
        links = sample.links[page.url.text]
        parent = sample.owners[page.url.text]
        counted = [
            link
            for link in links
            if half_of(link.target.text) == half and link.target.text not in known
        ]
        if witness == "parent":
            guesses: Sequence[str] = [parent] * len(counted)
        else:
            asked = [seen_by(witness, link) for link in counted]
            met_by = parent if witness == "all" else ""
            guesses = partition.guess(asked, links if witness == "all" else (), met_by)
        for link, guess in zip(counted, guesses, strict=True):
            found[link.target.text].append(guess == sample.owners[link.target.text])
    return float(np.mean([np.mean(one) for one in found.values()]))


def seen_by(witness: str, link: Link) -> Link:
    """The Link with what one witness looks at, and nothing else."""
    if witness == "all":
        return link
    if witness == "context":
        return Link(None, parse_url("http://nowhere.invalid/"), context=link.context)
    return Link(None, parse_url(f"http://nowhere.invalid/{predicted.name_of(link)}"))


if __name__ == "__main__":
    main()
