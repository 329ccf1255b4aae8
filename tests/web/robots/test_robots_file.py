"""RobotsFile: its grammar, its laws, and hostile files."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.web.robots_file import RobotsFile, comparable_pattern, comparable_target


def rules(*lines: str) -> RobotsFile:
    return RobotsFile.read("\n".join(("User-agent: *", *lines)).encode(), "Shoal")


def admits(file: RobotsFile, target: str) -> bool:
    return file.ruling(target).admitted


# --------------------------------------------------------------------------- groups


@pytest.mark.parametrize("spelling", ["Shoal", "shoal", "SHOAL", "Shoal/1.0", "Shoal (crawler)"])
def test_our_group_is_found_in_any_case_and_version(spelling: str) -> None:
    text = f"User-agent: *\nDisallow: /\nUser-agent: {spelling}\nDisallow: /x\n"
    assert admits(RobotsFile.read(text.encode(), "Shoal"), "/")


@pytest.mark.parametrize("other", ["Sho", "Shoals", "Shoal2", "Shoal-Images", "MyShoal", "sh*al"])
def test_what_is_only_like_our_name_is_not_ours(other: str) -> None:
    text = f"User-agent: {other}\nDisallow: /\n"
    assert admits(RobotsFile.read(text.encode(), "Shoal"), "/")


def test_groups_of_one_name_are_one_group() -> None:
    text = b"User-agent: Shoal\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\n"
    text += b"User-agent: shoal\nDisallow: /b"
    file = RobotsFile.read(text, "Shoal")
    assert [admits(file, target) for target in ("/a", "/b", "/c")] == [False, False, True]


def test_an_empty_group_of_our_own_allows_everything() -> None:
    assert admits(RobotsFile.read(b"User-agent: *\nDisallow: /\nUser-agent: Shoal\n", "Shoal"), "/")


def test_a_line_that_names_us_twice_speaks_once() -> None:
    file = RobotsFile.read(b"User-agent: Shoal\nUser-agent: SHOAL\nDisallow: /a\n", "Shoal")
    assert len(file.lines) == 1


def test_lines_before_any_user_agent_speak_to_nobody() -> None:
    assert admits(RobotsFile.read(b"Disallow: /\nUser-agent: *\nDisallow: /a\n", "Shoal"), "/")


def test_other_records_do_not_end_a_list_of_agents() -> None:
    text = b"User-agent: a\nCrawl-delay: 5\nSitemap: /s\nUser-agent: Shoal\nDisallow: /\n"
    file = RobotsFile.read(text, "a")
    assert not admits(file, "/")
    assert not admits(RobotsFile.read(text, "Shoal"), "/")
    # A Crawl-delay is for the agents above it.
    assert file.crawl_delay_s == 5.0
    assert RobotsFile.read(text, "Shoal").crawl_delay_s is None


# --------------------------------------------------------------------------- lines


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\n", "\r\r\n"])
def test_any_line_end_will_do(end: str) -> None:
    text = end.join(("User-agent: *", "Disallow: /a", "Disallow: /b", ""))
    file = RobotsFile.read(text.encode(), "Shoal")
    assert [admits(file, target) for target in ("/a", "/b", "/c")] == [False, False, True]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffUser-agent: *\nDisallow: /a",
        "User-agent: *\n  Disallow \t:\t /a  # because",
        "User-agent: *\nDisallow:\u00a0/a\u00a0",
        "User-agent:*\nDISALLOW:/a",
        "useragent: *\nDissallow: /a",
        "User-agent *\nDisallow /a",
        "User-agent: * \nDisallow: /a\0",
        "User-agent: *\n\ufeffDisallow: /a",
    ],
)
def test_what_site_owners_meant_is_understood(text: str) -> None:
    file = RobotsFile.read(text.encode(), "Shoal")
    assert not admits(file, "/a")
    assert admits(file, "/b")


def test_numbers_of_lines_are_those_an_editor_shows() -> None:
    file = RobotsFile.read(b"# one\r\n\r\nUser-agent: *\r\nDisallow: /a\r\n", "Shoal")
    assert file.ruling("/a").detail == 'line 4: "Disallow: /a"'


def test_a_web_page_in_place_of_the_file_allows_everything() -> None:
    page = b"<!DOCTYPE html>\n<html><title>User-agent: x</title>\n<body>Disallow: /</body>"
    assert admits(RobotsFile.read(page, "Shoal"), "/")


def test_beyond_500_kib_is_cut_at_the_end_of_a_line() -> None:
    filler = b"Disallow: /filler\n" * (500 * 1024 // 18)
    head = b"User-agent: *\n"
    torn = head + filler[: 500 * 1024 - len(head) - 11] + b"\nDisallow: /torn-here\nDisallow: /b\n"
    file = RobotsFile.read(torn, "Shoal")
    assert not admits(file, "/filler")
    assert admits(file, "/torn-here")
    assert admits(file, "/b")
    # A rule cut in the middle would have forbidden more than it said.
    assert admits(file, "/other")


@pytest.mark.parametrize(
    ("value", "delay_s"),
    [
        ("10", 10.0),
        ("0.5", 0.5),
        ("0,5", 0.5),
        (".5", 0.5),
        ("5s", 5.0),
        ("0", 0.0),
        ("999999999", 86_400.0),
        *((odd, None) for odd in ("-1", "x", "", "inf", "nan")),
    ],
)
def test_crawl_delay(value: str, delay_s: float | None) -> None:
    assert rules(f"Crawl-delay: {value}", "Disallow: /a").crawl_delay_s == delay_s


def test_our_own_group_does_not_inherit_a_crawl_delay() -> None:
    text = b"User-agent: *\nCrawl-delay: 9\nDisallow: /a\n\nUser-agent: Shoal\nDisallow: /b\n"
    assert RobotsFile.read(text, "Shoal").crawl_delay_s is None


def test_sitemaps_are_as_written_once_each_and_bounded() -> None:
    lines = ["Sitemap: https://a.example/s.xml", "sitemap: /b.xml", "SITEMAP: /b.xml", "Sitemap:"]
    assert rules(*lines).sitemaps == ("https://a.example/s.xml", "/b.xml")
    assert len(rules(*(f"Sitemap: /{n}" for n in range(5_000))).sitemaps) == 1_000
    assert rules("Sitemap: /" + "a" * 5_000).sitemaps == ()


# --------------------------------------------------------------------------- patterns


@pytest.mark.parametrize(
    ("pattern", "target", "matches"),
    [
        ("/a%3cd.html", "/a%3Cd.html", True),
        ("/%7Ejoe/", "/~joe/x", True),
        ("/~joe/", "/%7ejoe/x", True),
        ("/a%2fb", "/a/b", False),
        ("/a%2Fb", "/a%2fb", True),
        ("/ü", "/%C3%BC", True),
        ("/%c3%bc", "/ü", True),
        ("/a b", "/a%20b", True),
        ("/a|b", "/a|b", True),
        ("/*%", "/50%", True),
        ("/%2A", "/*", True),
        ("/%24", "/$", True),
        ("/a$b", "/a$b", True),
        ("/a$b", "/a", False),
        ("/a*$", "/abc", True),
        ("/a*b$", "/ab", True),
        ("/a*b$", "/abab", True),
        ("/a*b$", "/abc", False),
        ("/a*ab$", "/ab", False),
        ("*/b", "/a/b", True),
        ("*", "/", True),
        ("/**b", "/b", True),
        ("$", "/", False),
        ("/$", "/", True),
        ("/$", "/a", False),
        ("a", "/a", False),
        ("https://example.org/a", "/a", False),
        ("/a?", "/a?b", True),
        ("/a?", "/a", False),
    ],
)
def test_patterns(pattern: str, target: str, *, matches: bool) -> None:
    assert admits(rules(f"Disallow: {pattern}"), target) is not matches


def test_bytes_that_are_no_utf8_match_themselves() -> None:
    file = RobotsFile.read(b"User-agent: *\nDisallow: /caf\xe9\n", "Shoal")
    assert not admits(file, "/caf%E9")
    assert admits(file, "/caf%C3%A9")


def test_the_index_page_of_an_allowed_folder_allows_the_folder() -> None:
    file = rules("Disallow: /", "Allow: /a/index.html")
    assert admits(file, "/a/")
    assert not admits(file, "/a/b")


_PATTERNS = st.text("ab/*$", min_size=1, max_size=8).map("/".__add__)
_TARGETS = st.text("ab/$", max_size=12).map("/".__add__)


def naive_match(pattern: str, target: str) -> bool:
    anchored = pattern.endswith("$")
    parts = (pattern[:-1] if anchored else pattern).split("*")
    expression = ".*".join(map(re.escape, parts)) + (r"\Z" if anchored else "")
    return re.match(expression, target) is not None


@given(st.lists(st.tuples(st.booleans(), _PATTERNS), max_size=6), _TARGETS)
def test_the_longest_match_decides(lines: list[tuple[bool, str]], target: str) -> None:
    file = rules(*(f"{'Allow' if allow else 'Disallow'}: {pattern}" for allow, pattern in lines))
    matching = [
        (len(comparable_pattern(pattern)), allow)
        for allow, pattern in lines
        if naive_match(pattern, target)
    ]
    assert admits(file, target) is max(matching, default=(0, True))[1]


@given(st.text(max_size=30))
def test_the_comparable_forms_are_stable(text: str) -> None:
    pattern = comparable_pattern(text)
    assert comparable_pattern(pattern) == pattern
    assert pattern.isascii()
    target = comparable_target(text.encode("utf-8", "replace").decode())
    assert comparable_target(target) == target
    assert target.isascii()


@given(st.binary(max_size=400), st.binary(max_size=40))
def test_any_bytes_are_read(body: bytes, target: bytes) -> None:
    for prefix in (b"", b"User-agent: *\nDisallow: ", b"\xef\xbb\xbfUser-agent: Shoal\nAllow:"):
        RobotsFile.read(prefix + body, "Shoal").ruling("/" + target.decode("latin-1"))


# --------------------------------------------------------------------------- hostile files


@pytest.mark.parametrize(
    "body",
    [
        b"Disallow: /" + b"*a" * 250_000 + b"b",
        b"Disallow: /*a*a*a*a*a*a*a*a*a*b\n" * 15_000,
        b"".join(b"Disallow: /*%d\n" % n for n in range(30_000)),
        b"".join(b"Disallow: /%s\n" % (b"a" * n) for n in range(1_000)),
        b"Disallow: /" + b"%41" * 160_000,
        b"User-agent: Shoal\n" * 25_000,
        b"#" * 500_000,
        b":" * 500_000,
        b"\r" * 500_000,
        b"a " * 250_000,
    ],
    ids=["stars", "many stars", "many rules", "many heads", "codes", "agents", "#", ":", "CR", "a"],
)
def test_hostile_files_take_bounded_time(body: bytes) -> None:
    started_s = time.process_time()
    file = RobotsFile.read(b"User-agent: *\n" + body, "Shoal")
    read_s = time.process_time()
    for _ in range(10):
        file.ruling("/" + "a" * 2_000)
    # Ten times what it takes on a slow machine; the blow-up feared takes years.
    assert read_s - started_s < 5.0
    assert time.process_time() - read_s < 5.0
