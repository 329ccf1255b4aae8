"""Strategies by name, options strictly checked, third parties through entry points."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from shoal import config
from shoal.compose.crawl import MadeTopic, make_strategy
from shoal.config import SettingsError
from shoal.strategy import registry
from shoal.strategy.breadth_first import BreadthFirst
from shoal.strategy.recipe import NoOptions, Recipe
from shoal.topic.keywords import KeywordTopic
from tests.cli.command import shoal
from tests.training.paths import saved, small_set
from tests.wordnet.tiny import write_database


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthOptions:
    width: int = 3
    """How wide."""
    names: tuple[str, ...] = ()
    """Which."""


THEIRS = Recipe("theirs", "Somebody's own.", WidthOptions, lambda _brief, _options: BreadthFirst())
MISNAMED = Recipe("other", "Another name.", NoOptions, lambda _brief, _options: BreadthFirst())
NO_RECIPE = BreadthFirst


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "theirs", "THEIRS")


def install(monkeypatch: pytest.MonkeyPatch, name: str, thing: str) -> None:
    point = EntryPoint(name, f"tests.strategy.test_registry:{thing}", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints([point]))


@pytest.mark.parametrize("recipe", registry.BUILT_IN, ids=lambda recipe: recipe.name)
def test_every_strategy_is_found_and_made(
    recipe: Recipe[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert registry.find(recipe.name) is recipe
    needed = {
        "training": saved(small_set(), tmp_path),
        "wordnet": str(write_database(tmp_path / "wordnet")),
    }
    options = {
        field.name: needed[field.name]
        for field in fields(recipe.options)  # type: ignore[arg-type]  # a dataclass
        if field.name in needed
    }
    crawl = {"strategy": recipe.name, "topic": ["dengue fever"]}
    settings = config.check({"crawl": crawl, "strategy": options})
    words = ("dengue fever",)
    make_strategy(settings, MadeTopic(KeywordTopic(words), words, None))


@pytest.mark.parametrize("recipe", registry.BUILT_IN, ids=lambda recipe: recipe.name)
def test_every_option_is_explained(recipe: Recipe[object]) -> None:
    names = [field.name for field in fields(recipe.options)]  # type: ignore[arg-type]  # a dataclass
    assert list(config.option_documentation(recipe.options)) == names


def test_one_option_has_one_type() -> None:
    types: dict[str, str] = {}
    for recipe in registry.BUILT_IN:
        for field in fields(recipe.options):
            assert types.setdefault(field.name, str(field.type)) == str(field.type)


def test_an_unknown_strategy_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(SettingsError, match=r"crawl\.strategy.*did you mean 'breadth-first'"):
        config.check({"crawl": {"strategy": "breadthfirst"}})
    with pytest.raises(SettingsError, match=r"there are breadth-first, .*best-first"):
        config.check({"crawl": {"strategy": "q"}})


@pytest.mark.usefixtures("installed")
def test_the_strategy_of_a_package_is_one_like_ours() -> None:
    layer = config.read_assignments(["crawl.strategy=theirs", "strategy.width=5"])
    settings = config.check(config.merge([layer, config.read_assignments(["strategy.names=a, b"])]))
    assert config.strategy_options("theirs", settings.strategy) == WidthOptions(
        width=5, names=("a", "b")
    )
    assert config.check(config.as_layer(settings)) == settings
    assert "theirs" in registry.names()
    assert registry.recipes()[-1] is THEIRS
    ran = shoal("strategies", "--json")
    assert '"theirs"' in ran.out
    assert "width" in shoal("strategies").out


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"widht": 5}, r"theirs has no option strategy\.widht; did you mean 'strategy\.width'"),
        ({"zzz": 5}, "it has width, names"),
        ({"width": "5"}, r"strategy\.width: Expected int, got str"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        config.check({"crawl": {"strategy": "theirs"}, "strategy": options})


def test_options_of_another_strategy_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"breadth-first has no option strategy\.width"):
        config.check({"crawl": {"strategy": "breadth-first"}, "strategy": {"width": 3}})


def test_a_changed_option_is_a_changed_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "theirs", "THEIRS")
    old = config.check({"crawl": {"strategy": "theirs"}, "strategy": {"width": 1}})
    new = config.check({"crawl": {"strategy": "theirs"}, "strategy": {"names": ["a"]}})
    assert config.changes(old, new) == [
        ("strategy.width", 1, None),
        ("strategy.names", None, ["a"]),
    ]


@pytest.mark.parametrize(
    ("name", "thing", "message"),
    [
        ("theirs", "MISNAMED", "calls itself 'other'"),
        ("theirs", "NO_RECIPE", "must be a shoal Recipe"),
        ("theirs", "ABSENT", "cannot be imported"),
        ("best-first", "THEIRS", "one of Shoal's own"),
    ],
)
def test_a_wrong_entry_point_is_named(
    name: str, thing: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, name, thing)
    with pytest.raises(registry.StrategyError, match=message):
        registry.recipes()
