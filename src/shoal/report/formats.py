"""Rows into files: one class a format. Each streams; none holds more than a batch of rows."""

from __future__ import annotations

import csv
from dataclasses import astuple
from pathlib import Path
from typing import Protocol, TextIO

import msgspec

from shoal.report.rows import COLUMNS, Row

_FOLDER_FILES = 1_000
_LINE_ENDS = tuple((end.encode(), f"\\u{ord(end):04x}".encode()) for end in "\x85\u2028\u2029")


class Sink(Protocol):
    """Takes rows. What was written is whole only after ``close``."""

    def write(self, row: Row) -> None: ...

    def close(self) -> None: ...


class JsonLines:
    """One JSON object a line, UTF-8. Characters that some readers take for the end of a line are
    escaped, so that every way of splitting lines gives the same."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._encoder = msgspec.json.Encoder()

    def write(self, row: Row) -> None:
        line = self._encoder.encode(row)
        for raw, escaped in _LINE_ENDS:
            if raw in line:
                line = line.replace(raw, escaped)
        self._file.write(line + b"\n")

    def close(self) -> None:
        self._file.close()


class Csv:
    """RFC 4180 with a header, UTF-8; every text is quoted, numbers are not."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._writer = _csv(self._file)
        self._writer.writerow(COLUMNS)

    def write(self, row: Row) -> None:
        self._writer.writerow([_cell(value) for value in astuple(row)])

    def close(self) -> None:
        self._file.close()


class TextFolder:
    """A folder: ``pages.csv`` and one numbered text file a page, a thousand to a subfolder.

    A file is the title, an empty line, and the text. File names are numbers, never words of the
    web. Pages without text have no file.
    """

    INDEX = "pages.csv"

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self._path = path
        self._number = 0
        self._index = (path / self.INDEX).open("w", encoding="utf-8", newline="")
        self._writer = _csv(self._index)
        self._columns = [name for name in COLUMNS if name != "text"]
        self._writer.writerow(["file", *self._columns])

    def write(self, row: Row) -> None:
        if row.text is None:
            return
        self._number += 1
        folder = self._path / f"{(self._number - 1) // _FOLDER_FILES:04d}"
        folder.mkdir(exist_ok=True)
        file = folder / f"{self._number:07d}.txt"
        file.write_text(f"{row.title}\n\n{row.text}\n", encoding="utf-8")
        cells = [_cell(getattr(row, name)) for name in self._columns]
        self._writer.writerow([file.relative_to(self._path).as_posix(), *cells])

    def close(self) -> None:
        self._index.close()


def _csv(file: TextIO) -> _Writer:
    return csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")


class _Writer(Protocol):
    def writerow(self, row: list[object] | list[str] | tuple[str, ...], /) -> object: ...


def _cell(value: object) -> object:
    """Without NUL, which some readers of CSV take for the end."""
    return value.replace("\0", "") if isinstance(value, str) else value
