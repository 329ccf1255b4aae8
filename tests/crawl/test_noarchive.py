"""A page that asks for no copy to be kept is judged and followed, and no copy of it is kept."""

from __future__ import annotations

from pathlib import Path
from threading import Event as Flag

import pytest

from shoal import config
from shoal.archive.reader import iter_responses
from shoal.compose.crawl import run_crawl
from shoal.compose.reading import open_ledger
from shoal.directory import CrawlDirectory
from shoal.model import Outcome
from shoal.url import parse_url

SHY = "http://shy.example/"
NEXT = "http://shy.example/next.html"


@pytest.mark.parametrize("obeyed", [True, False])
def test_noarchive(tmp_path: Path, obeyed: bool) -> None:
    site = tmp_path / "web" / "shy.example"
    site.mkdir(parents=True)
    meta = '<meta name="robots" content="noarchive">'
    (site / "index.html").write_text(f"<html>{meta}<p>dengue <a href='next.html'>more</a>")
    (site / "next.html").write_text("<html><p>fever")
    layer: config.Layer = {
        "crawl": {"topic": ["dengue"], "seeds": [SHY], "web": str(tmp_path / "web")},
        "politeness": {"robots": obeyed},
    }
    directory = CrawlDirectory(tmp_path / "out")
    run_crawl(config.check(layer), directory, [], Flag())

    with open_ledger(directory) as ledger:
        known = ledger.find(parse_url(SHY))
        assert known is not None
        (visit,) = known.visits
        following = ledger.find(parse_url(NEXT))
    assert visit.outcome is Outcome.PAGE
    assert (visit.position is None) == obeyed
    assert ("noarchive" in visit.detail) == obeyed
    assert following is not None
    assert following.visits[0].position is not None

    (file,) = directory.archive_folder.glob("*.warc.gz")
    kept = {response.url.text for response in iter_responses(file)}
    assert NEXT in kept
    assert (SHY in kept) != obeyed
