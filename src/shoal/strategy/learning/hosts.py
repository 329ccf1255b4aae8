"""What is known of each host: a share of relevant pages, and hope where little was tried.

1. A page counts for its host as soon as it is taken in: the next Links to a host know how the last
   page there turned out, whenever all is weighed anew.
2. A host that was not tried is hoped to be better than the usual *host*, never than the usual page
   alone: a crawl that stands on a good host does not leave it for one that it knows nothing of.
3. Hope fades with the first pages, so a trial is a page or two.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from shoal.strategy.learning.rates import drawn, totals
from shoal.strategy.learning.words import Flags, Floats, Ints

HOPE: Final = 0.25
"""By how much an untried host is thought better than the mean: so every host is tried, sooner or
later, and one that is only fair does not keep the crawl to itself."""
FADES: Final = 2.0
"""Hope is divided by this power of 1 + the pages tried."""
_PULL: Final = 3.0
_USUAL_PULL: Final = 1.0


class Hosts:
    """By how much the hosts are better than the mean page of the crawl."""

    def __init__(self) -> None:
        self._good: Floats = np.zeros(0)
        """The sum of the opinions of the pages of each host ..."""
        self._tried: Floats = np.zeros(0)
        """... and their number."""
        self._mean = 0.0
        self._hope = HOPE

    def renew(self, host: Ints, outcome: Floats, mean: float) -> None:
        """Count anew: the host of each Url, and its opinion, or nan where it was not fetched."""
        is_known: Flags = ~np.isnan(outcome)
        size = int(host.max()) + 1 if len(host) else 0
        self._good = totals(host, np.where(is_known, outcome, 0.0), size)
        self._tried = totals(host, is_known, size)
        is_tried = self._tried > 0.0
        shares = self._good[is_tried] / self._tried[is_tried]
        usual = float(drawn(shares.sum(), len(shares), _USUAL_PULL, mean))
        self._mean = mean
        self._hope = min(HOPE, usual + HOPE - mean)

    def add(self, host: int, opinion: float) -> None:
        """One more page of a host. Those met since the last time are counted the next time."""
        if host < len(self._good):
            self._good[host] += opinion
            self._tried[host] += 1.0

    def rates(self, host: Ints) -> Floats:
        """Of these hosts; one met since the last time was not tried."""
        rates: Floats = np.full(len(host), self._hope)
        is_there = host < len(self._good)
        good, tried = self._good[host[is_there]], self._tried[host[is_there]]
        hope = self._hope / (1.0 + tried) ** FADES
        rates[is_there] = drawn(good, tried, _PULL, self._mean) - self._mean + hope
        return rates
