"""The experiments with ontologies: runs them, and writes their tables and pictures.

    python benches/ontology_tables.py SHARED FOLDER [--update-docs]

Runs ``experiments/ontology-*.toml`` with `shoal lab run`, each into a folder of its own in FOLDER;
what was run is not run again. SHARED is to be ``../shared``, seen from the repository: its
ontologies are unpacked to ``experiments/ontologies/shared``, where the topic files look for them.
The tables go to ``docs/explanation/ontology-experiments.md``, and pictures beside it, or are
printed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import sqrt
from pathlib import Path
from urllib.parse import unquote

from figures import say, table, update_docs

from shoal.compose.lab import open_lab
from shoal.lab.experiment_file import read_experiment
from shoal.lab.results import Results, Run, read_results
from shoal.lab.run_store import RunStore
from shoal.lab.score import Curve
from shoal.lab.walked import Walk

ROOT = Path(__file__).resolve().parent.parent
EXPERIMENTS = ROOT / "experiments"
UNPACKED = EXPERIMENTS / "ontologies" / "shared"
DOCS = ROOT / "docs" / "explanation"
PAGE = DOCS / "ontology-experiments.md"
BAR = 5.0
LEAST_PAGES = 50
"""A crawl that fetched fewer came to no more than its seeds."""
LEAST_RELEVANT = 10
"""Of fewer relevant pages no ratio is told."""
LIMIT = 0.01
"""Of the topics whose pages are compared one by one."""
SHOWN = 10
PANELS = (
    ("focused", "relevant", "focused"),
    ("best-first", "relevant", "best-first"),
    ("unfocused", "relevant", "unfocused"),
    ("unfocused", "irrelevant", "unfocused, irrelevant seeds"),
)
"""Strategy, seeds and title of each picture in a row."""
DRAWN = "chemistry"
Values = Callable[[Curve], Sequence[float]]
BY_LABEL: tuple[Values, ...] = (
    lambda curve: curve.recent_50,
    lambda curve: curve.recent_500,
    lambda curve: curve.harvest,
)
BY_ITSELF: tuple[Values, ...] = (
    lambda curve: curve.own_recent_50,
    lambda curve: curve.own_recent_500,
    lambda curve: curve.own_harvest,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--update-docs", action="store_true")
    given = parser.parse_args()
    unpack(given.shared)
    harvest = run("ontology-harvest", given.folder)
    limits = run("ontology-limits", given.folder)
    weights = run("ontology-weights", given.folder)
    run("ontology-idf", given.folder)
    told = {
        "harvest": harvests(harvest),
        "bars": bars(harvest, limits),
        "limits": harvests(limits),
        "links": links(harvest),
        "robustness": robustness(harvest),
        "weights": classes(weights),
        "idf": pages_twice(given.folder),
    }
    if not given.update_docs:
        print("\n\n".join(f"## {name}\n\n{markdown}" for name, markdown in told.items()))
        return
    for name, markdown in told.items():
        command = "python benches/ontology_tables.py ../shared FOLDER --update-docs"
        update_docs(markdown, PAGE, name, command)
    for name, values in (("labels", BY_LABEL), ("own", BY_ITSELF)):
        (DOCS / f"ontology-harvest-{name}.svg").write_text(picture(harvest, values))


def unpack(shared: Path) -> None:
    if not UNPACKED.is_dir():
        with tarfile.open(shared / "ontologies" / "ontologies.tar.xz") as archive:
            archive.extractall(UNPACKED, filter="data")


def run(name: str, folder: Path) -> Results:
    """The results of an experiment, made where they are not there yet."""
    command = ["lab", "run", str(EXPERIMENTS / f"{name}.toml"), "--out", str(folder / name)]
    say(" ".join(["shoal", *command]))
    subprocess.run([sys.executable, "-m", "shoal", *command], check=True)
    return read_results(folder / name)


# --------------------------------------------------------------------------- tables


def groups(results: Results) -> Iterator[tuple[str, str, str, list[Run]]]:
    """Topic, kind of seeds and strategy, with the runs of each."""
    found: dict[tuple[str, str, str], list[Run]] = {}
    for one in results.runs:
        found.setdefault((one.topic, one.seeds.partition("-")[0], one.strategy), []).append(one)
    for (topic, seeds, strategy), runs in found.items():
        yield topic, seeds, strategy, runs


def mean(runs: Sequence[Run], take: Callable[[Run], float]) -> float:
    return sum(map(take, runs)) / len(runs)


def harvests(results: Results) -> str:
    heads = (
        "topic", "seeds", "crawl", "pages", "label: 50", "500", "all", "own: 50", "500", "all",
    )  # fmt: skip
    takes: tuple[Callable[[Run], float], ...] = (
        lambda one: one.at[-1].recent_50,
        lambda one: one.at[-1].recent_500,
        lambda one: one.at[-1].harvest,
        lambda one: one.at[-1].own_recent_50,
        lambda one: one.at[-1].own_recent_500,
        lambda one: one.at[-1].own_harvest,
    )
    rows = [
        (
            topic,
            seeds,
            strategy,
            f"{mean(runs, lambda one: one.fetched):.0f}",
            *(f"{mean(runs, take):.3f}" for take in takes),
        )
        for topic, seeds, strategy, runs in groups(results)
        if went_on(runs)
    ]
    return table(heads, rows)


def went_on(runs: Sequence[Run]) -> bool:
    """Whether the crawls came further than their seeds and a few pages more."""
    return all(one.fetched >= LEAST_PAGES for one in runs)


def bars(*results: Results) -> str:
    """How many times the harvest of the unfocused crawl the best-first one has, and the crawl of
    relevant pages only, from the same seeds."""
    rows = []
    for one in results:
        runs = {(topic, seeds, name): of for topic, seeds, name, of in groups(one)}
        for topic, seeds in dict.fromkeys(key[:2] for key in runs):
            plain = runs[topic, seeds, "unfocused"]
            for name in ("best-first", "focused"):
                found = runs[topic, seeds, name]
                if not went_on(found):
                    continue
                for judge, take in (("labels", of_label), ("itself", of_itself)):
                    before, after = mean(plain, take), mean(found, take)
                    times = "-" if not before else f"{after / before:.1f}"
                    said = "reached" if after >= BAR * before else "not reached"
                    if after * mean(found, lambda run: run.fetched) < LEAST_RELEVANT:
                        said = "too few pages to say"
                    cells = (f"{after:.3f}", f"{before:.3f}", times, said)
                    rows.append((topic, seeds, name, judge, *cells))
    heads = ("topic", "seeds", "crawl", "judged by", "harvest", "unfocused", "times", "5 times")
    return table(heads, rows)


def of_label(run: Run) -> float:
    return run.harvest


def of_itself(run: Run) -> float:
    return run.at[-1].own_harvest


def links(results: Results) -> str:
    names = ("focused", "focused+links", "focused+links+text", "focused best-first")
    runs = {(topic, seeds, name): of for topic, seeds, name, of in groups(results)}
    rows = []
    for topic in dict.fromkeys(key[0] for key in runs):
        found = [runs[topic, "relevant", name] for name in names]
        if all(map(went_on, found)):
            for judge, take in (("labels", of_label), ("itself", of_itself)):
                rows.append((topic, judge, *(f"{mean(of, take):.3f}" for of in found)))
    return table(("topic", "judged by", *names), rows)


def robustness(results: Results) -> str:
    told = {(topic, name) for topic, seeds, name, of in groups(results)
            if seeds == "relevant" and went_on(of)}  # fmt: skip
    rows = [
        (
            one.topic,
            one.strategy,
            f"{one.overlap[-1]:.2f}",
            "-" if one.relevant_overlap is None else f"{one.relevant_overlap:.2f}",
        )
        for one in results.robustness
        if (one.first, one.second) == ("relevant-1", "relevant-2")
        and (one.topic, one.strategy) in told
    ]
    return table(("topic", "crawl", "of all pages", "of relevant pages"), rows)


def classes(results: Results) -> str:
    rows = [
        (
            topic,
            f"{runs[0].at[0].harvest:.3f}",
            f"{runs[0].harvest:.3f}",
            f"{runs[0].recall:.3f}",
            f"{of_itself(runs[0]):.3f}",
        )
        for topic, _, _, runs in groups(results)
    ]
    told = next(iter(results.webs.values())).budgets
    heads = (f"label, {told[0]} pages", f"label, {told[1]} pages", "recall", "own")
    return table(("weights", *heads), rows)


# --------------------------------------------------------------------------- pages, one by one


def pages_twice(folder: Path) -> str:
    """Table 9.2: relevancies of the same pages in a focused and in an unfocused crawl."""
    experiment = read_experiment(EXPERIMENTS / "ontology-idf.toml")
    store = RunStore(folder / "ontology-idf", Walk)
    parts = []
    with open_lab(experiment, Path.home() / ".cache" / "shoal", lambda *_: None) as lab:
        walks: dict[tuple[str, str], dict[str, float]] = {}
        for cell in lab.plan.cells:
            kept = store.find(cell.fingerprint)
            if kept is None:
                raise SystemExit(f"{cell.name} was not run")
            urls = cell.quest.terrain.survey.urls
            walks[cell.quest.name, cell.strategy.shown] = {
                urls[page]: relevancy(judged)
                for page, judged in zip(kept.walk.pages, kept.walk.judged, strict=True)
                if page >= 0 and judged is not None
            }
    rows = []
    for topic in dict.fromkeys(topic for topic, _ in walks):
        focused, unfocused = walks[topic, "focused"], walks[topic, "unfocused"]
        both = [url for url, value in focused.items() if url in unfocused and value > 0]
        more = [unfocused[url] / focused[url] - 1 for url in both]
        rows.append((topic, str(len(both)), f"{sum(more) / len(more) * 100:+.0f} %"))
        if topic == "storms-crawl":
            best = sorted(both, key=lambda url: -focused[url])[:SHOWN]
            steady = walks["storms-01", "focused"]
            fixed = walks["storms-01", "unfocused"]
            parts.append(
                table(
                    ("page", "crawl: focused", "unfocused", "table: focused", "unfocused"),
                    [
                        (
                            unquote(unquote(url)).rpartition("/")[2].removesuffix(".htm"),
                            f"{focused[url]:.4f}",
                            f"{unfocused[url]:.4f}",
                            *(f"{of[url]:.4f}" if url in of else "-" for of in (steady, fixed)),
                        )
                        for url in best
                    ],
                )
            )
    heads = ("topic", "pages in both crawls", "worth more in the unfocused one, on average")
    return "\n\n".join((table(heads, rows), *parts))


def relevancy(relevance: float) -> float:
    """Back from relevance = odds / (1 + odds), odds = (relevancy / limit) ** 2."""
    return LIMIT * sqrt(relevance / (1.0 - relevance)) if relevance < 1.0 else float("inf")


# --------------------------------------------------------------------------- pictures

WIDE, HIGH, LEFT, TOP = 250, 120, 40, 40


def picture(results: Results, values: tuple[Values, ...]) -> str:
    """Figures 8.3 to 8.8, with best-first among them: a row for each relevancy limit."""
    runs = {(topic, seeds, name): of for topic, seeds, name, of in groups(results)}
    shapes = []
    for row, limit in enumerate(("01", "02")):
        for column, (name, seeds, title) in enumerate(PANELS):
            one = runs[f"{DRAWN}-{limit}", seeds, name][0]
            x, y = LEFT + column * (WIDE + 30), TOP + row * (HIGH + 60)
            shapes.append(panel(f"{title}, limit 0.{limit}", one, values, x, y))
    wide, high = LEFT + len(PANELS) * (WIDE + 30), TOP + 2 * (HIGH + 60) + 10
    keys = "".join(
        f'<line class="l{place}" x1="{LEFT + place * 150}" x2="{LEFT + place * 150 + 24}" '
        f'y1="{high - 14}" y2="{high - 14}"/>'
        f'<text x="{LEFT + place * 150 + 30}" y="{high - 10}">{text}</text>'
        for place, text in enumerate(("last 50 pages", "last 500 pages", "all pages"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" role="img" font-family="sans-serif" font-size="11" fill="#5a6865">'
        "<style>.l0{stroke:#9fb3c8}.l1{stroke:#b4590a;stroke-dasharray:5 3}.l2{stroke:#00756b}"
        "polyline,line{fill:none;stroke-width:1.6}.grid{stroke:#d5dcd9;stroke-width:1}</style>"
        f"{''.join(shapes)}{keys}</svg>\n"
    )


def panel(title: str, run: Run, values: tuple[Values, ...], x: int, y: int) -> str:
    most = run.at[-1].pages
    parts = [f'<text x="{x}" y="{y - 8}" font-weight="600">{escape(title)}</text>']
    for share in (0.0, 0.5, 1.0):
        level = y + HIGH * (1 - share)
        parts.append(f'<line class="grid" x1="{x}" x2="{x + WIDE}" y1="{level}" y2="{level}"/>')
        parts.append(f'<text x="{x - 4}" y="{level + 4}" text-anchor="end">{share:g}</text>')
    parts.append(f'<text x="{x + WIDE}" y="{y + HIGH + 14}" text-anchor="end">{most} pages</text>')
    for place, take in enumerate(values):
        points = " ".join(
            f"{x + pages / most * WIDE:.1f},{y + HIGH * (1 - value):.1f}"
            for pages, value in zip(run.curve.fetched, take(run.curve), strict=True)
        )
        parts.append(f'<polyline class="l{place}" points="{points}"/>')
    return "".join(parts)


if __name__ == "__main__":
    main()
