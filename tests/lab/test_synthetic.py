"""The promises of the synthetic web: the same everywhere, flat in memory, and as the knobs say."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.lab.synthetic import BadKnob, SyntheticKnobs, SyntheticShelf, open_synthetic
from shoal.lab.synthetic.vocabularies import TOPICS
from shoal.ports import Shelf
from shoal.testing.shelf import ShelfContract
from shoal.url import parse_url
from tests.lab.reading import answered, visible_text

SPEC = "synthetic:seed=3,pages=3000,hosts=30"
REPOSITORY = Path(__file__).parents[2]


class TestSyntheticShelf(ShelfContract):
    def open_shelf(self) -> Shelf:
        return open_synthetic(SPEC)


class TestShelfOfManyHosts(ShelfContract):
    def open_shelf(self) -> Shelf:
        return open_synthetic("synthetic:pages=1200,hosts=700")


def digest_of_sample(spec: str) -> str:
    shelf = open_synthetic(spec)
    digest = hashlib.sha256()
    for text in [*islice(shelf.urls(), 100), *islice(shelf.urls(), 500, 2500, 20)]:
        response = answered(shelf, parse_url(text))
        digest.update(response.head + response.body + str(response.elapsed_s).encode())
    return digest.hexdigest()


def test_every_process_makes_the_same_bytes() -> None:
    code = f"from tests.lab.test_synthetic import *; print(digest_of_sample({SPEC!r}))"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": f"src{os.pathsep}."},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == digest_of_sample(SPEC)


def test_the_bytes_do_not_depend_on_what_was_asked_before() -> None:
    urls = [parse_url(text) for text in islice(open_synthetic(SPEC).urls(), 300, 400)]
    forwards, backwards = open_synthetic(SPEC), open_synthetic(SPEC)
    first = [forwards.find(url) for url in urls]
    assert first == [backwards.find(url) for url in reversed(urls)][::-1]


def test_threads_may_ask_at_once() -> None:
    urls = [parse_url(text) for text in islice(open_synthetic(SPEC).urls(), 500, 600)]
    alone = [open_synthetic(SPEC).find(url) for url in urls]
    shared = open_synthetic(SPEC)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(shared.find, urls)) == alone


def test_another_seed_is_another_web() -> None:
    assert digest_of_sample(SPEC) != digest_of_sample(SPEC.replace("seed=3", "seed=4"))


def test_urls_come_once_in_a_stable_order_and_are_there() -> None:
    shelf = open_synthetic("synthetic:pages=1200,hosts=90,island_pages=40")
    texts = list(shelf.urls())
    assert texts == list(shelf.urls())
    assert len(texts) == len(set(texts))
    for text in texts:
        url = parse_url(text)
        assert url.text == text, "an address must be canonical as it stands"
        assert shelf.find(url) is not None, text


@pytest.mark.parametrize("spec", [SPEC, "synthetic:pages=1000,hosts=200,topics=4"])
def test_scheme_and_www_do_not_matter(spec: str) -> None:
    shelf = open_synthetic(spec)
    for text in islice(shelf.urls(), 0, 3000, 131):
        other = text.replace("http://", "https://")
        other = other.replace("www.", "") if "www." in other else other.replace("//", "//www.")
        bare, dressed = answered(shelf, parse_url(text)), answered(shelf, parse_url(other))
        assert (bare.body, bare.status) == (dressed.body, dressed.status)
        assert dressed.url.text == other
        assert shelf.topic_of(bare.url) == shelf.topic_of(dressed.url)


@given(path=st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=40))
@settings(max_examples=200, deadline=None)
def test_no_address_is_an_accident(path: str) -> None:
    """Whatever is asked for, nothing is raised; and what is there says how it is there."""
    shelf = open_synthetic(SPEC)
    host = parse_url(shelf.address(0)).host
    url = parse_url(f"http://{host}/" + path)
    page = shelf.page_of(url)
    if page is not None:
        assert shelf.address(page).partition("//")[2].endswith(url.target)
    shelf.find(url)


def test_what_was_never_made_up_is_not_there() -> None:
    shelf = open_synthetic(SPEC)
    address = shelf.address(77)
    for absent in (
        "http://elsewhere.example/",
        address + "x",
        address.replace("http://", "http://no."),
        shelf.start_url.text + "nothing",
    ):
        assert shelf.find(parse_url(absent)) is None, absent


def test_ten_million_pages_open_at_once_and_cost_no_more() -> None:
    def cost_s(shelf: SyntheticShelf) -> float:
        step = shelf.knobs.pages // 150
        urls = [parse_url(shelf.address(number * step)) for number in range(150)]
        best = []
        for _ in range(3):
            before = time.process_time()
            for url in urls:
                shelf.find(url)
            best.append(time.process_time() - before)
        return min(best)

    small = cost_s(open_synthetic("synthetic:pages=2000"))
    before = time.process_time()
    shelf = open_synthetic("synthetic:pages=10000000,hosts=1000")
    shelf.find(parse_url(shelf.address(9_999_999)))
    assert time.process_time() - before < 1.0
    assert cost_s(shelf) < 3.0 * small
    urls = [parse_url(shelf.address(number * 9_973)) for number in range(300)]
    tracemalloc.start()
    for url in urls:
        shelf.find(url)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 100_000, "what was found must not be kept"


def test_headers_let_a_reader_ask_again() -> None:
    shelf = open_synthetic(SPEC)
    response = answered(shelf, parse_url(shelf.address(0)))
    assert response.status == 200
    assert response.header("etag")
    assert (response.header("last-modified") or "").endswith("GMT")
    assert (response.header("date") or "").endswith("GMT")
    assert response.header("content-length") == str(len(response.body))
    assert response.head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert response.head.endswith(b"\r\n\r\n")


def test_seeds_are_relevant_and_spread() -> None:
    shelf = open_synthetic(SPEC)
    for topic in shelf.topics:
        seeds = shelf.seeds(topic, 5)
        assert len(set(seeds)) == 5
        assert all(shelf.is_relevant(url, topic) for url in seeds)
    assert len(shelf.seeds("chess", 1000)) == shelf.knobs.islands // shelf.knobs.topics
    with pytest.raises(BadKnob, match="no topic 'chequers'"):
        shelf.seeds("chequers", 1)


def test_pages_speak_of_their_topic_among_other_things() -> None:
    shelf = open_synthetic(SPEC)
    for topic in TOPICS:
        page = parse_url(shelf.seeds(topic.label, 1)[0].text)
        text = visible_text(answered(shelf, page)).lower()
        mine = sum(text.count(word) for word in topic.phrases)
        assert mine >= 2
        words = {part for phrase in topic.words for part in phrase.split()}
        share = sum(word.strip(".,;()") in words for word in text.split()) / len(text.split())
        assert 0.02 < share < 0.7, "general words must outweigh the topic's"


def test_every_vocabulary_is_rich() -> None:
    assert len(TOPICS) >= 12
    assert all(len(topic.words) >= 120 for topic in TOPICS)


# ------------------------------------------------------------------------- knobs


def test_a_spec_sets_what_it_names() -> None:
    knobs = open_synthetic("synthetic:seed=9,pages=5000,locality=0.5").knobs
    assert knobs == SyntheticKnobs(seed=9, pages=5000, locality=0.5)
    assert open_synthetic("synthetic:").knobs == SyntheticKnobs()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("synthetic:page=5000", "no knob 'page' in a synthetic web: did you mean 'pages'"),
        ("synthetic:pages", "pages has no value"),
        ("synthetic:pages=5e3", "pages=5e3: it must be a number"),
        ("synthetic:pages=5000,pages=6000", "pages is given twice"),
        ("synthetic:pages=10000001", "pages=10000001: it must be from"),
        ("synthetic:locality=nan", "locality=nan"),
        ("synthetic:locality=1.5", "locality=1.5: it must be from 0 to 1"),
        ("synthetic:tunnel_min=4,tunnel_max=4", "tunnel_min=4"),
        ("synthetic:documents=0.9", "shares of special pages sum to"),
        ("synthetic:redirects=0.6,broken_links=0.6", "redirects and broken_links"),
        ("warc:pages=1", "not a synthetic web"),
        ("synthetic:pages=5000,", "no knob ''"),
    ],
)
def test_a_wrong_spec_says_what_is_wrong(spec: str, message: str) -> None:
    with pytest.raises(BadKnob) as error:
        open_synthetic(spec)
    assert message in str(error.value)


def test_every_knob_is_explained() -> None:
    text = (REPOSITORY / "docs/explanation/synthetic-web.md").read_text()
    missing = [field.name for field in fields(SyntheticKnobs) if f"`{field.name}`" not in text]
    assert not missing


def test_the_table_of_knobs_has_their_defaults() -> None:
    text = (REPOSITORY / "docs/explanation/synthetic-web.md").read_text()
    for field in fields(SyntheticKnobs):
        assert f"| `{field.name}` | {field.default:,} |" in text, field.name
