"""WARC files of a store, copied to this machine: a frozen web is read here and there, again and
again, and by several processes.

1. A copy stands whole or not at all, whoever else copies at the same time.
2. What was copied is not copied again, unless the object was changed; what the store no longer has
   is removed.
3. Memory holds one piece of an object at a time.

A crawl leaves many small segments in a store. Records are compressed one by one, so that segments
one after another are a WARC file again: copies are as few as can be opened at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import xxhash

from shoal.archive.store import Store, Stored, open_store
from shoal.errors import StorageError
from shoal.shelf.warc_shelf import BadShelf

_PIECE_BYTES: Final = 1 << 23
_SEGMENTS_A_COPY: Final = 100
_Found = tuple[Store, Stored]


def copied_warcs(address: str, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The WARC files at an address, and those of its folders (a Team has one a Crawler), in the
    order of their names. Raises BadShelf, StorageError, UsageError."""
    folder = _cache_folder(environment) / "webs" / _digest(address)
    kept: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for group in _groups(open_store(address)):
            told = " ".join(f"{store.address} {stored}" for store, stored in group)
            path = folder / f"{len(kept):05d}-{_digest(told)}{_suffix(group[0][1].name)}"
            if not path.exists():
                _copy(group, path)
            kept.append(path)
        for path in {path for path in folder.iterdir() if path.suffix != ".part"} - set(kept):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot copy {address} to {folder}: {error.strerror or error}. XDG_CACHE_HOME says "
            "where copies are kept"
        ) from error
    if not kept:
        raise BadShelf(f"{address}: no WARC file there (its name would end in .warc or .warc.gz)")
    return tuple(kept)


def _groups(store: Store) -> Iterator[list[_Found]]:
    """What makes one copy: segments that follow one another, or a file of somebody else's."""
    there = sorted(store.objects(), key=lambda stored: stored.name)
    yield from _groups_of(store, there)
    for folder in (stored for stored in there if stored.is_folder):
        below = store.below(folder.name)
        yield from _groups_of(below, sorted(below.objects(), key=lambda stored: stored.name))


def _groups_of(store: Store, there: list[Stored]) -> Iterator[list[_Found]]:
    names = {stored.name for stored in there}
    group: list[_Found] = []
    for stored in there:
        if stored.is_folder or not stored.name.endswith((".warc", ".warc.gz")):
            continue
        if stored.name.removesuffix(".warc.gz") + ".cdxj" in names:
            group.append((store, stored))
        else:
            yield [(store, stored)]
        if len(group) == _SEGMENTS_A_COPY:
            yield group
            group = []
    if group:
        yield group


def _copy(group: list[_Found], path: Path) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            for store, stored in group:
                for start in range(0, stored.size_bytes, _PIECE_BYTES):
                    end = min(start + _PIECE_BYTES, stored.size_bytes)
                    file.write(store.read(stored.name, start, end))
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _suffix(name: str) -> str:
    return ".warc.gz" if name.endswith(".gz") else ".warc"


def _digest(text: str) -> str:
    return xxhash.xxh3_64_hexdigest(text.encode())


def _cache_folder(environment: Mapping[str, str]) -> Path:
    given = environment.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "shoal"
