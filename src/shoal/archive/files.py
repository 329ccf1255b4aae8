"""The files of one Archive: their names, the one being written, and its journal of captures.

What is promised:

1. Only files whose names this Archive made are ever cut, replaced or deleted.
2. ``Volume.write`` keeps the order; a failed write leaves a torn tail and nothing worse.
3. ``Volume.sync`` returns when the file, and its name in the folder, are on disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shoal.archive.cdxj import line_of, place_of, write_sorted
from shoal.archive.records import read_records

_BUFFER_BYTES: Final = 1 << 20
_SUFFIXES: Final = (".warc.gz", ".cdxj", ".cdxj.open", ".cdxj.part")
_PREFIX: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
INDEX_BLOCK_BYTES: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Names:
    """``PREFIX-00001.warc.gz`` and what stands beside it."""

    prefix: str

    def __post_init__(self) -> None:
        if not _PREFIX.fullmatch(self.prefix):
            raise ValueError(f"not a file name prefix: {self.prefix!r}")

    def warc(self, number: int) -> str:
        return f"{self.prefix}-{number:05d}.warc.gz"

    def index(self, number: int) -> str:
        return f"{self.prefix}-{number:05d}.cdxj"

    def journal(self, number: int) -> str:
        return f"{self.prefix}-{number:05d}.cdxj.open"

    def number(self, name: str) -> int | None:
        """The number in a name that this pattern made; None for every other name."""
        for suffix in _SUFFIXES:
            if name.endswith(suffix):
                digits = name.removesuffix(suffix).removeprefix(f"{self.prefix}-")
                made = digits.isdigit() and name == f"{self.prefix}-{int(digits):05d}{suffix}"
                return int(digits) if made else None
        return None


@dataclass(frozen=True, slots=True)
class FileNames:
    """The same, in a folder."""

    folder: Path
    names: Names

    def warc(self, number: int) -> Path:
        return self.folder / self.names.warc(number)

    def index(self, number: int) -> Path:
        return self.folder / self.names.index(number)

    def journal(self, number: int) -> Path:
        return self.folder / self.names.journal(number)

    def number(self, name: str) -> int | None:
        return self.names.number(name)

    def present(self) -> Iterator[tuple[int, Path]]:
        """Every file in the folder that is ours, in the order of names."""
        if self.folder.is_dir():
            for path in sorted(self.folder.iterdir()):
                number = self.number(path.name)
                if number is not None:
                    yield number, path


class Volume:
    """One WARC file being written, with the journal from which its index is made."""

    def __init__(self, names: FileNames, number: int, size_bytes: int, journal: list[str]) -> None:
        self.number = number
        self.path = names.warc(number)
        self.name = self.path.name
        self.size_bytes = size_bytes
        self._names = names
        flags = os.O_WRONLY | os.O_CREAT | (0 if size_bytes else os.O_EXCL)
        self._descriptor = os.open(self.path, flags | os.O_APPEND, 0o644)
        self._new = size_bytes == 0
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        try:
            self._journal = names.journal(number).open("w", encoding="utf-8", newline="\n")
        except OSError:
            os.close(self._descriptor)
            raise
        self._journal.writelines(journal)

    def write(self, member: bytes) -> int:
        """Append one record; returns where it begins."""
        offset = self.size_bytes
        self._waiting.append(member)
        self._waiting_bytes += len(member)
        self.size_bytes += len(member)
        if self._waiting_bytes >= _BUFFER_BYTES:
            self._flush()
        return offset

    def note(self, line: str) -> None:
        self._journal.write(line)

    def sync(self) -> None:
        self._flush()
        self._journal.flush()
        os.fdatasync(self._descriptor)
        if self._new:
            sync_folder(self.path.parent)
            self._new = False

    def finish(self) -> None:
        """Bring everything to disk, write the sorted index, let go."""
        self.sync()
        journal = self._names.journal(self.number)
        self._journal.close()
        write_sorted(self._names.index(self.number), read_lines(journal))
        journal.unlink()
        os.close(self._descriptor)
        self._descriptor = -1

    def abandon(self) -> None:
        """Let go of a file that could not be written; what waits in memory is lost."""
        self._waiting.clear()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        try:
            self._journal.close()
        except OSError:
            # The disk is full for the journal too: closing has let go of it all the same, and
            # recover reads it only as far as it is whole.
            return

    def _flush(self) -> None:
        left = memoryview(b"".join(self._waiting))
        self._waiting.clear()
        self._waiting_bytes = 0
        while left:
            left = left[os.write(self._descriptor, left) :]


def read_lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", errors="replace") as lines:
        return list(lines)


def lines_up_to(names: FileNames, number: int, size_bytes: int) -> list[str]:
    """The captures of a file of this size, in order: from index and journal as far as they are
    whole, from the file itself beyond."""
    lines: list[str] = []
    covered = 0
    known = read_lines(names.journal(number)) or read_lines(names.index(number))
    for line, place in sorted(_placed(known), key=lambda pair: pair[1]):
        if place[0] >= covered and sum(place) <= size_bytes:
            lines.append(line)
            covered = sum(place)
    if covered < size_bytes:
        path = names.warc(number)
        records = read_records(path, start=covered, block_limit_bytes=INDEX_BLOCK_BYTES)
        lines.extend(filter(None, (line_of(record, path.name) for record in records)))
    return lines


def _placed(lines: list[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Lines with their places, as far as they are whole."""
    for line in lines:
        place = place_of(line)
        if place is None:
            return
        yield line, place


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
