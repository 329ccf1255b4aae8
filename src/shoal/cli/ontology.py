"""`shoal topic find`: looks into an ontology before a crawl is given one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from shoal import wording
from shoal.cli.options import AsJson
from shoal.cli.topic import topic_app
from shoal.errors import UsageError
from shoal.ontology.finding import find as find_concepts
from shoal.ontology.reading import read_ontology

LABELS = 4
"""So many other labels of a concept are shown; JSON has them all."""

OntologyFile = Annotated[
    Path,
    typer.Argument(
        help="XTM, LTM, SKOS, OWL or other RDF.", metavar="ONTOLOGY", show_default=False
    ),
]


@topic_app.command(epilog="Example: `shoal topic find opera.xtm puccini`")
def find(
    ontology: OntologyFile,
    words: Annotated[
        list[str],
        typer.Argument(help="What it is called.", metavar="WORDS...", show_default=False),
    ],
    limit: Annotated[int, typer.Option(help="At most so many.", min=1)] = 20,
    as_json: AsJson = False,
) -> None:
    """Find concepts of an ontology by words, the nearest first: what --focus can name."""
    asked = " ".join(words)
    hits = find_concepts(read_ontology(ontology), asked, limit)
    if as_json:
        for hit in hits:
            told = {
                "id": hit.concept.id,
                "found": hit.label,
                "likeness": round(hit.likeness, 4),
                "labels": [label._asdict() for label in hit.concept.labels],
            }
            print(msgspec.json.encode(told).decode())
        return
    if not hits:
        raise UsageError(f"{ontology} has no concept that is called anything like {asked!r}")
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for head in ("id", "label", "also called"):
        table.add_column(head)
    for hit in hits:
        others = [label.text for label in hit.concept.labels if label.text != hit.concept.name]
        cells = (hit.concept.id, hit.concept.name, ", ".join(dict.fromkeys(others[:LABELS])))
        table.add_row(*(escape(wording.plain(cell)) for cell in cells))
    Console().print(table)
