"""Where archive files stand, for whoever reads them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class Files(Protocol):
    """Archive files by their names.

    1. ``read`` gives the bytes from ``offset`` on: as many as asked for, fewer only where the file
       ends.
    2. A file that is not there is an OSError or a StorageError which names it.
    """

    def read(self, file: str, offset: int, length: int) -> bytes: ...

    def name_of(self, file: str) -> str:
        """A file as messages call it."""


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """A folder on this machine; a file may be named by a path below it."""

    path: Path

    def read(self, file: str, offset: int, length: int) -> bytes:
        descriptor = os.open(self.path / file, os.O_RDONLY)
        try:
            return os.pread(descriptor, length, offset)
        finally:
            os.close(descriptor)

    def name_of(self, file: str) -> str:
        return str(self.path / file)
