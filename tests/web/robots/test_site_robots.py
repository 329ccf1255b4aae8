"""SiteRobots: what an answer means, for how long, and how much of it is held in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shoal.model import Cut, FailureKind, RobotsUnknown, Ruling
from shoal.ports import Notes
from shoal.settings import PolitenessSettings
from shoal.testing.notes import MemoryNotes, NotesContract
from shoal.testing.robots import FILE, FREE, ORIGIN, PAGE, RobotsContract, answer, no_answer
from shoal.url import parse_url
from shoal.web.robots import SiteRobots

HOUR_S = 3_600.0
DAY_S = 24 * HOUR_S


class TestMemoryNotes(NotesContract):
    def make_notes(self) -> Notes:
        return MemoryNotes()


class TestSiteRobotsContract(RobotsContract):
    def make_robots(self, settings: PolitenessSettings, agent: str, notes: Notes) -> SiteRobots:
        return SiteRobots(settings, agent, notes)


class TestForgetfulSiteRobotsContract(RobotsContract):
    """The same with hardly any memory: all comes from Notes."""

    def make_robots(self, settings: PolitenessSettings, agent: str, notes: Notes) -> SiteRobots:
        return SiteRobots(settings, agent, notes, memory_lines=1)


@pytest.fixture
def notes() -> MemoryNotes:
    return MemoryNotes()


@pytest.fixture
def robots(notes: MemoryNotes) -> SiteRobots:
    return SiteRobots(PolitenessSettings(), "Shoal", notes)


def ruling(robots: SiteRobots, now_s: float = 0.0) -> Ruling:
    verdict = robots.verdict(PAGE, now_s)
    assert isinstance(verdict, Ruling)
    return verdict


def test_the_ruling_quotes_the_line(robots: SiteRobots) -> None:
    robots.learn(ORIGIN, answer(FILE), 0.0)
    assert ruling(robots) == Ruling(False, "robots", 'line 3: "Disallow: /private/"')


def test_robots_txt_itself_is_allowed(robots: SiteRobots) -> None:
    robots.learn(ORIGIN, answer(b"User-agent: *\nDisallow: /\n"), 0.0)
    verdict = robots.verdict(parse_url(f"{ORIGIN}/robots.txt"), 0.0)
    assert isinstance(verdict, Ruling)
    assert verdict.admitted


def test_nothing_is_asked_where_robots_txt_is_not_obeyed(notes: MemoryNotes) -> None:
    robots = SiteRobots(PolitenessSettings(robots=False), "Shoal", notes)
    verdict = robots.verdict(PAGE, 0.0)
    assert isinstance(verdict, Ruling)
    assert verdict.admitted
    assert "politeness.robots" in verdict.detail


def test_out_of_reach_is_asked_again_after_an_hour_and_then_doubling(robots: SiteRobots) -> None:
    now_s = 0.0
    for hours in (1, 2, 4, 8, 16, 24, 24):
        robots.learn(ORIGIN, answer(b"", 503), now_s)
        refused = ruling(robots, now_s + hours * HOUR_S)
        assert not refused.admitted
        assert refused.passing
        assert refused.detail == "robots.txt answered 503"
        now_s += hours * HOUR_S + 1.0
        assert isinstance(robots.verdict(PAGE, now_s), RobotsUnknown)


def test_out_of_reach_for_thirty_days_is_as_if_there_were_none(notes: MemoryNotes) -> None:
    for day in range(30):
        # Each day another process, so what counts is what was kept.
        robots = SiteRobots(PolitenessSettings(), "Shoal", notes)
        robots.learn(ORIGIN, no_answer(), day * DAY_S)
        assert not ruling(robots, day * DAY_S).admitted
    robots = SiteRobots(PolitenessSettings(), "Shoal", notes)
    robots.learn(ORIGIN, no_answer(), 30 * DAY_S)
    assert ruling(robots, 30 * DAY_S).admitted
    assert "30 days" in ruling(robots, 30 * DAY_S).detail


def test_an_answer_ends_the_row_of_those_out_of_reach(robots: SiteRobots) -> None:
    robots.learn(ORIGIN, no_answer(), 0.0)
    robots.learn(ORIGIN, answer(FILE), 29 * DAY_S)
    robots.learn(ORIGIN, no_answer(), 31 * DAY_S)
    assert not ruling(robots, 31 * DAY_S).admitted


def test_a_file_cut_short_on_the_way_forbids_everything(robots: SiteRobots) -> None:
    for cut in (Cut.TIME, Cut.DISCONNECT):
        robots.learn(ORIGIN, replace(answer(FILE), cut=cut), 0.0)
        assert ruling(robots).detail == f"robots.txt was cut short ({cut})"
        assert not ruling(robots).admitted


def test_a_file_cut_at_our_own_limit_is_read(robots: SiteRobots) -> None:
    robots.learn(ORIGIN, replace(answer(FILE), cut=Cut.LENGTH), 0.0)
    assert "line 3" in ruling(robots).detail


def test_a_failure_that_came_with_a_status_is_judged_by_it(robots: SiteRobots) -> None:
    robots.learn(ORIGIN, replace(no_answer(FailureKind.UNWANTED_TYPE), status=404), 0.0)
    assert ruling(robots).admitted
    robots.learn(ORIGIN, replace(no_answer(FailureKind.DISCONNECT), status=200), 0.0)
    assert not ruling(robots).admitted


def test_a_frozen_web_without_robots_txt_allows_everything(robots: SiteRobots) -> None:
    robots.learn(ORIGIN, no_answer(FailureKind.NOT_IN_WEB), 0.0)
    assert ruling(robots).admitted


def test_a_site_that_may_not_be_asked_is_refused_without_another_attempt(
    robots: SiteRobots,
) -> None:
    robots.learn(ORIGIN, no_answer(FailureKind.FORBIDDEN_ADDRESS), 0.0)
    refused = ruling(robots)
    assert not refused.admitted
    assert not refused.passing
    assert isinstance(robots.verdict(PAGE, 61.0), RobotsUnknown)


def test_a_redirect_of_robots_txt_to_where_we_may_not_ask_may_pass(robots: SiteRobots) -> None:
    elsewhere = parse_url("http://elsewhere.example/robots.txt")
    lost = replace(no_answer(FailureKind.FORBIDDEN_ADDRESS), url=elsewhere)
    robots.learn(ORIGIN, lost, 0.0)
    assert ruling(robots).passing


@pytest.mark.parametrize("location", [None, "", "mailto:a@example.org", "http://[", "ftp://x/y"])
def test_a_redirect_to_nowhere_is_as_if_there_were_none(
    robots: SiteRobots, location: str | None
) -> None:
    assert robots.learn(ORIGIN, answer(status=302, location=location), 0.0) is None
    assert ruling(robots).admitted


def test_five_redirects_are_counted_anew_each_time(robots: SiteRobots) -> None:
    for _ in range(3):
        for hop in range(5):
            assert robots.learn(ORIGIN, answer(status=302, location=f"/{hop}"), 0.0) is not None
        assert robots.learn(ORIGIN, answer(FILE), 0.0) is None
        assert not ruling(robots).admitted


def test_what_was_kept_for_another_product_token_is_not_used(notes: MemoryNotes) -> None:
    SiteRobots(PolitenessSettings(), "Other", notes).learn(ORIGIN, answer(FILE), 0.0)
    ours = SiteRobots(PolitenessSettings(), "Shoal", notes)
    assert isinstance(ours.verdict(PAGE, 0.0), RobotsUnknown)


def test_no_life_is_so_short_that_nothing_else_is_fetched(notes: MemoryNotes) -> None:
    robots = SiteRobots(PolitenessSettings(robots_ttl_s=0.0), "Shoal", notes)
    robots.learn(ORIGIN, answer(FILE), 0.0)
    assert not ruling(robots, 59.0).admitted


def test_memory_holds_a_bounded_number_of_lines(notes: MemoryNotes) -> None:
    robots = SiteRobots(PolitenessSettings(), "Shoal", notes, memory_lines=1_000)
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % n for n in range(99))
    for number in range(50):
        origin = f"https://h{number}.example"
        robots.learn(origin, answer(body), 0.0)
    assert robots.lines_held <= 1_000
    for number in range(50):
        verdict = robots.verdict(parse_url(f"https://h{number}.example/98"), 0.0)
        assert isinstance(verdict, Ruling)
        assert verdict.detail == 'line 100: "Disallow: /98"'
        assert robots.lines_held <= 1_000


def test_a_note_is_written_once_an_answer_and_never_for_a_verdict(
    robots: SiteRobots, notes: MemoryNotes
) -> None:
    robots.learn(ORIGIN, answer(FILE), 0.0)
    for _ in range(100):
        robots.verdict(FREE, 1.0)
    assert notes.writes == 1
