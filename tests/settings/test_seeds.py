"""Seeds: what is missing or wrong is named with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.seeds import SeedError, read_seeds
from shoal.url import UrlParser

URLS = UrlParser()


def read(*given: str) -> list[str]:
    return [url.text for url in read_seeds(given, URLS)]


def test_addresses_and_files_in_order_each_once(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# a comment\nhttp://b.example/ # why\n\nhttp://a.example\n", encoding="utf-8")
    assert read("http://a.example/", str(file)) == ["http://a.example/", "http://b.example/"]


def test_a_bare_host_is_an_address() -> None:
    assert read("example.org") == ["https://example.org/"]


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("# nothing\n", encoding="utf-8")
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("http://a.example/\nnot an address\n", encoding="utf-8")
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xff\xfe\x00\xd8")
    for given, message in (
        ([], "no seeds"),
        ([str(tmp_path / "absent.txt")], "no such file"),
        ([str(tmp_path)], "that is a directory"),
        ([str(empty)], "has no addresses"),
        ([str(wrong)], r"wrong\.txt, line 2: 'not an address'"),
        ([str(binary)], "cannot read it"),
        (["ftp://a.example/"], "--seeds: "),
        (["http://"], "--seeds: "),
    ):
        with pytest.raises(SeedError, match=message):
            read(*given)
