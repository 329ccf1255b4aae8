"""Writes the reference pages that are made from the code. ``--check`` only compares."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from shoal import config
from shoal.cli import app
from shoal.settings import Settings
from shoal.strategy.registry import BUILT_IN
from tools.experiment_reference import experiment_page
from tools.topic_reference import topic_page

DOCS = Path(__file__).resolve().parent.parent / "docs"


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Made from `src/shoal/settings.py` by `make reference`; do not edit.",
        "",
        "Settings come from a TOML file (`--config`), the environment (`SHOAL_SECTION_KEY`),",
        "and flags (`--set section.key=value`), the later ones winning. `shoal config show` prints",
        "those in force. A list is written `a,b` in the environment and in flags, or as in TOML.",
    ]
    defaults = asdict(Settings())
    for section, texts in config.documentation().items():
        meaning = (config.SECTIONS[section].__doc__ or "").strip()
        lines += ["", f"## [{section}]", "", meaning, ""]
        lines += ["| key | default | meaning |", "| --- | --- | --- |"]
        for key, text in texts.items():
            default = defaults[section][key]
            shown = "none" if default is None else config.toml_value(default)
            if len(shown) > 60:
                shown = shown[:57] + "..."
            lines.append(f"| `{key}` | `{shown}` | {text} |".replace("|`", "| `"))
    lines += [
        "",
        f"## [{config.OPTIONS}]",
        "",
        "Options of the chosen strategy: see [strategies](strategies.md).",
    ]
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    lines = [
        "# Commands",
        "",
        "Made from `src/shoal/cli/` by `make reference`; do not edit.",
        "",
        "`shoal COMMAND --help` says the same. Every command that cannot do its work says why in",
        "one message on standard error, and ends with an exit code:",
        "",
        "| code | meaning |",
        "| --- | --- |",
        "| 0 | done; for `crawl`: it stopped for a reason other than Ctrl-C |",
        "| 1 | a mistake of Shoal's own |",
        "| 2 | the command, a setting or an input is not right |",
        "| 3 | the disk is full, read-only, or not what it was |",
        "| 4 | another crawler is at work in the directory |",
        "| 130 | Ctrl-C (or SIGTERM) ended the crawl; the same command goes on |",
    ]
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    for name, command in _commands(group):
        lines += ["", f"## shoal {name}", "", inspect.cleandoc(command.help or "")]
        lines += ["", f"{command.epilog}"]
        rows = [_parameter_row(parameter) for parameter in command.params]
        if rows:
            lines += [
                "",
                "| argument or option | default | meaning |",
                "| --- | --- | --- |",
                *rows,
            ]
    return "\n".join(lines) + "\n"


def strategies_page() -> str:
    lines = [
        "# Strategies",
        "",
        "Made from `src/shoal/strategy/` by `make reference`; do not edit.",
        "",
        "`shoal crawl --strategy NAME` chooses one; `--set strategy.OPTION=VALUE`, or the section",
        "`[strategy]` of a settings file, sets its options. An option that the chosen strategy",
        "does not have is an error. What each one computes, and when to use it, is told in",
        "[strategies](../explanation/strategies/README.md).",
        "",
        "| strategy | which Link comes first |",
        "| --- | --- |",
    ]
    lines += [f"| `{recipe.name}` | {recipe.meaning} |" for recipe in BUILT_IN]
    for recipe in BUILT_IN:
        texts = config.option_documentation(recipe.options)
        if texts:
            defaults = {field.name: field.default for field in fields(recipe.options)}
            lines += ["", f"## {recipe.name}", "", "| option | default | meaning |"]
            lines += ["| --- | --- | --- |"]
            for key, text in texts.items():
                default = defaults[key]
                shown = "none" if default is None else config.toml_value(default)
                lines.append(f"| `strategy.{key}` | `{shown}` | {text} |")
    return "\n".join(lines) + "\n"


def _commands(group: TyperGroup) -> Iterator[tuple[str, TyperCommand]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            for inner, leaf in _commands(command):
                yield f"{name} {inner}", leaf
        elif isinstance(command, TyperCommand):
            yield name, command


def _parameter_row(parameter: object) -> str:
    assert isinstance(parameter, TyperArgument | TyperOption)
    value = (parameter.metavar or "").removesuffix("...")
    if isinstance(parameter, TyperArgument):
        shown = value or parameter.name or ""
    else:
        shown = " ".join([*parameter.opts, value]).strip()
    default = parameter.default
    if parameter.required:
        text = "required"
    elif default is None or default is False:
        text = "none"
    else:
        text = f"`{getattr(default, 'value', default)}`"
    return f"| `{shown}` | {text} | {parameter.help or ''} |"


PAGES = {
    DOCS / "reference" / "settings.md": settings_page,
    DOCS / "reference" / "commands.md": commands_page,
    DOCS / "reference" / "experiment-file.md": experiment_page,
    DOCS / "reference" / "strategies.md": strategies_page,
    DOCS / "reference" / "topic-file.md": topic_page,
}


def main(arguments: list[str]) -> int:
    stale = []
    for path, make in PAGES.items():
        text = make()
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    if stale:
        print(f"not what the code says: {', '.join(stale)}; run `make reference`")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
