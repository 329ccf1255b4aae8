"""A state file that mates read while it is begun is not yet there, or whole: never foreign."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

from shoal.frontier.state import StateError, StateFile, StateLocked, StateMissing


def test_a_file_that_is_being_begun_is_missing_or_ours(tmp_path: Path) -> None:
    unexpected: list[StateError] = []

    def read(path: Path, over: Event) -> None:
        while not over.is_set():
            try:
                StateFile.read(path).close()
            except (StateMissing, StateLocked):
                continue
            except StateError as error:
                unexpected.append(error)
                return

    for number in range(40):
        path, over = tmp_path / f"{number}.sqlite", Event()
        readers = [Thread(target=read, args=(path, over)) for _ in range(3)]
        for reader in readers:
            reader.start()
        StateFile.open(path).close()
        over.set()
        for reader in readers:
            reader.join()
    assert not unexpected
