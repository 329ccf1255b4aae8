"""`shoal topic find`, `show` and `compare`: look into an ontology before a crawl is given one.

What draws and judges is imported by each command, for no other one has to wait for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from shoal import wording
from shoal.cli.options import AsJson, named
from shoal.cli.topic import topic_app
from shoal.errors import UsageError
from shoal.ontology.finding import find as find_concepts
from shoal.ontology.focus import Weights
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


@topic_app.command(epilog="Example: `shoal topic show opera.xtm --focus puccini,tosca`")
def show(
    ontology: OntologyFile,
    focus: Annotated[
        str | None,
        typer.Option(help="Concepts in focus, by id or label, with commas.", metavar="A,B"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The page with the drawing; by default in this folder, named after the ontology.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    concepts: Annotated[
        int, typer.Option(help="Draw at most so many, the nearest to the focus.", min=1, max=5_000)
    ] = 2_500,
    focus_weight: Annotated[float, typer.Option(min=0, max=1)] = Weights.focal,
    taxonomic_weight: Annotated[float, typer.Option(min=0, max=1)] = Weights.taxonomic,
    other_weight: Annotated[float, typer.Option(min=0, max=1)] = Weights.other,
    rest_weight: Annotated[float, typer.Option(min=0, max=1)] = Weights.rest,
    as_json: AsJson = False,
) -> None:
    """Print the concepts of an ontology with their weights, and draw them on a page of HTML.

    Of a very large ontology the concepts around the focus are drawn. JSON is one line a concept,
    all of them.
    """
    from shoal.cli import ontology_shown as shown
    from shoal.ontology_work import look_at
    from shoal.report.ontology_page import write_ontology_page

    target = out if out is not None else Path(f"{ontology.stem}.html")
    if not target.parent.is_dir():
        raise UsageError(f"--out {target}: there is no folder {target.parent}; make it first")
    if target.exists() and target.suffix.lower() not in {".html", ".htm"}:
        raise UsageError(f"--out {target} is there already and is no page of HTML; name another")
    weights = Weights(focus_weight, taxonomic_weight, other_weight, rest_weight)
    drawn = look_at(ontology, named(focus) or (), weights, concepts)
    write_ontology_page(drawn, target)
    if as_json:
        shown.print_weights_json(drawn)
    else:
        shown.render_weights(drawn, target, Console())


@topic_app.command(epilog="Example: `shoal topic compare a.html b.html --ontology opera.xtm`")
def compare(
    one: Annotated[str, typer.Argument(help="A file, or an address in --web.", metavar="PAGE")],
    other: Annotated[str, typer.Argument(help="Another one.", metavar="PAGE")],
    ontology: Annotated[
        Path, typer.Option(help="XTM, LTM, SKOS, OWL or other RDF.", metavar="FILE")
    ],
    web: Annotated[
        str | None,
        typer.Option(help="Where the pages of addresses are frozen.", metavar="WARC_OR_DIR"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """On which level of abstraction do two pages speak of the same concepts?"""
    from shoal.cli import ontology_shown as shown
    from shoal.ontology_work import compare_pages

    compared = compare_pages(ontology, (one, other), web)
    if as_json:
        print(shown.comparison_json(compared))
    else:
        shown.render_comparison(compared, Console())
