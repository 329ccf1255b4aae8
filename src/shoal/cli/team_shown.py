"""What `shoal team status` prints, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from shoal import wording
from shoal.compose.team_status import CrawlerStatus, TeamStatus

_STYLES = {"active": "green", "leaving": "yellow", "retired": "dim"}
_LATE_S = 5.0


def team_json(status: TeamStatus) -> str:
    return msgspec.json.format(msgspec.json.encode(status)).decode()


def render_team(status: TeamStatus, console: Console) -> None:
    active = sum(one.state == "active" for one in status.crawlers)
    running = Text("crawling", "green") if status.running else Text("not crawling", "dim")
    console.print(
        Text.assemble(
            (status.directory, "bold"),
            f"  {wording.many(active, 'crawler')}, shared by {status.partition}  ",
            running,
        )
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=len(status.crawlers) > 1)
    rates = [one.pages_s for one in status.crawlers if one.pages_s is not None]
    totals = (
        sum(one.pages for one in status.crawlers),
        sum(one.relevant for one in status.crawlers),
        sum(one.waiting for one in status.crawlers),
    )
    pages, relevant, waiting = map(wording.count, totals)
    table.add_column("crawler", "together", style="bold", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("pages", pages, justify="right", no_wrap=True)
    table.add_column("relevant", relevant, justify="right", no_wrap=True)
    table.add_column("pages/s", wording.rate(sum(rates)) if rates else "", justify="right")
    table.add_column("waiting", waiting, justify="right", no_wrap=True)
    table.add_column("outbox", justify="right", no_wrap=True)
    for one in status.crawlers:
        table.add_row(
            one.name,
            Text(_state(one), _STYLES[one.state]),
            wording.count(one.pages),
            wording.count(one.relevant),
            "" if one.pages_s is None else wording.rate(one.pages_s),
            wording.count(one.waiting),
            wording.size(sum(one.outbox.values())) if one.outbox else "",
        )
    console.print(table)
    for one in status.crawlers:
        console.print(Text.assemble((one.name, "bold"), f"  owns {one.owns}"), soft_wrap=True)
        for line in _whereabouts(one):
            console.print(Text(f"    {line}", "dim"), soft_wrap=True)


def _state(one: CrawlerStatus) -> str:
    if one.heard_s_ago is not None and one.heard_s_ago > _LATE_S:
        return f"{one.state}, late"
    return f"{one.state}, idle" if one.idle else one.state


def _whereabouts(one: CrawlerStatus) -> Iterator[str]:
    """Where its files are, its process, and whom it waits for."""
    yield one.folder
    if one.process:
        heard = wording.duration(one.heard_s_ago or 0.0)
        times = f", started again {wording.many(one.restarts, 'time')}" if one.restarts else ""
        yield f"process {one.process}, heard {heard} ago{times}"
    if one.outbox:
        sizes = (f"{wording.size(size)} for {name}" for name, size in one.outbox.items())
        yield f"waits to be taken: {', '.join(sizes)}"
