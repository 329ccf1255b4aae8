"""What marks teach, and topic files that say the same when they are read back."""

from __future__ import annotations

import tomllib

import pytest

from shoal.topic.spec import AllSpec, ExamplesSpec, LanguageSpec, MeanSpec, NotSpec, Spec, WordsSpec
from shoal.topic.terms import best_border, suggest_terms
from shoal.topic.topic_file import parse_topic
from shoal.topic_toml import to_toml
from tests.classify.pages import FARM, SEA
from tests.topic.kinds import RARITY, counts


def test_new_terms_are_those_of_the_relevant_pages_alone() -> None:
    relevant = [counts(SEA, seed) for seed in range(4)]
    others = [counts(FARM, seed) for seed in range(4)]
    found = suggest_terms(relevant, others, ("harbours",), RARITY, 3)
    assert set(found) <= set(SEA) - {"harbour"}
    assert len(found) == 3
    assert max(found.values()) == 1.0
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_a_term_of_one_page_is_no_new_term() -> None:
    assert suggest_terms([{"harbour": 9}, {"tide": 9}], [{"barley": 1}], (), RARITY, 5) == {}


def test_the_border_parts_the_marks() -> None:
    assert best_border([0.3, 0.5], [0.1, 0.0]) == pytest.approx(0.2)
    assert 0.3 < best_border([0.5, 0.6, 0.1], [0.2, 0.3, 0.05]) < 0.5


@pytest.mark.parametrize(
    "spec",
    [
        WordsSpec(words=('a "quoted" word', "second"), terms={"naïve word": 0.5}, border=0.07),
        MeanSpec(
            name="both",
            mean=(
                WordsSpec(words=("harbour",), weight=2.0),
                ExamplesSpec(like=("http://a.example/",), unlike=("b.html", "c.html"), web="x"),
            ),
        ),
        AllSpec(
            all=(
                LanguageSpec(language=("en", "de")),
                NotSpec(not_=WordsSpec(words=("barley",))),
                MeanSpec(mean=(WordsSpec(words=("tide",)), WordsSpec(words=("sea",)))),
            )
        ),
    ],
)
def test_a_topic_is_read_back_as_it_was_written(spec: Spec) -> None:
    assert parse_topic(tomllib.loads(to_toml(spec))) == spec
