"""One crawler a directory."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Self

from shoal.frontier.state import DirectoryInUse, StateReadOnly, StateUnreadable


class DirectoryLock:
    """Keeps a directory for one process.

    1. At most one DirectoryLock of a directory is held at a time, by all processes of a machine.
    2. The end of a process, however it came, gives its lock back: a lock never has to be removed.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file: int | None = None

    def acquire(self) -> None:
        """Raises DirectoryInUse, naming the process that works there."""
        path = self._directory / "lock"
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            kind = StateUnreadable if isinstance(error, FileNotFoundError) else StateReadOnly
            raise kind(
                error.errno,
                f"{path} cannot be written ({error.strerror}). Create the directory, give Shoal "
                "write access to it, or choose another one.",
            ) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(file, 20).decode("ascii", "replace").strip() or "unknown"
            os.close(file)
            raise DirectoryInUse(
                f"A crawler is already at work in {self._directory} (process {holder}). Wait until "
                "it ends, or choose another directory."
            ) from error
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        self._file = file

    def close(self) -> None:
        """Give the directory back. Idempotent."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
