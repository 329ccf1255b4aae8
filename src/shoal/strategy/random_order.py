"""Random: any waiting Link, each as likely as another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import xxhash

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.strategy.recipe import NoOptions, Recipe
from shoal.url import Url

_RANGE: Final = float(1 << 64)


class RandomOrder:
    """Each Url has a lot, drawn by a hash of its address and ``random_seed``: whoever links to it
    and how often, its lot is the same, so a Url that many pages link to has no more chances."""

    def __init__(self, random_seed: int) -> None:
        self._random_seed = random_seed

    def seed(self, url: Url) -> Priority:
        return self._lot(url)

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del page, judgement, lease
        return [self._lot(link.target) for link in links]

    def _lot(self, url: Url) -> Priority:
        drawn = xxhash.xxh3_64_intdigest(f"{self._random_seed} {url.text}".encode()) / _RANGE
        return Priority(drawn, (Part("lot", drawn),))


RECIPE = Recipe(
    "random",
    "Any Link, by lot.",
    NoOptions,
    lambda brief, _options: RandomOrder(brief.random_seed),
)
