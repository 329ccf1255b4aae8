"""Who is crawling: site owners should be able to reach somebody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rich.console import Console
from rich.markup import escape

from shoal.settings import Settings

UNASKED_PAGES = 100
"""A live crawl of more pages than this wants a contact address."""


def is_wanted(settings: Settings) -> bool:
    """A frozen Web has no owner to write, and a small crawl disturbs nobody."""
    pages = settings.crawl.pages
    live = settings.crawl.web is None and not settings.fetch.allow_private
    return live and not settings.fetch.contact and (pages is None or pages > UNASKED_PAGES)


def ask(settings: Settings, console: Console, read_line: Callable[[str], str]) -> Settings:
    """Ask once on a terminal; an empty answer is an answer."""
    console.print(
        "Site owners like to know who crawls. At which mail or web address do they reach you?\n"
        "[dim](Enter leaves it out; fetch.contact in a settings file answers for good.)[/]"
    )
    answer = read_line("contact: ").strip()
    if not answer:
        return settings
    console.print(f"The user agent will name {escape(answer)}.")
    return replace(settings, fetch=replace(settings.fetch, contact=answer))


def remembered(settings: Settings, begun: Settings) -> Settings:
    """With the contact that the crawl began with, where none is given: the answer to a question is
    in no command, and the same command must go on."""
    if settings.fetch.contact:
        return settings
    return replace(settings, fetch=replace(settings.fetch, contact=begun.fetch.contact))


def warn(console: Console) -> None:
    console.print(
        "[yellow]warning:[/] no contact address, so site owners cannot reach you; "
        "give --set fetch.contact=you@example.org",
        soft_wrap=True,
    )
