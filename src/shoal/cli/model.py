"""`shoal model`: train a model, test it, look at it, put it to work.

What does the work is imported by each command: scipy and scikit-learn take a second to load, which
no other command has to wait for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from shoal import wording
from shoal.classify.choices import DEFAULT_METHOD, MethodName, Selection
from shoal.classify.usable import LEAST_TERMS
from shoal.cli.app import app
from shoal.cli.options import AsJson
from shoal.clock import SystemClock
from shoal.errors import UsageError
from shoal.report.confusion import write_confusion

model_app = typer.Typer(
    help="Models that tell categories apart: train, test, look, classify.", no_args_is_help=True
)
app.add_typer(model_app, name="model")

LabelledArgument = Annotated[
    Path,
    typer.Argument(
        help="A folder with a folder a category, a TSV file of addresses and labels, or a crawl "
        "with labels.tsv in it.",
        metavar="LABELLED",
        show_default=False,
    ),
]
ModelFile = Annotated[
    Path,
    typer.Argument(help="What `shoal model train` made.", metavar="MODEL", show_default=False),
]
WebOption = Annotated[
    str | None,
    typer.Option("--web", help="Where the pages of addresses are frozen.", metavar="WARC_OR_DIR"),
]


@model_app.command(
    epilog="Example: `shoal model train labels.tsv --web pages.warc.gz --out subjects.model`"
)
def train(
    labelled: LabelledArgument,
    out: Annotated[Path, typer.Option(help="Where the model is kept.", metavar="MODEL")],
    web: WebOption = None,
    method: Annotated[
        MethodName, typer.Option(help=f"One of {', '.join(MethodName)}.")
    ] = DEFAULT_METHOD,
    depth: Annotated[
        int,
        typer.Option(
            help="Steps of hierarchical labels (`Science.Biology`) that make a category; 0 keeps "
            "labels whole.",
            min=0,
        ),
    ] = 1,
    least_pages: Annotated[
        int, typer.Option(help="Leave out terms that fewer pages have.", min=1)
    ] = 2,
    most_share: Annotated[
        float,
        typer.Option(help="Leave out terms that a larger share of pages has.", min=0, max=1),
    ] = 1.0,
    stop_words: Annotated[
        int, typer.Option(help="Leave out so many of the language's most common words.", min=0)
    ] = 0,
    most_terms: Annotated[
        int, typer.Option(help="Keep so many terms, those that most pages have.", min=1)
    ] = 100_000,
    select: Annotated[
        Selection,
        typer.Option(help=f"Stepwise selection of terms: {', '.join(Selection)}."),
    ] = Selection.NONE,
    as_json: AsJson = False,
) -> None:
    """Learn categories from labelled pages."""
    from shoal import model_work
    from shoal.classify import model_file
    from shoal.classify.features import Features
    from shoal.cli import model_shown as shown

    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: there is no folder {out.parent}; make it first")
    features = Features(least_pages, most_share, most_terms, stop_words, select)
    trained_at = wording.iso(SystemClock().now_s())
    with shown.progress() as progress:
        model = model_work.train_model(labelled, web, method, features, depth, trained_at, progress)
    model_file.save(model, out)
    if as_json:
        print(shown.model_json(model))
    else:
        shown.render_model(model, out, Console())


@model_app.command(
    "test", epilog="Example: `shoal model test subjects.model labels.tsv --web new.warc.gz`"
)
def try_out(
    model: ModelFile,
    labelled: LabelledArgument,
    web: WebOption = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Where the picture goes; by default beside the model, named after it.",
            metavar="HTML",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How well a model tells other labelled pages, and how fast. Also draws the confusion."""
    from shoal import model_work
    from shoal.classify import model_file
    from shoal.cli import model_shown as shown

    target = picture or model.with_name(f"{model.name}.test.html")
    loaded = model_file.load(model)
    with shown.progress() as progress:
        tested = model_work.test_model(loaded, labelled, web, progress)
    console = Console()
    if as_json:
        print(shown.test_json(tested))
    else:
        shown.render_test(loaded, tested, console)
    # Last, so that a test beside a model on a medium that takes no writes can be read all the same.
    write_confusion(shown.picture_of(loaded, tested, model.name), target)
    if not as_json:
        shown.say_where(target, console)


@model_app.command(epilog="Example: `shoal model show subjects.model`")
def show(
    model: ModelFile,
    terms: Annotated[
        int, typer.Option(help="So many of the strongest terms a category.", min=0)
    ] = 8,
    as_json: AsJson = False,
) -> None:
    """What a model knows: its categories, their strongest terms, the facts of its training."""
    from shoal.classify import model_file
    from shoal.cli import model_shown as shown

    loaded = model_file.load(model)
    if as_json:
        print(shown.model_json(loaded, terms))
    else:
        shown.render_model(loaded, model, Console(), terms)


@model_app.command(epilog="Example: `shoal model classify subjects.model page.html more-pages/`")
def classify(
    model: ModelFile,
    pages: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, WARC files, or addresses in --web.",
            metavar="PAGES...",
            show_default=False,
        ),
    ],
    web: WebOption = None,
    least_terms: Annotated[
        int, typer.Option(help="Pages of fewer terms are not classified.", min=1)
    ] = LEAST_TERMS,
    reasons: Annotated[int, typer.Option(help="So many terms that carried it.", min=0)] = 5,
    as_json: AsJson = False,
) -> None:
    """The category of each page, how sure the model is, and why. JSON is one line a page."""
    from shoal import model_work
    from shoal.classify import model_file
    from shoal.cli import model_shown as shown

    loaded = model_file.load(model)
    answers = model_work.classify_pages(loaded, pages, web, least_terms, reasons)
    if as_json:
        for answer in answers:
            print(shown.line_json(answer))
    else:
        shown.render_answers(answers, Console())


@model_app.command(epilog="Example: `shoal model locality subjects.model --web pages.warc.gz`")
def locality(
    model: Annotated[
        Path,
        typer.Argument(
            help="A model, or a TSV file of addresses and labels: then the labels are the truth.",
            metavar="MODEL_OR_LABELS",
            show_default=False,
        ),
    ],
    web: Annotated[
        str, typer.Option("--web", help="The frozen web to look at.", metavar="WARC_OR_DIR")
    ],
    as_json: AsJson = False,
) -> None:
    """Whether pages of a frozen web link to pages of their own category, beside the chance."""
    from shoal import model_work
    from shoal.cli import model_shown as shown

    with shown.progress() as progress:
        found = model_work.measure_locality(model, web, progress)
    if as_json:
        print(shown.locality_json(found))
    else:
        shown.render_locality(found, Console())
