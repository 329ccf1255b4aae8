"""Claims that are sure in a Team that has changed.

A claim is on disk before its Url is fetched; what its holder knows of that Url is, after the next
commit. A crash in between leaves a claim to a Url that its holder has never heard of. In a Team
that stays as it is the holder meets that Url again; once the Team has changed it may be another's,
and nobody would ever fetch it. So whoever asks for a Url that another has is answered after a look:

1. A claim counts while its holder may know more than it has committed (it is *fresh*), or where the
   holder's committed state has the Url: waiting, or settled as anything but elsewhere.
2. A claim that does not count goes to whoever asks.
3. Memory holds the fresh claims alone: some hundreds a Crawler.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from shoal.model import Known, Outcome, UrlState
from shoal.ports import Claims
from shoal.url import Url


def is_dealt_with(known: Known | None) -> bool:
    """Whether a Crawler that knows this of a Url will fetch it, or send it on, or has done so."""
    if known is None or known.state is UrlState.REFUSED:
        return False
    left = known.visits and known.visits[-1].outcome is Outcome.ELSEWHERE
    return known.state is not UrlState.SETTLED or not left


class SureClaims:
    """Claims over others."""

    def __init__(self, claims: Claims, knows: Callable[[str, Url], bool]) -> None:
        """``knows`` says whether a Crawler's committed state has a Url to fetch or has dealt with
        it."""
        self._claims = claims
        self._knows = knows
        self._fresh: dict[str, set[int]] = defaultdict(set)
        self._fresh_before: dict[str, set[int]] = defaultdict(set)

    def holder(self, url: Url) -> str | None:
        name = self._claims.holder(url)
        if name is None or self._is_fresh(name, url) or self._knows(name, url):
            return name
        return None

    def hold(self, url: Url, name: str) -> None:
        before = self._claims.holder(url)
        if before is None or before == name:
            self._claims.hold(url, name)
        elif self.holder(url) is None:
            self._claims.hand_on([url], before, name)
        else:
            return
        self._fresh[name].add(url.key)

    def hand_on(self, urls: Sequence[Url], by: str, to: str) -> None:
        self._claims.hand_on(urls, by, to)
        self._fresh[to].update(url.key for url in urls)

    def close(self) -> None:
        self._claims.close()

    def told(self, name: str, committed: bool) -> None:
        """A Crawler has reported; ``committed``: it has committed since it reported last, and with
        that all that it asked for before then."""
        if committed:
            self._fresh_before[name] = self._fresh.pop(name, set())
        else:
            self._fresh_before[name] |= self._fresh.pop(name, set())

    def forget(self, name: str) -> None:
        """A Crawler has ended: it knows what it has committed."""
        self._fresh.pop(name, None)
        self._fresh_before.pop(name, None)

    def _is_fresh(self, name: str, url: Url) -> bool:
        return url.key in self._fresh[name] or url.key in self._fresh_before[name]
