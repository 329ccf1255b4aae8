"""A Report on a terminal: readable at 80 columns, without colour, and in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from shoal import wording
from shoal.report.importance import LinkAnalysis
from shoal.report.summary import BINS, Report

_ROWS = 8
_RANKED = 5
_CRAWLERS = 20
_STOP_WORDS = {
    "pages": "it has the pages it was asked for",
    "time": "its time is up",
    "bytes": "it has received the bytes it may",
    "finished": "nothing is left to fetch",
    "interrupted": "somebody asked it to stop; the same command goes on",
    "regrouped": "who is in the team changes; the same command goes on",
    "storage": "the disk is full or cannot be written; the same command goes on once it can",
}


def stop_sentence(report: Report) -> str:
    """Why it stopped, in a sentence."""
    if report.stop_reason is None:
        return "It has not said why: it is running, or it was killed. The same command goes on."
    detail = wording.plain(report.stop_detail) or _STOP_WORDS.get(report.stop_reason, "")
    reason = report.stop_reason.replace("_", " ")
    return f"{reason}: {detail}" if detail else reason


def render_report(report: Report, console: Console) -> None:
    """Print it. Nothing from the web is read as markup or as control characters."""
    width = min(console.width, 110)
    topic = wording.plain(report.topic) or "no topic"
    console.print()
    console.print(Panel(_headline(report), title=Text(f" {topic} ", "bold"), width=width))
    if report.pages:
        console.print(_harvest(report, width), width=width)
    if report.crawlers:
        console.print(_crawlers(report, width), width=width)
    half = width // 2
    blocks = [
        _counts("errors", report.errors, half),
        _counts("languages", report.languages, half),
        _counts("statuses", report.statuses, half),
        _counts("media types", report.media_types, half),
    ]
    console.print(_in_pairs([block for block in blocks if block is not None], width), width=width)
    if report.top_hosts:
        console.print(_hosts(report, width), width=width)
    if report.best:
        console.print(_best(report, width), width=width)
    if report.links is not None and report.links.links:
        console.print(_links(report.links, width), width=width)
    if report.given_up_hosts:
        console.print(_given_up(report, width), width=width)


def _headline(report: Report) -> RenderableType:
    grid = Table.grid(expand=True, padding=(0, 2))
    for _ in range(4):
        grid.add_column(justify="left", ratio=1)
    figures = [
        *_counted(report.pages, "page"),
        (wording.count(report.relevant), "relevant"),
        (wording.share(report.harvest), "harvest"),
        (wording.size(report.bytes), "received"),
        *_counted(report.hosts, "host"),
        (wording.rate(report.pages_per_second), "pages/s"),
        (wording.duration(report.seconds), "long"),
        *_counted(report.duplicates.exact + report.duplicates.near, "duplicate"),
        (wording.count(report.known), "Urls known"),
        (wording.count(report.waiting), "waiting"),
        (wording.count(report.refused), "refused"),
        *_counted(sum(report.errors.values()), "error"),
    ]
    cells = [Text.assemble((number, "bold cyan"), " ", (name, "dim")) for number, name in figures]
    for start in range(0, len(cells), 4):
        grid.add_row(*cells[start : start + 4])
    lines: list[RenderableType] = [grid, Text()]
    lines.append(Text.assemble(("stopped  ", "dim"), stop_sentence(report)))
    if report.started is not None and report.ended is not None:
        span = f"{report.started[:19]}Z to {report.ended[:19]}Z"
        lines.append(Text.assemble(("time     ", "dim"), span))
    duplicates = report.duplicates
    if duplicates.exact or duplicates.near:
        twins = (
            f"{wording.many(duplicates.exact, 'exact duplicate')}, "
            f"{wording.many(duplicates.near, 'near one')}"
        )
        lines.append(Text.assemble(("same     ", "dim"), twins))
    return Group(*lines)


def _counted(number: int, noun: str) -> Iterator[tuple[str, str]]:
    figure, _, name = wording.many(number, noun).partition(" ")
    yield figure, name


def _harvest(report: Report, width: int) -> RenderableType:
    room = width - 26
    curve = report.harvest_curve
    table = _table(f"Harvest over {wording.count(report.pages)} pages (0 to 100 %)", width)
    table.add_column(style="dim", no_wrap=True, width=13)
    table.add_column(no_wrap=True, width=room)
    table.add_column(justify="right", no_wrap=True)
    harvest = wording.sparkline([point.harvest for point in curve], room, 1.0)
    recent = wording.sparkline([point.recent for point in curve], room, 1.0)
    table.add_row("all pages", Text(harvest, "green"), wording.share(curve[-1].harvest))
    last = f"last {min(report.window_pages, report.pages)}"
    table.add_row(last, Text(recent, "green"), wording.share(curve[-1].recent))
    if len(report.activity) > 1:
        pages = [interval.pages / interval.length_s for interval in report.activity]
        table.add_row(
            "pages/s",
            Text(wording.sparkline(pages, room), "cyan"),
            f"max {wording.rate(max(pages))}",
        )
    bins = wording.sparkline([float(number) for number in report.relevance_histogram], room)
    wide = "".join(character * max(1, room // BINS) for character in bins)
    table.add_row("relevance", Text(wide, "magenta"), "0 … 1")
    return Padding(table, (1, 0, 0, 0))


def _crawlers(report: Report, width: int) -> RenderableType:
    """Who keeps what, and how much went from one to another."""
    table = _table("Crawlers", width)
    table.add_column("crawler", no_wrap=True, ratio=1, overflow="ellipsis")
    for name in ("pages", "relevant", "fetched", "received", "handed over", "taken in"):
        table.add_column(name, justify="right", no_wrap=True)
    table.show_header = True
    for share in report.crawlers[:_CRAWLERS]:
        table.add_row(
            Text(wording.plain(share.crawler)),
            wording.count(share.pages),
            wording.count(share.relevant),
            wording.count(share.fetched),
            wording.size(share.bytes),
            wording.count(share.handed_over),
            wording.count(share.taken_in),
        )
    if len(report.crawlers) > _CRAWLERS:
        table.add_row(Text(f"{len(report.crawlers) - _CRAWLERS} more", "dim"))
    return Padding(table, (1, 0, 0, 0))


def _counts(title: str, counts: Mapping[str, int], width: int) -> Table | None:
    if not counts:
        return None
    room = width - 1
    table = _table(title.capitalize(), room)
    table.add_column(no_wrap=True, width=min(24, room - 21), overflow="ellipsis")
    table.add_column(justify="right", no_wrap=True, width=9)
    table.add_column(no_wrap=True, width=8)
    largest = max(counts.values())
    rows = list(counts.items())
    for name, number in rows[:_ROWS]:
        bar = Text(wording.bar(number / largest, 6) or "▏", "cyan")
        table.add_row(Text(wording.plain(name)), wording.count(number), bar)
    if len(rows) > _ROWS:
        rest = sum(number for _, number in rows[_ROWS:])
        table.add_row(Text(f"{len(rows) - _ROWS} more", "dim"), wording.count(rest), "")
    return table


def _in_pairs(blocks: Sequence[RenderableType], width: int) -> RenderableType:
    grid = Table.grid(padding=(1, 0, 0, 0))
    grid.add_column(width=width // 2)
    grid.add_column(width=width // 2)
    for start in range(0, len(blocks), 2):
        grid.add_row(*blocks[start : start + 2])
    return grid


def _hosts(report: Report, width: int) -> RenderableType:
    table = _table("Hosts with the most relevant pages", width)
    table.add_column("host", no_wrap=True, ratio=1, overflow="ellipsis")
    for name in ("visits", "pages", "relevant", "received"):
        table.add_column(name, justify="right", no_wrap=True)
    table.show_header = True
    for share in report.top_hosts[:_ROWS]:
        table.add_row(
            Text(wording.plain(share.host)),
            wording.count(share.visits),
            wording.count(share.pages),
            wording.count(share.relevant),
            wording.size(share.bytes),
        )
    return Padding(table, (1, 0, 0, 0))


def _best(report: Report, width: int) -> RenderableType:
    table = _table("Most relevant pages", width)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("", ratio=1, overflow="fold")
    for page in report.best[:_ROWS]:
        title = wording.clip(wording.plain(page.title) or "untitled", width - 10)
        table.add_row(f"{page.relevance:.2f}", Text.assemble(title, "\n", (page.url, "dim")))
    return Padding(table, (1, 0, 0, 0))


def _links(links: LinkAnalysis, width: int) -> RenderableType:
    """The first few of each list."""
    tables = []
    for name, ranked in (
        ("Highest PageRank (1 is the mean)", links.important),
        ("Authorities (what good hubs link to)", links.authorities),
        ("Hubs (what links to good authorities)", links.hubs),
    ):
        table = _table(name, width)
        table.add_column("", justify="right", no_wrap=True)
        table.add_column("", ratio=1, overflow="fold")
        for one in ranked[:_RANKED]:
            title = wording.clip(wording.plain(one.title), width - 10)
            shown = (title, "\n") if title else ()
            table.add_row(
                f"{one.score:.2f}", Text.assemble(*shown, (wording.plain(one.url), "dim"))
            )
        tables.append(Padding(table, (1, 0, 0, 0)))
    part = "" if links.whole else " (the first ones; the others were left out)"
    seen = (
        f"By {wording.many(links.links, 'link')} of {wording.many(links.pages, 'page')} "
        f"of relevance {links.relevant_from:g} or more{part}."
    )
    return Group(*tables, Padding(Text(seen, "dim"), (1, 0, 0, 0)))


def _given_up(report: Report, width: int) -> RenderableType:
    table = _table(f"Hosts given up ({wording.count(report.given_up_hosts)})", width)
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=width // 2)
    table.add_column(ratio=1)
    for lost in report.given_up[:_ROWS]:
        table.add_row(Text(wording.plain(lost.host)), Text(wording.plain(lost.why), "dim"))
    return Padding(table, (1, 0, 0, 0))


def _table(title: str, width: int) -> Table:
    return Table(
        title=Text(title, "bold"),
        title_justify="left",
        title_style="",
        box=None,
        show_header=False,
        header_style="dim",
        pad_edge=False,
        width=width,
        padding=(0, 2, 0, 0),
    )
