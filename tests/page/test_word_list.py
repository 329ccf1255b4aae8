"""Equations 4.1 and 4.2 of the C4 thesis, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import UsageError
from shoal.page.word_list import WordList, english_words, read_word_list
from shoal.page.words import count_terms

SMALL = WordList(frozenset({"make", "success", "word"}))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("make words", 1.0),
        ("Make WORDS, make 42 words!", 1.0),
        # "succes" is not listed, and "success" is; "makess" loses one s only.
        ("success makes", 1.0),
        ("makess", 0.0),
        ("word mot mot mot", 0.25),
        ("", 0.0),
        ("日本語", 0.0),
    ],
)
def test_the_share_of_listed_words(text: str, share: float) -> None:
    assert SMALL.share(count_terms(text)) == share


def test_any_file_of_words_will_do(tmp_path: Path) -> None:
    file = tmp_path / "words"
    file.write_text("Make\n\n  word \nsuccess\n", encoding="utf-8")
    assert read_word_list(file) == SMALL


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\n \n", "has no words"), (b"\xff\xfe\x80", "cannot be read as a list"), (None, "No such")],
)
def test_files_that_are_none(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "words"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_word_list(file)


def test_english_is_told_from_others() -> None:
    english = english_words()
    text = "The marsh is drained by a narrow canal that was dug when the farms were first settled"
    assert english.share(count_terms(text)) > 0.9
    text = "Das Moor wird durch einen schmalen Graben entwässert, der vor langer Zeit angelegt war"
    assert english.share(count_terms(text)) < 0.5
