"""Labelled pages in, a Model out.

1. The same examples with the same settings give the same model, in whatever order they come.
2. Nothing but the examples is looked at: terms, weights and calibration all come from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.classify import calibrate
from shoal.classify.choices import DEFAULT_METHOD, MethodName
from shoal.classify.collapse import collapse_of
from shoal.classify.examples import Example, Lesson, lesson_of, main_language
from shoal.classify.features import Features, choose_terms, common_words
from shoal.classify.linear import (
    Block,
    Calibration,
    LinearClassifier,
    Scores,
    shares,
)
from shoal.classify.measures import Measures, measure
from shoal.classify.methods import METHODS, Method
from shoal.classify.model import Facts, Model
from shoal.classify.model_file import VERSION
from shoal.classify.stepwise import select_terms
from shoal.classify.vocabulary import Counts, Vocabularies, Vocabulary

ALL_TERMS = Features()
STEPS = calibrate.FOLDS + 1
"""How often ``tell`` is called: once for each time the method learns."""


def train(
    examples: Sequence[Example],
    *,
    source: str,
    trained_at: str,
    declared: Iterable[str] = (),
    missing: int = 0,
    method: MethodName = DEFAULT_METHOD,
    features: Features = ALL_TERMS,
    depth: int = 1,
    tell: Callable[[], None] = lambda: None,
) -> Model:
    """``declared`` are labels that must have pages. ``depth`` is how many steps of a hierarchy of
    labels make a category; 0 takes labels as they are. Raises UsageError for examples that nothing
    can be learnt from."""
    declared = tuple(declared)
    labels = {label for example in examples for label in example.labels} | set(declared)
    collapse = collapse_of(labels, depth)
    collapsed = [
        example._replace(labels=collapse.categories(example.labels)) for example in examples
    ]
    lesson = lesson_of(collapsed, collapse.categories(declared))
    language = main_language(lesson.examples)
    vocabularies, counts = _terms(lesson, features, language)
    learnt, calibration, measures = _learn(METHODS[method], counts, lesson, tell)
    facts = Facts(
        trained_at=trained_at,
        source=source,
        pages=dict(zip(lesson.categories, map(int, lesson.belongs.sum(axis=0)), strict=True)),
        distinct=len(lesson.examples),
        unusable=lesson.unusable,
        copies=lesson.copies,
        missing=missing,
        features=features,
        terms=len(vocabularies.text.terms),
        lead_terms=len(vocabularies.lead.terms),
        collapse=collapse,
        accuracy_mean=measures.accuracy_mean,
        calibration_error=measures.calibration_error,
    )
    classifier = LinearClassifier(lesson.categories, vocabularies, learnt, calibration)
    return Model(classifier, str(method), language, facts, VERSION)


def _terms(lesson: Lesson, features: Features, language: str) -> tuple[Vocabularies, Counts]:
    stop = common_words(language, features.stop_words)
    words = [example.words for example in lesson.examples]
    texts: list[Mapping[str, int]] = [one.text for one in words]
    text = choose_terms(texts, features, stop)
    kept = select_terms(text.count(texts), lesson.belongs, features.selection)
    text = Vocabulary(tuple(text.terms[column] for column in kept))
    leads = Counter(term for one in words for term in one.lead.keys() & text.columns.keys())
    often = (term for term, pages in leads.items() if pages >= features.least_pages)
    vocabularies = Vocabularies(text, Vocabulary(tuple(sorted(often))))
    return vocabularies, vocabularies.count_terms(words)


def _learn(
    method: Method, counts: Counts, lesson: Lesson, tell: Callable[[], None]
) -> tuple[Scores, Calibration, Measures]:
    belongs = lesson.belongs
    folds = calibrate.folds_of(belongs)
    held: NDArray[np.float64] = np.zeros(belongs.shape)
    for pages, scores in calibrate.held_out_scores(method.learn, counts, belongs, folds):
        held[pages] = scores
        tell()
    calibration = method.calibrate(held, belongs)
    rows = shares(calibration.log_odds(held))
    learnt = _rounded(method.learn(counts, belongs))
    tell()
    return learnt, calibration, measure(rows, belongs, lesson.categories)


def _rounded(scores: Scores) -> Scores:
    """As a model file holds it, so that a model answers the same before and after it is stored."""
    blocks = []
    for block in scores.blocks:
        idf = block.weighing.idf
        weighing = replace(block.weighing, idf=None if idf is None else _single(idf))
        blocks.append(Block(block.place, weighing, _single(block.learnt)))
    return Scores(tuple(blocks), scores.bias)


def _single(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.ascontiguousarray(numbers.astype(np.float32), dtype=np.float64)
