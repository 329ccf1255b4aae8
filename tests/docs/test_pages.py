"""The documentation leads somewhere, and says what the code says."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from shoal import config, model, ports
from tests.docs.pages import DOCS, ROOT, anchors, documents, links, name_of, read


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    for link in links(path):
        target, _, anchor = link.partition("#")
        found = path if not target else (path.parent / target).resolve()
        assert found.exists(), f"{name_of(path)} links to {link}"
        assert found.is_relative_to(ROOT), f"{name_of(path)} links out of the repository: {link}"
        if anchor and found.suffix == ".md":
            assert anchor in anchors(found), f"{name_of(path)}: {link} names no heading"


def test_every_page_is_reached_from_the_first() -> None:
    start = ROOT / "README.md"
    reached, fresh = {start}, [start]
    while fresh:
        page = fresh.pop()
        for link in links(page):
            found = (page.parent / link.partition("#")[0]).resolve()
            for target in sorted(found.glob("*.md")) if found.is_dir() else [found]:
                if target.suffix == ".md" and target not in reached:
                    reached.add(target)
                    fresh.append(target)
    lost = [name_of(path) for path in documents() if path not in reached]
    assert not lost, f"no page links to {lost}"


def test_reference_pages_are_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.reference", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_setting_is_in_the_reference() -> None:
    text = read(DOCS / "reference" / "settings.md")
    for section, kind in config.SECTIONS.items():
        part = text.partition(f"\n## [{section}]\n")[2].partition("\n## ")[0]
        for field in fields(kind):
            assert f"| `{field.name}` |" in part, f"{section}.{field.name} has no row"


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_settings_that_are_named_exist(path: Path) -> None:
    for section, key in re.findall(r"`(?:--set )?([a-z]+)\.([a-z_0-9]+)(?:=[^`]*)?`", read(path)):
        if section in config.SECTIONS and key not in {"py", "md", "toml"}:
            names = {field.name for field in fields(config.SECTIONS[section])}
            assert key in names, f"{name_of(path)} names {section}.{key}"


def test_every_decision_is_listed() -> None:
    listed = set(links(DOCS / "decisions" / "README.md"))
    there = {path.name for path in (DOCS / "decisions").glob("[0-9]*.md")}
    assert there <= listed, f"not listed: {there - listed}"


PLAIN = {
    "Part",  # a share of a Priority
    "Cut",  # why a body is not whole
    "FailureKind",
    "HostRecord",
    "LinkKind",
    "OfferCount",
    "UrlState",
    "Language",
    "PageRules",
    "ArchiveMark",
    "RobotsUnknown",
    "Fetched",
}
"""Names that say what they are with words of the glossary, or with words of every day."""


def test_the_words_of_the_code_are_in_the_glossary() -> None:
    words = set(re.findall(r"^\| ([\w ]+?) \|", read(DOCS / "glossary.md"), re.MULTILINE))
    for module in (model, ports):
        for name, thing in inspect.getmembers(module, inspect.isclass):
            if thing.__module__ == module.__name__ and name not in PLAIN:
                assert name in words or name.lower() in words, f"{name} is not in the glossary"
