"""Training sets as files: one msgpack map of format, version and pages.

1. Reading a file executes nothing that is in it: it is data of known types, or it is refused.
2. A set that was read equals the one that was written, and the same set makes the same bytes.
3. What is wrong with a file is a BadTrainingSet, which says what to do.
4. A file appears whole or not at all.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from shoal.errors import StorageError, UsageError
from shoal.training.training_set import TrainingPage, TrainingSet

FORMAT: Final = "shoal-training"
VERSION: Final = 1
LARGEST_BYTES: Final = 1_000_000_000
_AGAIN: Final = "make it again with `shoal record`"


class BadTrainingSet(UsageError):
    """The file holds no training set that can be used here."""


class _Stamp(msgspec.Struct):
    """What every version of the format begins with."""

    format: str
    version: int


class _File(msgspec.Struct):
    format: str
    version: int
    pages: tuple[TrainingPage, ...]


def save_training_set(made: TrainingSet, path: Path) -> None:
    """Write beside ``path`` first, then put it in its place. Raises StorageError."""
    content = msgspec.msgpack.encode(_File(FORMAT, VERSION, made.pages))
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


def load_training_set(path: Path) -> TrainingSet:
    """Raises BadTrainingSet."""
    content = _read(path)
    try:
        stamp = msgspec.msgpack.decode(content, type=_Stamp)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadTrainingSet(f"{path} is no training set, or only a part of one; {_AGAIN}") from (
            error
        )
    if stamp.format != FORMAT:
        raise BadTrainingSet(f"{path} is no training set but {stamp.format!r}; {_AGAIN}")
    if stamp.version != VERSION:
        other = "a newer" if stamp.version > VERSION else "an older"
        raise BadTrainingSet(
            f"{path} was made by {other} Shoal: it is of version {stamp.version}, and this one "
            f"reads {VERSION}; {_AGAIN}"
        )
    try:
        made = TrainingSet(msgspec.msgpack.decode(content, type=_File).pages)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged(path, str(error)) from error
    _check(made, path)
    return made


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise BadTrainingSet(f"{path} is larger than a training set can be; {_AGAIN}")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BadTrainingSet(f"{path}: no such file; make it with `shoal record`") from error
    except OSError as error:
        raise BadTrainingSet(f"{path}: cannot be read: {error.strerror or error}") from error


def _check(made: TrainingSet, path: Path) -> None:
    size = len(made.pages)
    for place, page in enumerate(made.pages):
        if any(not 0 <= target < size or target == place for target in page.links):
            raise _damaged(path, f"a Link of {page.url} leads to no other page of it")
        if any(count < 1 for count in page.terms.values()):
            raise _damaged(path, f"a word of {page.url} stands there less than once")
    if not made.relevant:
        raise BadTrainingSet(
            f"{path}: none of its {size} pages is relevant, so nothing can be learnt from it; "
            "record a path with relevant pages"
        )


def _damaged(path: Path, what: str) -> BadTrainingSet:
    return BadTrainingSet(f"{path} is damaged: {what}; {_AGAIN}")
