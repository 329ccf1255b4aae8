"""Keeps what was read, so that the next start need not parse it again.

1. A kept WordNet is named by the digest of its source and the version of this format: another
   source, or another Shoal, never takes it for its own.
2. It is there whole or not at all. One that is damaged is made anew.
3. Where none can be written (a disk that is full, a home that is read-only), the next start is
   slow again, and nothing else happens.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from shoal.wordnet.tables import Tables

FORMAT: Final = 1
"""To be raised with every change of Tables, or of what the readers put there."""


def kept(folder: Path, digest: str, make: Callable[[], Tables]) -> Tables:
    """The Tables of that digest, from ``folder`` where they are there, and there afterwards."""
    path = folder / f"wordnet-{FORMAT}-{digest}.npz"
    found = _load(path)
    if found is None:
        found = make()
        with contextlib.suppress(OSError):
            _save(path, found)
    return found


def _load(path: Path) -> Tables | None:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return Tables(*(arrays[name] for name in Tables._fields))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _save(path: Path, tables: Tables) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **tables._asdict())
            file.flush()
            os.fsync(file.fileno())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
