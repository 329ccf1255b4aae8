"""What is promised when the process, the disk or the file fails."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.frontier import (
    DirectoryInUse,
    DirectoryLock,
    StateCorrupt,
    StateDiskFull,
    StateError,
    StateFile,
    StateForeign,
    StateFrontier,
    StateLedger,
    StateLocked,
    StateMissing,
    StateNotes,
    StateReadOnly,
    StateTooNew,
    StateUnreadable,
)
from shoal.frontier.state import explain
from shoal.model import ArchiveMark
from shoal.testing.frontier import offer_of, visit_of
from shoal.url import parse_url

HERE = Path(__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


def fill(frontier: StateFrontier, batch: int) -> None:
    frontier.offer(None, [offer_of(f"http://h{n % 7}.org/{batch}/{n}") for n in range(100)])


def test_killed_at_any_moment_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "kill_rounds.py"), str(tmp_path), "50", "3"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("50 kills")


def test_a_full_disk_keeps_what_was_committed(path: Path) -> None:
    state = StateFile.open(path)
    frontier = StateFrontier.open(state)
    fill(frontier, 0)
    frontier.commit(ArchiveMark(), 1.0)
    pages = state.connection.execute("PRAGMA page_count").fetchone()[0]
    state.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StateDiskFull, match="free some space") as failure:
        frontier.offer(None, [offer_of(f"http://h{n % 7}.org/{n}") for n in range(5_000)])
    assert failure.value.errno == errno.ENOSPC
    # Nothing may follow: it would be committed without what came before it.
    with pytest.raises(StateDiskFull):
        frontier.commit(ArchiveMark(), 2.0)
    with pytest.raises(StateDiskFull):
        StateNotes(state).write("robots", "a", b"")
    frontier.close()
    again = StateFrontier.open(StateFile.open(path))
    assert again.standing().known == 100
    assert again.fact("clock_s") == "1.0"
    fill(again, 1)
    again.commit(ArchiveMark(), 3.0)
    again.close()


def test_a_foreign_database_is_left_alone(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE t (x)")
    other.commit()
    other.close()
    before = path.read_bytes()
    for open_it in (StateFile.open, StateFile.read):
        with pytest.raises(StateForeign, match="not a state file"):
            open_it(path)
    assert path.read_bytes() == before


def test_a_file_that_was_only_just_begun_is_told_as_such(path: Path) -> None:
    """What a kill leaves between making the file and its first transaction."""
    begun = sqlite3.connect(path)
    begun.execute("PRAGMA journal_mode = WAL")
    begun.close()
    with pytest.raises(StateMissing, match=r"Nothing is in .* yet"):
        StateFile.read(path)
    StateFile.open(path).close()
    StateFile.read(path).close()


def test_something_else_is_left_alone(path: Path) -> None:
    path.write_text("a letter to a friend " * 100)
    for open_it in (StateFile.open, StateFile.read):
        with pytest.raises(StateForeign):
            open_it(path)
    assert path.read_text().startswith("a letter")


def test_a_later_version_is_refused(path: Path) -> None:
    StateFile.open(path).close()
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    for open_it in (StateFile.open, StateFile.read):
        with pytest.raises(StateTooNew, match="Update Shoal"):
            open_it(path)


def test_an_earlier_version_is_for_a_resumed_crawl_to_lift(path: Path) -> None:
    StateFile.open(path).close()
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 0")
    other.close()
    with pytest.raises(StateError, match="Resume the crawl"):
        StateFile.read(path)


def damaged(path: Path) -> None:
    state = StateFile.open(path)
    frontier = StateFrontier.open(state)
    for batch in range(20):
        fill(frontier, batch)
    frontier.commit(ArchiveMark(), 1.0)
    frontier.close()
    with path.open("r+b") as file:
        for page in range(3, 12):
            file.seek(page * 4096)
            file.write(b"\xee" * 4096)


def test_a_damaged_file_is_told_after_an_unclean_end(path: Path) -> None:
    damaged(path)
    # A log left behind is what an unclean end looks like.
    path.with_name(path.name + "-wal").write_bytes(b"torn")
    with pytest.raises(StateCorrupt, match="restore the state file"):
        StateFile.open(path)


def test_a_damaged_page_is_told_when_it_is_met(path: Path) -> None:
    damaged(path)
    with pytest.raises(StateCorrupt):
        StateFile.open(path).verify()
    with pytest.raises(StateCorrupt):
        StateLedger(StateFile.read(path)).find(parse_url("http://h1.org/3/1"))


def test_a_second_writer_is_refused(path: Path) -> None:
    first = StateFile.open(path)
    with pytest.raises(StateLocked, match="Another process"):
        StateFile.open(path)
    first.close()
    StateFile.open(path).close()


def test_a_directory_is_for_one_crawler(tmp_path: Path) -> None:
    with (
        DirectoryLock(tmp_path),
        pytest.raises(DirectoryInUse, match=f"process {os.getpid()}"),
    ):
        DirectoryLock(tmp_path).acquire()
    second = DirectoryLock(tmp_path)
    second.acquire()
    second.close()
    second.close()
    with pytest.raises(StateUnreadable, match="Create the directory"):
        DirectoryLock(tmp_path / "absent").acquire()


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StateMissing):
        StateFile.read(tmp_path / "state.sqlite")
    with pytest.raises(StateUnreadable, match="directory exists"):
        StateFile.open(tmp_path / "absent" / "state.sqlite")


def test_a_medium_that_takes_no_writes(path: Path, tmp_path: Path) -> None:
    frontier = StateFrontier.open(StateFile.open(path))
    fill(frontier, 0)
    frontier.commit(ArchiveMark(), 1.0)
    frontier.close()
    done = subprocess.run(
        [sys.executable, str(HERE / "read_only.py"), str(path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, StateDiskFull),
        (sqlite3.SQLITE_READONLY, StateReadOnly),
        (sqlite3.SQLITE_BUSY, StateLocked),
        (sqlite3.SQLITE_NOTADB, StateForeign),
        (sqlite3.SQLITE_CORRUPT, StateCorrupt),
        (sqlite3.SQLITE_IOERR, StateUnreadable),
        (sqlite3.SQLITE_NOMEM, StateError),
    ],
)
def test_each_error_names_the_file(code: int, kind: type[StateError]) -> None:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code | 1 << 8
    told = explain(error, "crawl/state.sqlite")
    assert type(told) is kind
    assert "crawl/state.sqlite" in str(told)


def test_a_state_in_memory_is_a_state(tmp_path: Path) -> None:
    state = StateFile.open(":memory:")
    frontier = StateFrontier.open(state)
    fill(frontier, 0)
    lease = frontier.lease(0.0, 1)[0]
    frontier.settle(lease, visit_of())
    frontier.commit(ArchiveMark(), 1.0)
    ledger = StateLedger(state)
    assert ledger.standing().known == 100
    assert len(list(ledger.visits())) == 1
    frontier.close()
    with pytest.raises(StateError):
        frontier.lease(0.0, 1)


def test_a_ledger_never_keeps_a_crawl_waiting(path: Path) -> None:
    frontier = StateFrontier.open(StateFile.open(path))
    fill(frontier, 0)
    frontier.commit(ArchiveMark(), 1.0)
    ledger = StateLedger(StateFile.read(path))
    hosts = ledger.hosts()
    next(hosts)
    for batch in range(1, 4):
        fill(frontier, batch)
        frontier.commit(ArchiveMark(), 2.0)
    frontier.close()
    assert len(list(hosts)) == 6
    ledger.close()
    ledger.close()
