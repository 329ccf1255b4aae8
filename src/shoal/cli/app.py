"""The command `shoal`, to which every file of this room adds its commands."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="shoal",
    help="Gathers the part of the web that is about a topic.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
config_app = typer.Typer(help="Show and check settings.", no_args_is_help=True)
app.add_typer(config_app, name="config")
