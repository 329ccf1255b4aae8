"""RuleScope: the contract, the order, and each rule by name."""

from __future__ import annotations

import calendar
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.clock import VirtualClock
from shoal.model import Link, LinkKind, Ruling
from shoal.ports import Scope
from shoal.scope import IN_SCOPE, RULES, Candidate, Patterns, RuleScope, build_scope, rule_scope
from shoal.scope.traps import QueryVariants
from shoal.settings import FetchSettings, PolitenessSettings, ScopeSettings
from shoal.testing.scope import ScopeContract
from shoal.url import BadUrl, parse_url

IN_2026 = VirtualClock(calendar.timegm((2026, 6, 1, 0, 0, 0)))


def make(
    scope: ScopeSettings | None = None,
    fetch: FetchSettings | None = None,
    politeness: PolitenessSettings | None = None,
) -> RuleScope:
    return build_scope(
        scope or ScopeSettings(),
        fetch or FetchSettings(),
        politeness or PolitenessSettings(),
        IN_2026,
    )


def ask(scope: Scope, text: str, kind: LinkKind = LinkKind.ANCHOR) -> Ruling:
    return scope.admit(Link(None, parse_url(text), kind), 1, 0, 0)


class TestContract(ScopeContract):
    def make_scope(self) -> Scope:
        return make()


class TestContractWithEverySettingOn(ScopeContract):
    def make_scope(self) -> Scope:
        return make(
            ScopeSettings(
                include=("*",), exclude=("*/private/*",), hosts=("example.org",), depth=20
            )
        )


def test_rules_are_asked_in_the_order_of_the_list() -> None:
    every = ScopeSettings(include=("*",), exclude=("x",), hosts=("example.org",), depth=1)
    assert make(every).rules == tuple(rule.name for rule in RULES)


def test_rules_without_a_setting_are_not_asked() -> None:
    scope = make(
        ScopeSettings(host_urls=None, skip_extensions=()),
        FetchSettings(allow_private=True),
        PolitenessSettings(robots=False),
    )
    absent = {rule.name for rule in RULES} - set(scope.rules)
    assert absent == {
        "private-host", "nofollow", "depth", "hosts", "include", "exclude", "extension",
        "host-urls",
    }  # fmt: skip


def test_the_first_rule_with_an_opinion_is_the_one_named() -> None:
    scope = make(ScopeSettings(depth=2, exclude=("*",)))
    link = Link(None, parse_url("http://example.org/"))
    assert scope.admit(link, 3, 0, 0).rule == "depth"
    assert scope.admit(link, 2, 0, 0).rule == "exclude"


PATHS = (
    "/", "/a/b", "/a/a/a/a/a/a", "/film.gz", "/page.zip", "/events/2031-05-01", "/events?month=14",
    "/p?x=1", "/p?x=2", "/p?x=3", "/long" + "g" * 60, "/private/x",
)  # fmt: skip
CANDIDATES = st.tuples(
    st.sampled_from(("example.org", "sub.example.org", "example.net", "localhost")),
    st.sampled_from(PATHS),
    st.sampled_from((LinkKind.ANCHOR, LinkKind.SITEMAP, LinkKind.SEED, LinkKind.EMBED)),
    st.sampled_from(((), ("nofollow",))),
    st.integers(0, 4),
    st.integers(0, 12),
    st.integers(0, 2),
)


@given(st.lists(CANDIDATES, max_size=40))
def test_what_was_let_in_before_is_judged_as_if_it_were_new(
    candidates: list[tuple[str, str, LinkKind, tuple[str, ...], int, int, int]],
) -> None:
    strict = ScopeSettings(
        depth=2, hosts=("example.org",), exclude=("*/private/*",), url_length=60, query_variants=2,
        host_urls=2,
    )  # fmt: skip
    scope, forgetful = make(strict), make(strict)
    forgetful = replace(forgetful, of_link=forgetful.opinions)
    for host, path, kind, rel, depth, redirects, known in candidates:
        link = Link(None, parse_url(f"http://{host}{path}"), kind, rel=rel)
        asked = (link, depth, redirects, known)
        assert scope.admit(*asked) == forgetful.admit(*asked)


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_scope, "SOUND_REMEMBERED", 10)
    scope = make()
    rulings = [ask(scope, f"http://example.org/{number}") for number in range(25)]
    assert rulings == [IN_SCOPE] * 25
    assert len(scope._sound) <= 10


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
        "0x7f.1", "2130706433", "[::1]", "[fe80::1]", "[fc00::1]", "[::ffff:10.0.0.1]", "localhost",
        "localhost.", "a.localhost", "printer.local", "vault.internal", "router.home.arpa",
        "127.0.0.1:8080", "224.0.0.1", "[ff02::1]",
    ],
)  # fmt: skip
def test_private_hosts_are_refused_even_as_seeds(host: str) -> None:
    ruling = ask(make(), f"http://{host}/", LinkKind.SEED)
    assert (ruling.admitted, ruling.rule) == (False, "private-host")
    assert ask(make(fetch=FetchSettings(allow_private=True)), f"http://{host}/").admitted


@pytest.mark.parametrize("host", ["8.8.8.8", "[2606:4700::1111]", "localhost.example.org", "arpa"])
def test_public_hosts_are_not(host: str) -> None:
    assert ask(make(), f"http://{host}/") == IN_SCOPE


def test_a_chain_of_redirects_ends_even_for_seeds() -> None:
    scope = make(fetch=FetchSettings(redirects=3))
    link = Link(None, parse_url("http://example.org/"), LinkKind.SEED)
    assert scope.admit(link, 0, 3, 0).admitted
    assert scope.admit(link, 0, 4, 0).rule == "redirects"


def test_a_seed_is_in_whatever_the_other_rules_say() -> None:
    scope = make(ScopeSettings(exclude=("*",), hosts=("example.net",), depth=0))
    ruling = ask(scope, "http://example.org/a.zip", LinkKind.SEED)
    assert (ruling.admitted, ruling.rule) == (True, "seed")


@pytest.mark.parametrize(
    ("kind", "admitted"),
    [
        (LinkKind.EMBED, False),
        (LinkKind.ALTERNATE, False),
        (LinkKind.ANCHOR, True),
        (LinkKind.AREA, True),
        (LinkKind.FRAME, True),
        (LinkKind.REDIRECT, True),
        (LinkKind.REFRESH, True),
        (LinkKind.CANONICAL, True),
        (LinkKind.SITEMAP, True),
        (LinkKind.OTHER, True),
    ],
)
def test_only_ways_for_readers_are_followed(kind: LinkKind, admitted: bool) -> None:
    ruling = ask(make(), "http://example.org/a", kind)
    assert ruling.admitted is admitted
    assert admitted or ruling.rule == "kind"


@pytest.mark.parametrize(
    ("rel", "admitted"),
    [
        (("nofollow",), False),
        (("ugc", "nofollow"), False),
        (("ugc",), True),
        (("sponsored",), True),
        ((), True),
    ],
)
def test_nofollow_is_obeyed_with_robots(rel: tuple[str, ...], admitted: bool) -> None:
    link = Link(None, parse_url("http://example.org/a"), rel=rel)
    assert make().admit(link, 1, 0, 0).admitted is admitted
    assert make(politeness=PolitenessSettings(robots=False)).admit(link, 1, 0, 0).admitted


@pytest.mark.parametrize(
    ("text", "admitted"),
    [
        ("http://example.org/", True),
        ("http://www.example.org/", True),
        ("http://notexample.org/", False),
        ("http://example.org.evil.test/", False),
        ("http://xn--bcher-kva.test/", True),
        ("http://a.example.net:8080/", True),
    ],
)
def test_hosts_and_what_is_below_them(text: str, admitted: bool) -> None:
    hosts = ("Example.org.", "bücher.test", "*.example.net")
    ruling = ask(make(ScopeSettings(hosts=hosts)), text)
    assert ruling.admitted is admitted
    assert admitted or ruling.rule == "hosts"


def test_a_host_that_is_none_is_an_error_that_names_the_setting() -> None:
    with pytest.raises(BadUrl, match=r"scope\.hosts: 'a b'"):
        make(ScopeSettings(hosts=("a b",)))


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("*", "http://example.org/", True),
        ("example.org/*", "https://example.org/a", True),
        ("example.org/*", "https://www.example.org/a", False),
        ("http://example.org/*", "https://example.org/a", False),
        ("*/wiki/*", "http://example.org/wiki/a", True),
        ("*/wiki/*", "http://example.org/wikis/a", False),
        ("*?print=1", "http://example.org/a?print=1", True),
        ("*?print=1", "http://example.org/a.print=1", False),
        ("*.html", "http://example.org/a.html?b", False),
        ("*a*b*c*z", "http://example.org/abc", False),
        ("*a*b*c*", "http://example.org/abc", True),
        ("example.org/[a]", "http://example.org/a", False),
    ],
)
def test_patterns(pattern: str, text: str, matches: bool) -> None:
    assert (Patterns.of([pattern]).find(text) == pattern) is matches
    assert ask(make(ScopeSettings(include=(pattern,))), text).admitted is matches
    refusal = ask(make(ScopeSettings(exclude=("nothing", pattern))), text)
    assert refusal.admitted is not matches
    assert not matches or refusal == Ruling(False, "exclude", f"it matches {pattern}")


@given(
    pieces=st.lists(st.text("ab?.[", max_size=3), min_size=1, max_size=6),
    text=st.text("ab?.[", max_size=12),
)
def test_patterns_match_as_a_plain_reading_does(pieces: list[str], text: str) -> None:
    pattern = "*" + "*".join(pieces)
    assert (Patterns.of([pattern]).find(text) is not None) == _plainly(pattern, text)


def _plainly(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(_plainly(pattern[1:], text[start:]) for start in range(len(text) + 1))
    return text[:1] == pattern[0] and _plainly(pattern[1:], text[1:])


def test_many_stars_take_no_time() -> None:
    patterns = Patterns.of(["*" + "a*" * 40 + "b"])
    assert patterns.find("http://example.org/" + "a" * 1_900) is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("http://example.org/" + "a" * 2_000, "url-length"),
        ("http://example.org/" + "/".join(map(str, range(21))), "path-segments"),
        ("http://example.org/a.ZIP", "extension"),
        ("http://example.org/a.jpg?size=2", "extension"),
        ("http://example.org/?" + "&".join(map(str, range(13))), "query-parameters"),
        ("http://example.org/a/a/a/a", "repeated-segments"),
        ("http://example.org/a/x/a/y/a/z/a", "repeated-segments"),
        ("http://example.org/a/b/a/b/a/b/", "repeated-segments"),
        ("http://example.org/a/b/c/a/b/c/a/b/c", "repeated-segments"),
        ("http://example.org///////", "repeated-segments"),
        ("http://example.org/foi/enabling_cookies/" + "enabling_cookies/" * 3, "repeated-segments"),
    ],
)  # fmt: skip
def test_traps_are_refused(text: str, rule: str) -> None:
    ruling = ask(make(), text)
    assert (ruling.admitted, ruling.rule) == (False, rule)


@pytest.mark.parametrize(
    "text",
    [
        "http://example.org/a.zip/",
        "http://example.org/zip",
        "http://example.zip/",
        "http://example.org/a/a/a",
        "http://example.org/a/b/a/b/",
        "http://example.org/2010/10/10/",
        "http://example.org/a.html?file=b.zip",
        "http://example.org/paper.pdf",
    ],
)
def test_what_only_looks_like_a_trap_is_not(text: str) -> None:
    assert ask(make(), text) == IN_SCOPE


def test_a_compressed_sitemap_is_let_through() -> None:
    assert ask(make(), "http://example.org/sitemap.xml.gz", LinkKind.SITEMAP).admitted
    assert ask(make(), "http://example.org/sitemap.xml.gz").rule == "extension"


def test_one_more_segment_of_a_link_that_nests_is_refused_at_last() -> None:
    """A page that links to itself, wrongly relative: the trap of a login form."""
    scope = make()
    url = parse_url("http://example.org/login/cookies/")
    for _ in range(10):
        url = parse_url("cookies/", url)
        if not scope.admit(Link(None, url), 1, 0, 0).admitted:
            break
    assert url.path.count("cookies") == 4


@pytest.mark.parametrize(
    "text",
    [
        "http://example.org/2040/05/12/",
        "http://example.org/events/2040-05",
        "http://example.org/?year=2040&month=5",
        "http://example.org/calendar/1999/05/",
        "http://example.org/calendar?date=19990512",
        "http://example.org/cal?t=915148800",
        "http://example.org/calendar?month=13",
        "http://example.org/calendar?month=%2B153",
        "http://example.org/agenda/week/54",
        "http://example.org/Calendar.aspx?Year=3000",
        "http://example.org/calendar?month=123456789012345678901",
    ],
)
def test_calendars_far_from_now_are_refused(text: str) -> None:
    assert ask(make(), text).rule == "calendar"


@pytest.mark.parametrize(
    "text",
    [
        "http://example.org/1999/05/12/story.html",
        "http://example.org/events/2025/05/",
        "http://example.org/calendar?month=2026-05",
        "http://example.org/calendar?month=202605",
        "http://example.org/calendar?month=12",
        "http://example.org/article/205012",
        "http://example.org/item/2503/12",
        "http://example.org/seventh/1999/05/",
        "http://example.org/my/2040",
    ],
)
def test_other_dates_and_numbers_are_not(text: str) -> None:
    assert ask(make(), text) == IN_SCOPE


def test_a_calendar_is_left_after_the_years_that_the_settings_give() -> None:
    scope = make(ScopeSettings(calendar_years=2))
    followed = 0
    for month in range(12 * 50):
        text = f"http://example.org/cal?year={2026 + month // 12}&month={month % 12 + 1}"
        followed += ask(scope, text).admitted
    assert followed == 36


def test_the_clock_says_what_is_far() -> None:
    clock = VirtualClock(calendar.timegm((1998, 1, 1, 0, 0, 0)))
    scope = build_scope(ScopeSettings(), FetchSettings(), PolitenessSettings(), clock)
    assert ask(scope, "http://example.org/calendar/1999/05/").admitted
    assert not ask(scope, "http://example.org/2026/05/").admitted


def test_queries_of_one_path_run_out() -> None:
    scope = make(ScopeSettings(query_variants=5))
    urls = [f"http://example.org/list?page={page}" for page in range(8)]
    assert [ask(scope, url).admitted for url in urls] == [True] * 5 + [False] * 3
    assert ask(scope, urls[7]).detail == "5 other queries of /list are in"
    assert [ask(scope, url).admitted for url in urls[:5]] == [True] * 5, "what is in stays in"
    assert ask(scope, "http://example.org/list").admitted, "no query is no variant"
    assert ask(scope, "http://example.org/other?page=9").admitted
    assert ask(scope, "https://example.org/list?page=9").admitted


def test_what_other_rules_refuse_does_not_count_as_a_query() -> None:
    scope = make(ScopeSettings(query_variants=1, host_urls=10))
    refused = Link(None, parse_url("http://example.org/list?page=1"))
    assert scope.admit(refused, 1, 0, 10).rule == "host-urls"
    assert ask(scope, "http://example.org/list?page=2").admitted


def test_the_memory_of_queries_is_bounded() -> None:
    rule = QueryVariants(most=10, remembered=100)
    for number in range(5_000):
        url = parse_url(f"http://example.org/{number % 700}?q={number}")
        rule.opinion(Candidate(Link(None, url), 1, 0, 0))
    assert sum(len(known) for known in rule._queries.values()) <= 100
    assert len(rule._queries) <= 100


def test_a_host_has_its_share() -> None:
    scope = make(ScopeSettings(host_urls=100))
    link = Link(None, parse_url("http://example.org:8080/"))
    assert scope.admit(link, 1, 0, 99).admitted
    assert scope.admit(link, 1, 0, 100) == Ruling(
        False, "host-urls", "100 Urls of example.org:8080 are in already"
    )


@given(
    pieces=st.lists(
        st.sampled_from(
            ("/", "a", "?", "&", "=", "year=", "month=", "-", "2031", "99999999999", "%2B")
        )
        | st.text(max_size=4),
        max_size=12,
    ),
    kind=st.sampled_from(LinkKind),
)
def test_whatever_a_page_links_to_gets_a_ruling(pieces: list[str], kind: LinkKind) -> None:
    try:
        url = parse_url("".join(pieces), parse_url("http://example.org/a/"))
    except BadUrl:
        return
    scope = make()
    ruling = scope.admit(Link(None, url, kind), 1, 0, 0)
    assert ruling.rule in {*scope.rules, IN_SCOPE.rule}
    assert ruling.detail
    assert scope.admit(Link(None, url, kind), 1, 0, 0) == ruling


@given(depth=st.integers(0, 100), known=st.integers(0, 10**6), most=st.integers(0, 100))
def test_deeper_is_never_easier(depth: int, known: int, most: int) -> None:
    scope = make(replace(ScopeSettings(), depth=most))
    link = Link(None, parse_url("http://example.org/"))
    if not scope.admit(link, depth, 0, known).admitted:
        assert not scope.admit(link, depth + 1, 0, known).admitted
