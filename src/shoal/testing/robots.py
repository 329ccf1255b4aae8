"""The contract of ``ports.Robots``, to be run against any implementation.

Subclass :class:`RobotsContract` in a test module and give it ``make_robots``::

    class TestSiteRobots(RobotsContract):
        def make_robots(self, settings, agent, notes):
            return SiteRobots(settings, agent, notes)

The tests stand in the order of the port's guarantees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import pytest

from shoal.model import Failure, FailureKind, Response, RobotsUnknown, Ruling
from shoal.ports import Notes, Robots
from shoal.settings import PolitenessSettings
from shoal.testing.notes import MemoryNotes
from shoal.url import Url, parse_url

ORIGIN = "https://example.org"
PAGE = parse_url(f"{ORIGIN}/private/page.html")
FREE = parse_url(f"{ORIGIN}/public/page.html")
FILE = b"""# ours
User-agent: *
Disallow: /private/
Crawl-delay: 7.5

Sitemap: https://example.org/sitemap.xml
"""


def answer(
    body: bytes = b"", status: int = 200, url: Url | None = None, location: str | None = None
) -> Response:
    """What a server might say to a request for robots.txt."""
    headers = () if location is None else (("location", location),)
    asked = url or parse_url(f"{ORIGIN}/robots.txt")
    return Response(asked, status, b"", headers, body, body, 0.0, 0.1)


def no_answer(kind: FailureKind = FailureKind.TIMEOUT) -> Failure:
    return Failure(parse_url(f"{ORIGIN}/robots.txt"), kind, "nothing came", 0.0, 30.0)


class RobotsContract(ABC):
    """What any Robots must do."""

    @abstractmethod
    def make_robots(self, settings: PolitenessSettings, agent: str, notes: Notes) -> Robots: ...

    @pytest.fixture
    def notes(self) -> MemoryNotes:
        return MemoryNotes()

    @pytest.fixture
    def robots(self, notes: MemoryNotes) -> Robots:
        return self.make_robots(PolitenessSettings(robots_ttl_s=86_400.0), "Shoal", notes)

    # ------------------------------------------------------------------ 1: unknown until told

    def test_an_origin_is_unknown_until_learnt(self, robots: Robots) -> None:
        verdict = robots.verdict(PAGE, 0.0)
        assert isinstance(verdict, RobotsUnknown)
        assert verdict.url.text == f"{ORIGIN}/robots.txt"
        assert robots.learn(ORIGIN, answer(FILE), 0.0) is None
        assert isinstance(robots.verdict(PAGE, 0.0), Ruling)

    def test_origins_are_apart(self, robots: Robots) -> None:
        robots.learn(ORIGIN, answer(FILE), 0.0)
        for other in ("http://example.org/", "https://example.org:8443/", "https://a.example.org/"):
            assert isinstance(robots.verdict(parse_url(other), 0.0), RobotsUnknown)

    def test_redirects_are_followed_to_any_host(self, robots: Robots) -> None:
        hop = robots.learn(ORIGIN, answer(status=301, location="https://www.example.com/r"), 0.0)
        assert hop == RobotsUnknown(parse_url("https://www.example.com/r"))
        assert isinstance(robots.verdict(PAGE, 0.0), RobotsUnknown)
        assert robots.learn(ORIGIN, answer(FILE, url=hop.url), 0.0) is None
        assert self.admits(robots, FREE)
        assert not self.admits(robots, PAGE)

    def test_endless_redirects_allow_everything(self, robots: Robots) -> None:
        hops = 0
        url = parse_url(f"{ORIGIN}/robots.txt")
        while hop := robots.learn(ORIGIN, answer(status=302, url=url, location=f"/{hops}"), 0.0):
            url = hop.url
            hops += 1
        assert hops == 5
        assert self.admits(robots, PAGE)

    def test_what_was_cancelled_is_still_unknown(self, robots: Robots) -> None:
        again = robots.learn(ORIGIN, no_answer(FailureKind.CANCELLED), 0.0)
        assert again is not None
        assert isinstance(robots.verdict(PAGE, 0.0), RobotsUnknown)

    # ------------------------------------------------------------------ 2: what cannot be had

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
    def test_4xx_allows_everything(self, robots: Robots, status: int) -> None:
        robots.learn(ORIGIN, answer(FILE, status), 0.0)
        assert self.admits(robots, PAGE)

    @pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 599])
    def test_5xx_and_429_forbid_everything(self, robots: Robots, status: int) -> None:
        robots.learn(ORIGIN, answer(b"", status), 0.0)
        assert not self.admits(robots, FREE)

    @pytest.mark.parametrize(
        "kind", [FailureKind.DNS, FailureKind.CONNECT, FailureKind.TLS, FailureKind.TIMEOUT]
    )
    def test_no_network_forbids_everything(self, robots: Robots, kind: FailureKind) -> None:
        robots.learn(ORIGIN, no_answer(kind), 0.0)
        assert not self.admits(robots, FREE)

    def test_what_could_not_be_had_is_asked_for_again_within_a_day(self, robots: Robots) -> None:
        robots.learn(ORIGIN, answer(b"", 503), 0.0)
        assert isinstance(robots.verdict(FREE, 86_401.0), RobotsUnknown)

    # ------------------------------------------------------------------ 3: kept through restarts

    def test_what_is_learnt_is_kept_and_then_over(self, robots: Robots) -> None:
        robots.learn(ORIGIN, answer(FILE), 100.0)
        assert not self.admits(robots, PAGE, 100.0 + 86_400.0)
        assert isinstance(robots.verdict(PAGE, 100.0 + 86_401.0), RobotsUnknown)

    @pytest.mark.parametrize("told", [answer(FILE), answer(b"", 503), answer(b"", 404)])
    def test_a_restart_changes_no_verdict(self, notes: MemoryNotes, told: Response) -> None:
        settings = PolitenessSettings()
        first = self.make_robots(settings, "Shoal", notes)
        first.learn(ORIGIN, told, 0.0)
        second = self.make_robots(settings, "Shoal", notes)
        for url in (PAGE, FREE):
            for now_s in (1.0, 1e9):
                assert second.verdict(url, now_s) == first.verdict(url, now_s)
        assert second.crawl_delay_s(ORIGIN) == first.crawl_delay_s(ORIGIN)
        assert second.sitemaps(ORIGIN) == first.sitemaps(ORIGIN)

    # ------------------------------------------------------------------ 4: the line that decided

    def test_each_ruling_names_the_line(self, robots: Robots) -> None:
        robots.learn(ORIGIN, answer(FILE), 0.0)
        refused = robots.verdict(PAGE, 0.0)
        assert isinstance(refused, Ruling)
        assert refused.rule == "robots"
        assert "line 3" in refused.detail
        assert "/private/" in refused.detail

    def test_each_ruling_without_a_file_names_the_answer(self, robots: Robots) -> None:
        robots.learn(ORIGIN, answer(b"", 503), 0.0)
        refused = robots.verdict(PAGE, 0.0)
        assert isinstance(refused, Ruling)
        assert "503" in refused.detail

    # ------------------------------------------------------------------ what else it says

    def test_it_tells_the_crawl_delay_and_the_sitemaps(self, robots: Robots) -> None:
        assert robots.crawl_delay_s(ORIGIN) is None
        assert robots.sitemaps(ORIGIN) == ()
        robots.learn(ORIGIN, answer(FILE), 0.0)
        assert robots.crawl_delay_s(ORIGIN) == 7.5
        assert robots.sitemaps(ORIGIN) == ("https://example.org/sitemap.xml",)

    def test_garbage_never_raises(self, robots: Robots) -> None:
        for garbage in (
            b"",
            b"\0" * 1000,
            bytes(range(256)) * 50,
            b"\xff\xfe<html>",
            b"*" * 10_000,
        ):
            robots.learn(ORIGIN, answer(garbage), 0.0)
            assert self.admits(robots, PAGE)

    @staticmethod
    def admits(robots: Robots, url: Url, now_s: float = 0.0) -> bool:
        verdict = robots.verdict(url, now_s)
        assert isinstance(verdict, Ruling)
        return verdict.admitted
