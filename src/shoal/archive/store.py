"""A place in a store of objects: in a bucket, on a share, or wherever else fsspec leads.

What is promised:

1. ``put`` returns when its objects are there, of their full size. Nothing is appended to, and
   nothing that stands there is replaced: another writer in the same place is an error.
2. What fails is tried again for some seconds. Then StoreError says what could not be done, where,
   and what to do; what is no use trying again (no permission, no such bucket) is said at once.
3. Credentials are neither taken nor kept nor shown: fsspec finds them where its own configuration
   says.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from shoal.archive.files import sync_folder
from shoal.errors import ShoalError, StoreError, UsageError

PAUSES_S: Final = (0.5, 1.0, 2.0, 4.0)
"""How long is waited before each further attempt."""
WITH_FOLDERS: Final = frozenset(
    {"file", "local", "sftp", "ssh", "smb", "ftp", "hdfs", "webhdfs", "arrow_hdfs", "dbfs"}
)
"""Protocols where an object needs its folder made first. Elsewhere names are all there is, and a
bucket is for its owner to make."""
_STAMPS: Final = ("ETag", "etag", "md5Hash", "LastModified", "last_modified", "updated", "mtime")
"""What stores call the things that change when an object is written again."""
_PROBE: Final = "shoal-write-test"
_Value = TypeVar("_Value")
Pause = Callable[[float], None]
"""Waits so many seconds."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What stands under a name in a store."""

    name: str
    size_bytes: int
    is_folder: bool
    stamp: str
    """Another one once the object was written again, as far as the store tells."""


class Store:
    """Objects by their names, below one address. Made by ``open_store``."""

    def __init__(self, filesystem: Any, root: str, address: str, pause: Pause) -> None:
        self._filesystem = filesystem
        self._root = root.rstrip("/")
        self.address = address.rstrip("/")
        self._pause = pause

    def name_of(self, name: str) -> str:
        """An object as messages call it."""
        return f"{self.address}/{name}"

    def below(self, name: str) -> Store:
        """A place within this one."""
        return Store(self._filesystem, self._path(name), self.name_of(name), self._pause)

    def check(self) -> None:
        """Find out whether one may list, write and remove here. Raises StoreError."""
        self.sizes()
        self.make()
        self._attempt("write to it", partial(self._write, {_PROBE: b"shoal"}))
        self.remove([_PROBE])

    def make(self) -> None:
        """Make the folder, where the store has such a thing. Raises StoreError."""
        if WITH_FOLDERS & _protocols(self._filesystem):
            self._attempt(
                "make the folder", partial(self._filesystem.makedirs, self._root, exist_ok=True)
            )

    def sizes(self) -> dict[str, int]:
        """Every object directly here, with its bytes. Raises StoreError."""
        return {found.name: found.size_bytes for found in self.objects() if not found.is_folder}

    def objects(self) -> list[Stored]:
        """Everything directly here. Raises StoreError."""
        return self._attempt("list what is there", self._list)

    def size(self, name: str) -> int | None:
        """The bytes of an object; None where there is none. Raises StoreError."""
        return self._attempt(f"look for {name}", partial(self._size, name))

    def put(self, objects: Mapping[str, bytes]) -> None:
        """Write new objects. Raises StoreError, also where the first of them is there already."""
        first = next(iter(objects))
        if self.size(first) is not None:
            raise StoreError(
                f"{self.name_of(first)} is there already: another crawl writes to the same place. "
                "Give each its own archive.store"
            )
        self._attempt(
            f"write {first}",
            partial(self._write, objects),
            "Everything up to the last commit is safe; repeat the command",
        )

    def read(self, name: str, start: int, end: int) -> bytes:
        """The bytes of an object from ``start`` to before ``end``. Raises StoreError."""
        return self._attempt(f"read {name}", partial(self._read, name, start, end))

    def remove(self, names: Iterable[str]) -> None:
        """Take objects out; what is not there need not be taken out. Raises StoreError."""
        for name in names:
            self._attempt(f"remove {name}", partial(self._remove, name))

    # ------------------------------------------------------------------ one attempt

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _list(self) -> list[Stored]:
        self._filesystem.invalidate_cache()
        try:
            entries = self._filesystem.ls(self._root, detail=True)
        except FileNotFoundError:
            return []
        return [
            Stored(
                str(entry["name"]).rstrip("/").rpartition("/")[2],
                int(entry["size"] or 0),
                entry["type"] == "directory",
                " ".join(str(entry[name]) for name in _STAMPS if name in entry),
            )
            for entry in entries
        ]

    def _size(self, name: str) -> int | None:
        self._filesystem.invalidate_cache(self._root)
        try:
            return int(self._filesystem.info(self._path(name))["size"])
        except FileNotFoundError:
            return None

    def _write(self, objects: Mapping[str, bytes]) -> None:
        if "file" in _protocols(self._filesystem):
            _write_to_disk({Path(self._path(name)): data for name, data in objects.items()})
            return
        # All at once: most stores then take them side by side.
        self._filesystem.pipe({self._path(name): data for name, data in objects.items()})
        for name, data in objects.items():
            there = self._size(name)
            if there != len(data):
                raise OSError(f"{there or 0} of {len(data)} bytes arrived")

    def _read(self, name: str, start: int, end: int) -> bytes:
        return bytes(self._filesystem.cat_file(self._path(name), start=start, end=end))

    def _remove(self, name: str) -> None:
        try:
            self._filesystem.rm_file(self._path(name))
        except FileNotFoundError:
            # An earlier attempt took it out, and its answer was lost.
            return

    def _attempt(
        self, what: str, do: Callable[[], _Value], advice: str = "Repeat the command"
    ) -> _Value:
        return attempt(f"{self.address}: cannot {what}", do, self._pause, advice)


def open_store(address: str, pause: Pause = time.sleep) -> Store:
    """The place that an address such as ``s3://bucket/prefix`` names. Raises UsageError where the
    address or this installation is not right, StoreError where the store cannot be reached."""
    try:
        from fsspec.core import url_to_fs
        from fsspec.registry import known_implementations
    except ImportError as error:
        raise UsageError(
            f"{address}: an archive in a store needs fsspec: pip install 'shoal[store]'"
        ) from error

    def connect() -> tuple[Any, str]:
        try:
            filesystem, root = url_to_fs(address, skip_instance_cache=True)
        except ImportError as error:
            known = known_implementations.get(address.partition("://")[0], {})
            package = known.get("class", "fsspec").partition(".")[0]
            how = "" if package == "fsspec" else f" (pip install {package})"
            raise UsageError(f"{address}: {known.get('err') or error}{how}") from error
        except ValueError as error:
            raise UsageError(
                f"{address}: no store that fsspec knows ({_said(error)}); s3://, gcs://, abfs://, "
                "sftp://, smb:// and file:// are some that it does"
            ) from error
        return filesystem, root

    return Store(*attempt(f"{address}: cannot connect", connect, pause), address, pause)


def attempt(
    what: str, do: Callable[[], _Value], pause: Pause, advice: str = "Repeat the command"
) -> _Value:
    """Do it, again where it fails for a reason that may pass. Raises StoreError, with the
    ``advice`` for when the store can be reached."""
    for pause_s in (*PAUSES_S, None):
        try:
            return do()
        except ShoalError:
            raise
        except PermissionError as error:
            raise StoreError(
                f"{what}: no permission ({_said(error)}). Give fsspec credentials that may list, "
                "read, write and remove there, and repeat the command"
            ) from error
        except FileNotFoundError as error:
            raise StoreError(
                f"{what}: no such place ({_said(error)}). Make the bucket or the folder first"
            ) from error
        except Exception as error:
            # Stores fail with exceptions of their own libraries, which have no common ancestor.
            if pause_s is None:
                raise StoreError(
                    f"{what}: {_said(error)}, {len(PAUSES_S) + 1} times. {advice} when the store "
                    "can be reached"
                ) from error
            pause(pause_s)
    raise AssertionError("the last attempt returns or raises")


def _said(error: Exception) -> str:
    """What an exception says, or what it is, where it says nothing."""
    return " ".join(str(error).split()) or type(error).__name__


def _protocols(filesystem: Any) -> frozenset[str]:
    named = filesystem.protocol
    return frozenset((named,) if isinstance(named, str) else named)


def _write_to_disk(files: Mapping[Path, bytes]) -> None:
    """As fsspec would, and on the disk when this returns."""
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    for folder in {path.parent for path in files}:
        sync_folder(folder)
