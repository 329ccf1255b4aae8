"""A crawl's directory: what lies where, and whether it is safe to go on with it.

crawl.toml          the settings, all of them
state.sqlite        the Frontier, Visits and Notes, where no server keeps them
archive/            WARC files and their index
report.html         what ``shoal report`` writes

A Team has instead of the state and the archive

team.sqlite         what its Crawlers have in common: robots.txt, when a host may be asked again
claims.sqlite       which Crawler has a Url
places.json         on a cluster: which machine has whose state
crawlers/NAME/      a state and an archive for each; a link, where one was moved
roster.json         who is in the Team, and what each owns
orders/             changes of the Team that were asked for, and the answers
team-status.json    what a running Team said last of its Crawlers
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal import config
from shoal.atomic import write_atomically
from shoal.errors import StorageError, UsageError
from shoal.settings import Settings

UNCOMPARED = ("watch.", "team.engine", "team.cluster")
"""Settings that only change what is shown, and what runs it: a resumed crawl may have others."""
TOPIC_DIGEST = "crawl.topic_digest"
OURS = frozenset({"lock", "archive", "crawlers"})
"""All that a crawl leaves which ended before its settings were written."""


class ForeignDirectoryError(UsageError):
    """The directory holds something, and it is no crawl."""


class NoCrawlError(UsageError):
    """There is no crawl where one is wanted."""


class ChangedSettingsError(UsageError):
    """A crawl would go on with other settings than it began with."""

    def __init__(self, changed: list[tuple[str, object, object]]) -> None:
        lines = [
            "  what the topic is made of has other contents: its words, examples or model"
            if name == TOPIC_DIGEST
            else f"  {name}: {old!r} -> {new!r}"
            for name, old, new in changed
        ]
        super().__init__(
            "this crawl began with other settings:\n"
            + "\n".join(lines)
            + "\nrepeat the command with --accept-changes to go on with the new ones"
        )
        self.changed = changed


@dataclass(frozen=True, slots=True)
class CrawlDirectory:
    path: Path

    @property
    def settings_file(self) -> Path:
        return self.path / "crawl.toml"

    @property
    def state_file(self) -> Path:
        return self.path / "state.sqlite"

    @property
    def archive_folder(self) -> Path:
        return self.path / "archive"

    @property
    def crawlers_folder(self) -> Path:
        return self.path / "crawlers"

    @property
    def team_file(self) -> Path:
        return self.path / "team.sqlite"

    @property
    def claims_file(self) -> Path:
        return self.path / "claims.sqlite"

    @property
    def places_file(self) -> Path:
        return self.path / "places.json"

    @property
    def roster_file(self) -> Path:
        return self.path / "roster.json"

    @property
    def orders_folder(self) -> Path:
        return self.path / "orders"

    @property
    def team_status_file(self) -> Path:
        return self.path / "team-status.json"

    def is_team(self) -> bool:
        return self.crawlers_folder.is_dir()

    def crawler(self, name: str) -> CrawlDirectory:
        """Where a Crawler of a Team keeps its own."""
        return CrawlDirectory(self.crawlers_folder / name)

    def crawlers(self) -> list[str]:
        """The Crawlers of the Team, by their names."""
        if not self.is_team():
            return []
        return sorted(
            path.name
            for path in self.crawlers_folder.iterdir()
            if path.is_dir() and not path.name.startswith(".")
        )

    @property
    def report_file(self) -> Path:
        return self.path / "report.html"

    def is_crawl(self) -> bool:
        return self.settings_file.is_file()

    def require(self) -> None:
        """Raises NoCrawlError where there is no crawl to read."""
        if not self.path.exists():
            raise NoCrawlError(f"there is no directory {self.path}")
        if not self.is_crawl():
            raise NoCrawlError(
                f"{self.path} holds no crawl (no crawl.toml); give the directory that "
                "`shoal crawl --out` wrote"
            )

    def require_state(self, is_there: bool, where: str) -> None:
        """Without the state nobody vouches for the archive, and what nobody vouches for is removed:
        a lost state must not take the archive with it."""
        if not is_there and any(self.archive_folder.glob("*.warc.gz")):
            raise StorageError(
                f"{where} is missing, but {self.archive_folder} holds what was fetched. "
                "Nothing was changed. Restore the state from a copy, or begin anew with "
                "another --out"
            )

    def settings(self) -> Settings:
        self.require()
        return config.check(config.read_toml(self.settings_file))

    def check(self, wanted: Settings, accept_changes: bool = False) -> None:
        """Raises where the directory is somebody else's, or holds another crawl than the one
        wanted. Touches nothing."""
        if self.is_crawl():
            changed = [
                change
                for change in config.changes(self.settings(), wanted)
                if not change[0].startswith(UNCOMPARED)
            ]
            if changed and not accept_changes:
                raise ChangedSettingsError(changed)
            if not wanted.crawl.state:
                self.require_state(self.state_file.exists(), str(self.state_file))
        elif self.path.exists() and not self.path.is_dir():
            raise ForeignDirectoryError(f"{self.path} is a file; --out wants a directory")
        elif self.path.is_dir() and any(path.name not in OURS for path in self.path.iterdir()):
            raise ForeignDirectoryError(
                f"{self.path} is not empty and holds no crawl; give a new directory to --out"
            )

    def make(self) -> None:
        with self._writing():
            self.archive_folder.mkdir(parents=True, exist_ok=True)

    def make_team(self, crawlers: Sequence[str]) -> None:
        with self._writing():
            self.crawlers_folder.mkdir(parents=True, exist_ok=True)
        for name in crawlers:
            self.crawler(name).make()

    def remember(self, settings: Settings) -> None:
        """What a later command compares with. Only whoever holds the lock may call it."""
        with self._writing():
            write_atomically(self.settings_file, config.to_toml(settings))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {error.strerror}") from error
