"""A Crawler's folder moves, and wherever that is ended one whole copy is left, and goes on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import ShoalError, StorageError
from shoal.team import movement, roster
from shoal.team.changes import founded
from shoal.team.movement import CannotMove
from shoal.team.orders import Move, OrderFolder, SplitTopic
from shoal.team.regrouping import Regrouping
from shoal.team.roster import Roster


class Killed(BaseException):
    """The process ends here."""


class FolderGrounds:
    """Crawlers with some files in their folders."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder_of(self, name: str) -> Path:
        return self._root / "crawlers" / name

    def check_reach(self) -> None: ...

    def check_split(self, order: SplitTopic) -> None: ...

    def make(self, names: Sequence[str]) -> None:
        for name in names:
            self.folder_of(name).mkdir(parents=True, exist_ok=True)

    def at_rest(self, name: str) -> AbstractContextManager[object]:
        return nullcontext(name)

    def let_go(self) -> None: ...

    def has_handed_on(self, name: str, roster: Roster) -> bool:
        return True


FILES = {"state.sqlite": b"state" * 1_000, "archive/a.warc.gz": b"pages" * 100, "archive/b": b""}


def team(root: Path) -> Regrouping:
    now = roster.read(root / "roster.json") or founded("site", ["one", "two"])
    return Regrouping(root / "roster.json", now, OrderFolder(root / "orders"), FolderGrounds(root))


def begun(root: Path) -> Regrouping:
    made = team(root)
    made.mend()
    for name, content in FILES.items():
        file = root / "crawlers" / "one" / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    (root / "crawlers" / "one" / "lock").write_text("99")
    return made


def contents(folder: Path) -> dict[str, bytes]:
    whole = folder.resolve()
    return {
        str(path.relative_to(whole)): path.read_bytes()
        for path in whole.rglob("*")
        if path.is_file() and path.name != "lock"
    }


def test_a_folder_moves_and_is_found_where_it_was(tmp_path: Path) -> None:
    made = begun(tmp_path)
    disk = tmp_path / "disk" / "deep"
    lines = made.carry_out("1", Move("one", str(disk)))
    assert lines == [f"one moves to {disk}, with its state and its archive"]
    folder = tmp_path / "crawlers" / "one"
    assert folder.is_symlink()
    assert folder.resolve() == disk / "one"
    assert contents(folder) == FILES
    assert sorted(path.name for path in folder.parent.iterdir()) == ["one", "two"]
    # And on, and back to where it began.
    made.carry_out("2", Move("one", str(tmp_path / "other")))
    assert contents(folder) == FILES
    assert not (disk / "one").exists()


OPERATIONS: list[tuple[Any, str]] = [
    (Path, "mkdir"),
    (Path, "rename"),
    (Path, "replace"),
    (Path, "symlink_to"),
    (Path, "unlink"),
    (os, "fsync"),
    (shutil, "rmtree"),
    (shutil, "copystat"),
]


def counted(patch: pytest.MonkeyPatch, killed_at: int | None) -> list[str]:
    """Every operation on files from now on, up to the one at which the process ends."""
    done: list[str] = []

    def watched(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def operation(*args: object, **kwargs: object) -> object:
            if len(done) == killed_at:
                raise Killed
            done.append(name)
            return real(*args, **kwargs)

        return operation

    for owner, name in OPERATIONS:
        patch.setattr(owner, name, watched(name, getattr(owner, name)))
    return done


def test_a_move_that_is_ended_anywhere_leaves_a_whole_copy_and_goes_on(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        made = begun(tmp_path / "all")
        made._orders.give(Move("one", str(tmp_path / "all" / "disk")))
        operations = counted(patch, None)
        made.obey()
        count = len(operations)
    assert count > 15
    for killed_at in range(count):
        root = tmp_path / str(killed_at)
        made = begun(root)
        number = made._orders.give(Move("one", str(root / "disk")))
        with pytest.MonkeyPatch.context() as patch:
            counted(patch, killed_at)
            with pytest.raises(Killed):
                made.obey()
        folder = root / "crawlers" / "one"
        whole = [
            place
            for place in (folder, folder.with_name(".moved-one"), root / "disk" / "one")
            if place.is_dir() and contents(place) == FILES
        ]
        assert whole, f"no whole copy after {operations[:killed_at]}"
        # Whoever goes on finds the order, or what is left of it.
        again = team(root)
        again.mend()
        assert contents(folder) == FILES
        assert folder.resolve() == root / "disk" / "one"
        assert sorted(path.name for path in folder.parent.iterdir()) == ["one", "two"]
        assert [path.name for path in (root / "disk").iterdir()] == ["one"]
        answer = again._orders.answer_to(number)
        assert answer is not None
        assert answer.done


def test_what_cannot_be_moved_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = begun(tmp_path)

    def refused(place: Path) -> str:
        with pytest.raises(ShoalError) as caught:
            made.try_out(Move("one", str(place)))
        assert made.now.version == 1
        return str(caught.value)

    (tmp_path / "file").write_text("x")
    assert "is a file" in refused(tmp_path / "file")
    (tmp_path / "taken" / "one").mkdir(parents=True)
    assert "exists already" in refused(tmp_path / "taken")
    assert "in the crawler's own folder" in refused(tmp_path / "crawlers" / "one" / "x")
    with monkeypatch.context() as patch:
        usage = shutil.disk_usage(tmp_path)._replace(free=10)
        patch.setattr(shutil, "disk_usage", lambda _path: usage)
        assert "there is room for 10" in refused(tmp_path / "small")
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda _path, _mode: False)
        assert "cannot be written to" in refused(tmp_path / "locked")

    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copystat", full)
        with pytest.raises(CannotMove, match="No space left on device"):
            made.carry_out("1", Move("one", str(tmp_path / "full")))
    assert contents(tmp_path / "crawlers" / "one") == FILES
    assert not list((tmp_path / "full").iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(movement, "_digest", lambda _file: "other")
        with pytest.raises(CannotMove, match="is the disk of"):
            made.carry_out("1", Move("one", str(tmp_path / "bad")))
    assert made.now.member("one") == roster.Member("one")


def test_a_disk_that_is_not_mounted_is_said_to_be(tmp_path: Path) -> None:
    made = begun(tmp_path)
    made.carry_out("1", Move("one", str(tmp_path / "disk")))
    (tmp_path / "disk").rename(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="Is its disk mounted"):
        team(tmp_path).mend()
    (tmp_path / "elsewhere").rename(tmp_path / "disk")
    team(tmp_path).mend()
