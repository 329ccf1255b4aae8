"""Killed anywhere, nothing lost: real processes, SIGKILL, and the same end as without."""

from __future__ import annotations

import contextlib
import itertools
import random
from pathlib import Path

import pytest

from shoal.frontier.state import StateMissing
from shoal.settings import Settings
from tests.crawl import killing

SEEDS = (11, 12, 13)


@pytest.mark.parametrize("seed", SEEDS)
def test_crawls_killed_at_random_points_end_as_an_unkilled_one(seed: int, tmp_path: Path) -> None:
    _kill(seed, tmp_path, kills=50, torn=False)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_crawls_torn_by_power_cuts_end_as_an_unkilled_one(seed: int, tmp_path: Path) -> None:
    _kill(seed, tmp_path, kills=30, torn=True)


@pytest.mark.parametrize("torn", [False, True])
def test_with_the_archive_in_a_store_it_is_the_same(torn: bool, tmp_path: Path) -> None:
    _kill(14, tmp_path, kills=8, torn=torn, in_store=True)


@pytest.mark.long
@pytest.mark.parametrize("in_store", [False, True])
@pytest.mark.parametrize("torn", [False, True])
def test_hundreds_of_kills(torn: bool, in_store: bool, tmp_path: Path) -> None:
    for seed in range(20, 30):
        _kill(seed, tmp_path / str(seed), kills=40, torn=torn, in_store=in_store)


def _kill(seed: int, folder: Path, kills: int, torn: bool, in_store: bool = False) -> None:
    """Kill one crawl after another until there were so many kills, and compare each end."""
    made = killing.settings(seed)
    killing.crawl(made, str(folder / "whole"))
    whole = killing.check(folder / "whole")
    assert whole.stop_reason == "finished"
    assert len(whole.settled) > 150

    chance = random.Random(seed)
    for number in itertools.count():
        broken = folder / f"broken-{number}"
        if in_store:
            made = killing.settings(seed, store=f"file://{folder}/store-{number}")
        kills -= _kill_until_done(made, broken, kills, torn, chance)
        left = killing.check(broken)
        assert left.settled == whole.settled
        assert left.digests == whole.digests
        assert left.stop_reason == "finished"
        if not kills:
            return


def _kill_until_done(
    made: Settings, broken: Path, most: int, torn: bool, chance: random.Random
) -> int:
    """Returns how many kills it took, ``most`` at the most; the crawl is finished then."""
    for kills in range(most):
        while_opening = chance.random() < 0.2
        after_s = chance.uniform(0.0, 0.3 if while_opening else 0.6)
        if killing.crawl_and_kill(made, broken, after_s, while_opening):
            return kills
        if torn:
            killing.tear(broken, chance)
        elif (broken / "state.sqlite").is_file():
            with contextlib.suppress(StateMissing):  # killed before there was anything to check
                killing.check(broken)
    killing.crawl(made, str(broken))
    return most
