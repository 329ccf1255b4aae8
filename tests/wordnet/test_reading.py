"""Both formats give the same WordNet, whatever it is packed in; what is not one is refused."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from shoal.wordnet import sources
from shoal.wordnet.errors import WordNetError
from shoal.wordnet.lexicon import Lexicon
from shoal.wordnet.lmf import read_lmf
from shoal.wordnet.sources import digest_of, find_source, read_source
from tests.wordnet.tiny import database, lexicon, lmf, write_database, write_lmf


def pack_tar(path: Path, mode: str) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]  # any mode
        for name, content in {"../../README": b"x", **database()}.items():
            member = tarfile.TarInfo(f"WordNet/dict/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def pack_zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in database().items():
            archive.writestr(f"wordnet/{name}", content)
    return path


@pytest.mark.parametrize(
    "name",
    ["folder", "dict", "wn.tar", "wn.tar.xz", "wn.tar.gz", "wn.zip", "wn.xml", "wn.xml.gz", "xml"],
)
def test_every_form_is_the_same_wordnet(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "folder":
        write_database(path)
    elif name == "dict":
        write_database(path / "dict")
    elif name == "xml":
        path.mkdir()
        write_lmf(path / "english.xml.gz")
    elif ".tar" in name:
        pack_tar(path, {"": "w", ".xz": "w:xz", ".gz": "w:gz"}[name.removeprefix("wn.tar")])
    elif name == "wn.zip":
        pack_zip(path)
    else:
        write_lmf(path)
    found = Lexicon(read_source(find_source(path)))
    expected = lexicon()
    assert found.words == expected.words
    for word in expected.words:
        assert found.synonyms_of(word) == expected.synonyms_of(word)
        depths = [
            one.taxonomy.depths[one.synsets_of(one.entries_of(word))].tolist()
            for one in (found, expected)
        ]
        assert depths[0] == depths[1]
    assert found.entries_of("geese") == found.entries_of("goose") != ()


def test_synonyms_are_those_of_all_senses_or_of_the_first() -> None:
    tiny = lexicon()
    assert tiny.synonyms_of("coaches") == ("carriage", "coach", "trainer")
    assert tiny.synonyms_of("coaches", senses=1) == ("carriage", "coach")
    assert tiny.synonyms_of("trains") == ("railroad_train", "teach", "train")
    assert tiny.synonyms_of("linux") == ()


@pytest.mark.parametrize(
    ("word", "bases"),
    [
        ("Trains", ["train", "train"]),
        ("training", ["train"]),
        ("carriages", ["carriage"]),
        ("geese", ["goose"]),
        ("rode", ["ride"]),
        ("riding", ["ride"]),
        ("stormier", []),
        ("storms", ["storm"]),
        ("coachss", []),
        ("s", []),
    ],
)
def test_base_forms(word: str, bases: list[str]) -> None:
    tiny = lexicon()
    assert [tiny.words[entry] for entry in tiny.entries_of(word)] == bases


def test_the_digest_is_of_the_content(tmp_path: Path) -> None:
    one, other = write_database(tmp_path / "one"), write_database(tmp_path / "other")
    (other / "README").write_text("no part of it")
    assert digest_of(one) == digest_of(other)
    (other / "noun.exc").write_text("oxen ox\n")
    assert digest_of(one) != digest_of(other)


BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)
EXTERNAL = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
PARAMETER = '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>'


@pytest.mark.parametrize("declared", [BOMB, EXTERNAL, PARAMETER], ids=["bomb", "file", "dtd"])
def test_entities_are_refused(declared: str) -> None:
    with pytest.raises(WordNetError, match="declares the entity"):
        read_lmf(iter([lmf(declared).encode()]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<LexicalResource>", "not well-formed"),
        ("<html/>", "no English lexicon"),
        (lmf().replace('synset="n00000004"', ""), "lacks its attribute 'synset'"),
        (lmf().replace('target="n00000003"', 'target="n9"'), "'n9' is named, but is not there"),
        (lmf().replace('<Synset id="n00000002"', '<Synset id="n00000001"'), "there twice"),
        (lmf().replace('writtenForm="storm"', 'writtenForm=" "'), "a word is empty"),
        ('<r><Lexicon language="en"></Lexicon></r>', "not one word"),
    ],
)
def test_what_is_no_wn_lmf_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "wn.xml"
    path.write_text(text)
    with pytest.raises(WordNetError, match=rf"wn\.xml cannot be read as a WordNet.*{message}"):
        read_source(path)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("data.noun", "00000099 03 n zz entity 0 000 | x"),
        ("data.noun", "00000099 03 n 01 entity 0 002 @ 00000001 n 0000 | x"),
        ("index.noun", "entity n 2 1 @ 2 0 00000001"),
        ("index.noun", "entity"),
    ],
)
def test_a_torn_line_is_named(file: str, line: str, tmp_path: Path) -> None:
    folder = write_database(tmp_path / "wn")
    with (folder / file).open("a") as there:
        there.write(line + "\n")
    with pytest.raises(WordNetError, match=rf"{file}, line \d+, is not as"):
        read_source(folder)


def test_damage_and_absence_are_named(tmp_path: Path) -> None:
    whole = pack_tar(tmp_path / "wn.tar.xz", "w:xz").read_bytes()
    for content in (whole[: len(whole) // 2], b"no archive", b"", gzip.compress(b"<x")[:-9]):
        (tmp_path / "torn").write_bytes(content)
        with pytest.raises(WordNetError, match="torn"):
            read_source(tmp_path / "torn")
    with pytest.raises(WordNetError, match="there is no WordNet at"):
        find_source(tmp_path / "absent")
    (tmp_path / "empty").mkdir()
    with pytest.raises(WordNetError, match=r"has neither data\.noun"):
        find_source(tmp_path / "empty")
    (write_database(tmp_path / "part") / "index.verb").unlink()
    with pytest.raises(WordNetError, match=r"it lacks index\.verb"):
        read_source(tmp_path / "part")


@pytest.mark.parametrize("name", ["wn.tar", "wn.zip", "wn.xml.gz", "folder"])
def test_what_unpacks_to_too_much_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    if name == "wn.tar":
        pack_tar(path, "w")
    elif name == "wn.zip":
        pack_zip(path)
    elif name == "folder":
        write_database(path)
    else:
        write_lmf(path)
    monkeypatch.setattr(sources, "LIMIT_BYTES", 500)
    with pytest.raises(WordNetError, match="unpacks to more than 500 bytes"):
        read_source(path)


def test_tables_are_numbers_of_four_bytes() -> None:
    tables = lexicon().tables
    assert {array.dtype for array in tables} == {np.dtype(np.int32), np.dtype(np.uint8)}
