"""How many crawlers a crawl has where nobody has said."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import config
from shoal.directory import CrawlDirectory
from shoal.settings import Settings
from shoal.team_size import ALONE_UP_TO_PAGES, decide


def wanted(**sections: dict[str, object]) -> Settings:
    crawl = {"topic": ["storms"], "seeds": ["http://a.test/"], **sections.pop("crawl", {})}
    return config.check({"crawl": crawl, **sections})


@pytest.mark.parametrize(
    ("settings", "cores", "crawlers"),
    [
        (wanted(), 2, 2),
        (wanted(), 64, 2),
        (wanted(), 1, 1),
        (wanted(crawl={"pages": ALONE_UP_TO_PAGES}), 2, 1),
        (wanted(crawl={"pages": ALONE_UP_TO_PAGES + 1}), 2, 2),
        (wanted(crawl={"web": "pages.warc.gz"}), 2, 1),
        (wanted(team={"crawlers": 1}), 2, 1),
        (wanted(team={"crawlers": 5}), 1, 5),
    ],
)
def test_two_share_a_long_crawl_of_the_live_web_where_there_are_cores_for_them(
    settings: Settings, cores: int, crawlers: int, tmp_path: Path
) -> None:
    decided, said = decide(settings, CrawlDirectory(tmp_path / "crawl"), cores)
    assert decided.team.crawlers == crawlers
    was_decided = settings.team.crawlers is None and crawlers > 1
    assert ("--crawlers 1" in said) == was_decided
    assert config.is_team(decided) == (crawlers > 1)


def test_a_crawl_goes_on_as_it_began_on_any_machine(tmp_path: Path) -> None:
    for cores, elsewhere in ((1, 2), (2, 1)):
        directory = CrawlDirectory(tmp_path / str(cores))
        begun, _ = decide(wanted(), directory, cores)
        directory.make()
        directory.remember(begun)
        goes_on, said = decide(wanted(), directory, elsewhere)
        assert goes_on.team.crawlers == begun.team.crawlers == cores
        assert not said


def test_a_crawl_that_was_begun_before_there_was_anything_to_decide_is_alone(
    tmp_path: Path,
) -> None:
    directory = CrawlDirectory(tmp_path / "crawl")
    directory.make()
    directory.remember(wanted())
    assert decide(wanted(), directory, 2)[0].team.crawlers == 1
