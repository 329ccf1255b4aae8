"""The path of a Url, case by case, on webs of a few pages."""

from __future__ import annotations

from itertools import product
from threading import Event as Flag

import pytest

from shoal.crawl.stop import StopReason
from shoal.events import HostGivenUp, HostParked, Waiting
from shoal.model import LinkKind, Outcome, UrlState
from tests.crawl.small_web import START, Answer, crawl, page

LONG = "dengue fever is carried by mosquitoes and seen in the tropics every wet season " * 8
MANY_WORDS = " ".join("".join(letters) for letters in product("abdeg", "rnlst", "aeiou", "kmpdf"))


def test_every_reachable_page_is_settled_once_and_the_crawl_says_that_it_is_finished() -> None:
    done = crawl({START: page("/b", "/c"), "http://a.example/b": page("/", "/c")})
    assert done.stop.reason is StopReason.FINISHED
    assert sorted(done.settled()) == [START, "http://a.example/b", "http://a.example/c"]
    assert done.outcome("http://a.example/c") is Outcome.HTTP_ERROR
    assert done.ledger.fact("stop_reason") == "finished"


def test_best_first_is_exact_with_one_request_at_a_time() -> None:
    """The anchor that is the topic goes before earlier links, and across hosts."""
    done = crawl(
        {
            START: page("/x weather", "http://b.example/y dengue fever", "/z fever"),
            "http://a.example/x": page(),
            "http://b.example/y": page(),
            "http://a.example/z": page(),
        },
        "politeness.robots=false",
    )
    assert done.pages_asked() == [
        START,
        "http://b.example/y",
        "http://a.example/z",
        "http://a.example/x",
    ]
    parts = dict(done.known("http://b.example/y").priority.parts)
    assert parts["anchor"] == pytest.approx(0.5)


def test_breadth_first_takes_links_in_the_order_in_which_they_were_found() -> None:
    answers = {START: page("/x", "/y dengue fever", "/z")}
    done = crawl(answers, "crawl.strategy=breadth-first")
    assert done.pages_asked()[1:] == [f"http://a.example/{name}" for name in "xyz"]


def test_a_redirect_is_a_recorded_hop_whose_target_is_a_link() -> None:
    moved = Answer(status=301, headers=(("location", "http://b.example/new"),))
    done = crawl(
        {START: page("/old"), "http://a.example/old": moved, "http://b.example/new": page()}
    )
    (hop,) = done.visits("http://a.example/old")
    assert (hop.outcome, hop.detail) == (Outcome.REDIRECT, "http://b.example/new")
    target = done.known("http://b.example/new")
    assert (target.kind, target.depth, target.redirects) == (LinkKind.REDIRECT, 1, 1)
    assert target.source == "http://a.example/old"


def test_endless_redirects_end() -> None:
    answers = {
        f"http://a.example/{number}": Answer(status=302, headers=(("location", f"/{number + 1}"),))
        for number in range(100)
    }
    done = crawl(answers, "fetch.redirects=3", seeds=["http://a.example/0"])
    assert len(done.pages_asked()) == 4
    assert done.known("http://a.example/4").ruling.rule == "redirects"


def test_robots_txt_is_read_first_and_its_line_is_told() -> None:
    robots = Answer(
        "User-agent: *\nDisallow: /private\n", headers=(("content-type", "text/plain"),)
    )
    done = crawl({"http://a.example/robots.txt": robots, START: page("/private/x", "/open")})
    assert done.shelf.asked[0] == "http://a.example/robots.txt"
    assert "http://a.example/private/x" not in done.shelf.asked
    (refused,) = done.visits("http://a.example/private/x")
    assert refused.outcome is Outcome.ROBOTS
    assert "Disallow: /private" in refused.detail


def test_robots_txt_is_not_asked_for_when_the_settings_say_so() -> None:
    done = crawl({START: page()}, "politeness.robots=false")
    assert done.shelf.asked == [START]


def test_a_robots_txt_out_of_reach_forbids_for_the_time_being() -> None:
    done = crawl(
        {"http://a.example/robots.txt": Answer(status=503), START: page()},
        "crawl.attempts=2",
    )
    assert START not in done.shelf.asked
    assert [visit.outcome for visit in done.visits(START)] == [Outcome.RETRY, Outcome.ROBOTS]


def test_a_redirected_robots_txt_is_followed_to_another_host() -> None:
    moved = Answer(status=301, headers=(("location", "http://b.example/rules"),))
    rules = Answer("User-agent: *\nDisallow: /no\n", headers=(("content-type", "text/plain"),))
    done = crawl(
        {
            "http://a.example/robots.txt": moved,
            "http://b.example/rules": rules,
            START: page("/no", "/yes"),
        }
    )
    assert done.outcome("http://a.example/no") is Outcome.ROBOTS
    assert "http://a.example/yes" in done.shelf.asked


def test_crawl_delay_is_obeyed() -> None:
    robots = Answer("User-agent: *\nCrawl-delay: 7\n", headers=(("content-type", "text/plain"),))
    answers = {"http://a.example/robots.txt": robots, START: page("/b", "/c")}
    quick = crawl({START: page("/b", "/c")})
    slow = crawl(answers)
    assert slow.clock.now_s() - quick.clock.now_s() >= 3 * 6 - 1


def test_a_duplicate_is_counted_and_its_links_are_not_followed() -> None:
    same = page("/from-the-copy", text=LONG)
    done = crawl({START: page("/1", "/2"), "http://a.example/1": same, "http://a.example/2": same})
    assert done.outcome("http://a.example/2") is Outcome.DUPLICATE
    assert done.visits("http://a.example/2")[0].detail == "http://a.example/1"


def test_a_near_duplicate_is_told_from_a_page_of_its_own() -> None:
    done = crawl(
        {
            START: page("/1", "/2"),
            "http://a.example/1": page("/x", text=MANY_WORDS),
            "http://a.example/2": page("/y", text=f"{MANY_WORDS} printed"),
        }
    )
    assert done.outcome("http://a.example/2") is Outcome.NEAR_DUPLICATE
    assert "http://a.example/y" not in done.shelf.asked


def test_nofollow_is_obeyed_and_named() -> None:
    meta = page("/b", head='<meta name="robots" content="nofollow">')
    link = Answer('<a href="/c" rel="nofollow">c</a><a href="/d">d</a>')
    done = crawl({START: link, "http://a.example/d": meta})
    assert done.known("http://a.example/c").ruling.rule == "nofollow"
    assert done.known("http://a.example/b").ruling.rule == "meta-nofollow"
    assert done.known("http://a.example/b").state is UrlState.REFUSED


def test_x_robots_tag_is_obeyed() -> None:
    html = ("content-type", "text/html")
    told = Answer('<a href="/b">b</a>', headers=(html, ("x-robots-tag", "noindex, nofollow")))
    done = crawl({START: told})
    assert done.outcome(START) is Outcome.PAGE
    assert done.known("http://a.example/b").ruling.rule == "meta-nofollow"


def test_links_of_relevant_pages_only() -> None:
    """What stands on an irrelevant page is let in all the same where a relevant one has it too."""
    answers = {
        START: page("/relevant", "/other", text=LONG),
        "http://a.example/other": page("/lost", "/both", text="of something else"),
        "http://a.example/relevant": page("/both", text=f"{LONG} again"),
        "http://a.example/both": page(text="cats"),
        "http://a.example/lost": page(text="dogs"),
    }
    done = crawl(answers, "scope.page_relevance=0.5", "crawl.strategy=breadth-first")
    assert "http://a.example/lost" not in done.shelf.asked
    lost = done.known("http://a.example/lost").ruling
    assert (lost.admitted, lost.rule) == (False, "page-relevance")
    assert lost.detail == "it stands on a page of relevance 0.000; links are followed from 0.5"
    assert done.outcome("http://a.example/both") is Outcome.PAGE
    assert "http://a.example/lost" in crawl(answers).shelf.asked


def test_sitemaps_of_robots_txt_are_read_after_everything_else() -> None:
    robots = Answer(
        "Sitemap: http://a.example/map.xml\n", headers=(("content-type", "text/plain"),)
    )
    index = "<sitemapindex><sitemap><loc>/part.xml</loc></sitemap></sitemapindex>"
    part = "<urlset><url><loc>http://a.example/listed</loc></url></urlset>"
    xml = (("content-type", "application/xml"),)
    done = crawl(
        {
            "http://a.example/robots.txt": robots,
            START: page("/linked fever"),
            "http://a.example/map.xml": Answer(index, headers=xml),
            "http://a.example/part.xml": Answer(part, headers=xml),
            "http://a.example/linked": page(),
            "http://a.example/listed": page(),
        }
    )
    assert done.pages_asked() == [
        START,
        "http://a.example/linked",
        "http://a.example/map.xml",
        "http://a.example/part.xml",
        "http://a.example/listed",
    ]
    assert done.known("http://a.example/listed").kind is LinkKind.LISTED


def test_a_server_error_is_tried_again_later_and_then_given_up() -> None:
    done = crawl({START: Answer(status=500)}, "crawl.attempts=3", "crawl.retry_delay_s=60")
    visits = done.visits(START)
    assert [visit.outcome for visit in visits] == [
        Outcome.RETRY,
        Outcome.RETRY,
        Outcome.HTTP_ERROR,
    ]
    assert visits[1].at_s - visits[0].at_s >= 60
    assert visits[2].at_s - visits[1].at_s >= 240


def test_a_long_wait_is_announced_with_its_reason() -> None:
    done = crawl({START: Answer(status=500)}, "crawl.attempts=2", "crawl.retry_delay_s=60")
    waits = [event for event in done.events if isinstance(event, Waiting)]
    assert waits
    assert any("a.example" in wait.why for wait in waits)


def test_retry_after_is_obeyed() -> None:
    busy = Answer(status=429, headers=(("retry-after", "500"),))
    done = crawl({START: busy}, "crawl.attempts=2", "crawl.retry_delay_s=1")
    first, second = done.visits(START)
    assert second.at_s - first.at_s >= 500
    assert any(isinstance(event, HostParked) for event in done.events)


def test_a_host_that_keeps_failing_is_given_up_visibly() -> None:
    names = [f"http://a.example/{number}" for number in range(60)]
    answers = dict.fromkeys(names, Answer(status=503))
    answers[START] = page(*names)
    done = crawl(answers, "crawl.attempts=9", "politeness.park_s=1", "crawl.retry_delay_s=1")
    given_up = [event for event in done.events if isinstance(event, HostGivenUp)]
    assert [event.host for event in given_up] == ["a.example"]
    assert done.stop.reason is StopReason.FINISHED
    host = done.ledger.host("a.example")
    assert host is not None
    assert host.given_up


def test_what_is_neither_html_nor_text_is_a_document() -> None:
    pdf = Answer("%PDF-1.4 ...", headers=(("content-type", "application/pdf"),))
    done = crawl({START: page("/paper"), "http://a.example/paper": pdf})
    assert done.outcome("http://a.example/paper") is Outcome.DOCUMENT


def test_an_unwanted_type_is_ended_at_its_headers() -> None:
    image = Answer("GIF89a", headers=(("content-type", "image/gif"),))
    done = crawl({START: page("/picture"), "http://a.example/picture": image})
    assert done.outcome("http://a.example/picture") is Outcome.FAILED


def test_a_soft_404_is_no_page() -> None:
    gone = Answer("<html><title>Page not found</title><h1>404 not found</h1><p>Sorry.</p></html>")
    done = crawl({START: page("/gone"), "http://a.example/gone": gone})
    assert done.outcome("http://a.example/gone") is Outcome.SOFT_404


@pytest.mark.parametrize(
    ("assignment", "reason"),
    [
        ("crawl.pages=3", StopReason.PAGES),
        ("crawl.time_s=4", StopReason.TIME),
        ("crawl.bytes=400", StopReason.BYTES),
    ],
)
def test_budgets_end_a_crawl(assignment: str, reason: StopReason) -> None:
    chain = {f"http://a.example/{n}": page(f"/{n + 1}", text=f"page {n}") for n in range(50)}
    done = crawl(chain, assignment, seeds=["http://a.example/0"])
    assert done.stop.reason is reason
    assert len(done.settled()) < 50


def test_the_time_asked_for_ends_a_wait_too() -> None:
    busy = Answer(status=503, headers=())
    done = crawl({START: busy}, "politeness.robots=false", "crawl.time_s=150")
    assert done.stop.reason is StopReason.TIME
    assert done.clock.now_s() - 1_000_000.0 == pytest.approx(150.0, abs=1.0)


def test_a_wait_for_another_attempt_says_why_there_was_a_first_one() -> None:
    done = crawl({START: Answer(status=500, headers=())}, "politeness.robots=false")
    whys = [event.why for event in done.events if isinstance(event, Waiting)]
    assert any(why == "a.example: another attempt, since HTTP 500" for why in whys), whys


def test_pages_are_never_overshot_however_many_requests_are_under_way() -> None:
    names = [f"http://h{number}.example/" for number in range(40)]
    answers = {name: page(text=f"the page {name}") for name in names}
    done = crawl(answers, "crawl.pages=7", "crawl.parallel=32", seeds=names)
    assert sum(done.outcome(url) is Outcome.PAGE for url in done.settled()) == 7


def test_the_idle_window_is_waited_out() -> None:
    start_s = 1_000_000_000.0
    done = crawl({START: page()}, "crawl.idle=00:00-23:59", start_s=start_s)
    waits = [event for event in done.events if isinstance(event, Waiting)]
    assert "idle" in waits[0].why
    assert done.visits(START)[0].at_s >= waits[0].until_s


def test_a_crawl_that_is_asked_to_stop_says_so() -> None:
    halt = Flag()
    halt.set()
    done = crawl({START: page()}, halt=halt)
    assert done.stop.reason is StopReason.INTERRUPTED
    assert done.known(START).state is UrlState.WAITING


def test_a_page_about_the_topic_is_judged_with_reasons() -> None:
    done = crawl({START: page(text=LONG)})
    judgement = done.visits(START)[0].judgement
    assert judgement is not None
    assert judgement.relevance > 0.5
    assert {part.name for part in judgement.reasons} == {"dengue", "fever"}
