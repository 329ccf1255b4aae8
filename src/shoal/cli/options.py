"""Arguments that several commands have, and the Settings that they make together."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal import config
from shoal.errors import UsageError
from shoal.settings import Settings
from shoal.url import BadUrl, Url

Directory = Annotated[
    Path, typer.Argument(help="What `shoal crawl --out` wrote.", metavar="DIR", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="A TOML file with settings.", metavar="FILE")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any setting; may be repeated.", metavar="KEY=VALUE"),
]


def named(text: str | None) -> list[str] | None:
    """Names with commas between them; None where there is none."""
    names = [name.strip() for name in (text or "").split(",")]
    return [name for name in names if name] or None


def without_none(given: dict[str, dict[str, Any]]) -> config.Layer:
    return {
        section: {key: value for key, value in keys.items() if value is not None}
        for section, keys in given.items()
    }


def read_settings(
    config_file: Path | None,
    assignments: list[str] | None,
    flags: config.Layer,
    *begun: config.Layer,
) -> Settings:
    layers = [*begun]
    if config_file is not None:
        layers.append(config.read_toml(config_file))
    layers += [config.environment_layer(), config.read_assignments(assignments or []), flags]
    return config.check(config.merge(layers))


def read_url(text: str, parse: Callable[[str], Url]) -> Url:
    bare = "://" not in text and not re.match(r"[a-z]+:(?!\d)", text)
    try:
        return parse(f"https://{text}" if bare else text)
    except BadUrl as error:
        raise UsageError(str(error)) from error
