"""Terms, fingerprints, rules, languages and soft 404s, each by itself."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model import UNKNOWN_LANGUAGE, PageRules
from shoal.page.fingerprint import simhash
from shoal.page.language import FastTextLanguage
from shoal.page.rules import page_rules
from shoal.page.soft404 import is_soft_404
from shoal.page.words import LONGEST_WORD, count_terms

WORD = re.compile(r"[^\W\d_]{2,}")
SPACED = st.text(
    st.sampled_from("aAzZ09 _-'.,!\néÉßüřΣдЖ²½—“”\u00a0\u0301\u00ad")
    | st.characters(max_codepoint=0x5FF),
    max_size=200,
)


def test_words_are_lower_case_runs_of_letters() -> None:
    text = "The H2O tide-table: L'été à Köln, 2024, naïve_word — the a"
    assert count_terms(text) == {
        "the": 2, "tide": 1, "table": 1, "été": 1, "köln": 1, "naïve": 1, "word": 1,
    }  # fmt: skip


@given(SPACED)
def test_terms_are_what_the_plain_expression_finds(text: str) -> None:
    expected = Counter(word for word in WORD.findall(text.lower()) if len(word) <= LONGEST_WORD)
    assert count_terms(text) == expected


def test_unspaced_scripts_count_by_pairs() -> None:
    assert count_terms("漢字仮名 kana漢字") == {"漢字": 2, "字仮": 1, "仮名": 1, "kana": 1}


def test_endless_words_are_no_words() -> None:
    assert count_terms("a" * 65 + " " + "é" * 65 + " fine") == {"fine": 1}


WORDS = [
    f"{first}{second}" for first in ("moon", "tide", "sand", "wind") for second in "abcdefghij"
]


def sample(seed: int, size: int = 400) -> list[str]:
    rng = random.Random(seed)
    names = ["".join(rng.choices("abcdefghijklmnop", k=7)) for _ in range(size // 4)]
    return rng.choices(WORDS + names, k=size)


def test_near_copies_are_near_and_others_are_not() -> None:
    words = sample(1)
    original = simhash(count_terms(" ".join(words)), 50)
    words[200] = "replaced"
    changed = simhash(count_terms(" ".join(words)), 50)
    other = simhash(count_terms(" ".join(sample(2))), 50)
    assert original is not None
    assert changed is not None
    assert other is not None
    assert (original ^ changed).bit_count() <= 3
    assert (original ^ other).bit_count() > 3


def test_the_simhash_is_stable_across_versions_and_orders() -> None:
    terms = {"moon": 3, "tide": 2, "water": 1}
    backwards = dict(reversed(terms.items()))
    assert simhash(terms, 1) == simhash(backwards, 1) == 13983570867128831278
    assert simhash(terms, 7) is None
    assert simhash({}, 0) is None


@pytest.mark.parametrize(
    ("metas", "headers", "expected"),
    [
        ([], [], PageRules()),
        (["index, follow"], [], PageRules()),
        (["NOINDEX,nofollow"], [], PageRules(index=False, follow=False)),
        (["noarchive nofollow"], [], PageRules(follow=False, archive=False)),
        (["none"], [], PageRules(False, False, True)),
        ([], ["noindex"], PageRules(index=False)),
        ([], ["Shoal: noindex, nofollow"], PageRules(index=False, follow=False)),
        ([], ["otherbot: noindex, nofollow"], PageRules()),
        ([], ["otherbot: noindex, shoal: nofollow"], PageRules(follow=False)),
        ([], ["unavailable_after: 25 Jun 2030 15:00:00 GMT, noarchive"], PageRules(archive=False)),
        ([], ["max-snippet:-1, noindex"], PageRules(index=False)),
        (["follow"], ["nofollow"], PageRules(follow=False)),
    ],
)
def test_rules(metas: list[str], headers: list[str], expected: PageRules) -> None:
    assert page_rules("Shoal", metas, headers) == expected


SENTENCES = {
    "en": "The water rises and falls twice a day because of the pull of the moon.",
    "de": "Das Wasser steigt und fällt zweimal am Tag, weil der Mond daran zieht.",
    "fr": "L'eau monte et descend deux fois par jour à cause de l'attraction de la lune.",
    "fi": "Vesi nousee ja laskee kahdesti päivässä kuun vetovoiman vaikutuksesta.",
    "ru": "Вода поднимается и опускается дважды в день из-за притяжения луны.",
    "ja": "月の引力によって水は一日に二回上がったり下がったりします。とても不思議です。",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_languages(code: str) -> None:
    assert FastTextLanguage().identify(SENTENCES[code]).code == code
    assert FastTextLanguage().identify(SENTENCES["en"].upper()).code == "en"


def test_more_than_eighty_characters_are_read() -> None:
    mixed = "12345 67890 --- *** 12345 67890 " * 3 + SENTENCES["de"] * 2
    assert FastTextLanguage().identify(mixed, "xx").code in ("de", "xx")
    assert FastTextLanguage().identify("OK. " + SENTENCES["de"] * 3, "en").code == "de"


def test_the_hint_counts_only_where_the_text_is_too_short() -> None:
    languages = FastTextLanguage()
    assert languages.identify("Ja", "de-AT").code == "de"
    assert languages.identify("Ja", "") == UNKNOWN_LANGUAGE
    assert languages.identify("", "12") == UNKNOWN_LANGUAGE
    assert languages.identify(SENTENCES["fr"], "en").code == "fr"


@pytest.mark.parametrize(
    "title",
    [
        "404", "404 Not Found", "Error 404", "Page not found | Example", "Not found",
        "The page you requested could not be found", "File not found", "Seite nicht gefunden",
        "Page introuvable", "Página no encontrada", "Página não encontrada", "Pagina non trovata",
        "Pagina niet gevonden", "Sivua ei löytynyt", "Страница не найдена", "页面不存在",
        "ページが見つかりません", "페이지를 찾을 수 없습니다", "Sayfa bulunamadı",
    ],
)  # fmt: skip
def test_soft_404(title: str) -> None:
    assert is_soft_404(200, title, (), 20)
    assert is_soft_404(200, "Example", (title,), 20)
    assert not is_soft_404(404, title, (), 20)
    assert not is_soft_404(200, title, (), 2_000)


@pytest.mark.parametrize(
    "title",
    [
        "Peugeot 404",
        "Room 404 in the Grand Hotel",
        "Lost and found",
        "Not found in nature",
        "Finds",
    ],
)
def test_titles_that_only_look_like_it(title: str) -> None:
    assert not is_soft_404(200, title, (), 20)
