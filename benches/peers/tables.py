"""A comparison as Markdown, for the terminal and the documentation, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rounds import (
    BARE_BAR,
    SCRAPY,
    SCRAPY_BAR,
    SHOAL_BEST,
    SHOAL_BREADTH,
    Comparison,
    Spread,
)

SHOALS = (SHOAL_BREADTH, SHOAL_BEST)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = [heads, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    )


def crawler_table(found: Comparison) -> str:
    heads = (
        "crawler", "pages", "CPU ms a page", "without start-up", "pages per CPU s",
        "x Scrapy", "x Scrapy without start-up", "wall s", "peak MB",
    )  # fmt: skip
    rows = []
    for name, crawls in found.crawls.items():
        with_start = crawls.cpu_ms(started=False)
        is_scrapy = name == SCRAPY
        rows.append(
            (
                name,
                f"{len(crawls.whole[0].pages):,}",
                Spread.of(with_start).show(),
                Spread.of(crawls.cpu_ms(started=True)).show(),
                Spread.of([1e3 / cost for cost in with_start]).show(0),
                "1" if is_scrapy else found.beside_scrapy(name, started=False).show(),
                "1" if is_scrapy else found.beside_scrapy(name, started=True).show(),
                Spread.of([run.wall_s for run in crawls.whole]).show(1),
                f"{max(run.peak_mb for run in crawls.whole):,.0f}",
            )
        )
    return table(heads, rows)


def start_table(found: Comparison) -> str:
    rows = [
        (
            name,
            Spread.of([run.cpu_s for run in crawls.single]).show(),
            Spread.of([run.wall_s for run in crawls.single]).show(),
        )
        for name, crawls in found.crawls.items()
    ]
    return table(("crawl of one page", "CPU s", "wall s"), rows)


def part_table(found: Comparison) -> str:
    parts = found.bare_ms[0]
    own = [name for name in parts if not name.startswith("*")]
    rows = [(name, found.part(name).show(3)) for name in own]
    rows.append(("sum of the parts", Spread.of(found.part_sums()).show(3)))
    for name in SHOALS:
        rows.append((name, Spread.of(found.crawls[name].cpu_ms(started=False)).show(3)))
        rows.append(
            (
                f"{name}, without start-up",
                Spread.of(found.crawls[name].cpu_ms(started=True)).show(3),
            )
        )
    for name in SHOALS:
        rows.append((f"{name}, x the sum", found.beside_parts(name, started=False).show()))
        rows.append(
            (f"{name}, without start-up, x the sum", found.beside_parts(name, started=True).show())
        )
    rows += [
        (f"for comparison: {name.removeprefix('*')}", found.part(name).show(3))
        for name in parts
        if name.startswith("*")
    ]
    return table(("bare part", "CPU ms a page"), rows)


def bar_table(found: Comparison) -> str:
    """The bars are for the whole crawl, start-up included."""
    rows = []
    for name in SHOALS:
        times = found.beside_scrapy(name, started=False)
        rows.append(
            (
                f"{name}: pages per second per core at least {SCRAPY_BAR:g} times Scrapy's",
                times.show(),
                "reached" if times.middle >= SCRAPY_BAR else "**not reached**",
            )
        )
    for name in SHOALS:
        times = found.beside_parts(name, started=False)
        rows.append(
            (
                f"{name}: CPU time at most {BARE_BAR:g} times the sum of its bare parts",
                times.show(),
                "reached" if times.middle <= BARE_BAR else "**not reached**",
            )
        )
    return table(("bar", "measured", ""), rows)


def bar_room(found: Comparison) -> str:
    """What the bars leave for a page, each in milliseconds: they need not agree."""
    scrapy_ms = Spread.of(found.crawls[SCRAPY].cpu_ms(started=False)).middle
    parts_ms = Spread.of(found.part_sums()).middle
    return (
        f"For a page the first bar leaves {scrapy_ms / SCRAPY_BAR:.2f} ms (Scrapy's "
        f"{scrapy_ms:.2f} ms divided by {SCRAPY_BAR:g}), the second "
        f"{parts_ms * BARE_BAR:.2f} ms; the bare parts alone take {parts_ms:.2f} ms."
    )


def as_markdown(found: Comparison, circumstances: Sequence[str]) -> str:
    """Every table, below what must be known to read them."""
    parts = (
        "\n".join(f"- {line}" for line in circumstances),
        bar_table(found),
        bar_room(found),
        crawler_table(found),
        start_table(found),
        part_table(found),
    )
    return "\n\n".join(parts)


def as_json(found: Comparison, circumstances: Sequence[str]) -> dict[str, Any]:
    return {
        "circumstances": list(circumstances),
        "unfair": found.unfairness(),
        "rounds": len(found.bare_ms),
        "bare_ms": found.bare_ms,
        "crawlers": {
            name: {
                "pages": len(crawls.whole[0].pages),
                "cpu_s": [run.cpu_s for run in crawls.whole],
                "wall_s": [run.wall_s for run in crawls.whole],
                "peak_mb": [run.peak_mb for run in crawls.whole],
                "start_cpu_s": [run.cpu_s for run in crawls.single],
                "start_wall_s": [run.wall_s for run in crawls.single],
                "cpu_ms_a_page": crawls.cpu_ms(started=False),
                "cpu_ms_a_page_without_start": crawls.cpu_ms(started=True),
            }
            for name, crawls in found.crawls.items()
        },
        "beside_scrapy": {
            name: found.beside_scrapy(name, started=False).middle
            for name in found.crawls
            if name != SCRAPY
        },
        "beside_parts": {name: found.beside_parts(name, started=False).middle for name in SHOALS},
    }
