from __future__ import annotations

import json
from dataclasses import fields, replace
from io import StringIO

import pytest
from rich.console import Console

from shoal.model import LinkKind, Outcome, Ruling, UrlState, Visit
from shoal.report.why import Story, Witness, explain, story_json
from shoal.report.why_terminal import render_story
from shoal.testing.memory_ledger import MemoryLedger
from shoal.url import Url, parse_url
from tests.report.crawls import HOSTILE, START_S, known, page_visit

SEED = "https://a.example.org/"
HUB = "https://a.example.org/hub"
LEAF = "https://b.example.org/leaf"


def crawl() -> MemoryLedger:
    leaf = page_visit(START_S + 9, 0.8)
    return MemoryLedger(
        [
            known(1, SEED, page_visit(START_S, 1.0)),
            known(2, HUB, page_visit(START_S + 5, 0.7), source=SEED, depth=1, anchor="The hub"),
            known(3, LEAF, leaf, source=HUB, depth=2, anchor=HOSTILE),
            known(4, "https://c.example.org/w/x", state=UrlState.WAITING, source=HUB, depth=2),
            known(
                5,
                "https://a.example.org/big.zip",
                state=UrlState.REFUSED,
                source=HUB,
                depth=2,
                ruling=Ruling(False, "skip_extensions", "zip"),
            ),
            known(
                6,
                "https://a.example.org/twin",
                Visit(START_S + 7, Outcome.RETRY, status=503, retry_at_s=START_S + 8),
                Visit(START_S + 8, Outcome.DUPLICATE, status=200, detail=LEAF),
                source=SEED,
                depth=1,
            ),
        ],
        {"clock_s": repr(START_S + 20)},
        edges=[(SEED, LEAF)],
        rests={"c.example.org": (START_S + 80, "HTTP 503")},
        given_up={"dead.example.net": "5 parkings in a row"},
    )


def told(story: Story, width: int = 80) -> str:
    out = StringIO()
    render_story(story, Console(file=out, width=width))
    return out.getvalue()


def ask(address: str, witness: Witness | None = None) -> Story:
    return explain(crawl(), parse_url(address), witness)


def test_a_page_tells_its_way_from_the_seed() -> None:
    story = ask(LEAF)
    assert story.known
    assert [step.url for step in story.chain] == [SEED, HUB, LEAF]
    assert story.chain[0].kind == LinkKind.SEED
    assert story.source == HUB
    assert story.linked_from == (SEED, HUB)
    assert story.priority == sum(part.value for part in story.parts)
    assert story.attempts[0].relevance == 0.8
    assert story.attempts[0].reasons[0].name == "fever"
    assert story.attempts[0].position is not None
    assert story.ruling == Ruling(True, "default")
    text = told(story)
    for words in ("The hub", "relevance 0.8", "parent 0.5", "shoal-000001.warc.gz", "admitted"):
        assert words in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_refused_url_names_its_rule() -> None:
    story = ask("https://a.example.org/big.zip")
    assert story.state == UrlState.REFUSED
    assert story.answer == "Refused by the rule skip_extensions (zip)."


def test_a_duplicate_names_its_twin_and_all_attempts() -> None:
    story = ask("https://a.example.org/twin")
    assert [attempt.outcome for attempt in story.attempts] == [Outcome.RETRY, Outcome.DUPLICATE]
    assert story.attempts[-1].twin == LEAF
    assert LEAF in told(story)


def test_a_waiting_url_says_what_it_waits_for() -> None:
    story = ask("https://c.example.org/w/x")
    assert story.answer.startswith("Waiting")
    assert "rests until" in story.reasons[0]
    assert "HTTP 503" in story.reasons[0]
    assert "1 min 0 s more" in story.reasons[0]
    assert story.waiting == 1


def test_a_ring_of_sources_ends() -> None:
    one = known(1, SEED, source=HUB)
    two = known(2, HUB, source=SEED)
    story = explain(MemoryLedger([one, two]), parse_url(HUB))
    assert [step.url for step in story.chain] == [SEED, HUB]


@pytest.mark.parametrize(
    ("address", "difference"),
    [
        ("http://b.example.org/leaf", "http"),
        ("https://www.b.example.org/leaf", "www."),
        ("https://b.example.org/leaf/", "slash"),
        ("https://b.example.org/leaf?page=2", "query"),
        ("https://b.example.org/LEAF", "lower-case"),
        ("http://www.b.example.org/leaf/", "slash"),
    ],
)
def test_a_near_spelling_is_found(address: str, difference: str) -> None:
    story = ask(address)
    assert not story.known
    assert story.neighbours[0].url == LEAF
    assert difference in story.neighbours[0].difference
    assert LEAF in story.answer


def test_the_scope_comes_first() -> None:
    def admit(url: Url) -> Ruling:
        return Ruling(False, "hosts", "example.org")

    story = ask("http://b.example.org/leaf", Witness(admit=admit))
    assert "rule hosts (example.org)" in story.answer
    assert LEAF in story.reasons[0]


def test_the_page_above_is_named() -> None:
    story = ask("https://a.example.org/hub/below/this")
    assert [(near.url, near.above) for near in story.neighbours] == [(HUB, True)]
    assert "no Link followed from there leads to it" in story.answer


def test_a_host_given_up_is_the_reason() -> None:
    assert "was given up: 5 parkings in a row" in ask("https://dead.example.net/x").answer


def test_an_unheard_of_host_is_the_reason() -> None:
    story = ask("https://nowhere.example.com/")
    assert "Nothing of its host nowhere.example.com is known" in story.answer
    assert "Nothing of its host" in told(story)


def test_robots_is_a_reason() -> None:
    def robots(url: Url) -> Ruling | None:
        return Ruling(False, "robots", "Disallow: /private")

    story = ask("https://a.example.org/private", Witness(robots=robots))
    assert any("Disallow: /private" in reason for reason in (story.answer, *story.reasons))


def test_json_has_every_field() -> None:
    data = json.loads(story_json(ask(LEAF)))
    assert set(data) == {field.name for field in fields(Story)}
    assert data["attempts"][0]["outcome"] == "page"


def test_stories_fit_a_narrow_terminal() -> None:
    long = replace(crawl().knowns[2], url=LEAF + "/" + "x" * 300)
    story = explain(MemoryLedger([long]), parse_url(long.url))
    assert max(len(line.rstrip()) for line in told(story, 60).splitlines()) <= 60
