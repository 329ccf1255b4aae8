"""An improved topic from a crawl and a few marks: new terms, new examples, and whether they help.

A third of the marks is held out, drawn by the digest of the address, and nothing is learnt from it:
how often the old topic and the new one agree with these is what the suggestion is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import xxhash

from shoal.compose.topic import make as make_topic_of
from shoal.compose.topic import spec_of
from shoal.directory import CrawlDirectory
from shoal.errors import UsageError
from shoal.labelled import open_labelled, read_labels
from shoal.model import Page
from shoal.ports import Topic
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.topic.spec import AllSpec, ExamplesSpec, LanguageSpec, MeanSpec, NotSpec, Spec, WordsSpec
from shoal.topic.terms import best_border, suggest_terms
from shoal.wording import nearest

RELEVANT: Final = "relevant"
OTHER: Final = "not"
LEAST_MARKS: Final = 4
"""Of each kind: what is learnt from and what is held out must both have some."""
HELD_OUT_EVERY: Final = 3
FOLDS: Final = 4
BORDER: Final = 0.5


class Marked(NamedTuple):
    """A page of the crawl that somebody marked."""

    name: str
    page: Page
    relevant: bool


class Agreement(NamedTuple):
    """How many of the held-out marks a topic agrees with."""

    relevant: int
    relevant_right: int
    others: int
    others_right: int

    @property
    def share(self) -> float:
        return (self.relevant_right + self.others_right) / (self.relevant + self.others)


class Suggestion(NamedTuple):
    spec: Spec
    terms: Mapping[str, float]
    border: float
    """The cosine from which the words and terms hold a page relevant."""
    like: tuple[str, ...]
    unlike: tuple[str, ...]
    before: Agreement
    """Of the crawl's own topic."""
    words_after: Agreement
    """Of the words with the new terms and the new border alone."""
    examples_after: Agreement
    """Of the new examples alone."""
    after: Agreement
    """Of what is suggested."""
    missing: int
    """Marks whose pages the crawl does not hold."""


def suggest(directory: CrawlDirectory, marks: Path, limit: int) -> Suggestion:
    """Raises UsageError, also where there are too few marks to learn from and to check with."""
    crawl = directory.settings().crawl
    spec = spec_of(crawl)
    made = make_topic_of(spec, crawl.web)
    found, missing = _read_marks(directory, marks)
    learnt, held = _parted(found)
    likes, unlikes = _kinds(learnt)
    terms = _terms(learnt, made.words, limit)
    words = made.words or tuple(terms)[:LEAST_MARKS]
    extra = {term: count for term, count in terms.items() if term not in words}
    border = _learnt_border(learnt, made.words, limit)
    by_words = WordsSpec(name="words", words=words, terms=extra, border=border)
    by_examples = ExamplesSpec(
        name="marked pages",
        like=tuple(one.name for one in likes),
        unlike=tuple(one.name for one in unlikes),
        web=str(directory.path.resolve()),
    )
    improved = _improved(spec, by_words, by_examples)

    def agrees(one: Spec) -> Agreement:
        return _agreement(make_topic_of(one, crawl.web).topic, held)

    return Suggestion(
        improved,
        extra,
        border,
        by_examples.like,
        by_examples.unlike,
        _agreement(made.topic, held),
        agrees(by_words),
        agrees(by_examples),
        agrees(improved),
        missing,
    )


def _read_marks(directory: CrawlDirectory, marks: Path) -> tuple[list[Marked], int]:
    directory.require()
    for name, labels in read_labels(marks).items():
        for label in labels:
            if label not in (RELEVANT, OTHER):
                raise UsageError(
                    f"{marks}: {name} is marked {label!r}{nearest(label, (RELEVANT, OTHER))}"
                )
        if len(labels) > 1:
            raise UsageError(f"{marks}: {name} is marked both {RELEVANT} and {OTHER}")
    found, missing = [], 0
    for one in open_labelled(marks, str(directory.path)).read():
        if one.read is None or not one.read.page.terms:
            missing += 1
        else:
            found.append(Marked(one.read.name, one.read.page, one.labels == (RELEVANT,)))
    return found, missing


def _parted(found: Sequence[Marked]) -> tuple[list[Marked], list[Marked]]:
    """What is learnt from, and what is held out: a third of each kind."""
    learnt: list[Marked] = []
    held: list[Marked] = []
    for kind, name in zip(_kinds(found), (RELEVANT, OTHER), strict=True):
        if len(kind) < LEAST_MARKS:
            raise UsageError(
                f"{len(kind)} pages of the crawl are marked {name!r}: mark at least {LEAST_MARKS} "
                "of each kind, so that some can be held out to check with"
            )
        ordered = sorted(kind, key=lambda one: xxhash.xxh3_64_intdigest(one.name.encode()))
        for number, one in enumerate(ordered, start=1):
            (held if number % HELD_OUT_EVERY == 0 else learnt).append(one)
    return learnt, held


def _kinds(marked: Sequence[Marked]) -> tuple[list[Marked], list[Marked]]:
    return [one for one in marked if one.relevant], [one for one in marked if not one.relevant]


def _terms(learnt: Sequence[Marked], words: Sequence[str], limit: int) -> dict[str, float]:
    likes, unlikes = _kinds(learnt)
    return suggest_terms(
        [one.page.terms for one in likes],
        [one.page.terms for one in unlikes],
        words,
        Rarity(),
        limit,
    )


def _learnt_border(learnt: Sequence[Marked], words: Sequence[str], limit: int) -> float:
    """From pages scored by terms that were not learnt from them, for those flatter."""
    scores: tuple[list[float], list[float]] = ([], [])
    for fold in range(FOLDS):
        rest = [one for number, one in enumerate(learnt) if number % FOLDS != fold]
        terms = _terms(rest, words, limit)
        named = tuple(words) or tuple(terms)[:LEAST_MARKS]
        if not named:
            continue
        extra = {term: count for term, count in terms.items() if term not in named}
        topic = KeywordTopic(named, Rarity(), extra)
        for one in learnt[fold::FOLDS]:
            scores[not one.relevant].append(topic.judge(one.page).similarity)
    if not scores[0] or not scores[1]:
        raise UsageError("the marked pages have no words in common that others lack")
    return min(0.99, max(0.001, round(best_border(*scores), 4)))


def _improved(spec: Spec, words: WordsSpec, examples: ExamplesSpec) -> Spec:
    """The old topic with its words improved and the examples beside them; what else it asked for
    stays."""
    both: tuple[Spec, ...] = (words, examples)
    if isinstance(spec, WordsSpec):
        return MeanSpec(name=spec.name, mean=both)
    if isinstance(spec, AllSpec):
        kept = tuple(one for one in spec.all if not isinstance(one, WordsSpec | ExamplesSpec))
        old = tuple(one for one in spec.all if isinstance(one, ExamplesSpec))
        improved = MeanSpec(mean=(*both, *old))
        return replace(spec, all=(*kept, improved)) if kept else improved
    if isinstance(spec, LanguageSpec | NotSpec):
        return AllSpec(all=(spec, MeanSpec(mean=both)))
    return MeanSpec(mean=(*both, spec))


def _agreement(topic: Topic, held: Sequence[Marked]) -> Agreement:
    likes, unlikes = _kinds(held)

    def counted(kind: Sequence[Marked], right: Callable[[float], bool]) -> int:
        return sum(right(topic.judge(one.page).relevance) for one in kind)

    return Agreement(
        len(likes),
        counted(likes, lambda relevance: relevance >= BORDER),
        len(unlikes),
        counted(unlikes, lambda relevance: relevance < BORDER),
    )
