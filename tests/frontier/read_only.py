"""Reads a state file where nothing may be written; a script, because it gives up its rights."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from shoal.frontier import (
    DirectoryLock,
    StateFile,
    StateFrontier,
    StateLedger,
    StateReadOnly,
    StateUnreadable,
)
from shoal.model import ArchiveMark
from shoal.testing.frontier import offer_of

NOBODY = 65_534


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    torn = folder / "torn"
    torn.mkdir()
    shutil.copy(sys.argv[1], folder / "state.sqlite")
    frontier = StateFrontier.open(StateFile.open(torn / "crawl.sqlite"))
    frontier.offer(None, [offer_of("http://a.org/")])
    frontier.commit(ArchiveMark(), 1.0)
    shutil.copy(torn / "crawl.sqlite", torn / "state.sqlite")
    shutil.copy(torn / "crawl.sqlite-wal", torn / "state.sqlite-wal")
    frontier.close()
    for place in (torn, folder):
        for file in place.iterdir():
            if file.is_file():
                file.chmod(0o444)
        place.chmod(0o555)
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        look(folder, torn)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    for place in (folder, torn):
        place.chmod(0o755)
    shutil.rmtree(folder)
    sys.exit(os.waitstatus_to_exitcode(status))


def look(folder: Path, torn: Path) -> None:
    ledger = StateLedger(StateFile.read(folder / "state.sqlite"))
    assert ledger.standing().known == 100
    ledger.close()
    with pytest.raises((StateReadOnly, StateUnreadable), match="write"):
        StateFile.open(folder / "state.sqlite")
    with pytest.raises(StateReadOnly, match="Copy the directory") as failure:
        StateFile.read(torn / "state.sqlite")
    assert failure.value.errno == errno.EROFS
    with pytest.raises(StateReadOnly, match="write access"):
        DirectoryLock(folder).acquire()


if __name__ == "__main__":
    main()
