"""How `shoal topic show` and `compare` tell what they found. Nothing of it is read as markup."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from shoal import wording
from shoal.ontology.focus import Nearness
from shoal.ontology.footprint import Level
from shoal.ontology.model import Ontology
from shoal.ontology_work import Compared
from shoal.report.ontology_page import Drawn

CONCEPTS: Final = 40
"""So many are printed; JSON has them all."""
SHARED: Final = 5
"""So many concepts of a level, or imports, are named."""
ALIKE: Final = 0.5
"""From this likeness on two pages are called alike."""


def print_weights_json(drawn: Drawn) -> None:
    for concept in drawn.ontology.concepts.values():
        told = {
            "id": concept.id,
            "name": concept.name,
            "class": drawn.focus.nearness(concept.id) if drawn.focus.concepts else None,
            "weight": drawn.focus.weight(concept.id),
        }
        print(msgspec.json.encode(told).decode())


def render_weights(drawn: Drawn, target: Path, console: Console) -> None:
    """The weightiest first, those of one weight in the order of the drawing."""
    focus, ontology = drawn.focus, drawn.ontology
    near = [concept for concept in focus.near if focus.nearness(concept) is not Nearness.REST]
    rest = [concept for concept in drawn.part.concepts if concept not in focus.near]
    ordered = sorted(near, key=lambda concept: -focus.weight(concept)) + rest
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for head in ("weight", "class", "id", "label"):
        table.add_column(head)
    for concept in ordered[:CONCEPTS]:
        nearness = focus.nearness(concept) if focus.concepts else "unfocused"
        name = wording.plain(ontology.concepts[concept].name)
        table.add_row(f"{focus.weight(concept):g}", nearness, escape(concept), escape(name))
    console.print(table)
    more = len(ontology.concepts) - min(len(ordered), CONCEPTS)
    if more:
        console.print(f"... and {wording.count(more)} more, of {_total(ontology)}.")
    if ontology.imports:
        console.print(
            f"It builds on others, which were not read: {_imports(ontology)}",
            highlight=False,
            soft_wrap=True,
        )
    drawn_of = "all of them" if not drawn.part.left_out else f"{len(drawn.part.concepts)} of them"
    console.print(f"Drawn ({drawn_of}): {escape(str(target))}", highlight=False, soft_wrap=True)


def _imports(ontology: Ontology) -> str:
    shown = ", ".join(wording.plain(one) for one in ontology.imports[:SHARED])
    more = len(ontology.imports) - SHARED
    return escape(shown + (f", {more} more" if more > 0 else ""))


def _total(ontology: Ontology) -> str:
    return wording.many(len(ontology.concepts), "concept")


def comparison_json(compared: Compared) -> str:
    told = {
        "pages": [
            {"page": name, "concepts": counts}
            for name, counts in zip(compared.names, compared.concepts, strict=True)
        ],
        "levels": [
            {
                "depth": level.depth,
                "likeness": level.likeness,
                "shared": [one._asdict() for one in level.shared],
            }
            for level in compared.comparison.levels
        ],
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode()


def render_comparison(compared: Compared, console: Console) -> None:
    for name, counts in zip(compared.names, compared.concepts, strict=True):
        kinds = wording.many(len(counts), "concept")
        console.print(
            f"{escape(wording.plain(name))}: {kinds}, named {wording.count(sum(counts.values()))} "
            f"times"
            if counts
            else f"{escape(wording.plain(name))}: no concept",
            highlight=False,
            soft_wrap=True,
        )
    if not compared.comparison.levels:
        console.print("Nothing can be compared: a page speaks of no concept of the ontology.")
        return
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for head in ("level", "alike", "both speak of"):
        table.add_column(head)
    for level in compared.comparison.levels:
        table.add_row(str(level.depth), f"{level.likeness:.2f}", _shared(compared, level))
    console.print(table)
    alike = compared.comparison.alike_from(ALIKE)
    console.print(
        f"They are alike from level {alike.depth} upwards (0 is the most abstract)."
        if alike
        else "They are alike on no level.",
        highlight=False,
    )


def _shared(compared: Compared, level: Level) -> str:
    concepts = compared.ontology.concepts
    names = [
        f"{wording.plain(concepts[one.concept].name)} {one.share:.2f}"
        for one in level.shared[:SHARED]
    ]
    more = len(level.shared) - SHARED
    return escape(", ".join(names) + (f", {more} more" if more > 0 else ""))
