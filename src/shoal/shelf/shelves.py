"""What a frozen Web holds: WARC files, or a folder of files.

``open_shelf`` looks at a path and picks. Which folder is what:

- one or more ``*.warc`` / ``*.warc.gz`` in it, or in its ``archive`` folder (a finished crawl), or
  in those of its ``crawlers`` (a Team): a WarcShelf over all of them;
- every entry a folder whose name is a host (``example.org``, ``localhost``, ``192.0.2.1``, with
  ``:port`` or ``+port`` where there is one), as ``wget -r`` leaves it: a FolderShelf of them;
- any other: a FolderShelf of one host, ``http://NAME.example/`` after the folder's own name.
"""

from __future__ import annotations

import mimetypes
import os
import re
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from shoal.archive.reader import BODY_LIMIT_BYTES
from shoal.http.heads import make_head
from shoal.model import Cut, Response
from shoal.ports import Shelf
from shoal.shelf.warc_shelf import BadShelf, WarcShelf
from shoal.url import Url

__all__ = ["BadShelf", "FolderShelf", "WarcShelf", "open_shelf", "warc_files"]

_HOST: Final = re.compile(r"(?:[\w-]+\.)+[\w-]+(?:[:+]\d+)?|localhost(?:[:+]\d+)?", re.ASCII)
# What file systems take; a longer address has no file.
_NAME_BYTES: Final = 255
_PATH_BYTES: Final = 4_000
_INDEX_NAMES: Final = ("index.html", "index.htm", "index.xhtml")
_NOT_A_LABEL: Final = re.compile(r"[^a-z0-9-]+")
_MISSING: Final = "no such file or folder; give a WARC file, a folder of WARC files, a crawl's own \
folder, or a folder of pages"


def open_shelf(path: str | Path, body_limit_bytes: int = BODY_LIMIT_BYTES) -> Shelf:
    """The Shelf that a path holds. Raises BadShelf, whose message says what to do."""
    root = Path(path)
    if not root.exists():
        raise BadShelf(f"{root}: {_MISSING}")
    files = warc_files(root)
    if files:
        return WarcShelf(files, body_limit_bytes=body_limit_bytes)
    if root.is_dir():
        return FolderShelf(root, body_limit_bytes=body_limit_bytes)
    raise BadShelf(f"{root}: not a WARC file (its name would end in .warc or .warc.gz)")


def warc_files(root: Path) -> tuple[Path, ...]:
    """The WARC files that a path means: itself, those in it, or those of a crawl's archive,
    or of the archives of a Team."""
    if root.is_file():
        return (root,) if _is_warc(root) else ()
    for pattern in ("*", "archive/*", "crawlers/*/archive/*"):
        found = tuple(sorted(path for path in root.glob(pattern) if _is_warc(path)))
        if found:
            return found
    return ()


def _is_warc(path: Path) -> bool:
    return path.name.endswith((".warc", ".warc.gz")) and path.is_file()


class FolderShelf:
    """A folder of files as a Shelf: ``HOST/path/index.html``, or one folder as one host.

    1. Nothing outside the folder is ever served, whatever an address or a symbolic link says.
    2. A folder asked for without its last slash is a redirect to the address with it; its page is
       its ``index.html``. Content types follow file names; a file without one is HTML if it
       begins like HTML.
    3. A file named ``page?query`` (as ``wget`` leaves them) answers for that query; without such
       a file a query is ignored.
    """

    def __init__(self, root: Path, *, body_limit_bytes: int = BODY_LIMIT_BYTES) -> None:
        """Raises BadShelf where there is nothing to serve."""
        self._root = root.resolve()
        self._limit_bytes = body_limit_bytes
        try:
            entries = sorted(os.scandir(self._root), key=lambda entry: entry.name)
        except OSError as error:
            raise BadShelf(f"{root}: cannot be read: {error.strerror}") from error
        entries = [entry for entry in entries if not entry.name.startswith(".")]
        if not entries:
            raise BadShelf(f"{root}: an empty folder; put pages or WARC files in it")
        if all(entry.is_dir() and _HOST.fullmatch(entry.name) for entry in entries):
            names = {entry.name.replace("+", ":").lower(): entry.name for entry in entries}
            self._hosts = {host: self._root / name for host, name in names.items()}
        else:
            label = _NOT_A_LABEL.sub("-", self._root.name.lower()).strip("-") or "folder"
            self._hosts = {f"{label}.example": self._root}

    def find(self, url: Url) -> Response | None:
        folder = self._folder(url.host_key)
        if folder is None:
            return None
        path = self._path(folder, url.path)
        if url.query:
            exact = self._path(folder, url.path, url.query)
            path = exact if exact is not None and exact.is_file() else path
        if path is None:
            return None
        if path.is_dir():
            if not url.path.endswith("/"):
                return self._redirect(url)
            path = next((path / name for name in _INDEX_NAMES if (path / name).is_file()), None)
        if path is None or not path.is_file() or not self._inside(path):
            return None
        return self._page(url, path)

    def urls(self) -> Iterator[str]:
        for host, folder in sorted(self._hosts.items()):
            for directory, folders, files in os.walk(folder):
                folders.sort()
                inner = Path(directory).relative_to(folder).as_posix()
                prefix = "/" if inner == "." else f"/{quote(inner)}/"
                for name in sorted(files):
                    if self._inside(Path(directory, name)):
                        path = "" if name in _INDEX_NAMES else quote(name, safe="/?&=")
                        yield f"http://{host}{prefix}{path}"

    def close(self) -> None:
        """Nothing is held open."""

    def _folder(self, host_key: str) -> Path | None:
        bare = host_key.removeprefix("www.")
        for name in (host_key, bare, f"www.{bare}"):
            if name in self._hosts:
                return self._hosts[name]
        return None

    def _path(self, folder: Path, path: str, query: str = "") -> Path | None:
        """Where the file for a path (and query) would be; None where no file can be."""
        parts = [unquote(part) for part in path.split("/") if part]
        if query:
            name = _INDEX_NAMES[0] if path.endswith("/") else parts.pop()
            parts.append(f"{name}?{query.replace('/', '%2F')}")
        if any(part in (".", "..") or "/" in part or "\0" in part for part in parts):
            return None
        found = folder.joinpath(*parts)
        too_long = len(os.fsencode(found)) > _PATH_BYTES
        if too_long or any(len(os.fsencode(part)) > _NAME_BYTES for part in parts):
            return None
        return found

    def _inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self._root)

    def _redirect(self, url: Url) -> Response:
        headers = (("location", url.path + "/"), ("content-length", "0"))
        return _response(url, 301, headers, b"")

    def _page(self, url: Url, path: Path) -> Response:
        size, modified_s = path.stat().st_size, path.stat().st_mtime
        with path.open("rb") as file:
            payload = file.read(self._limit_bytes)
        headers = (
            ("content-type", _content_type(path.name, payload)),
            ("content-length", str(size)),
            ("last-modified", formatdate(modified_s, usegmt=True)),
        )
        return _response(url, 200, headers, payload, Cut.LENGTH if size > len(payload) else None)


def _content_type(name: str, payload: bytes) -> str:
    kind, coding = mimetypes.guess_type(name.partition("?")[0])
    if coding:
        return f"application/{coding}"
    if kind:
        return kind
    start = payload[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return (
        "text/html"
        if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<head"))
        else ("application/octet-stream")
    )


def _response(
    url: Url,
    status: int,
    headers: tuple[tuple[str, str], ...],
    payload: bytes,
    cut: Cut | None = None,
) -> Response:
    return Response(
        url=url,
        status=status,
        head=make_head(status, headers),
        headers=headers,
        payload=payload,
        body=payload,
        started_s=0.0,
        elapsed_s=0.0,
        cut=cut,
    )
