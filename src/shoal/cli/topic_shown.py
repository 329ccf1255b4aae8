"""How `shoal topic` tells what it found. Nothing from the web is read as markup."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from shoal import wording
from shoal.model import Part
from shoal.topic_work import Checked

BELIEFS = 5
"""So many of the likeliest are shown; JSON has them all."""


def checked_json(checked: Checked) -> str:
    told = {
        **checked._asdict(),
        "reasons": _parts(checked.reasons),
        "beliefs": _parts(checked.beliefs),
    }
    return msgspec.json.encode(told).decode()


def render_checked(checked: Iterable[Checked], topic_file: Path, console: Console) -> None:
    found = False
    for one in checked:
        found = True
        verdict = "[green]relevant[/]" if one.relevant else "[yellow]not relevant[/]"
        console.print(
            f"[bold]{one.relevance:.2f}[/] {verdict}  {escape(wording.plain(one.page))}\n"
            f"  [dim]similarity {one.similarity:.3f}[/]"
            + (f"  {escape(wording.plain(one.title))}" if one.title else ""),
            highlight=False,
            soft_wrap=True,
        )
        if one.reasons:
            table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
            table.add_column(justify="right")
            table.add_column()
            for part in one.reasons:
                table.add_row(f"{part.value:+.3f}", escape(wording.plain(part.name)))
            console.print(table)
        if one.beliefs:
            named = ", ".join(
                f"{wording.plain(part.name)} {part.value:.2f}" for part in one.beliefs[:BELIEFS]
            )
            console.print(f"  [dim]beliefs: {escape(named)}[/]", highlight=False, soft_wrap=True)
    if not found:
        console.print(f"{escape(str(topic_file))} is sound. Give it a --page to judge.")


def _parts(parts: Iterable[Part]) -> list[dict[str, object]]:
    return [part._asdict() for part in parts]
