"""A browsing path as somebody writes it down: an address and a mark a line.

    # what I looked at this morning
    http://example.org/           not
    http://example.org/dengue     relevant

Lines that are empty or begin with ``#`` are passed over.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from shoal.errors import UsageError

RELEVANT: Final = frozenset({"relevant", "yes", "true", "1"})
NOT: Final = frozenset({"not", "no", "false", "0"})


class BadPath(UsageError):
    """No browsing path; the message names file and line."""


def read_path_file(path: Path) -> list[tuple[str, bool]]:
    """Addresses as they are written, and whether each is relevant. Raises BadPath."""
    found = []
    for number, line in _lines(path):
        words = line.split()
        mark = words[1].lower() if len(words) == 2 else ""
        if mark not in RELEVANT | NOT:
            raise BadPath(
                f"{path}, line {number}: {line[:80]!r} is not an address and then 'relevant' or "
                "'not'"
            )
        found.append((words[0], mark in RELEVANT))
    if not found:
        raise BadPath(f"{path} has no addresses in it")
    return found


def read_marks(path: Path) -> list[str]:
    """Addresses of relevant pages, one a line. Raises BadPath."""
    found = []
    for number, line in _lines(path):
        if len(line.split()) != 1:
            raise BadPath(f"{path}, line {number}: {line[:80]!r} is not one address")
        found.append(line)
    if not found:
        raise BadPath(f"{path} has no addresses in it")
    return found


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError as error:
        raise BadPath(f"{path}: no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadPath(f"{path}: cannot be read as a list of addresses: {error}") from error
    stripped = ((number, line.strip()) for number, line in enumerate(lines, start=1))
    return [(number, line) for number, line in stripped if line and not line.startswith("#")]
