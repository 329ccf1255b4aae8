"""``table.md``: the results of an experiment as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.lab.results import Results, WebTold
from shoal.lab.statistics import Mean
from shoal.lab.summary import (
    COLUMNS,
    Measure,
    at,
    mean_over_seeds,
    select,
    strategies_of,
    topics_of,
    webs_of,
)

TABLE_FILE = "table.md"
OF_TOPICS = COLUMNS[0]


def table_page(results: Results) -> str:
    lines = [f"# {results.title or 'Experiment'}", ""]
    lines += [
        "Means over topics; ± is half the 95 % confidence interval over seed sets.",
        "What each column means: `docs/explanation/lab.md`.",
    ]
    for web in webs_of(results.runs):
        lines += _web_section(results, web, results.webs[web])
    return "\n".join(lines) + "\n"


def shown(mean: Mean | None, digits: int = 2) -> str:
    """``0.72 ± 0.03``."""
    if mean is None:
        return "–"
    value = f"{mean.value:.{digits}f}"
    return value if mean.half is None else f"{value} ± {mean.half:.{digits}f}"


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def _web_section(results: Results, web: str, told: WebTold) -> Iterator[str]:
    runs = select(results, web=web)
    strategies = strategies_of(runs)
    yield from ("", f"## {web}", "")
    targets = ", ".join(f"{name} {count:,}" for name, count in told.targets.items())
    yield f"{told.pages:,} pages; relevant: {targets}."
    for place, pages in enumerate(told.budgets):
        yield from ("", f"### After {pages:,} pages", "")
        rows = [[name, *_means(results, web, name, place, COLUMNS)] for name in strategies]
        yield from markdown_table(["strategy", *(column.name for column in COLUMNS)], rows)
    topics = topics_of(runs)
    if len(topics) > 1:
        yield from ("", f"### By topic: {OF_TOPICS.name} after {told.budgets[-1]:,} pages", "")
        yield from markdown_table(
            ["strategy", *topics],
            [
                [
                    name,
                    *(
                        shown(
                            mean_over_seeds(
                                select(results, web=web, strategy=name, topic=topic),
                                at(-1, OF_TOPICS),
                            )
                        )
                        for topic in topics
                    ),
                ]
                for name in strategies
            ],
        )
    yield from _robustness(results, web)


def _means(
    results: Results, web: str, strategy: str, place: int, columns: Sequence[Measure]
) -> list[str]:
    runs = select(results, web=web, strategy=strategy)
    return [shown(mean_over_seeds(runs, at(place, column))) for column in columns]


def _robustness(results: Results, web: str) -> Iterator[str]:
    told = [one for one in results.robustness if one.web == web and one.overlap]
    if not told:
        return
    yield from ("", "### Robustness of acquisition", "")
    yield "Share of the pages that runs from two seed sets have in common, at the end: of all, and"
    yield "of those that the crawls themselves held relevant."
    yield ""
    rows = []
    for name in dict.fromkeys(one.strategy for one in told):
        own = [one for one in told if one.strategy == name]
        last = [one.overlap[-1] for one in own]
        relevant = [one.relevant_overlap for one in own if one.relevant_overlap is not None]
        rows.append([name, _mean(last), _mean(relevant)])
    yield from markdown_table(["strategy", "overlap", "of relevant pages"], rows)


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.2f}" if values else "–"
