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
from typing import Any, Protocol

from shoal.events import Committed
from shoal.model import (
    Failure,
    FailureKind,
    Farewell,
    Fetched,
    Lookedup,
    Response,
    RobotsUnknown,
    Slot,
    Taken,
    Wait,
)
from shoal.ports import Claims, Politeness, Robots
from shoal.team.desk import Question, Report
from shoal.team.sure_claims import SureClaims
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


class TellingRobots(Robots, Protocol):
    """Robots that can say what they know to another one."""

    def tell(self, origin: str, now_s: float) -> bytes | None: ...


class TeamAddresses:
    """Where hosts stand, as far as any Crawler of the Team has looked it up and told: each name is
    looked up once while its answer counts. Memory is bounded."""

    def __init__(self, hosts: int = 100_000) -> None:
        self._hosts = hosts
        self._found: dict[str, Lookedup] = {}

    def learn(self, host: str, found: Lookedup) -> None:
        # The ones learnt first are forgotten first.
        self._found.pop(host, None)
        self._found[host] = found
        if len(self._found) > self._hosts:
            del self._found[next(iter(self._found))]

    def known(self, host: str, now_s: float) -> Lookedup | None:
        found = self._found.get(host)
        return found if found is not None and now_s < found.until_s else None

    def ip_of(self, host: str) -> str | None:
        """For the limit on requests to one address, which an answer's age does not matter to."""
        found = self._found.get(host)
        return found.addresses[0] if found is not None and found.addresses else None


@dataclass
class Keeper:
    """Answers the questions of Crawlers that run apart from one another, whatever runs them."""

    politeness: Politeness
    robots: TellingRobots
    claims: Claims | None
    addresses: TeamAddresses = field(default_factory=TeamAddresses)
    _slots: dict[str, list[Slot]] = field(default_factory=dict)
    _of: dict[str, TeamPoliteness] = field(default_factory=dict)

    def answer(self, name: str, question: Question) -> Any:
        for word in question.told:
            self.answer(name, word)
        method, given = question.method, question.given
        if method == "reserve":
            return self._reserve(name, *given)
        if method == "welcome":
            return self._welcome(name, *given)
        if method == "release":
            return self._release(name, *given)
        if method == "robots":
            return self.robots.tell(*given)
        if method == "learn":
            return self._learn(*given)
        if method == "set_delay":
            return self.politeness.set_delay(*given)
        if method == "nothing":
            return None
        if method == "inherit":
            urls, by = given
            return None if self.claims is None else self.claims.hand_on(urls, by, name)
        raise ValueError(f"nobody answers {method!r}")

    def told(self, name: str, report: Report) -> None:
        """A Crawler has said how it stands."""
        if isinstance(self.claims, SureClaims):
            committed = any(isinstance(event, Committed) for event in report.events)
            self.claims.told(name, committed)

    def forget(self, name: str, now_s: float) -> None:
        """A Crawler is gone: its hosts were asked, for all that is known, until now."""
        if isinstance(self.claims, SureClaims):
            self.claims.forget(name)
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
        self,
        name: str,
        now_s: float,
        is_page: bool,
        wanted: Sequence[tuple[Url, Lookedup | None]],
    ) -> list[tuple[Slot | Wait | Farewell | Taken, Lookedup | None]]:
        """Each with where its host stands, where that is known and was not told just now."""
        return [self._reserve_one(name, url, now_s, is_page, news) for url, news in wanted]

    def _reserve_one(
        self, name: str, url: Url, now_s: float, is_page: bool, news: Lookedup | None
    ) -> tuple[Slot | Wait | Farewell | Taken, Lookedup | None]:
        host = url.host
        if news is not None:
            self.addresses.learn(host, news)
        own = self._of.get(name)
        if own is None:
            own = self._of[name] = TeamPoliteness(name, self.politeness, self.claims)
        answer = own.reserve(url, now_s, is_page=is_page)
        if isinstance(answer, Slot):
            self._slots.setdefault(name, []).append(answer)
            if news is None:
                return answer, self.addresses.known(host, now_s)
        return answer, None

    def _welcome(
        self,
        name: str,
        slot: Slot,
        status: int,
        elapsed_s: float,
        ip: str | None,
        now_s: float,
        host: str,
        news: Lookedup | None,
    ) -> None:
        """A release after an answer of which Politeness reads no more than this."""
        if news is not None:
            self.addresses.learn(host, news)
        url = parse_url(f"http://{slot.host}/")
        started_s = now_s - elapsed_s
        plain = Response(url, status, b"", (), b"", b"", started_s, elapsed_s, ip=ip)
        self._release(name, slot, plain, now_s)

    def _learn(self, origin: str, fetched: Fetched, now_s: float) -> RobotsUnknown | bytes:
        further = self.robots.learn(origin, fetched, now_s)
        if further is not None:
            return further
        told = self.robots.tell(origin, now_s)
        assert told is not None, "what was just learnt is known"
        return told

    def _release(
        self, name: str, slot: Slot, fetched: Fetched | None, now_s: float
    ) -> Wait | Farewell:
        self._slots[name].remove(slot)
        return self.politeness.release(slot, fetched, now_s)
