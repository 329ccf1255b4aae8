"""Killed anywhere, nothing lost: real processes, SIGKILL, and the same end as without."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.crawl import killing

SEEDS = (11, 12, 13)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crawl_killed_at_random_points_ends_as_an_unkilled_one(seed: int, tmp_path: Path) -> None:
    _kill_until_done(seed, tmp_path, kills=14, torn=False)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_a_crawl_torn_by_power_cuts_ends_as_an_unkilled_one(seed: int, tmp_path: Path) -> None:
    _kill_until_done(seed, tmp_path, kills=10, torn=True)


@pytest.mark.long
@pytest.mark.parametrize("torn", [False, True])
def test_hundreds_of_kills(torn: bool, tmp_path: Path) -> None:
    for seed in range(20, 30):
        _kill_until_done(seed, tmp_path / str(seed), kills=40, torn=torn)


def _kill_until_done(seed: int, folder: Path, kills: int, torn: bool) -> None:
    made = killing.settings(seed)
    killing.crawl(made, str(folder / "whole"))
    whole = killing.check(folder / "whole")
    assert whole.stop_reason == "finished"
    assert len(whole.settled) > 150

    chance = random.Random(seed)
    broken = folder / "broken"
    done = False
    for _ in range(kills):
        while_opening = chance.random() < 0.2
        after_s = chance.uniform(0.0, 0.5 if while_opening else 1.2)
        done = killing.crawl_and_kill(made, broken, after_s, while_opening)
        if done:
            break
        if torn:
            killing.tear(broken, chance)
        if (broken / "state.sqlite").is_file() and not torn:
            killing.check(broken)
    if not done:
        killing.crawl(made, str(broken))
    left = killing.check(broken)
    assert left.settled == whole.settled
    assert left.digests == whole.digests
    assert left.stop_reason == "finished"
