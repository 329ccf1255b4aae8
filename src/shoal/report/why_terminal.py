"""A Story on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from shoal import wording
from shoal.model import HostRecord, Outcome, Part, Ruling
from shoal.report.why import Attempt, Step, Story


def render_story(story: Story, console: Console) -> None:
    """Print it. Nothing from the web is read as markup or as control characters."""
    width = min(console.width, 110)
    console.print()
    console.print(Text(story.url, "bold cyan"), width=width, overflow="fold")
    console.print(Text(wording.plain(story.answer), "bold"), width=width)
    for reason in story.reasons:
        console.print(Text(wording.plain(reason)), width=width)
    console.print()
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in _rows(story, width - 14):
        table.add_row(name, text)
    console.print(table, width=width)


def _rows(story: Story, width: int) -> Iterable[tuple[str, RenderableType]]:
    if story.state is not None:
        yield "state", Text(story.state)
    if story.ruling is not None:
        yield "scope", _ruling(story.ruling)
    if story.robots is not None:
        yield "robots.txt", _ruling(story.robots)
    if story.known:
        yield from _links(story, width)
    if story.crawler is not None:
        yield "crawler", Text(wording.plain(story.crawler))
    if story.priority is not None:
        yield "priority", Text.assemble((f"{story.priority:.4g}", "bold"), _parts(story.parts))
    for number, attempt in enumerate(story.attempts, 1):
        yield f"attempt {number}", _attempt(attempt)
    if story.host is not None:
        yield "host", _host(story.host)
    if story.waiting is not None and story.waiting_hosts is not None:
        hosts = wording.many(story.waiting_hosts, "host")
        yield "queue", Text(f"one of {wording.many(story.waiting, 'waiting Url')} on {hosts}")
    for neighbour in story.neighbours:
        line = Text.assemble(neighbour.url, "\n")
        line.append(f"{neighbour.state}; {neighbour.difference}", "dim")
        yield "near", line


def _links(story: Story, width: int) -> Iterable[tuple[str, RenderableType]]:
    if story.source is None:
        yield "found", Text("it is a seed")
    else:
        anchor = wording.plain(story.anchor)
        found = Text(f"{story.kind} on {story.source}")
        if story.source_crawler is not None:
            found.append(f", kept by {wording.plain(story.source_crawler)}")
        if anchor:
            found.append(f"\n“{wording.clip(anchor, width)}”")
        yield "found", found
        context = wording.plain(story.context)
        if context:
            yield "context", Text(wording.clip(context, width * 2), "dim")
    yield "depth", Text(f"{story.depth}")
    if story.redirects:
        yield "redirects", Text(f"{story.redirects} in a row")
    if len(story.chain) > 1:
        yield "way here", _chain(story.chain)
    others = [other for other in story.linked_from if other != story.source]
    if others:
        yield "also from", Text("\n".join(others))


def _chain(chain: tuple[Step, ...]) -> RenderableType:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(justify="right", style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for number, step in enumerate(chain):
        text = Text(step.url)
        if step.crawler is not None:
            text.append(f"  {wording.plain(step.crawler)}", "dim")
        anchor = wording.plain(step.anchor)
        if anchor:
            text.append(f"\n“{wording.clip(anchor, 90)}”", "dim")
        grid.add_row(str(number), text)
    return grid


_TO_OTHERS = {Outcome.HANDED_OVER: "handed over to", Outcome.ELSEWHERE: "left to"}
"""Where the detail of an outcome is another crawler."""


def _attempt(attempt: Attempt) -> Text:
    facts = ", ".join(_facts(attempt))
    text = Text.assemble((attempt.at, "dim"), "  ", facts)
    if attempt.title:
        text.append(f"\n“{wording.clip(wording.plain(attempt.title), 90)}”")
    if attempt.relevance is not None:
        text.append("\nrelevance ").append(f"{attempt.relevance:.3f}", "bold")
        if attempt.similarity is not None:
            text.append(f", similarity {attempt.similarity:.3f}")
        text.append_text(_parts(attempt.reasons))
        text.append_text(_beliefs(attempt.beliefs))
    if attempt.twin is not None:
        text.append(f"\nsays the same as {attempt.twin}")
    elif attempt.detail and attempt.outcome not in _TO_OTHERS:
        text.append(f"\n{wording.plain(attempt.detail)}")
    if attempt.retry_at_s is not None:
        text.append(f"\ntried again from {wording.moment(attempt.retry_at_s)}")
    if attempt.position is not None:
        place = attempt.position
        text.append(f"\narchived in {place.file}, {place.length} bytes from {place.offset}", "dim")
    return text


def _facts(attempt: Attempt) -> Iterable[str]:
    to_whom = _TO_OTHERS.get(attempt.outcome)
    if to_whom is None:
        yield attempt.outcome.value.replace("_", " ")
    else:
        yield f"{to_whom} {wording.plain(attempt.detail)}"
    if attempt.status is not None:
        yield f"HTTP {attempt.status}"
    if attempt.failure is not None:
        yield attempt.failure.value
    if attempt.size_bytes:
        yield wording.size(attempt.size_bytes)
    if attempt.fetched_by is not None:
        yield f"fetched by {wording.plain(attempt.fetched_by)}"
    if attempt.elapsed_s:
        yield wording.duration(attempt.elapsed_s)


def _host(host: HostRecord) -> Text:
    text = Text(
        f"{host.host}: {wording.many(host.known, 'Url')} known, "
        f"{wording.count(host.settled)} settled, {wording.count(host.waiting)} waiting"
    )
    if host.given_up is not None:
        text.append(f"\ngiven up: {wording.plain(host.given_up)}", "yellow")
    elif host.rest_until_s is not None:
        until = wording.moment(host.rest_until_s)
        text.append(f"\nlast rest until {until}: {wording.plain(host.rest_why)}", "dim")
    return text


def _ruling(ruling: Ruling) -> Text:
    text = Text("admitted" if ruling.admitted else "refused", "green" if ruling.admitted else "red")
    text.append(f" by {wording.plain(ruling.rule)}", "default")
    if ruling.detail:
        text.append(f": {wording.plain(ruling.detail)}", "default")
    return text


def _beliefs(beliefs: tuple[Part, ...]) -> Text:
    return Text("\nbelieved to be").append_text(_parts(beliefs)) if beliefs else Text()


def _parts(parts: tuple[Part, ...]) -> Text:
    if not parts:
        return Text()
    said = "   ".join(f"{wording.plain(part.name)} {part.value:.3g}" for part in parts)
    return Text(f"\n{said}", "dim")
