"""Encodings: the standard's order of belief, and where the bytes overrule a declaration."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.page.encoding import charset_of, decode
from shoal.page.labels import encoding_of
from tests.page.conformance import archive_files, dat_rows

# No page is read by running its scripts.
ENCODING_FAILURES = {"tests1.dat:54": "the meta element is written by a script"}


def test_the_order_of_belief() -> None:
    meta = '<meta charset="koi8-r">да'.encode("koi8-r")
    assert decode(meta, "").charset == "koi8-r"
    assert decode(meta, "text/html; charset=windows-1251").charset == "windows-1251"
    assert decode(b"\xef\xbb\xbf" + meta, "text/html; charset=windows-1251").charset == "utf-8"
    assert decode("\ufeffaé".encode("utf-16-le"), "").text == "aé"
    assert decode("\ufeffaé".encode("utf-16-be"), "").text == "aé"


def test_latin_1_gives_way_to_utf_8_and_utf_8_to_what_the_bytes_are() -> None:
    assert decode("déjà vu".encode(), "text/html; charset=iso-8859-1").text == "déjà vu"
    assert decode("déjà vu".encode("cp1252"), "text/html; charset=iso-8859-1").text == "déjà vu"
    french = "Où étaient passés les élèves de l'école, déjà très fatigués à Noël? " * 20
    assert decode(french.encode("cp1252"), "text/html; charset=utf-8").text == french


def test_one_bad_byte_does_not_make_another_encoding() -> None:
    decoded = decode("é".encode() * 50 + b"\xc3", "text/html; charset=utf-8")
    assert decoded.charset == "utf-8"
    assert decoded.text == "é" * 50 + "\ufffd"


def test_labels() -> None:
    for label, name in (
        (" UTF8\n", "utf-8"),
        ("ISO-8859-1", "windows-1252"),
        ("latin5", "windows-1254"),
        ("gb2312", "gbk"),
        ("x-sjis", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("utf-16", "utf-16le"),
    ):
        encoding = encoding_of(label)
        assert encoding is not None
        assert encoding.name == name
        b"".decode(encoding.codec)
    assert encoding_of("utf-7") is None
    assert encoding_of("") is None
    assert charset_of("text/html; charset='UTF-8'") == encoding_of("utf-8")


@given(st.binary(max_size=500), st.sampled_from(["", "utf-8", "big5", "iso-2022-jp", "nonsense"]))
def test_every_body_decodes(body: bytes, charset: str) -> None:
    decode(body, f"text/html; charset={charset}").text.encode("utf-8")


def test_every_html5lib_encoding_row() -> None:
    failures = set()
    rows = list(dat_rows("html5lib-tests/encoding/"))
    for row in rows:
        wanted = row.sections["encoding"].decode().strip().lower()
        if decode(row.sections["data"], "").charset != wanted:
            failures.add(row.name)
    assert len(rows) > 80
    assert failures == set(ENCODING_FAILURES)


@pytest.mark.parametrize(
    ("sample", "charset", "word"),
    [
        ("arabic-1", "windows-1256", "بالموازاة"),
        ("bulgarian", "utf-8", "Член"),
        ("chinese", "big5", "維基大典"),
        ("english.bom", "utf-8", "About"),
        ("french-1", "windows-1252", "MOLIÈRE"),
        ("greek", "iso-8859-7", "ελληνική"),
        ("hebrew-2", "windows-1255", "עבריים"),
        ("korean", "euc-kr", "역사적"),
        ("russian", "x-mac-cyrillic", "гимназии"),
        ("turkish", "windows-1254", "Türkiye"),
    ],
)
def test_encodings_told_from_the_content_alone(sample: str, charset: str, word: str) -> None:
    name = f"encoding/charset-normalizer/sample-{sample}.txt"
    decoded = decode(archive_files("encoding/")[name], "")
    assert decoded.charset == charset
    assert word in decoded.text
