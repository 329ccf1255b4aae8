"""The pages of a crawl as a file for other programs.

1. The output appears whole or not at all; an earlier output stands until the new one is done.
2. It streams: memory does not grow with the crawl.
3. No file name comes from the web.
4. A page that cannot be read from the archive is counted and named, and does not end the export.
5. What holds no texts (an ontology with its pages) is written without the archive.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from shoal import wording
from shoal.errors import StorageError, StoreError, UsageError
from shoal.model import Known, Position, Visit
from shoal.ontology.model import Ontology
from shoal.ports import Ledger
from shoal.report.formats import Csv, JsonLines, Sink, TextFolder
from shoal.report.rows import Selection, Source, make_row
from shoal.report.skos import SkosFile
from shoal.report.topic_map import TopicMapFile

_Value = TypeVar("_Value")
_PROBLEMS_KEPT = 10
_READ_ERRORS = (OSError, ValueError, StorageError)


class Format(StrEnum):
    """What an export is written as."""

    PARQUET = "parquet"
    JSONL = "jsonl"
    CSV = "csv"
    WARC = "warc"
    TXT = "txt"
    XTM = "xtm"
    SKOS = "skos"

    @property
    def suffix(self) -> str:
        """How its files are usually called; the empty text for a folder."""
        other = {"warc": ".warc.gz", "txt": "", "skos": ".ttl"}
        return other.get(self.value, f".{self.value}")

    @property
    def needs_ontology(self) -> bool:
        """Whether it is an ontology that the pages are written into."""
        return self in (Format.XTM, Format.SKOS)


class ExportRefused(UsageError):
    """The output cannot stand where it was asked for; the message says why."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote."""

    path: Path
    pages: int
    """Rows, or records with ``warc``, or text files with ``txt``."""
    size_bytes: int
    not_archived: int = 0
    """Pages of which the crawl kept no record."""
    unreadable: int = 0
    """Pages whose record could not be read."""
    problems: tuple[str, ...] = ()
    """The first ten of those, each with its Url and the reason."""


def export(
    ledger: Ledger,
    source: Source,
    format: Format,  # noqa: A002 - it is called so on the command line, too
    out: Path,
    selection: Selection | None = None,
    progress: Callable[[int], None] | None = None,
    ontology: Ontology | None = None,
) -> Exported:
    """Write the selected pages to ``out``, in the order in which they were settled.

    ``progress`` is told the number of pages done after each one; ``ontology`` is what ``xtm`` and
    ``skos`` write the pages into. Raises ExportRefused for an unusable ``out``, StorageError where
    the disk does not take it.
    """
    _check(format, out)
    draft = out.with_name(f".{out.name}.{os.getpid()}.part")
    _remove(draft)
    run = _Run(ledger, source, selection or Selection(), progress or _silent)
    try:
        if format is Format.WARC:
            run.copy_records(draft)
        elif format.needs_ontology:
            if ontology is None:
                raise ExportRefused(f"{format} needs an ontology to write the pages into")
            run.write_entries(_ontology_sink(format, draft, ontology))
        else:
            run.write_rows(_sink(format, draft), with_missing=format is not Format.TXT)
        size_bytes = _size(draft)
        _put(draft, out)
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        _remove(draft)
    return Exported(
        out, run.pages, size_bytes, run.not_archived, run.unreadable, tuple(run.problems)
    )


def render_exported(done: Exported, console: Console) -> None:
    """Print what was written, and what could not be."""
    console.print(
        Text(f"{wording.many(done.pages, 'page')}, {wording.size(done.size_bytes)}: {done.path}")
    )
    if done.not_archived:
        console.print(f"{wording.count(done.not_archived)} pages were never archived.")
    if done.unreadable:
        console.print(f"{wording.count(done.unreadable)} pages could not be read from the archive:")
        for problem in done.problems:
            console.print(Text(f"  {wording.plain(problem)}"))


class _Run:
    """One export under way."""

    def __init__(
        self, ledger: Ledger, source: Source, selection: Selection, progress: Callable[[int], None]
    ) -> None:
        self._ledger = ledger
        self._source = source
        self._selection = selection
        self._progress = progress
        self.pages = 0
        self.not_archived = 0
        self.unreadable = 0
        self.problems: list[str] = []

    def write_rows(self, sink: Sink, with_missing: bool) -> None:
        try:
            for known, visit in self._selection.visits(self._ledger):
                text = self._read(known, visit, self._source.text)
                if text is not None or with_missing:
                    sink.write(make_row(known, visit, text))
                    self._count()
        finally:
            sink.close()

    def write_entries(self, sink: Sink) -> None:
        """Rows without texts."""
        try:
            for known, visit in self._selection.visits(self._ledger):
                sink.write(make_row(known, visit, None))
                self._count()
        finally:
            sink.close()

    def copy_records(self, path: Path) -> None:
        with path.open("wb") as file:
            for known, visit in self._selection.visits(self._ledger):
                data = self._read(known, visit, self._source.raw)
                if data is not None:
                    file.write(data)
                    self._count()

    def _read(
        self, known: Known, visit: Visit, read: Callable[[Position], _Value]
    ) -> _Value | None:
        if visit.position is None:
            self.not_archived += 1
            return None
        try:
            return read(visit.position)
        except StoreError:
            # Not this page's fault: none of the others could be read either.
            raise
        except _READ_ERRORS as error:
            self.unreadable += 1
            if len(self.problems) < _PROBLEMS_KEPT:
                self.problems.append(f"{known.url}: {error}")
            return None

    def _count(self) -> None:
        self.pages += 1
        self._progress(self.pages)


def _sink(format: Format, path: Path) -> Sink:  # noqa: A002 - as above
    if format is Format.PARQUET:
        # Here, because loading pyarrow takes longer than many a whole export.
        from shoal.report.parquet import Parquet

        return Parquet(path)
    if format is Format.JSONL:
        return JsonLines(path)
    return Csv(path) if format is Format.CSV else TextFolder(path)


def _ontology_sink(format: Format, path: Path, ontology: Ontology) -> Sink:  # noqa: A002 - as above
    return SkosFile(path, ontology) if format is Format.SKOS else TopicMapFile(path, ontology)


def _check(format: Format, out: Path) -> None:  # noqa: A002 - as above
    if not out.parent.is_dir():
        raise ExportRefused(f"there is no folder {out.parent}")
    if format is not Format.TXT:
        if out.is_dir():
            raise ExportRefused(f"{out} is a folder, and {format} needs a file")
        return
    if not out.exists():
        return
    if not out.is_dir():
        raise ExportRefused(f"{out} is a file, and {format} needs a folder")
    if any(out.iterdir()) and not (out / TextFolder.INDEX).is_file():
        raise ExportRefused(f"{out} holds something else than an earlier export; name another")


def _put(draft: Path, out: Path) -> None:
    if not (draft.is_dir() and out.exists()):
        draft.replace(out)
        return
    former = out.with_name(f".{out.name}.{os.getpid()}.former")
    out.replace(former)
    draft.replace(out)
    _remove(former)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        # Asked first: a medium that takes no writes refuses even to remove what is not there.
        path.unlink()


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file())


def _silent(_: int) -> None:
    """Nobody wants to know how far it is."""
