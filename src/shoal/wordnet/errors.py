"""What can be wrong with a WordNet."""

from __future__ import annotations

from shoal.errors import UsageError


class WordNetError(UsageError):
    """There is no WordNet where it should be, or what is there cannot be read as one."""
