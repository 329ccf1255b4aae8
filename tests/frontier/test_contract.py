"""The contracts of Frontier, Ledger and Notes, over state files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.frontier import StateFile, StateFrontier, StateLedger, StateNotes
from shoal.ports import Frontier, Ledger, Notes
from shoal.testing.frontier import FrontierContract
from shoal.testing.ledger import LedgerContract
from shoal.testing.notes import NotesContract


class TestFileFrontier(FrontierContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self._path = tmp_path / "state.sqlite"

    def make_frontier(self, per_host: int = 1) -> Frontier:
        return StateFrontier.open(StateFile.open(self._path), per_host=per_host)


class TestFileFrontierForgetful(FrontierContract):
    """With no memory of recent Urls every Offer goes to the file, and nothing may change by it."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self._path = tmp_path / "state.sqlite"

    def make_frontier(self, per_host: int = 1) -> Frontier:
        return StateFrontier.open(StateFile.open(self._path), per_host=per_host, recent=0)


class TestFileLedger(LedgerContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self._path = tmp_path / "state.sqlite"

    def make_frontier(self) -> Frontier:
        self._state = StateFile.open(self._path)
        return StateFrontier.open(self._state)

    def make_notes(self) -> Notes:
        return StateNotes(self._state)

    def make_ledger(self) -> Ledger:
        return StateLedger(StateFile.read(self._path))


class TestFileNotes(NotesContract):
    @pytest.fixture(autouse=True)
    def _memory(self) -> Iterator[None]:
        self._state = StateFile.open(":memory:")
        yield
        self._state.close()

    def make_notes(self) -> Notes:
        return StateNotes(self._state)
