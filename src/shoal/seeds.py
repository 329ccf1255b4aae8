"""Where a crawl starts: addresses, and files of addresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from shoal.errors import UsageError
from shoal.url import BadUrl, Url, UrlParser


class SeedError(UsageError):
    """A seed that is neither an address nor a file of addresses."""


def read_seeds(given: Sequence[str], urls: UrlParser) -> list[Url]:
    """Urls in the order given, each once. A file has one address a line; ``#`` begins a comment.

    Raises SeedError, naming the file and the line.
    """
    found: dict[Url, None] = {}
    for text in given:
        for place, address in _addresses(text):
            found.setdefault(_url(address, place, urls))
    if not found:
        raise SeedError("no seeds: give addresses, or files with one address a line, to --seeds")
    return list(found)


def anchored(text: str) -> str:
    """The name of a file or folder made absolute, so that a crawl goes on from any folder; any
    other text as it is."""
    path = Path(text)
    return str(path.resolve()) if "://" not in text and path.exists() else text


def anchored_store(address: str | None) -> str | None:
    """The same of a store that is a folder, such as ``file://share/archive``."""
    if address is None or not address.startswith("file://"):
        return address
    return f"file://{Path(address.removeprefix('file://')).absolute()}"


def _addresses(text: str) -> Iterator[tuple[str, str]]:
    if "://" in text:
        yield "--seeds", text
        return
    path = Path(text)
    if path.is_dir():
        raise SeedError(f"--seeds {text}: that is a directory; give a file of addresses")
    if not path.is_file():
        if "/" in text or text.endswith(".txt") or "." not in text:
            raise SeedError(
                f"--seeds {text}: no such file, and not an address (those begin with https://)"
            )
        yield "--seeds", f"https://{text}/"
        return
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SeedError(f"--seeds {text}: cannot read it: {error}") from error
    count = 0
    for number, line in enumerate(lines, start=1):
        address = line.partition(" #")[0].strip()
        if address and not address.startswith("#"):
            count += 1
            yield f"{text}, line {number}", address
    if not count:
        raise SeedError(f"--seeds {text}: the file has no addresses in it")


def _url(address: str, place: str, urls: UrlParser) -> Url:
    if "://" not in address:
        raise SeedError(f"{place}: {address!r} is not an address; write https:// before it")
    try:
        return urls.parse(address)
    except BadUrl as error:
        raise SeedError(f"{place}: {error}") from error
