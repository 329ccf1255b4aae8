"""Labelled pages, and what can be wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.classify.usable import Kind, kind_of
from shoal.classify.words import Words, read_words
from shoal.errors import UsageError
from shoal.model import Page

UNKNOWN_LANGUAGE: Final = "und"
LEAST_PAGES: Final = 2
"""Different pages a category: with one, nothing is left to check what was learnt from it."""
_MAIN_LANGUAGE_SHARE: Final = 0.6


class BadExamples(UsageError):
    """Nothing can be learnt from these labelled pages."""


class Example(NamedTuple):
    """What is kept of a labelled Page."""

    name: str
    labels: tuple[str, ...]
    words: Words
    language: str
    kind: Kind


def example_of(page: Page, labels: Iterable[str]) -> Example:
    return Example(
        page.url.text, tuple(labels), read_words(page), page.language.code, kind_of(page)
    )


class Lesson(NamedTuple):
    """Usable examples, no two with the same words, and which categories each belongs to."""

    examples: tuple[Example, ...]
    categories: tuple[str, ...]
    belongs: NDArray[np.bool_]
    unusable: dict[str, int]
    """How many pages were left out, by kind."""
    copies: int
    """How many pages had the words of another one; their labels were put together."""


def lesson_of(examples: Sequence[Example], declared: Iterable[str] = ()) -> Lesson:
    """``declared`` are categories that must have pages, whether an example names them or not.

    Raises BadExamples, naming the category and what it lacks.
    """
    usable = [example for example in examples if example.kind is Kind.USABLE]
    unusable = Counter(str(one.kind) for one in examples if one.kind is not Kind.USABLE)
    named = {label for example in examples for label in example.labels}
    categories = tuple(sorted(named | set(declared)))
    pages = Counter(label for example in usable for label in example.labels)
    distinct = _without_copies(usable)
    different = Counter(label for example in distinct for label in example.labels)
    _check(categories, pages, different, unusable)
    column = {category: at for at, category in enumerate(categories)}
    belongs = np.zeros((len(distinct), len(categories)), np.bool_)
    for row, example in enumerate(distinct):
        belongs[row, [column[label] for label in example.labels]] = True
    copies = len(usable) - len(distinct)
    return Lesson(tuple(distinct), categories, belongs, dict(unusable), copies)


def main_language(examples: Iterable[Example]) -> str:
    """The language of most pages, or ``und`` where none prevails."""
    codes = Counter(one.language for one in examples if one.language != UNKNOWN_LANGUAGE)
    if not codes:
        return UNKNOWN_LANGUAGE
    code, pages = codes.most_common(1)[0]
    return code if pages >= _MAIN_LANGUAGE_SHARE * codes.total() else UNKNOWN_LANGUAGE


def _without_copies(examples: Sequence[Example]) -> list[Example]:
    """In the order of their names, so that the same pages always give the same model."""
    kept: dict[frozenset[tuple[str, int]], Example] = {}
    for example in sorted(examples, key=lambda one: one.name):
        same = frozenset(example.words.text.items())
        first = kept.get(same)
        if first is None:
            kept[same] = example
        else:
            labels = tuple(dict.fromkeys(first.labels + example.labels))
            kept[same] = first._replace(labels=labels)
    return list(kept.values())


def _check(
    categories: Sequence[str], pages: Counter[str], different: Counter[str], unusable: Counter[str]
) -> None:
    left_out = ""
    if unusable:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(unusable.items()))
        left_out = f" (left out as unusable: {kinds})"
    if not categories:
        raise BadExamples("no labelled pages: every page needs the name of its category")
    for category in categories:
        if not pages[category]:
            raise BadExamples(
                f"category {category!r} has no usable page{left_out}; give it at least "
                f"{LEAST_PAGES} pages with text, or leave it out"
            )
    if len(categories) < 2:
        raise BadExamples(
            f"there is one category only, {categories[0]!r}; a model tells categories apart, so "
            "give at least two, one of which may be made of pages about anything else"
        )
    for category in categories:
        if different[category] < LEAST_PAGES:
            many = pages[category]
            what = "has one usable page" if many == 1 else f"has {many} pages, all with one text"
            raise BadExamples(
                f"category {category!r} {what}; give it at least {LEAST_PAGES} pages that differ"
            )
