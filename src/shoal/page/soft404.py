"""Pages that say "not found" with status 200.

Conservative: the title or the first heading must say so in plain words, and there must be little
else on the page. An article about the error message has more to tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

MAX_WORDS: Final = 150
_NOT_FOUND: Final = re.compile(
    r"\b(?:page|file|document|url|site|article|content|item|entry|resource)s?\b.{0,20}"
    r"\b(?:not|cannot be|could ?n[o']t be|can'?t be|was ?n[o']t) (?:be )?found\b"
    r"|\bpage (?:does ?n[o']t|does not|no longer) exists?\b|\bno such (?:page|file|document)\b"
    r"|^\W*(?:http |error |status )*404\b|\b404\b.{0,12}\bnot found\b|^\W*not found\W*$"
    r"|\b(?:error|http|status|code|fehler|erreur|virhe)\W{0,3}404\W*$"
    r"|\bseite\b.{0,20}\bnicht gefunden\b|\bseite existiert nicht\b"
    r"|\bpage\b.{0,20}\bintrouvable\b|\bpage non trouv[ée]e\b|\bpage n['’]existe pas\b"
    r"|\bp[áa]gina\b.{0,20}\bno (?:encontrada|existe)\b|\bp[áa]gina\b.{0,20}\bn[ãa]o (?:foi )?"
    r"(?:encontrada|existe)\b|\bpagina\b.{0,20}\bnon (?:trovata|esiste)\b"
    r"|\bpagina\b.{0,20}\bniet gevonden\b|\bsidan\b.{0,20}\bhittades inte\b"
    r"|\bsiden\b.{0,20}\b(?:ikke fundet|ikke funnet|finnes ikke|findes ikke)\b"
    r"|\bsivua ei l[öo]y(?:tynyt|dy)\b|\bnie znaleziono (?:strony|pliku)\b"
    r"|\bstrona nie (?:została znaleziona|istnieje)\b|\bstránka (?:nebyla nalezena|neexistuje)\b"
    r"|\bстраниц[аы]\b.{0,20}\bне (?:найдена|существует)\b|\bsayfa bulunamad[ıi]\b"
    r"|页面(?:不存在|未找到|没有找到)|找不到(?:该|此)?(?:页面|網頁|网页|頁面)|頁面不存在"
    r"|ページが(?:見つかりません|存在しません)|페이지를 찾을 수 없",
    re.IGNORECASE,
)


def is_soft_404(status: int, title: str, headings: Sequence[str], words: int) -> bool:
    if status != 200 or words > MAX_WORDS:
        return False
    return any(_NOT_FOUND.search(text[:200]) for text in (title, *headings[:2]))
