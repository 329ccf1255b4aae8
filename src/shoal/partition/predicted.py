"""Predicted topic: the owner of a Url is guessed from its Link, so that a small Link travels and no
page.

Under C4's topic partition whoever meets a Url fetches it, and most pages then belong to somebody
else. Here witnesses are heard before anything is fetched, each with a probability for every
Crawler, and multiplied as if they were independent:

- the *name* of the target, its anchor and the words at the end of its Url, as the Team's own model
  reads them: P(c | words) / P(c), to the power ``NAME``;
- the *context*, the words around the Link, read likewise, to the power ``CONTEXT``: most of them
  speak of the page that the Link stands on;
- the *company*: what the other Links of the page turned out to lead to, as far as is known here. It
  is begun with ``HABIT`` Links of which the share ``STAYS`` stays with the *parent*, the owner of
  the page that they stand on, and the others go where Links went so far;
- the *place*: what earlier Links into the same directory of the same host turned out to lead to,
  beyond what all did; begun with ``DOUBT`` Links that say nothing.

What Urls turned out to be is learnt from the pages that are fetched here, from those that come in,
and from what other Crawlers tell; places from the first two. The Page itself is told by the model
all the same: a wrong guess hands it over.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from shoal.model import Lesson, Link, Page
from shoal.partition.by_topic import TopicPartition
from shoal.url import Url

NAME: Final = 1.3
CONTEXT: Final = 0.45
STAYS: Final = 0.4
HABIT: Final = 4.0
"""These and ``UNSURE`` were tuned on Links to the one half of wiki, by a model that has learnt from
the other half; figures are told of models and pages the other way round."""
UNSURE: Final = 60.0
"""Outcomes of which the Team as a whole says nothing yet: the first few are of one topic."""
DOUBT: Final = 4.0
"""Links of which a place says nothing yet."""
OUTCOMES: Final = 200_000
"""Urls of which it is remembered whose they turned out to be, those learnt last."""
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
        self._outcomes: OrderedDict[int, int] = OrderedDict()
        self._totals = np.zeros(len(self._names))
        """Of the outcomes, how many are each Crawler's."""

    @property
    def crawlers(self) -> tuple[str, ...]:
        return self._pages.crawlers

    @property
    def version(self) -> str:
        return f"predicted/3:{self._pages.version}"

    def owner_of_page(self, page: Page, fetched_by: str) -> str:
        return self._pages.owner_of_page(page, fetched_by)

    def owners_of_links(self, links: Sequence[Link], met_by: str) -> list[str | None]:
        return [*self.guess(links, links, met_by)]

    def guess(self, links: Sequence[Link], among: Sequence[Link], met_by: str) -> list[str]:
        if not links:
            return []
        scores = NAME * self._heard([name_of(link) for link in links])
        scores += CONTEXT * self._heard([link.context for link in links])
        usual = (self._totals + UNSURE / len(self._names)) / (self._totals.sum() + UNSURE)
        scores += np.log(self._company(among, met_by, usual))
        for row, link in zip(scores, links, strict=True):
            counts = self._places.get(place_of(link.target))
            if counts is not None:
                row += np.log((counts / usual + DOUBT) / (counts.sum() + DOUBT))
        return [self._names[number] for number in scores.argmax(axis=1)]

    def unlearnt(self) -> PredictedPartition:
        """The same, with nothing learnt yet: each Crawler of a Team learns for itself."""
        return PredictedPartition(self._pages, self._categories, self._owners, self._read)

    def learn(self, link: Link, owner: str) -> None:
        number = self._number.get(owner)
        if number is None:
            return
        self._remember(link.target.key, number)
        place = place_of(link.target)
        counts = self._places.pop(place, None)
        if counts is None:
            counts = np.zeros(len(self._names))
        counts[number] += 1.0
        self._places[place] = counts
        if len(self._places) > PLACES:
            self._places.popitem(last=False)

    def hear(self, lessons: Sequence[Lesson]) -> None:
        for url, owner in lessons:
            number = self._number.get(owner)
            if number is not None:
                self._remember(url, number)

    def _remember(self, url: int, number: int) -> None:
        before = self._outcomes.pop(url, None)
        if before is not None:
            self._totals[before] -= 1.0
        self._outcomes[url] = number
        self._totals[number] += 1.0
        if len(self._outcomes) > OUTCOMES:
            _, forgotten = self._outcomes.popitem(last=False)
            self._totals[forgotten] -= 1.0

    def _company(
        self, among: Sequence[Link], met_by: str, usual: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Where the Links of a page lead, by what is known of some of them."""
        counts = np.zeros(len(self._names))
        for link in among:
            number = self._outcomes.get(link.target.key)
            if number is not None:
                counts[number] += 1.0
        habit = usual.copy()
        parent = self._number.get(met_by)
        if parent is not None:
            habit *= 1.0 - STAYS
            habit[parent] += STAYS
        found = (counts + HABIT * habit) / (counts.sum() + HABIT)
        return np.asarray(np.maximum(found, LEAST), np.float64)

    def _heard(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """What the model makes of each text, beyond what it makes of none."""
        return np.asarray(np.log(self._gathered(self._read(texts))) - self._silence, np.float64)

    def _gathered(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """From categories to the Crawlers that have them."""
        return np.asarray(np.maximum(rows @ self._gather, LEAST), np.float64)


def name_of(link: Link) -> str:
    """What a Link calls its target: each word of its anchor and of the last step of its Url once,
    for the two often say the same."""
    step = unquote(link.target.path.rpartition("/")[2]).rpartition(".")
    words = _WORD.findall(f"{link.anchor} {step[0] or step[2]}".replace("_", " ").lower())
    return " ".join(dict.fromkeys(words))


def place_of(url: Url) -> str:
    """The directory that a Url lies in."""
    return url.host + url.path.rpartition("/")[0]
