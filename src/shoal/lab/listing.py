"""Which experiments there are in a folder: their files, and what has been run of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shoal.errors import UsageError
from shoal.lab.experiment_file import BadExperiment
from shoal.lab.team_experiment import TeamExperiment
from shoal.lab.team_experiment_file import read_any_experiment


@dataclass(frozen=True, slots=True)
class Listed:
    """An experiment file."""

    path: Path
    title: str
    partitions: int
    """0 where strategies are compared."""
    strategies: int
    """0 where partitions are compared."""
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
        found = read_any_experiment(path)
    except BadExperiment as error:
        return Listed(path, "", 0, 0, 0, 0, str(error))
    webs = len(found.webs)
    if isinstance(found, TeamExperiment):
        return Listed(path, found.title, len(found.partitions), 0, 0, webs, None)
    counts = len(found.strategies), len(found.topics)
    return Listed(path, found.title, 0, *counts, webs, None)
