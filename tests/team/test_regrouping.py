"""What waits finds its new owner when a Team changes, wherever it was ended in between."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.compose.balance import Balance
from shoal.crawl import resort
from shoal.frontier.house import FileHouse
from shoal.settings import Settings
from shoal.team.changes import add, drain, retire, split
from tests.crawl import killing
from tests.team.generations import Generations
from tests.team.test_roster import named, on_topics, partition_of, stepped

SETTINGS = killing.settings(11, parallel=4)


def settings() -> Settings:
    # Twins are looked for by each Crawler in what it has: which is first depends on who goes.
    return replace(SETTINGS, duplicates=replace(SETTINGS.duplicates, near=False))


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """What a Team that never changes settles."""
    team = Generations(tmp_path_factory.mktemp("alone"), settings(), named(1, "url"))
    assert team.run()
    return team.settled()


def turns(chance: random.Random, count: int) -> list[int]:
    return [chance.randrange(99) for _ in range(count)]


@pytest.mark.parametrize("rule", ["url", "host", "content"])
def test_a_team_that_changes_settles_what_one_does_that_stays(
    rule: str, alone: Counter[str], tmp_path: Path
) -> None:
    chance = random.Random(7)
    team = Generations(tmp_path, settings(), named(2, rule))
    assert not team.run(turns(chance, 60))
    team.roster = add(team.roster, None)
    assert not team.run(turns(chance, 60))
    team.roster = drain(team.roster, "crawler-1")
    assert team.run()
    assert team.settled() == alone
    assert team.waiting("crawler-1") == 0
    assert team.sent("crawler-1") == 0
    team.roster = retire(team.roster, "crawler-1")
    assert team.run()
    assert team.settled() == alone


def test_what_was_moved_away_comes_back(alone: Counter[str], tmp_path: Path) -> None:
    """And what was moved on twice before anybody looked arrives."""
    chance = random.Random(3)
    team = Generations(tmp_path, settings(), named(2, "url"))
    team.run(turns(chance, 40))
    team.roster = add(team.roster, "third")
    team.run(turns(chance, 9))
    team.roster = drain(team.roster, "third")
    team.run(turns(chance, 3))
    team.roster = drain(add(team.roster, "fourth"), "crawler-2")
    assert team.run()
    assert team.settled() == alone


def test_topics_and_what_waits_go_to_whoever_takes_over(
    alone: Counter[str], tmp_path: Path
) -> None:
    chance = random.Random(5)
    team = Generations(tmp_path, settings(), on_topics())
    team.run(turns(chance, 60))
    team.roster = drain(team.roster, "animals", "plants")
    team.run(turns(chance, 40))
    team.roster = split(team.roster, "stones", "a.model", "2026", ("grey", "blue"))
    team.run(turns(chance, 40))
    team.roster = add(team.roster, "rest", ("WORLD", "stones/blue"))
    team.roster = drain(team.roster, "plants", "rest")
    assert team.run()
    assert team.settled() == alone


@pytest.mark.parametrize("seed", range(6))
def test_changes_and_ends_at_any_moment_lose_and_double_nothing(
    seed: int, alone: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resort, "SLICE", 7)
    chance = random.Random(seed)
    rule = chance.choice(["url", "host", "content", "topic", "topic-by-host"])
    roster = on_topics(rule) if "topic" in rule else named(2, rule)
    team = Generations(tmp_path, settings(), roster, full_bytes=chance.choice([3_000, 1_000_000]))
    for _ in range(12):
        kind = chance.choice(["add", "drain", "split", "none"])
        if kind != "none" and (kind == "drain" or len(team.roster.active) < 6):
            team.roster = stepped(team.roster, kind, chance.randrange(99))
        team.run(turns(chance, chance.randrange(1, 40)), killed=chance.random() < 0.5)
    assert team.run()
    assert team.settled() == alone
    for name in team.roster.leaving:
        assert team.waiting(name) == 0
        assert team.sent(name) == 0


def test_the_hierarchy_is_divided_anew_when_too_much_waits_with_one(
    alone: Counter[str], tmp_path: Path
) -> None:
    team = Generations(tmp_path, settings(), named(3, "hierarchy"))
    team.run(turns(random.Random(1), 120))
    house = FileHouse(team.file, tmp_path / "team", tmp_path / "claims")
    most = max(map(team.waiting, team.roster.active))
    mean = sum(map(team.waiting, team.roster.active)) / 3
    assert most > 1.3 * mean, "this web gives one of them more than its part"
    times = iter([0.0, 1.0, 9.0, 9.0])
    balance = Balance(house, 1.3, 5.0, lambda: next(times))
    assert balance(team.roster) is team.roster, "it is not time yet"
    balanced = balance(team.roster)
    assert balanced.version == team.roster.version + 1
    assert balanced.stretches
    team.roster = balanced
    partition = partition_of(balanced)
    owned = Counter(
        owner
        for name in balanced.active
        for owner in partition.owners_of_links(team.links_waiting(name), name)
    )
    assert max(owned.values()) < most
    assert team.run()
    assert team.settled() == alone
