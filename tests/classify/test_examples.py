"""Labelled pages, what can be wrong with them, and the terms that are chosen from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.classify.choices import Selection
from shoal.classify.collapse import Collapse, collapse_of
from shoal.classify.examples import BadExamples, example_of, lesson_of, main_language
from shoal.classify.features import Features, choose_terms, common_words
from shoal.classify.stepwise import select_terms
from shoal.classify.train import train
from shoal.classify.usable import Kind, kind_of, kind_of_fetched
from shoal.classify.vocabulary import Vocabulary
from shoal.classify.words import read_words
from shoal.errors import UsageError
from shoal.model import Failure, FailureKind, Language, Response
from shoal.url import parse_url
from tests.classify.pages import FARM, SEA, essay, members, page_of

URL = parse_url("http://pages.example/")
LONG = essay(SEA, 1)


def answered(status: int, body: bytes = b"x", head: bytes = b"HTTP/1.1 ...") -> Response:
    return Response(URL, status, head, (), body, body, 0.0, 0.0)


# --------------------------------------------------------------------------- kinds


def test_every_page_is_of_one_kind() -> None:
    long = page_of(LONG)
    assert kind_of(long) is Kind.USABLE
    assert kind_of(page_of("12 34 !")) is Kind.NO_TEXT
    assert kind_of(page_of("word " * 49)) is Kind.FEW_TERMS
    assert kind_of(page_of("word " * 50)) is Kind.USABLE
    assert kind_of(page_of("word"), least_terms=1) is Kind.USABLE
    assert kind_of_fetched(answered(200), long) is Kind.USABLE
    assert kind_of_fetched(answered(404), long) is Kind.INVALID
    assert kind_of_fetched(answered(302), None) is Kind.INVALID
    assert kind_of_fetched(answered(200), None) is Kind.NO_TEXT
    assert kind_of_fetched(answered(0, b"", b""), None) is Kind.EMPTY
    failure = Failure(URL, FailureKind.TIMEOUT, "too slow", 0.0, 1.0)
    assert kind_of_fetched(failure, None) is Kind.EMPTY


def test_the_lead_is_the_title_and_the_beginning_without_numbers() -> None:
    words = read_words(page_of("Sails 1492 " + "x " * 300 + "end", title="The Ship"))
    assert words.lead == {"the": 1, "ship": 1, "sails": 1}
    assert "end" in words.text


# --------------------------------------------------------------------------- labels


def test_labels_collapse_to_their_top() -> None:
    labels = ["subject.Science.Biology", "subject.Science", "subject.Art", "subject/Art/Opera"]
    collapse = collapse_of(labels)
    assert collapse == Collapse(drop=1, depth=1)
    assert collapse.categories(labels) == ("Science", "Art")
    assert collapse_of(labels, 2).categories(labels) == (
        "Science.Biology",
        "Science",
        "Art",
        "Art.Opera",
    )
    assert collapse_of(labels, 0).categories(labels) == tuple(labels)


def test_labels_without_a_hierarchy_stay() -> None:
    assert collapse_of(["sea", "farm"]).categories(["sea", "farm"]) == ("sea", "farm")
    assert collapse_of(["sea.fish"]).category("sea.fish") == "sea"
    assert collapse_of(["sea", "sea.fish"]).categories(["sea", "sea.fish"]) == ("sea",)


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(".".join), min_size=1),
    st.integers(0, 3),
)
def test_every_label_has_a_category(labels: list[str], depth: int) -> None:
    collapse = collapse_of(labels, depth)
    assert all(collapse.category(label) for label in labels)
    if depth:
        assert all(len(collapse.category(label).split(".")) <= depth for label in labels)


# --------------------------------------------------------------------------- lessons


def taught(declared: tuple[str, ...] = (), **texts: list[str]) -> object:
    examples = [
        example_of(page_of(text, f"{name}{number}"), [name])
        for name, given in texts.items()
        for number, text in enumerate(given)
    ]
    return train(examples, source="s", trained_at="t", declared=declared)


TWO_SEAS = [essay(SEA, 1), essay(SEA, 2)]
TWO_FARMS = [essay(FARM, 3), essay(FARM, 4)]


def test_an_empty_category_is_named() -> None:
    with pytest.raises(BadExamples, match="category 'sky' has no usable page"):
        taught(("sky",), sea=TWO_SEAS, farm=TWO_FARMS)
    with pytest.raises(BadExamples, match=r"'sky' has no usable page \(.*1 few_terms.*1 no_text"):
        taught(sea=TWO_SEAS, farm=TWO_FARMS, sky=["too short", ""])


def test_one_category_is_refused() -> None:
    with pytest.raises(BadExamples, match="one category only, 'sea'"):
        taught(sea=TWO_SEAS)
    with pytest.raises(BadExamples, match="no labelled pages"):
        taught()


def test_a_category_of_copies_is_refused() -> None:
    with pytest.raises(BadExamples, match="'farm' has 3 pages, all with one text"):
        taught(sea=TWO_SEAS, farm=[LONG] * 3)
    with pytest.raises(BadExamples, match="'farm' has one usable page"):
        taught(sea=TWO_SEAS, farm=TWO_FARMS[:1])


def test_copies_are_one_page_with_the_labels_of_all() -> None:
    examples = [
        example_of(page_of(text, f"{number}"), [label])
        for number, (text, label) in enumerate(
            [
                (LONG, "sea"),
                (LONG, "sun"),
                (TWO_FARMS[0], "sea"),
                (TWO_FARMS[1], "sea"),
                (essay(FARM, 9), "sun"),
            ]
        )
    ]
    lesson = lesson_of(examples)
    assert lesson.copies == 1
    assert lesson.examples[0].labels == ("sea", "sun")
    assert lesson.belongs[0].tolist() == [True, True]


def test_the_language_of_a_model_is_that_of_most_pages() -> None:
    english, french = Language("en", 1.0), Language("fr", 1.0)

    def spoken(*languages: Language) -> str:
        return main_language(
            [example_of(page_of(LONG, language=language), ["a"]) for language in languages]
        )

    assert spoken(english, english, french) == "en"
    assert spoken(english, french) == "und"
    assert spoken(Language("und", 0.0)) == "und"


def test_the_order_of_examples_changes_nothing() -> None:
    examples = [
        example_of(page_of(essay(words, seed), f"{name}{seed}"), [name])
        for name, words in (("sea", SEA), ("farm", FARM))
        for seed in range(5)
    ]
    page = [page_of(essay([*SEA, *FARM], 50))]
    first = train(examples, source="s", trained_at="t")
    second = train(examples[::-1], source="s", trained_at="t")
    np.testing.assert_array_equal(
        first.classifier.probabilities(page), second.classifier.probabilities(page)
    )
    assert first.facts == second.facts


# --------------------------------------------------------------------------- terms


def test_terms_are_chosen_by_how_many_pages_have_them() -> None:
    texts = [{"the": 3, "oar": 1}, {"the": 1, "oar": 1, "hay": 1}, {"the": 9, "sail": 1}]
    assert choose_terms(texts, Features(1)).terms == ("hay", "oar", "sail", "the")
    assert choose_terms(texts, Features(2)).terms == ("oar", "the")
    assert choose_terms(texts, Features(2, most_share=0.9)).terms == ("oar",)
    assert choose_terms(texts, Features(1, most_terms=2)).terms == ("oar", "the")
    assert choose_terms(texts, Features(2), frozenset({"the"})).terms == ("oar",)
    with pytest.raises(UsageError, match="no term is left of 4"):
        choose_terms(texts, Features(4))


def test_common_words_are_those_of_a_language() -> None:
    assert {"the", "of"} <= common_words("en", 20)
    assert common_words("en", 0) == frozenset()
    with pytest.raises(UsageError, match="--stop-words"):
        common_words("xx-klingon", 5)


@pytest.mark.parametrize("selection", [Selection.FORWARD, Selection.BACKWARD])
def test_stepwise_selection_keeps_what_tells_and_drops_what_misleads(selection: Selection) -> None:
    """Pages in turns to learn from and to look at. "oar" and "hay" tell the categories apart;
    "mist" stood in sea pages only while learning, and in farm pages only afterwards."""
    learn_sea, learn_farm = {"oar": 1, "mist": 9, "the": 1}, {"hay": 1, "the": 1}
    look_sea, look_farm = {"oar": 1, "the": 1}, {"hay": 1, "mist": 9, "the": 1}
    texts = [learn_sea, look_sea, learn_farm, look_farm] * 3
    belongs = members(*([[1, 0], [1, 0], [0, 1], [0, 1]] * 3))
    vocabulary = Vocabulary(("hay", "mist", "oar", "the"))
    kept = select_terms(vocabulary.count(texts), belongs, selection)
    terms = {vocabulary.terms[column] for column in kept}
    assert "mist" not in terms
    assert terms & {"oar", "hay"}


def test_no_selection_keeps_all() -> None:
    counts = Vocabulary(("a", "b")).count([{"a": 1}, {"b": 1}])
    assert select_terms(counts, members([1, 0], [0, 1]), Selection.NONE).tolist() == [0, 1]
