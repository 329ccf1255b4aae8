"""How many Crawlers a crawl has, where nobody has said.

Decided when a crawl begins, said, and written into its settings: the crawl goes on as it began,
whatever the machine it goes on with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from shoal import config
from shoal.directory import CrawlDirectory
from shoal.settings import Settings

ALONE_UP_TO_PAGES: Final = 500
"""A crawl of no more pages than this is over before a second Crawler has begun to matter."""
TOGETHER: Final = 2


def decide(settings: Settings, directory: CrawlDirectory, cores: int) -> tuple[Settings, str]:
    """The settings with ``team.crawlers`` set, and what to tell of it: nothing where there was
    nothing to decide, or one crawls alone."""
    team = settings.team
    if team.crawlers is not None or team.partition in config.BY_TOPIC or team.engine == "ray":
        return settings, ""
    if directory.is_crawl():
        return _with(settings, directory.settings().team.crawlers or 1), ""
    pages = settings.crawl.pages
    is_short = pages is not None and pages <= ALONE_UP_TO_PAGES
    # Each Crawler of a frozen web has a clock of its own, so that what is fetched would not be the
    # same each time.
    if cores < TOGETHER or is_short or settings.crawl.web is not None:
        return _with(settings, 1), ""
    said = (
        f"This machine has {cores} cores, so {TOGETHER} crawlers share the web by "
        f"{team.partition}; --crawlers 1 is a crawl alone."
    )
    return _with(settings, TOGETHER), said


def _with(settings: Settings, crawlers: int) -> Settings:
    return replace(settings, team=replace(settings.team, crawlers=crawlers))
