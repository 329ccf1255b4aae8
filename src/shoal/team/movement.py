"""A Crawler's folder on its way to another place: at every moment one whole copy is there.

1. ``copy_to`` makes a whole copy, byte for byte, on disk and compared. Nobody reads it yet.
2. Then the Roster says the new place, durably: from that moment the copy counts.
3. ``settle`` gives the copy its name, puts a link where the old folder was, and removes that. It
   may be repeated, and goes on wherever it was ended; nobody writes to either folder before that.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import xxhash

from shoal.errors import StorageError, UsageError

PART: Final = ".part"
"""Ends the name of a copy that does not count yet."""
OLD: Final = ".moved-"
"""Begins the name of a folder that a link has taken the place of."""
_CHUNK: Final = 1 << 20
_LOCK: Final = "lock"
"""Says which process works in a folder; it means nothing in a copy."""


class BadPlace(UsageError):
    """A Crawler cannot be moved to that place."""


class CannotMove(StorageError):
    """A Crawler could not be moved; it is where it was."""


def check(folder: Path, place: Path) -> None:
    """Raises BadPlace for what can be seen before anything is done."""
    target = place / folder.name
    if place.exists() and not place.is_dir():
        raise BadPlace(f"{place} is a file: --to wants a folder")
    if target.exists():
        raise BadPlace(f"{target} exists already: move it away, or give another folder to --to")
    if target.absolute().is_relative_to(folder.resolve()):
        raise BadPlace(f"{place} lies in the crawler's own folder")
    nearest = next(one for one in (place, *place.absolute().parents) if one.exists())
    if not os.access(nearest, os.W_OK):
        raise BadPlace(f"{nearest} cannot be written to: give Shoal access to it")
    wanted = sum(file.stat().st_size for file in _files(folder))
    free = shutil.disk_usage(nearest).free
    if wanted > free:
        raise BadPlace(f"{folder} has {wanted:,} bytes, and there is room for {free:,} at {place}")


def copy_to(folder: Path, place: Path) -> None:
    """A copy of the folder of one that does not run. Raises CannotMove."""
    part = place / (folder.name + PART)
    try:
        place.mkdir(parents=True, exist_ok=True)
        # What an earlier attempt left, and nobody counts on.
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        source = folder.resolve()
        for file in _files(source):
            copied = part / file.relative_to(source)
            copied.parent.mkdir(parents=True, exist_ok=True)
            if _copied(file, copied) != _digest(copied):
                raise CannotMove(f"{copied} is not what {file} is: is the disk of {place} sound?")
        for one in (part, *(path for path in part.rglob("*") if path.is_dir())):
            _sync(one)
        _sync(place)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise CannotMove(
            f"{folder} cannot be copied to {place} ({error.strerror}). It is where it was"
        ) from error


def settle(folder: Path, place: Path) -> None:
    """The Roster has said that the folder is at ``place``: make it so, as far as it is not."""
    target = place / folder.name
    part = place / (folder.name + PART)
    old = folder.with_name(OLD + folder.name)
    if part.is_dir() and not target.exists():
        part.rename(target)
        _sync(place)
    if not target.is_dir():
        raise StorageError(
            f"the crawler {folder.name} is in {place}, and {target} is not there. Nothing was "
            "changed. Is its disk mounted?"
        )
    if folder.is_symlink() and folder.resolve() != target.resolve():
        # It had been moved before: what it was moved from goes, too.
        was = folder.resolve()
        folder.unlink()
        _link(folder, target)
        shutil.rmtree(was, ignore_errors=True)
    elif not folder.is_symlink():
        if folder.exists():
            folder.rename(old)
        _link(folder, target)
    shutil.rmtree(old, ignore_errors=True)


def _link(folder: Path, target: Path) -> None:
    folder.symlink_to(target.absolute(), target_is_directory=True)
    _sync(folder.parent)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.resolve().rglob("*")):
        if path.is_file() and path.name != _LOCK:
            yield path


def _copied(file: Path, to: Path) -> str:
    """Copies, reaches the disk, and returns the digest of what was read."""
    digest = xxhash.xxh3_128()
    with file.open("rb") as source, to.open("wb") as sink:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            sink.write(chunk)
        sink.flush()
        os.fsync(sink.fileno())
    shutil.copystat(file, to)
    return digest.hexdigest()


def _digest(file: Path) -> str:
    digest = xxhash.xxh3_128()
    with file.open("rb") as source:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
