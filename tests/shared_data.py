"""Real pages and other people's test data, where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve().parent.parent


def shared(*parts: str) -> Path:
    """A path in the shared folder (``SHOAL_SHARED``, or ``shared`` beside the repository).

    Skips the calling test, loudly, where it is absent.
    """
    root = Path(os.environ.get("SHOAL_SHARED", _HERE.parent / "shared"))
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"NOT RUN: it needs {path} (set SHOAL_SHARED to where the data is)")
    return path
