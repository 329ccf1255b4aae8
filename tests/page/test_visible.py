"""The visible words without menus, and the main text for those who have time."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from shoal.page.main_text import read_main_text
from shoal.page.parser import PageParser
from shoal.page.visible import MENU_LINKS, cut, visible_text
from shoal.page.walk import ASIDE_CLOSE, ASIDE_OPEN, CLOSE, OPEN
from shoal.testing.parser import response

PROSE = "The tide rises and falls twice a day because the moon pulls at the water of the sea. " * 6


def text_of(body: str) -> list[str]:
    page = PageParser().parse(response(body.encode(), "text/html; charset=utf-8"))
    return page.text.split("\n")


def test_runs_of_links_are_menus() -> None:
    menu = " | ".join(f"<a href={n}>Entry {n}</a>" for n in range(MENU_LINKS))
    assert text_of(f"<div>{menu}</div><p>{PROSE}") == [PROSE.strip()]
    few = " | ".join(f"<a href={n}>Entry {n}</a>" for n in range(MENU_LINKS - 1))
    assert text_of(f"<div>{few}</div><p>{PROSE}") == ["Entry 0 | Entry 1 | Entry 2", PROSE.strip()]


def test_links_in_a_sentence_are_no_menu() -> None:
    cities = ", ".join(f"<a href={n}>City {n}</a>" for n in range(9))
    assert text_of(f"<p>{PROSE} {cities} and more.")[0].endswith("City 7, City 8 and more.")


def test_asides_may_be_nested() -> None:
    body = f"<nav>a<aside>b</aside>c<form>d</form></nav><p>{PROSE}</p><footer>e</footer>f"
    assert text_of(body) == [PROSE.strip(), "f"]


def test_blocks_are_lines_and_their_white_space_is_collapsed() -> None:
    body = f"<div>one\n two<p>  three\t<b>four</b>\xa0 five</p>six<br>seven</div>{PROSE}"
    assert text_of(body) == ["one two", "three four five", "six", "seven", PROSE.strip()]


def test_a_page_of_little_else_than_links_has_them_all() -> None:
    body = "".join(f"<li><a href={n}>Headline number {n}</a>" for n in range(50))
    assert text_of(body)[49] == "Headline number 49"


def test_the_main_text_is_told_with_more_care() -> None:
    body = f"<div class=sidebar><p>{PROSE}</div><p>{PROSE * 3}".encode()
    assert read_main_text(response(body)) == (PROSE * 3).strip()
    assert read_main_text(response(b"a  b\n\nc", "text/plain")) == "a b\nc"
    assert read_main_text(response(b"%PDF-1.4", "application/pdf")) == ""


MARKED = st.recursive(
    st.text(st.sampled_from("ab ,\n"), max_size=9),
    lambda inner: st.lists(
        inner
        | inner.map(lambda text: f"{OPEN}{text}{CLOSE}")
        | inner.map(lambda text: f"{ASIDE_OPEN}{text}{ASIDE_CLOSE}"),
        max_size=6,
    ).map("".join),
)


@given(MARKED)
def test_no_mark_and_no_idle_white_space_is_left(marked: str) -> None:
    text = visible_text(marked, cut(marked))
    assert not set(text) & {OPEN, CLOSE, ASIDE_OPEN, ASIDE_CLOSE}
    assert all(line == " ".join(line.split()) != "" for line in text.split("\n")) or not text


def test_no_http_client_is_loaded_to_tell_languages() -> None:
    code = (
        "import sys\n"
        "from shoal.page.language import FastTextLanguage\n"
        "print(FastTextLanguage().identify('The water rises and falls twice a day.').code)\n"
        "print('requests' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["en", "False"]
