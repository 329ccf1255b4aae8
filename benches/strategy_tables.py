"""Every strategy on every corpus: runs the experiments and writes their tables.

    python benches/strategy_tables.py [--short] [--out FOLDER] [--update-docs]

Runs ``experiments/strategies-wiki.toml`` and ``-sites.toml`` (with ``--short`` short versions) and
``six-topics.toml`` with `shoal lab run`; what FOLDER has already is not run again. The tables go to
``docs/explanation/strategies.md``, or are printed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import table, update_docs

from shoal.lab.results import Results, read_results
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
from shoal.lab.table import shown

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "explanation" / "strategies.md"
AREA, RECALL, HARVEST, _, SIMILARITY, *_ = COLUMNS


def run(name: str, out: Path) -> Results:
    """The results of an experiment, made where they are not there yet."""
    file = ROOT / "experiments" / f"{name}.toml"
    command = [sys.executable, "-m", "shoal", "lab", "run", str(file), "--out", str(out / name)]
    subprocess.run(command, check=True)
    return read_results(out / name)


def webs_told(results: Results) -> str:
    """A table a web: each strategy at each number of pages, the best at the last one first."""
    parts = []
    for web in webs_of(results.runs):
        told = results.webs[web]
        topics = ", ".join(f"{name} ({count:,})" for name, count in told.targets.items())
        heads = ["strategy", *(f"{pages:,} pages" for pages in told.budgets), "recall", "harvest"]
        rows = []
        for name in strategies_of(select(results, web=web)):
            runs = select(results, web=web, strategy=name)
            places = range(len(told.budgets))
            areas = [mean_over_seeds(runs, at(place, AREA)) for place in places]
            cells = [shown(mean_over_seeds(runs, at(-1, one))) for one in (RECALL, HARVEST)]
            rank = areas[-1].value if areas[-1] else 0.0
            rows.append((rank, [name, *map(shown, areas), *cells]))
        rows.sort(key=lambda row: -row[0])
        parts.append(
            f"**{web}**, {told.pages:,} pages; relevant: {topics}.\n\n"
            + table(heads, [cells for _, cells in rows])
        )
    return "\n\n".join(parts)


def six_told(results: Results) -> str:
    """The number of relevant pages by similarity, and average similarity, as in the figures of 001;
    then what is relevant by label."""
    (web,) = webs_of(results.runs)
    topics = topics_of(results.runs)
    found = Measure("relevant pages", lambda figures: float(figures.relevant))
    similar = Measure("similar pages", lambda figures: float(figures.similar))
    heads = ["strategy", "similar pages", "average similarity", "area", *topics]
    rows = []
    for name in strategies_of(results.runs):
        runs = select(results, web=web, strategy=name)
        cells = [shown(mean_over_seeds(runs, at(-1, one))) for one in (similar, SIMILARITY, AREA)]
        each = [
            shown(mean_over_seeds(select(results, strategy=name, topic=topic), at(-1, found)), 0)
            for topic in topics
        ]
        rows.append([name, *cells, *each])
    return table(heads, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="the short versions")
    parser.add_argument("--out", type=Path, help="where results go, and are found again")
    parser.add_argument("--update-docs", action="store_true", help=f"write {PAGE.name}")
    arguments = parser.parse_args()
    short = "-short" if arguments.short else ""
    out = arguments.out or Path(tempfile.mkdtemp(prefix="strategies-"))
    webs = "\n\n".join(webs_told(run(f"strategies-{web}{short}", out)) for web in ("wiki", "sites"))
    six = six_told(run("six-topics", out))
    if arguments.update_docs:
        command = f"python benches/strategy_tables.py{' --short' if short else ''} --update-docs"
        update_docs(webs, PAGE, "webs", command)
        update_docs(six, PAGE, "six", command)
    else:
        print(f"{webs}\n\n{six}")


if __name__ == "__main__":
    main()
