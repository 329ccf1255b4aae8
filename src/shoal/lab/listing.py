"""Which experiments there are in a folder: their files, and what has been run of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shoal.errors import UsageError
from shoal.lab.experiment_file import BadExperiment, read_experiment


@dataclass(frozen=True, slots=True)
class Listed:
    """An experiment file."""

    path: Path
    title: str
    strategies: int
    topics: int
    webs: int
    problem: str | None
    """Why the file is no experiment; None where it is one."""


def listed(folder: Path) -> list[Listed]:
    """Every TOML file of a folder, by name. Raises UsageError where there is none."""
    paths = sorted(folder.glob("*.toml")) if folder.is_dir() else [folder]
    if not paths or not paths[0].exists():
        raise UsageError(f"{folder} holds no experiment files (*.toml)")
    return [_listed(path) for path in paths]


def _listed(path: Path) -> Listed:
    try:
        found = read_experiment(path)
    except BadExperiment as error:
        return Listed(path, "", 0, 0, 0, str(error))
    counts = len(found.strategies), len(found.topics), len(found.webs)
    return Listed(path, found.title, *counts, None)
