"""Ehrig's variants over an ontology: each formula by hand, over every form of file."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import UsageError
from shoal.model import Judgement, Lease, Link, Page, Part
from shoal.ontology.focus import Wanted
from shoal.ontology.ltm import read_ltm
from shoal.ontology.paths import IS_A, rings
from shoal.ontology.reading import read_ontology
from shoal.ports import Strategy
from shoal.strategy import ehrig
from shoal.strategy.ehrig import EhrigOptions
from shoal.strategy.ehrig_ontology import OntologyEhrig, Variant
from shoal.strategy.recipe import Brief
from shoal.strategy.semantic import ByAnchor
from shoal.testing.strategy import StrategyContract
from shoal.topic.keywords import KeywordTopic
from shoal.url import parse_url
from tests.cli.command import well
from tests.ontology.boats import FORMS
from tests.ontology.cars import CARS

CARS_READ = read_ltm(CARS.encode())
DIRECT, IS_A_TWO, DECAY = Variant.DIRECT, Variant.IS_A, Variant.DECAY
SOURCE = parse_url("http://a.example/")
LEASE = Lease(1, SOURCE, 1.0, depth=0, redirects=0, attempts=0)


def over_cars(variant: Variant, *focal: str) -> OntologyEhrig:
    return OntologyEhrig(Wanted(CARS_READ, focal), variant, 0.5)


class TestOverAnOntology(StrategyContract):
    def make_strategy(self) -> Strategy:
        ontology = read_ltm(b'[a = "abc"] [b = "de"] [c = "fg"] r(a, b) r(b, c)')
        brief = Brief(KeywordTopic(("abc",)), ("abc",), ontology=Wanted(ontology, ("a",)))
        return ehrig.RECIPE.make(brief, EhrigOptions(page_share=0.25, content_share=0.25))


def test_rings_of_cars() -> None:
    assert [set(ring) for ring in rings(CARS_READ, "toyota")] == [
        {"toyota"},
        {"japanese-car", "avensis", "corolla", "tmm"},
        {"verso", "toyoda"},
    ]
    assert [set(ring) for ring in rings(CARS_READ, "tmm", IS_A)] == [{"tmm"}]


@pytest.mark.parametrize(
    ("text", "direct", "is_a", "decay"),
    [
        ("Toyota", 1.0, 1.0, 1.0),
        ("Avensis", 1.0, 1.0, 0.5),
        ("TMM Inc.", 1.0, 0.0, 0.5),
        ("Kiichiro Toyoda", 0.0, 0.0, 0.25),
        # Corolla Verso is also a Corolla: 1 + 0, 1 + 1, 0.5 + 0.25.
        ("Corolla Verso", 1.0, 2.0, 0.75),
        # Twice Toyota: w = 1, and once Avensis: w = 1/2.
        ("Toyotas, a Toyota and an Avensis", 1.5, 1.5, 1.25),
        ("bicycle", 0.0, 0.0, 0.0),
        ("", 0.0, 0.0, 0.0),
    ],
)
def test_the_three_variants_by_hand(text: str, direct: float, is_a: float, decay: float) -> None:
    for variant, expected in ((DIRECT, direct), (IS_A_TWO, is_a), (DECAY, decay)):
        assert over_cars(variant, "toyota").score(text) == pytest.approx(expected)


def test_each_focal_concept_counts() -> None:
    """Toyota is one step from TMM Inc. and one from Corolla, Avensis two from either."""
    both = over_cars(DECAY, "tmm", "corolla")
    assert both.score("Toyota") == 0.5 + 0.5
    assert both.score("Avensis") == 0.25 + 0.25
    assert both.score("Corolla") == 1.0 + 0.25
    assert over_cars(DIRECT, "tmm", "corolla").score("Toyota") == 2.0
    assert both.words == ("TMM Inc.", "Corolla")


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_file(name: str, tmp_path: Path) -> None:
    """Seagull, an instance of sailing boat, a kind of boat, which is moored at a harbour."""
    (tmp_path / name).write_text(FORMS[name], encoding="utf-8")
    wanted = Wanted(read_ontology(tmp_path / name), ("boat",))
    found = {
        variant: [
            OntologyEhrig(wanted, variant, 0.5).score(text)
            for text in ("water craft", "harbours", "Seagull", "sailing boat")
        ]
        for variant in Variant
    }
    assert found == {
        DIRECT: [1.0, 1.0, 0.0, 2.0],
        IS_A_TWO: [1.0, 0.0, 1.0, 2.0],
        DECAY: [1.0, 0.5, 0.25, 1.5],
    }


def test_the_page_may_count_as_well_and_a_seed_comes_first() -> None:
    """Half of it the terms of the page (0.25 for Toyoda), a quarter its cosine, and a quarter the
    anchor."""
    scored = over_cars(DECAY, "toyota")
    strategy = ByAnchor(scored.words, scored.score, 0.25, 0.5)
    page = Page(SOURCE, "text/html", text="Kiichiro Toyoda")
    link = Link(SOURCE, parse_url("http://a.example/b"), anchor="Avensis")
    (priority,) = strategy.priorities(page, Judgement(0.0, 0.8), [link], LEASE)
    assert priority.value == pytest.approx(0.25 * 0.8 + 0.5 * 0.25 + 0.25 * 0.5)
    assert priority.parts == (Part("content", 0.2), Part("page", 0.125), Part("anchor", 0.125))
    assert strategy.seed(SOURCE).value == pytest.approx(1.0)


def test_only_labels_in_the_languages_that_were_chosen() -> None:
    ltm = (
        '[de @"http://www.topicmaps.org/xtm/1.0/language.xtm#de"] '
        '[en @"http://www.topicmaps.org/xtm/1.0/language.xtm#en"] '
        '[boat = "boat" / en = "Schiff" / de]'
    )
    ontology = read_ltm(ltm.encode())
    assert OntologyEhrig(Wanted(ontology, ("boat",)), DECAY, 0.5).score("Schiff") == 1.0
    english = Wanted(ontology, ("boat",), frozenset({"en"}))
    assert OntologyEhrig(english, DECAY, 0.5).score("Schiff") == 0.0
    assert OntologyEhrig(english, DECAY, 0.5).score("boats") == 1.0


def test_an_ontology_without_a_focus_is_refused_and_shares_are_checked() -> None:
    brief = Brief(KeywordTopic(("car",)), ontology=Wanted(CARS_READ, ()))
    with pytest.raises(UsageError, match=r"name some \(--focus\)"):
        ehrig.RECIPE.make(brief, EhrigOptions())
    with pytest.raises(UsageError, match=r"strategy\.page_share lies between 0 and 1"):
        ehrig.RECIPE.make(brief, EhrigOptions(page_share=1.5))
    with pytest.raises(UsageError, match=r"page_share and strategy\.content_share lies"):
        ehrig.RECIPE.make(brief, EhrigOptions(page_share=0.6, content_share=0.6))


def test_a_crawl_by_an_ontology(tmp_path: Path) -> None:
    (tmp_path / "news.ltm").write_text('[a = "dengue"] [b = "fever"] r(a, b)')
    for variant in Variant:
        well(
            *("crawl", "--ontology", tmp_path / "news.ltm", "--focus", "a", "--strategy", "ehrig"),
            *("--seeds", "http://portal.wayfinder.example/", "--pages", "5"),
            *("--web", "synthetic:seed=7,pages=480,hosts=12", "--log", "none"),
            *("--set", f"strategy.variant={variant}", "--out", tmp_path / variant),
        )
