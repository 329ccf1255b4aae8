"""The command line: arguments in, one call, an exit code out. A file a group of commands."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.markup import escape

# Each adds its commands; this is the order in which `shoal --help` lists them.
from shoal.cli import (  # isort: skip
    crawl, reading, team, topic, ontology, record, model, language, frozen, configuring, strategies,
    lab,
)  # fmt: skip
from shoal.cli.app import app
from shoal.errors import ShoalError


def main() -> None:
    """The entry point: an error that the user can mend is one message, not a traceback."""
    try:
        app()
    except ShoalError as error:
        console = Console(stderr=True)
        console.print(f"[bold red]shoal:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise SystemExit(error.exit_code) from None
    except BrokenPipeError:
        # Whoever read our output has seen enough, as `| head` does; nothing more can be flushed.
        sys.stdout = None
        raise SystemExit(0) from None


__all__ = [
    "app", "configuring", "crawl", "frozen", "lab", "language", "main", "model", "ontology",
    "reading", "record", "strategies", "team", "topic",
]  # fmt: skip
