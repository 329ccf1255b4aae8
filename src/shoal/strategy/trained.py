"""What the strategies that learn from a browsing path have in common: its file."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import UsageError
from shoal.training.set_file import load_training_set
from shoal.training.training_set import TrainingSet


def read_training(strategy: str, path: str | None) -> TrainingSet:
    """Raises UsageError where no file is given, or it holds no training set."""
    if path is None:
        raise UsageError(
            f"{strategy} learns from a browsing path: make a training set with `shoal record`, and "
            "give its file with --set strategy.training=FILE"
        )
    return load_training_set(Path(path))
