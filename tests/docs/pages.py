"""The documentation as data: its files, links, and blocks of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Block:
    """One fenced block. ``name`` is the file that it is, where its first line says so:
    ``# shoal.toml``."""

    kind: str
    text: str

    @property
    def name(self) -> str | None:
        found = re.match(r"# ([\w-]+\.(?:toml|txt|py|ttl))\n", self.text)
        return found[1] if found else None


def blocks(path: Path) -> list[Block]:
    return [Block(found[1], found[2]) for found in _BLOCK.finditer(read(path))]


def links(path: Path) -> Iterator[str]:
    """Relative links, outside blocks of code."""
    for found in _LINK.finditer(_BLOCK.sub("", read(path))):
        if "://" not in found[1] and not found[1].startswith("mailto:"):
            yield found[1]


def anchors(path: Path) -> set[str]:
    """What ``#...`` may name: headings as GitHub turns them into names."""
    headings = re.findall(r"^#+ (.+)$", _BLOCK.sub("", read(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}
