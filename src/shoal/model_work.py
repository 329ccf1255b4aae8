"""What the commands of `shoal model` do, with the pages read from wherever they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from shoal.classify.choices import MethodName
from shoal.classify.collapse import collapse_of
from shoal.classify.examples import Example, example_of
from shoal.classify.features import Features
from shoal.classify.linear import BATCH_PAGES
from shoal.classify.locality import Ends, Locality, locality_of
from shoal.classify.measures import Measures, measure
from shoal.classify.model_file import Model, load
from shoal.classify.sort import WORLD, Verdict, is_foreign, sort_pages
from shoal.classify.train import STEPS, train
from shoal.classify.usable import LEAST_TERMS, Kind
from shoal.compose.crawl import make_parser, open_web
from shoal.errors import UsageError
from shoal.labelled import LabelledPage, ReadPage, open_labelled, read_labels, read_pages
from shoal.model import LinkKind, Page, Part
from shoal.settings import Settings
from shoal.url import parse_url

Item = TypeVar("Item")

_HYPERLINKS: Final = frozenset({LinkKind.ANCHOR, LinkKind.AREA, LinkKind.FRAME})


def train_model(
    labelled: Path,
    web: str | None,
    method: MethodName,
    features: Features,
    depth: int,
    trained_at: str,
    progress: Progress,
) -> Model:
    """Raises UsageError."""
    given = open_labelled(labelled, web)
    examples: list[Example] = []
    missing = 0
    for one in progress.track(given.read(), total=given.total, description="reading pages"):
        if one.read is None:
            missing += 1
        else:
            example = example_of(one.read.page, one.labels)
            examples.append(example._replace(name=one.read.name, kind=one.read.kind))
    if missing and not examples:
        raise UsageError(f"none of {missing} addresses of {labelled} is in {web}")
    task = progress.add_task("learning", total=STEPS)
    return train(
        examples,
        source=given.source,
        trained_at=trained_at,
        declared=given.declared,
        missing=missing,
        method=method,
        features=features,
        depth=depth,
        tell=lambda: progress.advance(task),
    )


# --------------------------------------------------------------------------- testing


class Tested(NamedTuple):
    measures: Measures
    unusable: dict[str, int]
    """Pages that were left out, by kind."""
    foreign: int
    """Pages in another language than the model's; they count as wrong."""
    missing: int
    unknown_labels: dict[str, int]
    """Labels that the model has no category for, and how many pages had only such."""
    pages_per_second: float
    """From parsed pages to categories, on one core."""
    mean_page_characters: float


def test_model(model: Model, labelled: Path, web: str | None, progress: Progress) -> Tested:
    """Raises UsageError where nothing can be measured."""
    trial = Trial(model)
    given = open_labelled(labelled, web)
    pages = progress.track(given.read(), total=given.total, description="testing")
    for batch in _batches(pages):
        trial.take(batch)
    return trial.result(str(labelled))


class Trial:
    """A test that is fed batch by batch, so that no more pages than a batch are held."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._columns = {name: at for at, name in enumerate(model.categories)}
        self._rows: list[NDArray[np.float64]] = []
        self._belongs: list[NDArray[np.bool_]] = []
        self._left_out: dict[str, int] = {}
        self._unknown: dict[str, int] = {}
        self._foreign = self._missing = self._characters = 0
        self._seconds = 0.0

    def take(self, batch: Sequence[LabelledPage]) -> None:
        pages, belongs = [], []
        for one in batch:
            if one.read is None:
                self._missing += 1
            elif one.read.kind is not Kind.USABLE:
                kind = str(one.read.kind)
                self._left_out[kind] = self._left_out.get(kind, 0) + 1
            elif (row := self._row(one.labels)) is not None:
                pages.append(one.read.page)
                belongs.append(row)
                self._characters += len(one.read.page.text)
        if not pages:
            return
        began = process_time()
        rows = self._model.classifier.probabilities(pages)
        self._seconds += process_time() - began
        self._foreign += sum(is_foreign(page.language, self._model) for page in pages)
        self._rows.append(rows)
        self._belongs.append(np.array(belongs))

    def result(self, source: str) -> Tested:
        if not self._rows:
            raise UsageError(f"{source}: {self._why_nothing()}")
        rows, belongs = np.concatenate(self._rows), np.concatenate(self._belongs)
        if self._foreign > len(rows) / 2:
            raise UsageError(
                f"{self._foreign} of {len(rows)} pages of {source} are in another language than "
                f"the model's, which was trained on pages in {self._model.language!r}; test it on "
                "pages of its own language, or train another model"
            )
        return Tested(
            measure(rows, belongs, self._model.categories),
            self._left_out,
            self._foreign,
            self._missing,
            self._unknown,
            len(rows) / max(self._seconds, 1e-9),
            self._characters / len(rows),
        )

    def _row(self, labels: tuple[str, ...]) -> NDArray[np.bool_] | None:
        """Which categories a page belongs to; None where the model has none of them."""
        categories = self._model.facts.collapse.categories(labels)
        known = [self._columns[name] for name in categories if name in self._columns]
        if not known:
            for name in categories:
                self._unknown[name] = self._unknown.get(name, 0) + 1
            return None
        row = np.zeros(len(self._columns), np.bool_)
        row[known] = True
        return row

    def _why_nothing(self) -> str:
        if self._unknown:
            theirs = ", ".join(sorted(self._unknown)[:10])
            ours = ", ".join(self._model.categories[:10])
            return f"no page has a label that the model knows: they have {theirs}; it has {ours}"
        if self._missing and not self._left_out:
            return f"none of its {self._missing} addresses is in the frozen web"
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self._left_out.items()))
        return f"no page can be classified ({kinds or 'there is none'})"


# --------------------------------------------------------------------------- classifying


class Answer(NamedTuple):
    """What a model says of one page."""

    page: str
    kind: str
    category: str | None
    probability: float
    probabilities: dict[str, float]
    """The likeliest first."""
    reasons: tuple[Part, ...]


def classify_pages(
    model: Model, names: Sequence[str], web: str | None, least_terms: int, reasons: int
) -> Iterator[Answer]:
    """Raises UsageError, also where all pages are in another language than the model's."""
    seen = foreign = 0
    for batch in _batches(read_pages(names, web)):
        verdicts = sort_pages(model, [one.page for one in batch], least_terms)
        for one, verdict in zip(batch, verdicts, strict=True):
            seen += verdict.kind is Kind.USABLE
            foreign += verdict.category == WORLD
            if one.kind in (Kind.EMPTY, Kind.INVALID):
                yield Answer(one.name, str(one.kind), None, 0.0, {}, ())
            else:
                yield _answer(model, one, verdict, reasons)
    if seen and seen == foreign:
        raise UsageError(
            f"every page is in another language than the model's, which was trained on pages in "
            f"{model.language!r}; use a model for their language"
        )


def _answer(model: Model, one: ReadPage, verdict: Verdict, limit: int) -> Answer:
    row = verdict.row
    if row is None or verdict.category is None:
        return Answer(one.name, str(verdict.kind), verdict.category, 0.0, {}, ())
    order = np.argsort(-row, kind="stable")
    return Answer(
        one.name,
        str(verdict.kind),
        verdict.category,
        verdict.probability,
        {model.categories[at]: float(row[at]) for at in order},
        model.classifier.reasons(one.page, verdict.category, limit),
    )


# --------------------------------------------------------------------------- locality


def measure_locality(judge: Path, web: str, progress: Progress) -> Locality:
    """Of a model's categories, or of the labels in a TSV file. Raises UsageError."""
    ends_of = _labels_of(judge) if judge.suffix == ".tsv" else _model_of(load(judge))
    ends: dict[str, Ends] = {}
    links: list[tuple[str, str]] = []
    with closing(open_web(web)) as shelf:
        parser = make_parser(Settings())
        responses = (shelf.find(parse_url(address)) for address in shelf.urls())
        parsed = (parser.parse(one) for one in responses if one is not None and one.status == 200)
        for batch in _batches(progress.track(parsed, description="reading pages")):
            ends.update(ends_of(batch))
            links += hyperlinks(batch)
    if not links:
        raise UsageError(f"{web} has no links from page to page, so none can be local")
    return locality_of(ends, links)


def hyperlinks(pages: Iterable[Page]) -> Iterator[tuple[str, str]]:
    """The links that somebody can follow, each pair of pages once, named by their SURTs."""
    for page in pages:
        targets = {link.target.surt for link in page.links if link.kind in _HYPERLINKS}
        source = page.url.surt
        for target in sorted(targets):
            yield source, target


def _model_of(model: Model) -> Callable[[Sequence[Page]], dict[str, Ends]]:
    def ends_of(pages: Sequence[Page]) -> dict[str, Ends]:
        verdicts = sort_pages(model, pages, LEAST_TERMS)
        return {
            page.url.surt: Ends((verdict.category,), verdict.probability)
            for page, verdict in zip(pages, verdicts, strict=True)
            if verdict.category is not None and verdict.category != WORLD
        }

    return ends_of


def _labels_of(table: Path) -> Callable[[Sequence[Page]], dict[str, Ends]]:
    labels = read_labels(table)
    collapse = collapse_of(label for row in labels.values() for label in row)
    named = {
        parse_url(name).surt: Ends(collapse.categories(row))
        for name, row in labels.items()
        if "://" in name
    }

    def ends_of(pages: Sequence[Page]) -> dict[str, Ends]:
        return {page.url.surt: named[page.url.surt] for page in pages if page.url.surt in named}

    return ends_of


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    coming = iter(items)
    while batch := list(islice(coming, BATCH_PAGES)):
        yield batch
