"""What any Classifier must keep to. Subclass ClassifierContract and give ``make_classifier``."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model import Page
from shoal.ports import Classifier
from shoal.url import parse_url

_WORDS = st.text(alphabet="abcdeé ", max_size=60)


class ClassifierContract:
    known_words: tuple[str, ...] = ()
    """Words that the Classifier has learnt, to make Pages of."""

    def make_classifier(self) -> Classifier:
        """The same Classifier each time."""
        raise NotImplementedError("give the contract a classifier to look at")

    def page(self, text: str) -> Page:
        words = text.split()
        return Page(
            parse_url("http://a.example/"),
            "text/html",
            title=" ".join(words[:3]),
            text=text,
            terms={word: words.count(word) for word in words if len(word) > 1},
        )

    def test_categories_are_two_or_more_and_different(self) -> None:
        categories = self.make_classifier().categories
        assert len(categories) >= 2
        assert len(set(categories)) == len(categories)

    @given(data=st.data())
    def test_each_page_has_a_row_of_probabilities_whatever_the_batch(
        self, data: st.DataObject
    ) -> None:
        classifier = self.make_classifier()
        known = st.lists(st.sampled_from(self.known_words), max_size=20).map(" ".join)
        texts = data.draw(st.lists(st.one_of(known, _WORDS), max_size=6))
        pages = [self.page(text) for text in texts]
        rows = classifier.probabilities(pages)
        assert rows.shape == (len(pages), len(classifier.categories))
        assert np.isfinite(rows).all()
        assert (rows >= 0.0).all()
        assert (rows <= 1.0).all()
        np.testing.assert_allclose(rows.sum(axis=1), 1.0, rtol=1e-9)
        again = self.make_classifier()
        for page, row in zip(pages, rows, strict=True):
            np.testing.assert_allclose(again.probabilities([page])[0], row, rtol=1e-9, atol=1e-12)

    def test_a_page_without_a_known_word_is_like_one_without_words(self) -> None:
        classifier = self.make_classifier()
        nothing, strange = classifier.probabilities([self.page(""), self.page("qzxq xqzz qqxz")])
        np.testing.assert_allclose(nothing, strange, rtol=1e-9)

    @given(data=st.data())
    def test_reasons_are_terms_of_the_page_the_strongest_first(self, data: st.DataObject) -> None:
        classifier = self.make_classifier()
        words = data.draw(st.lists(st.sampled_from(self.known_words), max_size=20))
        category = data.draw(st.sampled_from(classifier.categories))
        page = self.page(" ".join(words))
        reasons = classifier.reasons(page, category, limit=5)
        assert len(reasons) <= 5
        values = [part.value for part in reasons]
        assert values == sorted(values, reverse=True)
        assert all(np.isfinite(value) and value > 0.0 for value in values)
        assert reasons == self.make_classifier().reasons(page, category, limit=5)

    def test_the_reasons_of_a_page_without_words_are_none(self) -> None:
        classifier = self.make_classifier()
        assert classifier.reasons(self.page(""), classifier.categories[0]) == ()

    def test_reasons_for_a_category_of_others_are_refused(self) -> None:
        classifier = self.make_classifier()
        with pytest.raises(KeyError):
            classifier.reasons(self.page(""), "no such category")
