"""Where a WordNet may lie, and where what was read of it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from shoal.wordnet.errors import WordNetError

SYSTEM: Final = (Path("/usr/share/wordnet"), Path("/usr/share/nltk_data/corpora/wordnet.zip"))
HOW_TO_GET: Final = (
    "Get one with `apt-get install wordnet-base`, or download the database files of WordNet 3.0 "
    "from https://wordnet.princeton.edu/ or Open English WordNet (WN-LMF, .xml.gz) from "
    "https://en-word.net/, and name the folder or file: --set strategy.wordnet=PATH"
)


def usual_places(environment: Mapping[str, str]) -> Iterator[Path]:
    """In the order in which they are looked at. The first two are WordNet's own variables."""
    if search := environment.get("WNSEARCHDIR"):
        yield Path(search)
    if home := environment.get("WNHOME"):
        yield Path(home)
    yield _user_folder(environment, "XDG_DATA_HOME", ".local/share") / "shoal" / "wordnet"
    yield from SYSTEM
    yield Path.home() / "nltk_data" / "corpora" / "wordnet.zip"


def find_usual(environment: Mapping[str, str]) -> Path:
    """The first of the usual places where something is. Raises WordNetError, which tells how to
    get a WordNet."""
    places = list(usual_places(environment))
    for place in places:
        if place.exists():
            return place
    listed = ", ".join(map(str, places))
    raise WordNetError(f"there is no WordNet in any of {listed}. {HOW_TO_GET}")


def cache_folder(environment: Mapping[str, str]) -> Path:
    return _user_folder(environment, "XDG_CACHE_HOME", ".cache") / "shoal"


def _user_folder(environment: Mapping[str, str], name: str, otherwise: str) -> Path:
    given = environment.get(name)
    return Path(given) if given else Path.home() / otherwise
