"""Predicted topic: the owner of a Url is guessed from its Link, so that a small Link travels and no
page.

Under C4's topic partition whoever meets a Url fetches it, and most pages then belong to somebody
else. Here four witnesses are heard before anything is fetched, each with a probability for every
category, and multiplied as if they were independent:

- the *name* of the target, its anchor and the words at the end of its Url, as the Team's own model
  reads them: P(c | words) / P(c), to the power ``NAME``;
- the *context*, the words around the Link, read likewise, to the power ``CONTEXT``: most of them
  speak of the page that the Link stands on;
- the *parent*: with chance ``STAYS`` a Link stays in the topic of the page it stands on, else it
  leads to any other one;
- the *place*: what earlier Links into the same directory of the same host turned out to lead to,
  counted while crawling, begun with ``DOUBT`` Links spread evenly.

The Page itself is told by the model all the same: a wrong guess hands it over.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from shoal.model import Link, Page
from shoal.partition.by_topic import TopicPartition
from shoal.url import Url

NAME: Final = 1.5
CONTEXT: Final = 0.4
"""Tuned on pages of wiki that neither the model had seen nor any figure is told of."""
STAYS: Final = 0.4
"""How often a Link stays in its topic: 39.48 % in C4's own crawl (000, 5.3.4)."""
DOUBT: Final = 4.0
"""Links of which a place says nothing yet."""
PLACES: Final = 50_000
"""Places that are remembered, those used last."""
LEAST: Final = 1e-6
"""No witness rules a category out."""

_WORD: Final = re.compile(r"[^\W\d_]{2,}")

Reader = Callable[[Sequence[str]], NDArray[np.float64]]
"""Reads short texts: one row a text, one column a category, each row a distribution."""


class PredictedPartition:
    """A topic Partition whose Links have owners too. A ports.Partition and a ports.Guesser."""

    def __init__(
        self,
        pages: TopicPartition,
        categories: Sequence[str],
        owners: Mapping[str, str],
        read: Reader,
    ) -> None:
        """``categories`` are the columns of ``read``; ``owners`` are those of ``pages``."""
        self._pages = pages
        self._categories = categories
        self._owners = owners
        self._read = read
        self._names = sorted({owners[category] for category in categories})
        self._number = {name: number for number, name in enumerate(self._names)}
        columns = [self._number[owners[category]] for category in categories]
        self._gather = np.zeros((len(categories), len(self._names)))
        self._gather[np.arange(len(categories)), columns] = 1.0
        self._silence = np.log(self._gathered(read([""]))[0])
        self._places: OrderedDict[str, NDArray[np.float64]] = OrderedDict()

    @property
    def crawlers(self) -> tuple[str, ...]:
        return self._pages.crawlers

    @property
    def version(self) -> str:
        return f"predicted/2:{self._pages.version}"

    def owner_of_page(self, page: Page, fetched_by: str) -> str:
        return self._pages.owner_of_page(page, fetched_by)

    def owners_of_links(self, links: Sequence[Link], met_by: str) -> list[str | None]:
        if not links:
            return []
        scores = NAME * self._heard([name_of(link) for link in links])
        scores += CONTEXT * self._heard([link.context for link in links])
        scores += self._parent(met_by)
        for row, link in zip(scores, links, strict=True):
            counts = self._places.get(place_of(link.target))
            if counts is not None:
                row += np.log((counts + DOUBT / len(counts)) / (counts.sum() + DOUBT))
        return [self._names[number] for number in scores.argmax(axis=1)]

    def unlearnt(self) -> PredictedPartition:
        """The same, with nothing learnt yet: each Crawler of a Team learns for itself."""
        return PredictedPartition(self._pages, self._categories, self._owners, self._read)

    def learn(self, link: Link, owner: str) -> None:
        number = self._number.get(owner)
        if number is None:
            return
        place = place_of(link.target)
        counts = self._places.pop(place, None)
        if counts is None:
            counts = np.zeros(len(self._names))
        counts[number] += 1.0
        self._places[place] = counts
        if len(self._places) > PLACES:
            self._places.popitem(last=False)

    def _heard(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """What the model makes of each text, beyond what it makes of none."""
        return np.asarray(np.log(self._gathered(self._read(texts))) - self._silence, np.float64)

    def _gathered(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """From categories to the Crawlers that have them."""
        return np.asarray(np.maximum(rows @ self._gather, LEAST), np.float64)

    def _parent(self, met_by: str) -> NDArray[np.float64]:
        number = self._number.get(met_by)
        others = len(self._names) - 1
        if number is None or not others:
            return np.zeros(len(self._names))
        chances = np.full(len(self._names), (1.0 - STAYS) / others)
        chances[number] = STAYS
        return np.asarray(np.log(chances), np.float64)


def name_of(link: Link) -> str:
    """What a Link calls its target: each word of its anchor and of the last step of its Url once,
    for the two often say the same."""
    step = unquote(link.target.path.rpartition("/")[2]).rpartition(".")
    words = _WORD.findall(f"{link.anchor} {step[0] or step[2]}".replace("_", " ").lower())
    return " ".join(dict.fromkeys(words))


def place_of(url: Url) -> str:
    """The directory that a Url lies in."""
    return url.host + url.path.rpartition("/")[0]
