"""Each method's formula against cases worked out by hand, and the contract for all of them."""

from __future__ import annotations

from math import log, prod, sqrt

import numpy as np
import pytest

from shoal.classify.choices import MethodName
from shoal.classify.examples import example_of
from shoal.classify.lewis import Lewis
from shoal.classify.margins import Margins
from shoal.classify.model import Model
from shoal.classify.naive_bayes import NaiveBayes
from shoal.classify.rocchio import Rocchio
from shoal.classify.train import train
from shoal.ports import Classifier
from shoal.testing.classifier import ClassifierContract
from tests.classify.pages import FARM, SEA, SKY, counts_of, essay, members, page_of

TEXTS = ("oar oar sail", "sail sail tide tide", "barley", "barley oar hay")
TWO = members([1, 0], [1, 0], [0, 1], [0, 1])
"""The first two texts are of the first category, the others of the second."""


def small_model(method: MethodName) -> Model:
    subjects = {"sea": SEA, "farm": FARM, "sky": SKY}
    examples = [
        example_of(page_of(essay(words, 10 * number + seed), f"{name}{seed}", name), [name])
        for number, (name, words) in enumerate(subjects.items())
        for seed in range(6)
    ]
    return train(examples, source="essays", trained_at="2026-01-01T00:00:00Z", method=method)


MODELS = {method: small_model(method) for method in MethodName}


class _Contract(ClassifierContract):
    method: MethodName
    known_words = (*SEA, *FARM, *SKY, "the", "day")

    def make_classifier(self) -> Classifier:
        return MODELS[self.method].classifier


class TestMargins(_Contract):
    method = MethodName.MARGINS


class TestNaiveBayes(_Contract):
    method = MethodName.NAIVE_BAYES


class TestNaiveBayesBinary(_Contract):
    method = MethodName.NAIVE_BAYES_BINARY


class TestLewis(_Contract):
    method = MethodName.LEWIS


class TestRocchio(_Contract):
    method = MethodName.ROCCHIO


@pytest.mark.parametrize("method", MethodName)
def test_every_method_tells_plain_pages_and_says_why(method: MethodName) -> None:
    model = MODELS[method]
    for name, words in {"sea": SEA, "farm": FARM, "sky": SKY}.items():
        page = page_of(essay(words, 99))
        row = model.classifier.probabilities([page])[0]
        assert model.categories[row.argmax()] == name
        best = [part.name for part in model.classifier.reasons(page, name, 3)]
        assert set(best) <= {*words, name}


def test_naive_bayes_is_the_sum_of_logarithms_of_shares() -> None:
    """Five terms. First category: oar 2, sail 3, tide 2 of 7; second: oar 1, barley 2, hay 1 of 4.
    With smoothing 1 the shares are over 12 and 9."""
    vocabularies, counts = counts_of(*TEXTS)
    assert vocabularies.text.terms == ("barley", "hay", "oar", "sail", "tide")
    scores = NaiveBayes(smoothing=1.0).learn(counts, TWO)
    asked = vocabularies.text.count([{"oar": 2, "hay": 1, "unknown": 5}])
    got = scores.of(counts._replace(text=asked, lead=asked))[0]
    # Of three known occurrences, so each sum is divided by 3.
    assert got[0] == pytest.approx((2 * log(3 / 12) + log(1 / 12)) / 3)
    assert got[1] == pytest.approx((2 * log(2 / 9) + log(2 / 9)) / 3)


def test_binary_naive_bayes_counts_pages_and_not_occurrences() -> None:
    """First category: oar in 1 page, sail in 2, tide in 1, of 4; second: barley 2, oar 1, hay 1."""
    vocabularies, counts = counts_of(*TEXTS)
    scores = NaiveBayes(binary=True, smoothing=1.0).learn(counts, TWO)
    asked = vocabularies.text.count([{"oar": 2, "hay": 1}])
    got = scores.of(counts._replace(text=asked, lead=asked))[0]
    assert got[0] == pytest.approx((log(2 / 9) + log(1 / 9)) / 2)
    assert got[1] == pytest.approx((log(2 / 9) + log(2 / 9)) / 2)


def test_a_page_of_two_categories_is_an_example_of_both() -> None:
    vocabularies, counts = counts_of("oar", "hay", "oar hay")
    scores = NaiveBayes(smoothing=1.0).learn(counts, members([1, 0], [0, 1], [1, 1]))
    asked = vocabularies.text.count([{"oar": 1}])
    got = scores.of(counts._replace(text=asked, lead=asked))[0]
    assert got == pytest.approx([log(3 / 5), log(2 / 5)])


def test_lewis_is_the_product_over_all_features() -> None:
    """The whole product of the thesis, feature by feature, present or not."""
    vocabularies, counts = counts_of(*TEXTS)
    scores = Lewis(smoothing=0.5).learn(counts, TWO)
    asked = vocabularies.text.count([{"oar": 4, "sail": 1}])
    got = scores.of(counts._replace(text=asked, lead=asked))[0]
    # In how many of the two pages of each category, and of the four in all, each term stands.
    first = {"barley": 0, "hay": 0, "oar": 1, "sail": 2, "tide": 1}
    second = {"barley": 2, "hay": 1, "oar": 1, "sail": 0, "tide": 0}
    for score, here in zip(got, (first, second), strict=True):
        factors = []
        for term, pages in here.items():
            given = (pages + 0.5) / (2 + 1.0)
            prior = (first[term] + second[term] + 0.5) / (4 + 1.0)
            there = 1.0 if term in {"oar", "sail"} else 0.0
            factors.append(given * there / prior + (1 - given) * (1 - there) / (1 - prior))
        assert score == pytest.approx(log(prod(factors)))


def test_rocchio_is_the_product_of_page_and_profile_over_the_length_of_the_profile() -> None:
    vocabularies, counts = counts_of(*TEXTS)
    scores = Rocchio().learn(counts, TWO)
    asked = vocabularies.text.count([{"oar": 1, "tide": 2}])
    got = scores.of(counts._replace(text=asked, lead=asked))[0]
    idf = {"barley": log(2), "hay": log(4), "oar": log(2), "sail": log(2), "tide": log(4)}
    first = {"oar": 2, "sail": 3, "tide": 2}
    second = {"barley": 2, "hay": 1, "oar": 1}
    page = {"oar": 1, "tide": 2}
    page_length = sqrt(sum((n * idf[term]) ** 2 for term, n in page.items()))
    for score, profile in zip(got, (first, second), strict=True):
        length = sqrt(sum((n * idf[term]) ** 2 for term, n in profile.items()))
        product = sum(n * idf[term] * profile.get(term, 0) * idf[term] for term, n in page.items())
        assert score == pytest.approx(product / length / page_length)


def test_rocchio_knows_nothing_of_terms_that_every_page_has() -> None:
    vocabularies, counts = counts_of("the oar", "the sail", "the hay")
    scores = Rocchio().learn(counts, members([1, 0], [1, 0], [0, 1]))
    asked = vocabularies.text.count([{"the": 7}])
    assert not scores.of(counts._replace(text=asked, lead=asked)).any()


def test_margins_weigh_text_and_lead_as_vectors_of_length_1() -> None:
    _, counts = counts_of(*TEXTS)
    scores = Margins().learn(counts, TWO)
    text, lead = scores.blocks
    weights = text.weights(counts)[0].toarray()[0]
    # "oar oar sail": each stands in 2 of 4 texts.
    assert np.linalg.norm(weights) == pytest.approx(1.0)
    assert weights[2] / weights[3] == pytest.approx(1.0 + log(2))
    together = scores.of(counts)[0]
    by_hand = (
        scores.bias + weights @ text.learnt + lead.weights(counts)[0].toarray()[0] @ lead.learnt
    )
    assert together == pytest.approx(by_hand)
    assert (scores.of(counts).argmax(axis=1) == [0, 0, 1, 1]).all()
