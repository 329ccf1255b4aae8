"""Finished runs on disk: what an experiment has, it need not run again.

1. A run is there whole or not at all.
2. A run is found by the fingerprint of what it was made of, so one that would come out otherwise
   today is run again.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from shoal.atomic import write_atomically
from shoal.errors import StorageError, UsageError

OURS = frozenset({"runs", "results.json"})
"""One of these is in every folder that the lab has written to."""


W = TypeVar("W")


class Kept(msgspec.Struct, Generic[W], frozen=True, kw_only=True):
    """A run as it is kept."""

    name: str
    seconds: float
    """How long it took on the machine's clock."""
    walk: W


@dataclass(frozen=True, slots=True)
class RunStore(Generic[W]):
    """The runs in a folder of the lab, each with a walk of one kind."""

    folder: Path
    kind: type[W]

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    def check(self) -> None:
        """Raises UsageError where the folder holds something that is not the lab's."""
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.folder} is a file; --out wants a folder")
        if self.folder.is_dir():
            names = {path.name for path in self.folder.iterdir()}
            if names and not names & OURS:
                raise UsageError(
                    f"{self.folder} is not empty and holds no experiment; give a new folder to "
                    "--out"
                )

    def prepare(self, fresh: bool = False) -> None:
        """Make the folder; with ``fresh`` forget the runs in it."""
        try:
            if fresh and self.runs.is_dir():
                shutil.rmtree(self.runs)
            self.runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot write to {self.folder}: {error.strerror}") from error

    def find(self, fingerprint: str) -> Kept[W] | None:
        try:
            data = (self.runs / f"{fingerprint}.json").read_bytes()
        except FileNotFoundError:
            return None
        try:
            return msgspec.json.decode(data, type=Kept[self.kind])  # type: ignore[name-defined]  # a type only when it runs
        except msgspec.DecodeError as error:
            raise StorageError(
                f"{self.runs}/{fingerprint}.json is damaged ({error}); remove it, and the run is "
                "made again"
            ) from error

    def keep(self, fingerprint: str, kept: Kept[W]) -> None:
        try:
            write_atomically(self.runs / f"{fingerprint}.json", msgspec.json.encode(kept).decode())
        except OSError as error:
            raise StorageError(f"cannot write to {self.runs}: {error.strerror}") from error
