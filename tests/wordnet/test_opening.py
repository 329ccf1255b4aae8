"""Where a WordNet is looked for, what is kept of it, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.wordnet import opening, places, store
from shoal.wordnet.errors import WordNetError
from shoal.wordnet.opening import open_wordnet
from shoal.wordnet.sources import digest_of
from shoal.wordnet.tables import Tables
from tests.wordnet.tiny import lexicon, write_database, write_lmf


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a WordNet, on a machine without one."""
    monkeypatch.setattr(places, "SYSTEM", ())
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    opening._open.cache_clear()
    return tmp_path / "home"


def test_the_usual_places_in_their_order(home: Path, tmp_path: Path) -> None:
    own = home / ".local" / "share" / "shoal" / "wordnet"
    own.mkdir(parents=True)
    write_lmf(own / "english.xml.gz")
    assert open_wordnet(None, {}).words == lexicon().words
    given = {"WNSEARCHDIR": str(tmp_path / "absent"), "WNHOME": str(tmp_path / "wn")}
    write_database(tmp_path / "wn" / "dict")
    assert places.find_usual(given) == tmp_path / "wn"
    assert places.find_usual({"XDG_DATA_HOME": str(home / ".local/share")}) == own
    assert open_wordnet(None, given).words == lexicon().words


def test_absence_tells_how_to_get_one(home: Path) -> None:
    with pytest.raises(WordNetError, match=r"no WordNet in any of .*apt-get install wordnet-base"):
        open_wordnet(None, {})
    with pytest.raises(WordNetError, match=r"strategy\.wordnet: there is no .*en-word\.net"):
        open_wordnet("/nowhere/at/all", {})


def test_it_is_parsed_once(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_database(tmp_path / "wn")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    first = open_wordnet(str(folder), cache)
    opening._open.cache_clear()
    monkeypatch.setattr(opening, "read_source", lambda source: pytest.fail("read again"))
    second = open_wordnet(str(folder), cache)
    assert second.words == first.words
    assert [one.tolist() for one in second.tables] == [one.tolist() for one in first.tables]
    assert len(list((tmp_path / "cache" / "shoal").iterdir())) == 1


def test_what_is_kept_belongs_to_the_content(tmp_path: Path) -> None:
    folder = write_database(tmp_path / "wn")
    before = digest_of(folder)
    (folder / "noun.exc").write_text("oxen goose\n")
    made: list[str] = []

    def make() -> Tables:
        made.append("made")
        return lexicon().tables

    for digest in (before, digest_of(folder), before):
        store.kept(tmp_path / "cache", digest, make)
    assert len(made) == 2


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 torn", None])
def test_what_is_damaged_is_made_anew(damage: bytes | None, tmp_path: Path) -> None:
    made: list[str] = []

    def make() -> Tables:
        made.append("made")
        return lexicon().tables

    store.kept(tmp_path, "digest", make)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    store.kept(tmp_path, "digest", make)
    store.kept(tmp_path, "digest", make)
    assert len(made) == 2
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]


def test_a_cache_that_cannot_be_written_costs_time_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    found = store.kept(tmp_path / "file", "digest", lambda: lexicon().tables)
    assert found.words.tolist() == lexicon().tables.words.tolist()
