"""The strategies that learn from a browsing path: contract, equations, options."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import UsageError
from shoal.model import Judgement, Lease, Link, Page, Priority
from shoal.ports import Strategy
from shoal.strategy import registry
from shoal.strategy.context_graph import ContextGraph
from shoal.strategy.hmm import Hmm
from shoal.strategy.hmm_content import HmmContent
from shoal.strategy.hmm_content_anchor import HmmContentAnchor
from shoal.strategy.recipe import Brief
from shoal.testing.strategy import StrategyContract, Walk
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from shoal.training.guide import Counts, Guide
from shoal.training.layers import Layers
from shoal.training.training_set import TrainingPage, TrainingSet
from shoal.url import parse_url
from tests.training.paths import saved, small_set, walked_set

NAMES = ("context-graph", "hmm", "hmm-x-means", "hmm-content", "hmm-content-anchor")
RARITY = Rarity()
BRIEF = Brief(KeywordTopic(("abc fish",), RARITY), ("abc fish",), RARITY.idf)


def make(name: str, training: str | None, **options: Any) -> Strategy:
    recipe = registry.find(name)
    return recipe.make(BRIEF, recipe.options(training=training, **options))


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> str:
    return saved(walked_set(), tmp_path_factory.mktemp("training"))


COUNTS = Counts(states=4, neighbours=5, epsilon=0.01, random_seed=0)
"""What is learnt is never changed by a crawl, so the strategies of the suite share it."""


@cache
def layers() -> Layers:
    return Layers.of(walked_set(), RARITY.idf, most=3, words=40)


@cache
def by_k_means() -> Guide:
    return Guide.by_k_means(walked_set(), RARITY.idf, 5, COUNTS)


@cache
def by_x_means() -> Guide:
    return Guide.by_x_means(walked_set(), 20, COUNTS)


class TestContextGraph(StrategyContract):
    def make_strategy(self) -> Strategy:
        return ContextGraph(layers(), 0.5)


class TestHmm(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Hmm(by_k_means())


class TestHmmXMeans(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Hmm(by_x_means())


class TestHmmContent(StrategyContract):
    def make_strategy(self) -> Strategy:
        return HmmContent(by_k_means())


class TestHmmContentAnchor(StrategyContract):
    def make_strategy(self) -> Strategy:
        return HmmContentAnchor(by_k_means())


@pytest.mark.parametrize("name", NAMES)
def test_the_same_training_gives_the_same_crawl(name: str, walked: str) -> None:
    once, again = Walk(make(name, walked), 1), Walk(make(name, walked), 1)
    once.go(30)
    again.go(30)
    assert once.told == again.told
    assert len({priority.value for _, priority in once.told}) > 1


@pytest.fixture
def training(tmp_path: Path) -> str:
    return saved(small_set(), tmp_path)


SOURCE = parse_url("http://a.example/")
LINKS = [
    Link(SOURCE, parse_url("http://a.example/1"), anchor="Dengue fever"),
    Link(SOURCE, parse_url("http://a.example/2"), anchor="garden"),
    Link(SOURCE, parse_url("http://a.example/3")),
]
LEASE = Lease(1, SOURCE, 1.0, depth=0, redirects=0, attempts=0)


def asked(strategy: Strategy, **terms: int) -> list[Priority]:
    page = Page(url=SOURCE, media_type="text/html", terms=terms, links=tuple(LINKS))
    return list(strategy.priorities(page, Judgement(0.9, 0.4), LINKS, LEASE))


def part(priority: Priority, name: str) -> float:
    return dict(priority.parts)[name]


def test_equations_11_and_12(training: str) -> None:
    """The training set has one relevant page, so it is the centroid itself."""
    options = {"clusters": 3, "states": 3, "neighbours": 1, "epsilon": 0.0}
    plain = asked(make("hmm", training, **options), garden=1, fever=1)
    assert [priority.value for priority in plain] == [0.5, 0.5, 0.5]
    fever, dengue, garden = (RARITY.idf(word) for word in ("fever", "dengue", "garden"))
    cat = ((3 * fever) ** 2 + (4 * dengue) ** 2) ** 0.5
    content = 3 * fever * fever / cat / (fever**2 + garden**2) ** 0.5
    hybrid = asked(make("hmm-content", training, **options), garden=1, fever=1)
    assert [priority.value for priority in hybrid] == pytest.approx([(content + 0.5) / 2] * 3)
    anchor = (3 * fever**2 + 4 * dengue**2) / cat / (fever**2 + dengue**2) ** 0.5
    both = asked(make("hmm-content-anchor", training, **options), garden=1, fever=1)
    assert [priority.value for priority in both] == pytest.approx(
        [
            (0.5 + (content + anchor) / 2) / 2,
            (0.5 + content / 2) / 2,
            (0.5 + content / 2) / 2,
        ]
    )
    assert part(both[0], "anchor") == pytest.approx(anchor / 4)


def test_a_context_graph_takes_the_nearest_layer_first(training: str) -> None:
    strategy = make("context-graph", training, layers=1, words=2)
    near = asked(strategy, dengue=1, fever=1)[0].value
    far = asked(strategy, garden=1)[0].value
    none = asked(strategy, yacht=1)[0].value
    assert [near, far, none] == pytest.approx([2 + 1 / 3, 1 + 1 / 3, 0.0])
    assert strategy.seed(SOURCE).value > near
    backed_off = make("context-graph", training, layers=1, words=2, confidence=0.7)
    assert asked(backed_off, dengue=1, fever=1)[0].value == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_without_a_training_set_it_says_how_to_get_one(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} learns from a browsing path.*`shoal record`"):
        make(name, None)


@pytest.mark.parametrize("name", NAMES)
def test_a_training_set_that_is_not_there_is_said(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        make(name, str(tmp_path / "absent"))


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        ("hmm", "clusters", 1),
        ("hmm", "states", 1),
        ("hmm-content", "neighbours", 0),
        ("hmm-content-anchor", "epsilon", 1.0),
        ("hmm-x-means", "most_clusters", 1),
        ("hmm-x-means", "epsilon", -0.1),
        ("context-graph", "layers", 0),
        ("context-graph", "words", 0),
        ("context-graph", "confidence", 1.5),
    ],
)
def test_an_impossible_option_is_named(name: str, option: str, value: float, training: str) -> None:
    with pytest.raises(UsageError, match=rf"strategy\.{option} "):
        make(name, training, **{option: value})


def test_a_path_without_a_way_has_no_layers(tmp_path: Path) -> None:
    lonely = TrainingSet((TrainingPage("http://a.example/", True, {"fever": 1}, ()),))
    with pytest.raises(UsageError, match="no page of the training set links to a relevant one"):
        make("context-graph", saved(lonely, tmp_path))
