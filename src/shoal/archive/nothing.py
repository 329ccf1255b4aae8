"""An Archive for crawls that keep no bytes (``archive.enabled = false``)."""

from __future__ import annotations

from shoal.model import ArchiveMark, Judgement, Position, Response


class NoArchive:
    """Keeps nothing, so there is nothing to vouch for and nothing to mend."""

    def append(self, response: Response, judgement: Judgement | None = None) -> Position | None:
        del response, judgement
        return None

    def sync(self) -> ArchiveMark:
        return ArchiveMark()

    def recover(self, mark: ArchiveMark) -> None:
        del mark

    def close(self) -> None: ...
