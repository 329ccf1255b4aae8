"""The contract of ``ports.Notes``, and Notes that live in memory.

Subclass :class:`NotesContract` in a test module and give it ``make_notes``::

    class TestMemoryNotes(NotesContract):
        def make_notes(self):
            return MemoryNotes()
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from shoal.ports import Notes


class MemoryNotes:
    """Notes for tests: everything written is durable at once.

    Hand the same object to a second stage, and that stage was restarted. ``writes`` counts.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], bytes] = {}
        self.writes = 0

    def read(self, kind: str, key: str) -> bytes | None:
        return self.kept.get((kind, key))

    def write(self, kind: str, key: str, value: bytes) -> None:
        self.kept[kind, key] = value
        self.writes += 1


class NotesContract(ABC):
    """What any Notes must do."""

    @abstractmethod
    def make_notes(self) -> Notes:
        """Empty Notes."""

    def test_what_was_never_written_is_none(self) -> None:
        notes = self.make_notes()
        assert notes.read("robots", "https://example.org") is None

    def test_what_is_written_is_seen_at_once(self) -> None:
        notes = self.make_notes()
        notes.write("robots", "https://example.org", b"one")
        assert notes.read("robots", "https://example.org") == b"one"

    def test_the_latest_writing_counts(self) -> None:
        notes = self.make_notes()
        notes.write("robots", "https://example.org", b"one")
        notes.write("robots", "https://example.org", b"two")
        assert notes.read("robots", "https://example.org") == b"two"

    def test_kinds_and_keys_are_apart(self) -> None:
        notes = self.make_notes()
        notes.write("robots", "a", b"one")
        notes.write("politeness", "a", b"two")
        notes.write("robots", "b", b"three")
        assert notes.read("robots", "a") == b"one"
        assert notes.read("politeness", "a") == b"two"
        assert notes.read("robots", "b") == b"three"
        assert notes.read("politeness", "b") is None

    def test_keys_are_told_apart_exactly(self) -> None:
        notes = self.make_notes()
        keys = ("", "a", "A", "a ", "a%", "a_", "ä", "https://example.org:8080")
        for number, key in enumerate(keys):
            notes.write("robots", key, bytes([number]))
        assert [notes.read("robots", key) for key in keys] == [bytes([n]) for n in range(len(keys))]

    def test_any_bytes_are_kept(self) -> None:
        notes = self.make_notes()
        for value in (b"", bytes(range(256)), b"\0" * 100_000):
            notes.write("robots", "a", value)
            assert notes.read("robots", "a") == value
