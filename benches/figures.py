"""Figures as Markdown, put where a page of the documentation marks their place."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = [heads, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    )


def update_docs(markdown: str, page: Path, mark: str, command: str) -> None:
    """Between ``<!-- mark: begin -->`` and ``<!-- mark: end -->``, after the command."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    text = page.read_text(encoding="utf-8")
    if text.count(begin) != 1 or text.count(end) != 1:
        raise SystemExit(f"{page} does not mark a place for the figures: {begin} ... {end}")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    block = f"{begin}\n\n    {command}\n\n{markdown}\n\n{end}"
    page.write_text(before + block + after, encoding="utf-8")
    say(f"{page} is up to date")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
