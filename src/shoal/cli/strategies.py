"""`shoal strategies`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from shoal import config
from shoal.cli.app import app
from shoal.cli.options import AsJson
from shoal.strategy import registry
from shoal.strategy.recipe import Recipe


@app.command(epilog="Example: `shoal strategies --json`")
def strategies(as_json: AsJson = False) -> None:
    """List the strategies, Shoal's own and those of installed packages, with their options."""
    listed = [_described(recipe) for recipe in registry.recipes()]
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(listed), indent=2).decode())
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("strategy", style="bold", no_wrap=True)
    table.add_column("which Link comes first; options (--set strategy.NAME=VALUE)")
    for row in listed:
        table.add_row(row["name"], row["meaning"])
        for option in row["options"]:
            table.add_row("", f"  {option['name']} = {option['default']}: {option['meaning']}")
    Console(highlight=False).print(table)


def _described(recipe: Recipe[Any]) -> dict[str, Any]:
    meanings = config.option_documentation(recipe.options)
    return {
        "name": recipe.name,
        "meaning": recipe.meaning,
        "options": [
            {"name": field.name, "default": field.default, "meaning": meanings[field.name]}
            for field in fields(recipe.options)
        ],
    }
