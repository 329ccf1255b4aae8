"""StoreArchive: everything that was received, as WARC/1.1, in a store of objects.

Objects cannot be appended to. So what comes between two ``sync`` is a file of its own, a segment,
held in memory until it is written whole. What is promised, beyond the Archive's own guarantees:

1. What ``capture`` promises of records.
2. A segment and its index are in the store before a mark vouches for them, and are never written
   again. The mark names the last one, and vouches for every segment before it too.
3. ``recover`` removes the segments after the mark. It changes nothing, and says which, where one
   that the mark vouches for is missing or cut.
4. After any error nothing more is written until ``recover``.
5. Memory holds what ``capture`` remembers, and one segment: ``archive.segment_bytes`` and a record.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

from shoal.archive.capture import Captures, Maker
from shoal.archive.cdxj import line_of
from shoal.archive.files import INDEX_BLOCK_BYTES, Names
from shoal.archive.records import BrokenArchive, Record, read_open
from shoal.archive.store import Store
from shoal.errors import StorageError, StoreError
from shoal.model import ArchiveMark, Judgement, Position, Response
from shoal.ports import Clock
from shoal.settings import ArchiveSettings


class Segment:
    """A WARC file in memory, with the lines of its index."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.size_bytes = 0
        self._members: list[bytes] = []
        self._lines: list[str] = []

    def write(self, member: bytes) -> int:
        offset = self.size_bytes
        self._members.append(member)
        self.size_bytes += len(member)
        return offset

    def note(self, line: str) -> None:
        self._lines.append(line)

    def data(self) -> bytes:
        return b"".join(self._members)

    def index(self) -> bytes:
        return _index_of(self._lines)


class StoreArchive:
    """WARC files ``PREFIX-00001.warc.gz``, ... in one place of a store, each with a CDXJ index."""

    def __init__(
        self,
        store: Store,
        settings: ArchiveSettings,
        clock: Clock,
        *,
        maker: Maker | None = None,
        prefix: str = "shoal",
    ) -> None:
        """Archives with different prefixes may share a place."""
        self._store = store
        self._segment_bytes = settings.segment_bytes
        self._names = Names(prefix)
        self._captures = Captures(maker or Maker(), settings.level, clock)
        self._segment: Segment | None = None
        self._last = 0
        self._last_bytes = 0
        self._started = False
        self._failure: StorageError | None = None

    def append(self, response: Response, judgement: Judgement | None = None) -> Position:
        """See Archive. Raises StoreError where the store does; then only ``recover`` helps."""
        segment = self._open_segment()
        position = self._captures.write(segment, response, judgement)
        if segment.size_bytes >= self._segment_bytes:
            self._put(segment)
        return position

    def sync(self) -> ArchiveMark:
        self._healthy()
        if self._segment is not None:
            self._put(self._segment)
        if not self._last:
            return ArchiveMark()
        return ArchiveMark(((self._names.warc(self._last), self._last_bytes),))

    def recover(self, mark: ArchiveMark) -> None:
        """See Archive. Raises BrokenArchive where a segment is missing or cut, and StoreError where
        the store does."""
        self._segment = None
        self._store.make()
        there = {
            name: size
            for name, size in self._store.sizes().items()
            if self._names.number(name) is not None
        }
        last, size = self._checked(mark, there)
        self._store.remove(name for name in there if (self._names.number(name) or 0) > last)
        for number in range(1, last + 1):
            if self._names.index(number) not in there:
                self._mend(number, there[self._names.warc(number)])
        self._last, self._last_bytes = last, size
        self._captures.forget()
        self._failure = None
        self._started = True

    def is_empty(self) -> bool:
        """Whether nothing of an archive with these names is there. Raises StoreError."""
        return all(self._names.number(name) is None for name in self._store.sizes())

    def close(self) -> None:
        """Write what is open; after a failure, only let go. Idempotent."""
        segment, self._segment = self._segment, None
        if segment is not None and self._failure is None:
            self._put(segment)

    # ------------------------------------------------------------------ segments

    def _healthy(self) -> None:
        if self._failure is not None:
            raise StoreError(f"the archive needs recovery after: {self._failure}")

    def _open_segment(self) -> Segment:
        self._healthy()
        if not self._started:
            if not self.is_empty():
                raise BrokenArchive(
                    self._store.address,
                    0,
                    "an archive is here already: recover it first, or use another place",
                )
            self._started = True
        if self._segment is None:
            self._segment = Segment(self._names.warc(self._last + 1))
            self._captures.begin(self._segment)
        return self._segment

    def _put(self, segment: Segment) -> None:
        number = self._last + 1
        try:
            self._store.put(
                {
                    self._names.warc(number): segment.data(),
                    self._names.index(number): segment.index(),
                }
            )
        except StorageError as error:
            self._failure = error
            raise
        self._last, self._last_bytes = number, segment.size_bytes
        self._segment = None

    # ------------------------------------------------------------------ recovery

    def _checked(self, mark: ArchiveMark, there: dict[str, int]) -> tuple[int, int]:
        """The number and size of the last segment that the mark vouches for, 0 where it is none."""
        last, last_bytes = 0, 0
        for name, size in mark.sizes:
            number = self._names.number(name)
            if number is None or name != self._names.warc(number):
                raise BrokenArchive(self._store.name_of(name), 0, "not a file of this archive")
            present = there.get(name)
            if present is not None and present != size:
                raise BrokenArchive(
                    self._store.name_of(name),
                    min(present, size),
                    f"damaged: the crawl's state knows {size} bytes of it, {present} are there",
                )
            if number > last:
                last, last_bytes = number, size
        for number in range(1, last + 1):
            if self._names.warc(number) not in there:
                raise BrokenArchive(
                    self._store.name_of(self._names.warc(number)),
                    0,
                    "missing; the crawl's state knows of it",
                )
        return last, last_bytes

    def _mend(self, number: int, size: int) -> None:
        """Make a lost index anew from its segment."""
        name = self._names.warc(number)
        lines = (line_of(record, name) for record in self._records(name, size))
        self._store.put({self._names.index(number): _index_of(list(filter(None, lines)))})

    def _records(self, name: str, size: int) -> Iterator[Record]:
        with tempfile.TemporaryFile() as copy:
            copy.write(self._store.read(name, 0, size))
            copy.flush()
            yield from read_open(
                copy.fileno(), self._store.name_of(name), block_limit_bytes=INDEX_BLOCK_BYTES
            )


def _index_of(lines: list[str]) -> bytes:
    return "".join(sorted(lines)).encode()
