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
from shoal.topic_suggest import Agreement, Suggestion
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


def suggestion_json(found: Suggestion, target: Path) -> str:
    told = {
        "topic_file": str(target),
        "terms": found.terms,
        "border": found.border,
        "like": found.like,
        "unlike": found.unlike,
        "missing": found.missing,
        "held_out": {
            name: {**agreement._asdict(), "agreement": agreement.share}
            for name, agreement in _agreements(found)
        },
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode()


def render_suggestion(found: Suggestion, target: Path, console: Console) -> None:
    new = ", ".join(f"{wording.plain(term)} {count:g}" for term, count in found.terms.items())
    console.print(
        f"[bold]new terms[/]     {escape(new) or 'none'}\n"
        f"[bold]new examples[/]  {len(found.like)} wanted, {len(found.unlike)} not",
        highlight=False,
        soft_wrap=True,
    )
    if found.missing:
        console.print(f"{wording.many(found.missing, 'mark')} left out: the crawl has no such page")
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for head in ("held-out marks", "relevant", "not", "agreement"):
        table.add_column(head, justify="left" if head == "held-out marks" else "right")
    for name, one in _agreements(found):
        table.add_row(
            name,
            f"{one.relevant_right} of {one.relevant}",
            f"{one.others_right} of {one.others}",
            wording.share(one.share),
        )
    console.print(table)
    ahead = found.after.share - found.before.share
    verdict = (
        "The held-out marks agree with it more often than with the old topic."
        if ahead > 0
        else "The held-out marks agree with it as often as with the old topic."
        if ahead == 0
        else "The held-out marks agree with it less often than with the old topic: mark more pages."
    )
    console.print(f"{verdict}\nWritten to {escape(str(target))}", highlight=False, soft_wrap=True)


def _agreements(found: Suggestion) -> list[tuple[str, Agreement]]:
    return [
        ("old topic", found.before),
        ("new words", found.words_after),
        ("new examples", found.examples_after),
        ("suggestion", found.after),
    ]


def _parts(parts: Iterable[Part]) -> list[dict[str, object]]:
    return [part._asdict() for part in parts]
