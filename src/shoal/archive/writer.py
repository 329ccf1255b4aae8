"""WarcArchive: everything that was received, as WARC/1.1.

What is promised, beyond the Archive's own guarantees:

1. What ``capture`` promises of records.
2. After any error nothing more is written until ``recover``: a torn record is never built upon.
3. Memory holds what ``capture`` remembers and the bytes not yet written, nothing else that grows.
"""

from __future__ import annotations

import os
from pathlib import Path

from shoal.archive import cdxj
from shoal.archive.capture import Captures, Maker
from shoal.archive.files import FileNames, Names, Volume, lines_up_to, sync_folder
from shoal.archive.records import BrokenArchive
from shoal.model import ArchiveMark, Judgement, Position, Response
from shoal.ports import Clock
from shoal.settings import ArchiveSettings


class WarcArchive:
    """WARC files ``PREFIX-00001.warc.gz``, ... in one folder, each with a CDXJ index when done."""

    def __init__(
        self,
        folder: Path,
        settings: ArchiveSettings,
        clock: Clock,
        *,
        maker: Maker | None = None,
        prefix: str = "shoal",
    ) -> None:
        """Archives with different prefixes may share a folder."""
        self._settings = settings
        self._names = FileNames(folder, Names(prefix))
        self._captures = Captures(maker or Maker(), settings.level, clock)
        self._finished: dict[int, int] = {}
        self._volume: Volume | None = None
        self._started = False
        self._failure: OSError | None = None

    def append(self, response: Response, judgement: Judgement | None = None) -> Position:
        """See Archive. Raises OSError where the disk does; then only ``recover`` helps."""
        try:
            return self._captures.write(self._open_volume(), response, judgement)
        except OSError as error:
            self._fail(error)
            raise

    def sync(self) -> ArchiveMark:
        try:
            if self._volume is not None:
                self._healthy()
                self._volume.sync()
        except OSError as error:
            self._fail(error)
            raise
        sizes = dict(self._finished)
        if self._volume is not None:
            sizes[self._volume.number] = self._volume.size_bytes
        return ArchiveMark(tuple((self._names.warc(n).name, sizes[n]) for n in sorted(sizes)))

    def recover(self, mark: ArchiveMark) -> None:
        """See Archive. Raises BrokenArchive where a file is missing or shorter than the mark, and
        then has changed nothing."""
        if self._volume is not None:
            self._volume.abandon()
        self._volume = None
        wanted = self._checked(mark)
        for number, path in self._names.present():
            if number not in wanted:
                path.unlink()
        for number, size in sorted(wanted.items()):
            self._mend(number, size)
        if self._names.folder.is_dir():
            sync_folder(self._names.folder)
        self._finished = wanted
        self._captures.forget()
        self._failure = None
        self._started = True

    def close(self) -> None:
        """Write out and index what is open; after a failure, only let go. Idempotent."""
        volume, self._volume = self._volume, None
        if volume is None:
            return
        if self._failure is not None:
            volume.abandon()
            return
        try:
            volume.finish()
        except OSError:
            volume.abandon()
            raise
        self._finished[volume.number] = volume.size_bytes

    # ------------------------------------------------------------------ files

    def _healthy(self) -> None:
        if self._failure is not None:
            raise OSError(
                self._failure.errno, f"the archive needs recovery after: {self._failure.strerror}"
            )

    def _fail(self, error: OSError) -> None:
        if self._failure is None:
            self._failure = error

    def _open_volume(self) -> Volume:
        self._healthy()
        if self._volume is not None:
            if self._volume.size_bytes < self._settings.rotate_bytes:
                return self._volume
            self._volume.finish()
            self._finished[self._volume.number] = self._volume.size_bytes
            self._volume = None
        self._names.folder.mkdir(parents=True, exist_ok=True)
        if not self._started:
            self._claim()
        number = max(self._finished, default=0)
        size = self._finished.get(number, self._settings.rotate_bytes)
        if size < self._settings.rotate_bytes:
            lines = lines_up_to(self._names, number, size)
            self._volume = Volume(self._names, number, size, lines)
            # From here on the index would be behind the file; the journal is what counts.
            self._names.index(number).unlink(missing_ok=True)
            del self._finished[number]
            return self._volume
        self._volume = Volume(self._names, number + 1, 0, [])
        self._captures.begin(self._volume)
        return self._volume

    def _claim(self) -> None:
        for _, path in self._names.present():
            raise BrokenArchive(
                path, 0, "an archive is here already: recover it first, or use another folder"
            )
        self._started = True

    def _checked(self, mark: ArchiveMark) -> dict[int, int]:
        wanted: dict[int, int] = {}
        for name, size in mark.sizes:
            path = self._names.folder / name
            number = self._names.number(name)
            if number is None or path != self._names.warc(number):
                raise BrokenArchive(path, 0, "not a file of this archive")
            present = path.stat().st_size if path.is_file() else None
            if present is None:
                raise BrokenArchive(path, 0, f"missing; the crawl's state knows {size} bytes of it")
            if present < size:
                raise BrokenArchive(
                    path, present, f"damaged: the crawl's state knows {size} bytes of it"
                )
            wanted[number] = size
        return wanted

    def _mend(self, number: int, size: int) -> None:
        """Cut a file to its size and make its index say the same, in an order that can be
        interrupted anywhere: while an index names too much, it is called a journal."""
        path, index = self._names.warc(number), self._names.index(number)
        journal = self._names.journal(number)
        if path.stat().st_size > size:
            if index.exists():
                index.replace(journal)
            with path.open("r+b") as file:
                file.truncate(size)
                os.fsync(file.fileno())
        if not index.exists():
            cdxj.write_sorted(index, lines_up_to(self._names, number, size))
        journal.unlink(missing_ok=True)
