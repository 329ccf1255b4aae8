"""What the commands of `shoal model` print, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from shoal import wording
from shoal.classify.linear import Place
from shoal.classify.locality import Locality
from shoal.classify.measures import CategoryMeasure
from shoal.classify.model import Model
from shoal.model import Part
from shoal.model_work import Answer, Tested
from shoal.report import confusion

_MEASURES = ("category", "pages", "accuracy", "precision", "recall", "F1")


def progress() -> Progress:
    return Progress(console=Console(stderr=True), transient=True)


def json_text(told: object) -> str:
    return msgspec.json.format(msgspec.json.encode(told)).decode()


def line_json(answer: Answer) -> str:
    """On one line, by the names of its fields."""
    reasons = [part._asdict() for part in answer.reasons]
    return msgspec.json.encode({**answer._asdict(), "reasons": reasons}).decode()


def locality_json(found: Locality) -> str:
    sure = [one._asdict() for one in found.by_probability]
    return json_text({**found._asdict(), "by_probability": sure})


def say_where(path: Path, console: Console) -> None:
    console.print(f"\nWith pictures: {escape(str(path))}", highlight=False, soft_wrap=True)


# --------------------------------------------------------------------------- a model


def strongest_terms(model: Model, count: int) -> dict[str, tuple[Part, ...]]:
    """The terms that raise a category most over the average one, wherever on a page they are."""
    classifier = model.classifier
    found: dict[str, tuple[Part, ...]] = {}
    block = classifier.scores.blocks[0]
    learnt = block.learnt * classifier.calibration.slope
    ahead = learnt - learnt.mean(axis=1, keepdims=True)
    if block.weighing.idf is not None:
        ahead *= block.weighing.idf[:, np.newaxis]
    vocabularies = classifier.vocabularies
    terms = (vocabularies.text if block.place is Place.TEXT else vocabularies.lead).terms
    for column, name in enumerate(classifier.categories):
        best = np.argsort(-ahead[:, column], kind="stable")[:count]
        found[name] = tuple(Part(terms[row], float(ahead[row, column])) for row in best)
    return found


def model_json(model: Model, terms: int = 8) -> str:
    facts = msgspec.to_builtins(model.facts)
    told = {
        "version": model.version,
        "method": model.method,
        "language": model.language,
        "categories": model.categories,
        "facts": facts,
        "strongest_terms": {
            name: [part.name for part in parts]
            for name, parts in strongest_terms(model, terms).items()
        },
    }
    return json_text(told)


def render_model(model: Model, path: Path, console: Console, terms: int = 8) -> None:
    facts = model.facts
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("category")
    table.add_column("pages", justify="right")
    table.add_column("strongest terms", overflow="ellipsis", no_wrap=True)
    for name, parts in strongest_terms(model, terms).items():
        table.add_row(
            escape(name), wording.count(facts.pages[name]), escape(" ".join(p.name for p in parts))
        )
    lines = [
        f"[bold]{escape(str(path))}[/]: {escape(model.method)}, "
        f"{len(model.categories)} categories, language {escape(model.language)}",
        f"trained {escape(facts.trained_at[:19])}Z on {wording.many(facts.distinct, 'page')} of "
        f"{escape(facts.source)}",
        f"{wording.count(facts.terms)} terms, {wording.count(facts.lead_terms)} of them in leads; "
        f"model format {model.version}",
        f"told {wording.share(facts.accuracy_mean)} of held-out training pages right (mean over "
        f"categories), calibration error {facts.calibration_error:.3f}",
    ]
    left_out = {**facts.unusable, "copies": facts.copies, "missing": facts.missing}
    told = [f"{count} {kind}" for kind, count in sorted(left_out.items()) if count]
    if told:
        lines.append(f"left out: {', '.join(told)}")
    for line in lines:
        console.print(line, highlight=False, soft_wrap=True)
    console.print(table)


# --------------------------------------------------------------------------- a test


def test_json(tested: Tested) -> str:
    measures = tested.measures
    told = {
        "pages": measures.pages,
        "accuracy": measures.accuracy,
        "accuracy_mean": measures.accuracy_mean,
        "accuracy_variance": measures.accuracy_variance,
        "calibration_error": measures.calibration_error,
        "pages_per_second": tested.pages_per_second,
        "mean_page_characters": tested.mean_page_characters,
        "per_category": {name: one._asdict() for name, one in measures.per_category.items()},
        "confusion": {
            name: dict(zip(measures.per_category, row, strict=True))
            for name, row in zip(measures.per_category, measures.confusion, strict=True)
        },
        "calibration": [one._asdict() for one in measures.calibration],
        "unusable": tested.unusable,
        "foreign": tested.foreign,
        "missing": tested.missing,
        "unknown_labels": tested.unknown_labels,
    }
    return json_text(told)


def render_test(model: Model, tested: Tested, console: Console) -> None:
    measures = tested.measures
    table = Table(box=None, header_style="dim", pad_edge=False)
    for name in _MEASURES:
        table.add_column(name, justify="left" if name == "category" else "right")
    for row in _rows(measures.per_category):
        table.add_row(*map(escape, row))
    console.print(table)
    console.print()
    console.print(_confusion_table(tested))
    for line in _summary(model, tested):
        console.print(line, highlight=False, soft_wrap=True)


def _summary(model: Model, tested: Tested) -> list[str]:
    measures = tested.measures
    variance = measures.accuracy_variance
    lines = [
        f"\n[bold]{wording.share(measures.accuracy_mean)}[/] right, mean over categories "
        f"(variance {variance:.4f}, or {variance * 10_000:.1f} in squared per cent); "
        f"{wording.share(measures.accuracy)} of {wording.many(measures.pages, 'page')}",
        f"calibration error {measures.calibration_error:.3f}",
        f"{wording.rate(tested.pages_per_second)} pages a second on one core, of "
        f"{wording.count(tested.mean_page_characters)} characters on the mean",
    ]
    left_out = {**tested.unusable, "missing": tested.missing}
    told = [f"{count} {kind}" for kind, count in sorted(left_out.items()) if count]
    told += [
        f"{count} labelled {name!r} only" for name, count in sorted(tested.unknown_labels.items())
    ]
    if told:
        lines.append(escape(f"left out: {', '.join(told)}"))
    if tested.foreign:
        lines.append(
            f"in another language than {escape(model.language)}: "
            f"{wording.many(tested.foreign, 'page')}"
        )
    return lines


def _confusion_table(tested: Tested) -> Table:
    """Categories by number, so that it fits a terminal."""
    table = Table(
        box=None, header_style="dim", padding=(0, 1, 0, 0), title="put in", title_style="dim"
    )
    table.add_column("belongs in", no_wrap=True)
    names = list(tested.measures.per_category)
    for number in range(1, len(names) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for number, (name, row) in enumerate(zip(names, tested.measures.confusion, strict=True)):
        cells = [
            f"[bold]{cell}[/]" if column == number else str(cell) if cell else "[dim]·[/]"
            for column, cell in enumerate(row)
        ]
        table.add_row(f"{number + 1} {escape(name)}", *cells)
    return table


def picture_of(model: Model, tested: Tested, name: str) -> confusion.Tested:
    measures = tested.measures
    return confusion.Tested(
        f"Test of {name}",
        f"{model.method}: {wording.share(measures.accuracy_mean)} right, mean over "
        f"{len(model.categories)} categories; {wording.many(measures.pages, 'page')}; calibration "
        f"error {measures.calibration_error:.3f}",
        model.categories,
        measures.confusion,
        _MEASURES,
        _rows(measures.per_category),
        [(one.confidence, one.right) for one in measures.calibration],
    )


def _rows(per_category: dict[str, CategoryMeasure]) -> list[list[str]]:
    return [
        [name, wording.count(one.pages)]
        + ["–" if value is None else wording.share(value) for value in one[1:]]
        for name, one in per_category.items()
    ]


# --------------------------------------------------------------------------- pages and links


def render_answers(answers: Iterable[Answer], console: Console) -> None:
    for answer in answers:
        where = answer.category or f"not classified: {answer.kind}"
        sure = f" {answer.probability:.2f}" if answer.probabilities else ""
        why = ", ".join(wording.plain(part.name) for part in answer.reasons)
        console.print(
            f"[bold]{escape(where)}[/]{sure}  {escape(wording.plain(answer.page))}"
            + (f"  [dim]{escape(why)}[/]" if why else ""),
            highlight=False,
            soft_wrap=True,
        )


def render_locality(found: Locality, console: Console) -> None:
    console.print(
        f"[bold]{wording.share(found.local)}[/] of {wording.many(found.links, 'link')} between "
        f"{wording.many(found.pages, 'page')} stay in their category; by chance "
        f"{wording.share(found.chance)}\nmean over categories {wording.share(found.mean)}, "
        f"variance {found.variance:.4f}, or {found.variance * 10_000:.1f} in squared per cent",
        highlight=False,
        soft_wrap=True,
    )
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("category")
    table.add_column("stay", justify="right")
    for name, share in found.per_category.items():
        table.add_row(escape(name), wording.share(share))
    console.print(table)
    if found.by_probability:
        sure = Table(box=None, header_style="dim", pad_edge=False)
        for head in ("probability of the page", "pages", "links", "stay"):
            sure.add_column(head, justify="right")
        for one in found.by_probability:
            sure.add_row(
                f"{one.low:.1f} to {one.high:.1f}",
                wording.count(one.parents),
                wording.count(one.links),
                wording.share(one.local),
            )
        console.print(sure)
