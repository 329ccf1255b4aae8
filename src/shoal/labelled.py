"""Pages that somebody has labelled, and pages to be classified, wherever they lie.

Labelled pages are one of:

- a folder with a folder a category: every file below it, or every page of the WARC files in it;
- a TSV file: an address and its labels a line, several labels separated by ``;``, a first line that
  begins with ``url`` passed over. Addresses are looked up in a frozen web, or are files, named from
  where the TSV file lies;
- a crawl's directory with such a TSV in it, named ``labels.tsv``.

What cannot be read is a UsageError that names it; an address that the frozen web does not hold is
counted as missing.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from shoal.classify.usable import Kind, kind_of_fetched
from shoal.compose.crawl import make_parser, open_web
from shoal.directory import CrawlDirectory
from shoal.errors import UsageError
from shoal.http.heads import make_head
from shoal.model import Page, Response
from shoal.ports import Parser, Shelf
from shoal.settings import Settings
from shoal.url import BadUrl, UrlParser, parse_url

LABELS_FILE: Final = "labels.tsv"
_LARGEST_FILE_BYTES: Final = 10_000_000


class BadLabels(UsageError):
    """There are no labelled pages where they were looked for."""


class ReadPage(NamedTuple):
    """A page, and what it is to a Classifier. ``name`` is what the user calls it."""

    name: str
    page: Page
    kind: Kind


class LabelledPage(NamedTuple):
    labels: tuple[str, ...]
    read: ReadPage | None
    """None for an address that is nowhere."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """``read`` goes through the pages, one at a time."""

    source: str
    declared: tuple[str, ...]
    """Labels that were named, whether they have pages or not."""
    total: int | None
    """How many pages there are, where that is known before they are read."""
    read: Callable[[], Iterator[LabelledPage]]


def open_labelled(path: Path, web: str | None = None) -> Labelled:
    """Raises UsageError where there is nothing of the kind."""
    if not path.exists():
        raise BadLabels(
            f"{path}: no such file or folder; give a folder with a folder a category, a TSV file "
            "of addresses and labels, or a crawl's directory with a labels.tsv in it"
        )
    if path.is_file():
        return _from_table(path, web)
    directory = CrawlDirectory(path)
    if directory.is_crawl():
        table = path / LABELS_FILE
        if not table.is_file():
            raise BadLabels(
                f"{path} is a crawl without labels; put them in {table}, an address, a tab and its "
                "labels a line"
            )
        return _from_table(table, web or str(path))
    return _from_folders(path)


def read_pages(names: Sequence[str], web: str | None = None) -> Iterator[ReadPage]:
    """Each a file, a folder of files, a WARC file, or an address in ``web``. Raises UsageError."""
    parser = make_parser(Settings())
    with ExitStack() as stack:
        opened: Shelf | None = None
        for name in names:
            path = Path(name)
            if path.is_dir() or (path.is_file() and path.name.endswith((".warc", ".warc.gz"))):
                yield from _every_page(name, parser)
            elif path.is_file():
                yield _read(name, _response_of_file(path), parser)
            elif web is not None and "://" in name:
                if opened is None:
                    opened = stack.enter_context(closing(open_web(web)))
                response = _find(opened, name)
                if response is None:
                    raise UsageError(f"{name} is not in {web}")
                yield _read(name, response, parser)
            elif "://" in name:
                raise UsageError(f"{name} is an address; say with --web which frozen web holds it")
            else:
                raise UsageError(f"{name}: no such file, folder or WARC file")


# --------------------------------------------------------------------------- folders


def _from_folders(root: Path) -> Labelled:
    folders = sorted(
        path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")
    )
    if not folders:
        raise BadLabels(f"{root} has no folders in it; make one for each category, with its pages")
    names = tuple(folder.name for folder in folders)

    def read() -> Iterator[LabelledPage]:
        parser = make_parser(Settings())
        for folder in folders:
            if any(folder.iterdir()):
                for page in _every_page(str(folder), parser):
                    yield LabelledPage((folder.name,), page)

    total = sum(1 for folder in folders for path in folder.rglob("*") if path.is_file())
    return Labelled(str(root), names, total, read)


def _every_page(web: str, parser: Parser) -> Iterator[ReadPage]:
    with closing(open_web(web)) as shelf:
        for address in shelf.urls():
            response = _find(shelf, address)
            if response is not None:
                yield _read(address, response, parser)


# --------------------------------------------------------------------------- tables


def _from_table(path: Path, web: str | None) -> Labelled:
    labels = read_labels(path)
    declared = tuple(dict.fromkeys(label for row in labels.values() for label in row))

    def read() -> Iterator[LabelledPage]:
        parser = make_parser(Settings())
        if web is None:
            for name, row in labels.items():
                response = _response_of_file(_beside(path, name))
                yield LabelledPage(row, _read(name, response, parser))
            return
        with closing(open_web(web)) as shelf:
            for name, row in labels.items():
                found = _find(shelf, name)
                yield LabelledPage(row, None if found is None else _read(name, found, parser))

    source = str(path) if web is None else f"{path} over {web}"
    return Labelled(source, declared, len(labels), read)


def read_labels(path: Path) -> dict[str, tuple[str, ...]]:
    """The labels of each address, in the order of the file. Raises BadLabels, naming the line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadLabels(f"{path}: cannot be read as a table of labels: {error}") from error
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines, start=1):
        name, tab, given = line.partition("\t")
        name = name.strip()
        if not line.strip() or (number == 1 and name.lower() == "url"):
            continue
        row = tuple(label.strip() for label in given.split(";") if label.strip())
        if not tab or not name or not row:
            raise BadLabels(
                f"{path}, line {number}: {line[:80]!r} is not an address, a tab and labels"
            )
        found[name] = tuple(dict.fromkeys(found.get(name, ()) + row))
    if not found:
        raise BadLabels(f"{path} has no addresses in it")
    return found


def _beside(table: Path, name: str) -> Path:
    if "://" in name:
        raise BadLabels(
            f"{table} has addresses, as {name}; say with --web where their pages are frozen"
        )
    return table.parent / name


# --------------------------------------------------------------------------- pages


def _find(shelf: Shelf, address: str) -> Response | None:
    try:
        url = UrlParser().parse(address)
    except BadUrl as error:
        raise BadLabels(f"{address!r} is not an address: {error}") from error
    try:
        return shelf.find(url)
    except OSError as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{address}: cannot be read: {error}") from error


def _read(name: str, response: Response, parser: Parser) -> ReadPage:
    page = parser.parse(response)
    return ReadPage(name, page, kind_of_fetched(response, page))


def _response_of_file(path: Path) -> Response:
    try:
        with path.open("rb") as file:
            body = file.read(_LARGEST_FILE_BYTES)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    kind, _ = mimetypes.guess_type(path.name)
    headers = (("content-type", kind),) if kind else ()
    url = parse_url(f"http://file.example/{quote(str(path.absolute()).lstrip('/'))}")
    return Response(url, 200, make_head(200, headers), headers, body, body, 0.0, 0.0)
