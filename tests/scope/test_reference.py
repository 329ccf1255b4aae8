"""The reference page says what the code does."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from shoal.scope import IN_SCOPE, RULES
from shoal.settings import CrawlSettings, FetchSettings, PolitenessSettings, ScopeSettings

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "scope-rules.md"
OF_A_PAGE = {"scope.page_relevance"}
"""Settings that decide of all Links of a page before any rule is asked."""
SECTIONS = {
    "crawl": CrawlSettings,
    "fetch": FetchSettings,
    "politeness": PolitenessSettings,
    "scope": ScopeSettings,
}


def test_the_page_lists_every_rule_in_its_order() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if re.match(r"\| \d+ \|", line)]
    assert rows == [
        f"| {number} | `{rule.name}` | {_setting(rule.setting)} | {rule.meaning} |"
        for number, rule in enumerate(RULES, start=1)
    ]
    assert f"`{IN_SCOPE.rule}`" in PAGE.read_text()


def _setting(setting: str) -> str:
    return setting if setting == "always" else f"`{setting}`"


def test_every_setting_of_the_scope_moves_a_rule() -> None:
    named = {rule.setting for rule in RULES}
    assert {f"scope.{field.name}" for field in fields(ScopeSettings)} <= named | OF_A_PAGE
    assert all(f"`{setting}`" in PAGE.read_text() for setting in OF_A_PAGE)
    for setting in named - {"always"}:
        section, _, name = setting.partition(".")
        assert name in {field.name for field in fields(SECTIONS[section])}, setting


def test_names_are_unique() -> None:
    names = [rule.name for rule in RULES] + [IN_SCOPE.rule]
    assert len(set(names)) == len(names)
