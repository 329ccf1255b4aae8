"""A store of objects in memory that fails when it is told to, as fsspec sees one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, ClassVar

import fsspec
from fsspec.spec import AbstractFileSystem

PROTOCOL = "shoaltest"


class How(StrEnum):
    """What becomes of a call that fails."""

    NOTHING = "nothing is written"
    HALF = "half is written"
    SILENTLY_HALF = "half is written, and nobody says so"
    WHOLE = "all is written, and the answer is lost"


Fault = Callable[[str, str], How | Exception | None]
"""Of an operation and a path: how it fails, or None where it does not."""


class AwayError(Exception):
    """What a store's own library raises: no OSError, and no ancestor that we know."""


class FakeStore(AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """Everything is shared by all instances, as it is in a store."""

    protocol = PROTOCOL
    cachable = False
    objects: ClassVar[dict[str, bytes]] = {}
    fault: ClassVar[Fault | None] = None
    log: ClassVar[list[tuple[str, str]]] = []
    folders: ClassVar[set[str] | None] = None
    """Those that were made, where a store wants them made before anything is put in them."""

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        path = self._strip_protocol(path)
        if self.folders is not None and path.rpartition("/")[0] not in self.folders:
            raise FileNotFoundError(path)
        how = self._trouble("put", path)
        if how is not How.NOTHING:
            half = how in (How.HALF, How.SILENTLY_HALF)
            self.objects[path] = value[: len(value) // 2] if half else value
        if how is not None and how is not How.SILENTLY_HALF:
            raise AwayError(f"put: {how}")

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        path = self._strip_protocol(path)
        self._fails("get", path)
        return self._found(path)[start:end]

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        self._fails("info", path)
        return {"name": path, "size": len(self._found(path)), "type": "file"}

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        path = self._strip_protocol(path)
        self._fails("ls", path)
        found: dict[str, dict[str, Any]] = {}
        for name, data in self.objects.items():
            if name.startswith(f"{path}/"):
                first, *below = name.removeprefix(f"{path}/").split("/")
                entry = {"name": f"{path}/{first}", "size": len(data), "type": "file"}
                found[first] = entry if not below else {**entry, "size": 0, "type": "directory"}
        if not found:
            raise FileNotFoundError(path)
        return list(found.values()) if detail else list(found)

    def rm_file(self, path: str) -> None:
        path = self._strip_protocol(path)
        self._fails("rm", path)
        self._found(path)
        del self.objects[path]

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        assert self.folders is not None
        self.folders.add(self._strip_protocol(path))

    def _found(self, path: str) -> bytes:
        if path not in self.objects:
            raise FileNotFoundError(path)
        return self.objects[path]

    def _fails(self, operation: str, path: str) -> None:
        how = self._trouble(operation, path)
        if how is not None:
            raise AwayError(f"{operation}: no answer")

    def _trouble(self, operation: str, path: str) -> How | None:
        self.log.append((operation, path))
        fault = type(self).fault
        how = fault(operation, path) if fault is not None else None
        if isinstance(how, Exception):
            raise how
        return how


@contextmanager
def empty_store() -> Iterator[type[FakeStore]]:
    """``shoaltest://...`` for as long as this lasts."""
    fsspec.register_implementation(PROTOCOL, FakeStore, clobber=True)
    FakeStore.objects.clear()
    FakeStore.log.clear()
    FakeStore.fault = None
    FakeStore.folders = None
    try:
        yield FakeStore
    finally:
        FakeStore.objects.clear()
        FakeStore.fault = None
        FakeStore.folders = None
