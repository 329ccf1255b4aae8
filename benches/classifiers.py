"""Every method on the same pages: accuracy, locality, throughput, reasons; do sure pages link home?

    python benches/classifiers.py SHARED [--json FILE] [--update-docs]

Each method learns from one half of the wiki corpus and is tested on the other, as `wiki_halves.py`
makes them. What is printed can be had by hand: run that, then ``shoal model train``, ``test`` and
``locality`` on the files it writes.

- Locality is of the links between articles of the test half. Their labels say how local the links
  are in truth; a model says it of what it takes the pages for.
- Throughput is of articles with 7 to 9 kB of text, from text to category: words are counted,
  then classified in batches. CPU time of the fastest of several rounds.
- Whether sure pages link home is asked of the default, on the test half and on ``sites``,
  which is another kind of pages than the model has learnt from.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import fmean, median
from time import process_time
from typing import NamedTuple

from figures import say, table, update_docs
from rich.progress import Progress
from wiki_halves import Half, write_halves

from shoal.classify import model_file
from shoal.classify.choices import DEFAULT_METHOD, MethodName
from shoal.classify.examples import Example, example_of
from shoal.classify.linear import BATCH_PAGES
from shoal.classify.locality import Ends, Locality, locality_of
from shoal.classify.model import Model
from shoal.classify.sort import WORLD, sort_pages
from shoal.classify.train import train
from shoal.labelled import LabelledPage, open_labelled
from shoal.model import Page, Part
from shoal.model_work import Tested, Trial, hyperlinks, measure_locality
from shoal.page.words import count_terms

DOCS = Path(__file__).resolve().parent.parent / "docs" / "explanation" / "classifiers.md"
MARK = "classifiers"
PUBLISHED = (
    ("C4's Naive Bayes, on its data", "60.7 %", "212.7", "62.4 %", "101.7", "19.5"),
    ("C4's Lewis, on its data", "58.2 %", "356.8", "62.3 %", "70.8", "2.9"),
    ("C4's Rocchio-TFIDF, on its data", "43.7 %", "126.0", "48.9 %", "85.1", "1.6"),
)
SPEED_BYTES = range(7_000, 9_001)
SPEED_PAGES = 2_048
SPEED_ROUNDS = 5
ACCURACY_BAR, CALIBRATION_BAR, SPEED_BAR = 0.85, 0.05, 1_000.0
SQUARED_PER_CENT = 10_000.0


class Found(NamedTuple):
    """What one method came to."""

    model: Model
    tested: Tested
    locality: Locality
    pages_per_second: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    arguments.add_argument("shared", type=Path, help="the folder with the corpora")
    arguments.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    arguments.add_argument("--update-docs", action="store_true", help=f"rewrite {DOCS.name}")
    asked = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as name:
        folder = Path(name)
        say("taking subject lines and footers out of the wiki corpus")
        training, testing = write_halves(asked.shared, folder)
        examples = [example_of(page, labels) for page, labels in pages_of(training)]
        tested = list(labelled_of(testing))
        found = {method: measure_method(method, examples, tested) for method in MethodName}
        default = found[DEFAULT_METHOD].model
        path = folder / "default.model"
        model_file.save(default, path)
        say("asking the default about the sites")
        with Progress(disable=True) as silent:
            web = str(asked.shared / "corpora" / "sites.warc.gz")
            sites = measure_locality(path, web, silent)
    truth = Truth(default, tested)
    parts = (
        method_table(found, truth),
        bar_table(found[DEFAULT_METHOD]),
        category_table(found),
        reason_table(found, tested),
        sure_table(truth, found[DEFAULT_METHOD].locality, sites),
    )
    markdown = "\n\n".join(parts)
    print(markdown)
    if asked.json:
        asked.json.write_text(json.dumps(figures_of(found, sites), indent=1), encoding="utf-8")
    if asked.update_docs:
        update_docs(markdown, DOCS, MARK, f"python benches/{Path(__file__).name} ../shared")


def labelled_of(half: Half) -> Iterable[LabelledPage]:
    return open_labelled(half.labels, str(half.web)).read()


def pages_of(half: Half) -> Iterable[tuple[Page, tuple[str, ...]]]:
    for one in labelled_of(half):
        if one.read is not None:
            yield one.read.page, one.labels


# --------------------------------------------------------------------------- one method


def measure_method(
    method: MethodName, examples: Sequence[Example], tested: Sequence[LabelledPage]
) -> Found:
    say(f"{method}: learning, testing, timing")
    model = train(
        examples,
        source="half of the wiki corpus",
        trained_at="1970-01-01T00:00:00Z",
        method=method,
    )
    trial = Trial(model)
    coming = iter(tested)
    while batch := list(islice(coming, BATCH_PAGES)):
        trial.take(batch)
    pages = [one.read.page for one in tested if one.read is not None]
    locality = locality_of(ends_of(model, pages), hyperlinks(pages))
    return Found(model, trial.result("the other half"), locality, speed_of(model, pages))


def ends_of(model: Model, pages: Sequence[Page]) -> dict[str, Ends]:
    verdicts = zip(pages, sort_pages(model, pages), strict=True)
    return {
        page.url.surt: Ends((verdict.category,), verdict.probability)
        for page, verdict in verdicts
        if verdict.category is not None and verdict.category != WORLD
    }


def speed_of(model: Model, pages: Sequence[Page]) -> float:
    """Pages a second of CPU time, from their text to probabilities."""
    chosen = [page for page in pages if len(page.text.encode()) in SPEED_BYTES]
    many = (chosen * (SPEED_PAGES // len(chosen) + 1))[:SPEED_PAGES]
    best_s = float("inf")
    for _ in range(SPEED_ROUNDS):
        before_s = process_time()
        counted = [
            replace(one, terms=count_terms(" ".join((one.title, one.description, one.text))))
            for one in many
        ]
        model.classifier.probabilities(counted)
        best_s = min(best_s, process_time() - before_s)
    return len(many) / best_s


# --------------------------------------------------------------------------- tables


class Truth:
    """The links of the test half by the labels of its articles."""

    def __init__(self, model: Model, tested: Sequence[LabelledPage]) -> None:
        read = [(one.read.page, one.labels) for one in tested if one.read is not None]
        collapse = model.facts.collapse
        self.links = list(hyperlinks(page for page, _ in read))
        self.labels = {page.url.surt: Ends(collapse.categories(row)) for page, row in read}
        self.taken_for = ends_of(model, [page for page, _ in read])

    @property
    def locality(self) -> Locality:
        return locality_of(self.labels, self.links)

    @property
    def of_children(self) -> Locality:
        """Whether the linked page truly belongs to what the linking page was taken for."""
        return locality_of(self.taken_for, self.links, self.labels)

    def ahead_within_categories(self) -> float:
        """How many more links stay of those that leave the surer half of a category's pages, as a
        share; the mean over the categories. By the labels of the linked pages."""
        members: Mapping[str, list[tuple[float, str]]] = defaultdict(list)
        for page, ends in self.taken_for.items():
            members[ends.categories[0]].append((ends.probability or 0.0, page))
        differences = []
        for rows in members.values():
            border = median(probability for probability, _ in rows)
            surer = {page for probability, page in rows if probability > border}
            others = {page for probability, page in rows if probability <= border}
            shares = [self._stay(pages) for pages in (surer, others)]
            if None not in shares:
                differences.append((shares[0] or 0.0) - (shares[1] or 0.0))
        return fmean(differences)

    def _stay(self, sources: set[str]) -> float | None:
        links = [pair for pair in self.links if pair[0] in sources]
        found = locality_of(self.taken_for, links, self.labels)
        return found.local if found.links else None


def method_table(found: Mapping[MethodName, Found], truth: Truth) -> str:
    heads = (
        "method", "accuracy, mean", "variance", "links stay, mean", "variance",
        "pages/s per core", "of all pages", "calibration error",
    )  # fmt: skip
    rows = [(*row, "–", "–") for row in PUBLISHED]
    for method, one in found.items():
        measures = one.tested.measures
        rows.append(
            (
                f"{method}{' (the default)' if method is DEFAULT_METHOD else ''}",
                percent(measures.accuracy_mean),
                squared(measures.accuracy_variance),
                percent(one.locality.mean),
                squared(one.locality.variance),
                f"{one.pages_per_second:,.0f}",
                percent(measures.accuracy),
                f"{measures.calibration_error:.3f}",
            )
        )
    real = truth.locality
    labels = ("the labels themselves", "–", "–", percent(real.mean), squared(real.variance))
    rows.append((*labels, "–", "–", "–"))
    first = next(iter(found.values())).tested
    return (
        f"{first.measures.pages:,} articles tested, {real.links:,} links between them, of which "
        f"{percent(real.local)} stay by the labels and {percent(real.chance)} would by chance. "
        f"Variances are in squared per cent.\n\n{table(heads, rows)}"
    )


def bar_table(default: Found) -> str:
    measures = default.tested.measures
    rows = [
        row(
            f"mean accuracy over {len(measures.per_category)} subjects at least {ACCURACY_BAR}",
            f"{measures.accuracy_mean:.3f}",
            measures.accuracy_mean >= ACCURACY_BAR,
        ),
        row(
            f"calibration error under {CALIBRATION_BAR}",
            f"{measures.calibration_error:.3f}",
            measures.calibration_error < CALIBRATION_BAR,
        ),
        row(
            f"at least {SPEED_BAR:,.0f} pages of 8 kB a second on one core",
            f"{default.pages_per_second:,.0f}",
            default.pages_per_second >= SPEED_BAR,
        ),
    ]
    return table(("bar for the default", "measured", ""), rows)


def row(bar: str, measured: str, reached: bool) -> tuple[str, str, str]:
    return bar, measured, "reached" if reached else "**not reached**"


def category_table(found: Mapping[MethodName, Found]) -> str:
    names = found[DEFAULT_METHOD].tested.measures.per_category
    rows = []
    for name, counted in names.items():
        of_methods = (one.tested.measures.per_category[name].accuracy for one in found.values())
        rows.append((name, str(counted.pages), *map(percent, of_methods)))
    return table(("accuracy in", "articles", *found), rows)


def reason_table(found: Mapping[MethodName, Found], tested: Sequence[LabelledPage]) -> str:
    """Of the first article, by its Url, that not all methods put in one category."""
    pages = [one.read.page for one in tested if one.read is not None]
    winners = [
        [one.model.categories[at] for at in one.model.classifier.probabilities(pages).argmax(1)]
        for one in found.values()
    ]
    page = next(page for page, *given in zip(pages, *winners, strict=True) if len(set(given)) > 1)
    rows = []
    for method, one in found.items():
        chances = one.model.classifier.probabilities([page])[0]
        name = one.model.categories[chances.argmax()]
        reasons = one.model.classifier.reasons(page, name, 6)
        rows.append((method, f"{name}, {chances.max():.2f}", ", ".join(map(told, reasons))))
    return f"Why each puts *{page.title}* where it does:\n\n" + table(
        ("method", "category, probability", "terms, and what they add to its log odds"), rows
    )


def told(part: Part) -> str:
    return f"{part.name} {part.value:.2f}"


def sure_table(truth: Truth, wiki: Locality, sites: Locality) -> str:
    children = {one.low: one for one in truth.of_children.by_probability}
    of_wiki = {one.low: one for one in wiki.by_probability}
    of_sites = {one.low: one for one in sites.by_probability}
    rows = []
    for low in sorted(of_wiki.keys() | of_sites.keys()):
        ours, real, theirs = of_wiki.get(low), children.get(low), of_sites.get(low)
        rows.append(
            (
                f"{low:.1f} to {low + 0.1:.1f}",
                f"{ours.parents:,}" if ours else "–",
                f"{ours.links:,}" if ours else "–",
                percent(ours.local if ours else None),
                percent(real.local if real else None),
                f"{theirs.parents:,}" if theirs else "–",
                f"{theirs.links:,}" if theirs else "–",
                percent(theirs.local if theirs else None),
            )
        )
    heads = (
        "probability of the page", "wiki pages", "links", "stay, by the model",
        "stay, by the labels", "sites pages", "links", "stay, by the model",
    )  # fmt: skip
    return (
        f"{table(heads, rows)}\n\nWithin a category of wiki, the links of the surer half of its "
        f"pages stay {100.0 * truth.ahead_within_categories():+.1f} points more often than those "
        f"of the other half (by the labels of the linked pages; mean over the categories). By "
        f"chance {percent(wiki.chance)} of the links of wiki would stay, and "
        f"{percent(sites.chance)} of those of sites."
    )


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100.0 * share:.1f} %"


def squared(variance: float) -> str:
    return f"{SQUARED_PER_CENT * variance:.1f}"


def figures_of(found: Mapping[MethodName, Found], sites: Locality) -> dict[str, object]:
    told: dict[str, object] = {}
    for method, one in found.items():
        measures = one.tested.measures
        told[method] = {
            "accuracy": measures.accuracy,
            "accuracy_mean": measures.accuracy_mean,
            "accuracy_variance": measures.accuracy_variance,
            "calibration_error": measures.calibration_error,
            "per_category": {name: row._asdict() for name, row in measures.per_category.items()},
            "locality": one.locality._asdict(),
            "pages_per_second": one.pages_per_second,
        }
    return told | {"sites": sites._asdict()}


if __name__ == "__main__":
    main()
