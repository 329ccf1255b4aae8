"""What only one place can know for a whole Team: one Politeness, one set of claims, one robots.txt.

A host is asked by whichever Crawler has a Url of it, so its Slots are granted in one place. A
request for a Slot names its Url, so the same answer can be that another Crawler has it: the first
to be granted a Slot for a Url has it from then on, whatever comes of it. Under topic partition this
ends the URL duplication that C4 and X4 bore with; without claims (their faithful mode) each Crawler
fetches what it meets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.model import Failure, FailureKind, Farewell, Fetched, Slot, Taken, Wait
from shoal.ports import Claims, Politeness, Robots
from shoal.team.desk import Question
from shoal.url import Url, parse_url


class MemoryClaims:
    """Claims that end with the process, 8 bytes of key a Url.

    Two Urls with one key (odds of one in some hundred thousand among ten million) count as one: the
    second would be left to whoever has the first.
    """

    def __init__(self) -> None:
        self._holders: dict[int, str] = {}

    def holder(self, url: Url) -> str | None:
        return self._holders.get(url.key)

    def hold(self, url: Url, name: str) -> None:
        self._holders.setdefault(url.key, name)

    def hand_on(self, urls: Sequence[Url], by: str, to: str) -> None:
        for url in urls:
            if self._holders.get(url.key) == by:
                self._holders[url.key] = to

    def close(self) -> None: ...


class TeamPoliteness:
    """The Team's Politeness as one of its Crawlers sees it."""

    def __init__(self, name: str, politeness: Politeness, claims: Claims | None) -> None:
        """``politeness`` is the Team's own, ``claims`` None in the faithful mode."""
        self._name = name
        self._politeness = politeness
        self._claims = claims

    def reserve(
        self, url: Url, now_s: float, *, is_page: bool = True
    ) -> Slot | Wait | Farewell | Taken:
        claims = self._claims if is_page else None
        if claims is not None:
            holder = claims.holder(url)
            if holder is not None and holder != self._name:
                return Taken(holder)
        answer = self._politeness.reserve(url, now_s, is_page=is_page)
        if claims is not None and isinstance(answer, Slot):
            claims.hold(url, self._name)
        return answer

    def release(self, slot: Slot, fetched: Fetched | None, now_s: float) -> Wait | Farewell:
        return self._politeness.release(slot, fetched, now_s)

    def set_delay(self, host: str, delay_s: float) -> None:
        self._politeness.set_delay(host, delay_s)


@dataclass
class Keeper:
    """Answers the questions of Crawlers that run apart from one another, whatever runs them."""

    politeness: Politeness
    robots: Robots
    claims: Claims | None
    addresses: dict[str, str] = field(default_factory=dict)
    """Where hosts stand, as far as a Crawler has told."""
    _slots: dict[str, list[Slot]] = field(default_factory=dict)
    _of: dict[str, TeamPoliteness] = field(default_factory=dict)

    def answer(self, name: str, question: Question) -> Any:
        method, given = question
        if method == "reserve":
            return self._reserve(name, *given)
        if method == "release":
            return self._release(name, *given)
        if method == "verdict":
            return self.robots.verdict(*given)
        if method == "learn":
            return self.robots.learn(*given)
        if method == "set_delay":
            return self.politeness.set_delay(*given)
        if method == "crawl_delay_s":
            return self.robots.crawl_delay_s(*given)
        if method == "sitemaps":
            return self.robots.sitemaps(*given)
        if method == "inherit":
            urls, by = given
            return None if self.claims is None else self.claims.hand_on(urls, by, name)
        raise ValueError(f"nobody answers {method!r}")

    def forget(self, name: str, now_s: float) -> None:
        """A Crawler is gone: its hosts were asked, for all that is known, until now."""
        for slot in self._slots.pop(name, []):
            gone = Failure(
                parse_url(f"http://{slot.host}/"),
                FailureKind.CANCELLED,
                "its crawler ended",
                slot.granted_s,
                0.0,
            )
            self.politeness.release(slot, gone, max(now_s, slot.granted_s))

    def _reserve(
        self, name: str, url: Url, now_s: float, is_page: bool, ip: str | None
    ) -> Slot | Wait | Farewell | Taken:
        if ip is not None:
            self.addresses[url.host] = ip
        own = self._of.get(name)
        if own is None:
            own = self._of[name] = TeamPoliteness(name, self.politeness, self.claims)
        answer = own.reserve(url, now_s, is_page=is_page)
        if isinstance(answer, Slot):
            self._slots.setdefault(name, []).append(answer)
        return answer

    def _release(
        self, name: str, slot: Slot, fetched: Fetched | None, now_s: float
    ) -> Wait | Farewell:
        self._slots[name].remove(slot)
        return self.politeness.release(slot, fetched, now_s)
