"""Training sets from paths, and their file."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import StorageError
from shoal.model import Link, Page
from shoal.training import set_file
from shoal.training.set_file import BadTrainingSet, load_training_set, save_training_set
from shoal.training.training_set import Step, TrainingPage, TrainingSet, make_training_set
from shoal.url import parse_url
from tests.training.paths import small_set, walked_set


def step(name: str, *links: str, relevant: bool = False, came_from: str | None = None) -> Step:
    url = parse_url(name)
    made = tuple(Link(url, parse_url(link)) for link in links)
    page = Page(url=url, media_type="text/html", terms={"word": 1}, links=made)
    return Step(page, relevant, came_from)


A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"


def test_links_lead_to_pages_of_the_path_and_nowhere_else() -> None:
    made = make_training_set([step(A, B, C, A), step(B, A, "http://z.example/")])
    assert [page.links for page in made.pages] == [(1,), (0,)]
    assert made.links == 2
    assert list(made.steps()) == [(0, 1), (1, 0)]


def test_addresses_meet_as_replay_tools_have_it() -> None:
    made = make_training_set([step(A, "https://www.b.example/"), step(B)])
    assert made.pages[0].links == (1,)


def test_a_page_that_was_visited_twice_is_there_once() -> None:
    made = make_training_set([step(A, B), step(B), step(A, relevant=True)])
    assert [(page.url, page.relevant) for page in made.pages] == [(A, True), (B, False)]
    assert made.pages[0].links == (1,)


def test_a_link_that_was_followed_is_one_though_the_page_does_not_show_it() -> None:
    made = make_training_set([step(A), step(B, came_from=A), step(C, came_from="http://z/")])
    assert [page.links for page in made.pages] == [(1,), (), ()]


TERMS = st.dictionaries(st.text(min_size=1, max_size=8), st.integers(1, 99), max_size=5)


@settings(max_examples=25, deadline=None)
@given(texts=st.lists(TERMS, min_size=1, max_size=6), data=st.data())
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, texts: list[dict[str, int]], data: st.DataObject
) -> None:
    size = len(texts)
    pages = []
    for place, terms in enumerate(texts):
        others = st.sets(st.sampled_from([n for n in range(size) if n != place] or [0]))
        links = tuple(sorted(data.draw(others))) if size > 1 else ()
        pages.append(TrainingPage(f"{A}{place}", place == 0, terms, links))
    made = TrainingSet(tuple(pages))
    path = tmp_path_factory.getbasetemp() / "any.training"
    save_training_set(made, path)
    content = path.read_bytes()
    assert load_training_set(path) == made
    save_training_set(load_training_set(path), path)
    assert path.read_bytes() == content


def written(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "changed.training"
    save_training_set(small_set(), path)
    told = msgspec.msgpack.decode(path.read_bytes())
    path.write_bytes(msgspec.msgpack.encode({**told, **changes}))
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "shoal-model"}, "no training set but 'shoal-model'; make it again"),
        ({"version": 2}, "made by a newer Shoal: it is of version 2, and this one reads 1"),
        ({"version": 0}, "made by an older Shoal"),
        ({"pages": 3}, "is damaged: Expected `array`"),
        ({"pages": []}, "none of its 0 pages is relevant"),
        (
            {"pages": [{"url": A, "relevant": True, "terms": {}, "links": [7]}]},
            "a Link of http://a.example/ leads to no other page of it",
        ),
        (
            {"pages": [{"url": A, "relevant": True, "terms": {"x": 0}, "links": []}]},
            "a word of http://a.example/ stands there less than once",
        ),
        (
            {"pages": [{"url": A, "relevant": False, "terms": {}, "links": []}]},
            "none of its 1 pages is relevant",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(BadTrainingSet, match=message):
        load_training_set(written(tmp_path, **changes))


def test_files_that_are_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadTrainingSet, match="no such file; make it with `shoal record`"):
        load_training_set(tmp_path / "absent")
    with pytest.raises(BadTrainingSet, match="cannot be read: Is a directory"):
        load_training_set(tmp_path)
    for content in (b"", b"\x00", b"GIF89a" * 100, b"\x93\x01\x02\x03"):
        path = tmp_path / "other"
        path.write_bytes(content)
        with pytest.raises(BadTrainingSet, match="no training set, or only a part of one"):
            load_training_set(path)
    whole = written(tmp_path)
    whole.write_bytes(whole.read_bytes()[:-9])
    with pytest.raises(BadTrainingSet, match="only a part of one"):
        load_training_set(whole)
    monkeypatch.setattr(set_file, "LARGEST_BYTES", 10)
    with pytest.raises(BadTrainingSet, match="larger than a training set can be"):
        load_training_set(whole)


def test_a_place_that_takes_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        save_training_set(walked_set(), tmp_path / "absent" / "a.training")
    assert stat.S_ISDIR(tmp_path.stat().st_mode)
    assert list(tmp_path.iterdir()) == []
