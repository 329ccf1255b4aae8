"""The bytes of a WordNet: a folder of database files, a tar or zip of them, or a WN-LMF file.

Archives are read where they lie; nothing of them is written anywhere, so no name in one can lead
out of a folder. What is unpacked has an upper limit.
"""

from __future__ import annotations

import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import xxhash

from shoal.wordnet.database import FILES, NEEDED, read_database
from shoal.wordnet.errors import WordNetError
from shoal.wordnet.lmf import read_lmf
from shoal.wordnet.tables import Tables

LIMIT_BYTES: Final = 1_000_000_000
"""Of everything together, unpacked. WordNet 3.0 has 36 MB, Open English WordNet 100 MB."""
_CHUNK_BYTES: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_DAMAGE: Final = (
    OSError,
    EOFError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
)
"""What the standard library raises for archives that are not whole."""


def find_source(path: Path) -> Path:
    """The folder or file to read for a path that somebody named. Raises WordNetError."""
    try:
        if not path.is_dir():
            if not path.is_file():
                raise WordNetError(f"there is no WordNet at {path}")
            return path
        for folder in (path, path / "dict"):
            if (folder / NEEDED[0]).is_file():
                return folder
        documents = sorted((*path.glob("*.xml"), *path.glob("*.xml.gz")))
    except OSError as error:
        raise WordNetError(f"cannot read {path}: {error}") from error
    if len(documents) == 1:
        return documents[0]
    raise WordNetError(
        f"{path} is no WordNet: it has neither {NEEDED[0]} and its like, nor one .xml or .xml.gz"
    )


def digest_of(source: Path) -> str:
    """Changes with the content of a source, and with nothing else."""
    digest = xxhash.xxh3_128()
    parts = [source / name for name in FILES] if source.is_dir() else [source]
    try:
        for part in parts:
            if part.is_file():
                name = part.name if source.is_dir() else ""
                digest.update(f"{name} {part.stat().st_size}\n".encode())
                with part.open("rb") as file:
                    while chunk := file.read(_CHUNK_BYTES):
                        digest.update(chunk)
    except OSError as error:
        raise WordNetError(f"cannot read {source}: {error}") from error
    return digest.hexdigest()


def read_source(source: Path) -> Tables:
    """Read the whole of it. Raises WordNetError, which names the source."""
    try:
        return _read(source)
    except WordNetError as error:
        raise WordNetError(f"{source} cannot be read as a WordNet: {error}") from error
    except _DAMAGE as error:
        raise WordNetError(f"{source} is damaged or cannot be read: {error}") from error


def _read(source: Path) -> Tables:
    if source.is_dir():
        there = [source / name for name in FILES if (source / name).is_file()]
        allowance = _Allowance()
        for path in there:
            allowance.take(path.stat().st_size)
        return read_database({path.name: path.read_bytes() for path in there})
    if zipfile.is_zipfile(source):
        return read_database(_from_zip(source))
    with source.open("rb") as file:
        head = file.read(64)
        file.seek(0)
        if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            return read_lmf(_chunks(file))
        if head.startswith(_GZIP):
            with gzip.open(file) as unpacked:
                first = unpacked.read(64)
                unpacked.seek(0)
                if first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
                    return read_lmf(_chunks(unpacked))
    return read_database(_from_tar(source))


class _Allowance:
    """How much may still be unpacked."""

    def __init__(self) -> None:
        self._left_bytes = LIMIT_BYTES

    def take(self, size_bytes: int) -> None:
        self._left_bytes -= size_bytes
        if self._left_bytes < 0:
            raise WordNetError(f"it unpacks to more than {LIMIT_BYTES:,} bytes")


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _chunks(file: _Readable) -> Iterator[bytes]:
    allowance = _Allowance()
    while chunk := file.read(_CHUNK_BYTES):
        allowance.take(len(chunk))
        yield chunk


def _from_tar(source: Path) -> dict[str, bytes]:
    """By the last part of their names: the folders above differ from one archive to the next."""
    found: dict[str, bytes] = {}
    allowance = _Allowance()
    with tarfile.open(source) as archive:
        for member in archive:
            allowance.take(member.size)
            name = member.name.rpartition("/")[2]
            if name in FILES and name not in found and member.isfile():
                content = archive.extractfile(member)
                found[name] = content.read() if content else b""
    return found


def _from_zip(source: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    allowance = _Allowance()
    with zipfile.ZipFile(source) as archive:
        for member in archive.infolist():
            name = member.filename.rpartition("/")[2]
            if name in FILES and name not in found:
                allowance.take(member.file_size)
                with archive.open(member) as content:
                    found[name] = content.read(member.file_size + 1)
    return found
