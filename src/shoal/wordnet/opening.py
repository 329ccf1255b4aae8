"""Opens a WordNet: by a path, or in the usual places."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from shoal.wordnet.errors import WordNetError
from shoal.wordnet.lexicon import Lexicon
from shoal.wordnet.places import HOW_TO_GET, cache_folder, find_usual
from shoal.wordnet.sources import digest_of, find_source, read_source
from shoal.wordnet.store import kept


def open_wordnet(given: str | None, environment: Mapping[str, str]) -> Lexicon:
    """The WordNet at that path, or else in the first of the usual places. Raises WordNetError."""
    if given is None:
        source = find_source(find_usual(environment))
    else:
        try:
            source = find_source(Path(given).expanduser())
        except WordNetError as error:
            raise WordNetError(f"strategy.wordnet: {error}. {HOW_TO_GET}") from error
    return _open(source, digest_of(source), cache_folder(environment))


@lru_cache(maxsize=1)
def _open(source: Path, digest: str, folder: Path) -> Lexicon:
    """Once in a process, for it is large and never changes: a lab makes many crawlers."""
    return Lexicon(kept(folder, digest, lambda: read_source(source)))
