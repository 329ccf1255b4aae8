"""OPIC: the Url that holds the most cash.

A page that is read shares its cash out among its Links, in equal parts:

    cash(u) = sum over pages q read that link to u of cash(q) / links(q)

(Abiteboul, Preda and Cobena, "Adaptive on-line page importance computation".) Each seed begins
with a cash of 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from shoal.model import Judgement, Lease, Link, Page, Part, Priority
from shoal.rank.graph import PageLinks
from shoal.rank.growing import Growing
from shoal.strategy.best_first import SEED
from shoal.strategy.link_memory import LinkMemory
from shoal.strategy.recipe import NoOptions, Recipe
from shoal.url import Url

_SPENT: Final = "spent/"
"""Names of the pieces that tell what each page had to share out."""
_PIECE_PAGES: Final = 1024


class Opic:
    """The cash of what waits only ever grows, so an Offer raises a Url to what it holds.

    What a page has to share out is the priority that it was leased with, so the target of a
    redirect has what the redirecting Url held.
    """

    def __init__(self) -> None:
        self._memory = LinkMemory()
        self._cash = Growing(np.float64)
        self._spent = Growing(np.float64)
        self._kept = 0
        """The pages whose cash was written down."""

    def seed(self, url: Url) -> Priority:
        del url
        return SEED

    def priorities(
        self, page: Page, judgement: Judgement, links: Sequence[Link], lease: Lease
    ) -> Sequence[Priority]:
        del judgement
        told = self._memory.tell(page, links)
        self._share_out(told, lease.priority)
        held = self._cash.values[told.targets].tolist()
        return [Priority(cash, (Part("cash", cash),)) for cash in held]

    def knowledge(self) -> Mapping[str, bytes]:
        first = self._kept // _PIECE_PAGES
        spent = self._spent.values
        pieces = {
            f"{_SPENT}{start // _PIECE_PAGES}": spent[start : start + _PIECE_PAGES].tobytes()
            for start in range(first * _PIECE_PAGES, len(spent), _PIECE_PAGES)
            if len(spent) > self._kept
        }
        self._kept = len(spent)
        return {**self._memory.knowledge(), **pieces}

    def recall(self, read: Callable[[str], bytes | None]) -> None:
        number = 0
        spent: list[float] = []
        while (piece := read(f"{_SPENT}{number}")) is not None:
            spent += np.frombuffer(piece, np.float64).tolist()
            number += 1
        for told, cash in zip(self._memory.recall(read), spent, strict=True):
            self._share_out(told, cash)
        self._kept = len(spent)

    def _share_out(self, told: PageLinks, cash: float) -> None:
        self._spent.append(np.array([cash]))
        self._cash.grow(self._memory.graph.nodes)
        if len(told.distinct):
            self._cash.values[told.distinct] += cash / len(told.distinct)


RECIPE = Recipe(
    "opic",
    "The Link to what holds the most cash, which pages share out among their Links.",
    NoOptions,
    lambda _brief, _options: Opic(),
)
