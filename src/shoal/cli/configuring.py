"""`shoal config`: show and check settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from shoal import config
from shoal.cli.app import config_app
from shoal.cli.options import Assignments, ConfigFile, read_settings
from shoal.directory import CrawlDirectory


@config_app.command("show", epilog="Example: `shoal config show --set politeness.delay_s=2`")
def config_show(
    directory: Annotated[
        Path | None, typer.Argument(help="Of this crawl.", metavar="DIR", show_default=False)
    ] = None,
    config_file: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Print the settings in force, as TOML."""
    begun = [] if directory is None else [config.as_layer(CrawlDirectory(directory).settings())]
    print(config.to_toml(read_settings(config_file, assignments, {}, *begun)), end="")


@config_app.command("check", epilog="Example: `shoal config check shoal.toml`")
def config_check(
    file: Annotated[Path, typer.Argument(help="A TOML file with settings.", metavar="FILE")],
) -> None:
    """Say whether a settings file is right, and if not, what is wrong."""
    config.check(config.read_toml(file))
    print(f"{file}: all settings are right")


@config_app.command("schema", epilog="Example: `shoal config schema > shoal.schema.json`")
def config_schema() -> None:
    """Print the JSON Schema of the settings file, for editors."""
    print(msgspec.json.format(msgspec.json.encode(config.schema()), indent=2).decode())
