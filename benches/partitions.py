"""What each way to share the web is worth on real pages.

    python benches/partitions.py SHARED FOLDER [--only NAME ...] [--update-docs]

It trains the models of the experiments (``experiments/wiki-*.model``) on one half of the wiki
corpus, as ``wiki_halves.py`` makes it, where they are not there yet, and makes these runs with
``shoal lab run``, each into a folder of its own in FOLDER:

- ``experiments/partitions.toml``: every partition that tells pages of one host apart;
- ``experiments/partitions-faithful.toml``: without claims, as C4 crawled;
- ``experiments/partitions-finer.toml``: the same with finer subjects;
- ``experiments/partitions-sites.toml``: every partition over many hosts;
- ``experiments/partitions-seeds.toml``: the bars, from three seed sets;
- ``experiments/partitions-modes.toml``: the three things that may travel.

With ``--only seeds`` or ``--only modes`` one of the last two is run, and told, alone.

What was run is not run again. SHARED is to be ``../shared``, seen from the repository, for that is
where the experiments look for their webs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from figures import say, table, update_docs
from wiki_halves import write_halves

from shoal import wording
from shoal.lab.results import RESULTS_FILE
from shoal.lab.statistics import mean_of
from shoal.lab.table import shown
from shoal.lab.team_results import TeamResults, TeamRun
from shoal.lab.team_score import TeamFigures
from shoal.lab.team_table import mean, teams_of
from shoal.report.plots import heat_map

ROOT = Path(__file__).resolve().parent.parent
EXPERIMENTS = ROOT / "experiments"
MODELS = {EXPERIMENTS / "wiki-subjects.model": 1, EXPERIMENTS / "wiki-leaves.model": 2}
"""Each with the depth of its categories."""
DOCS = ROOT / "docs" / "explanation"
PAGE = DOCS / "collaboration.md"
MARK = "partitions"
NAMES = ("partitions", "partitions-faithful", "partitions-finer", "partitions-sites")
ALONE = ("seeds", "modes")
"""Each with an experiment, a mark in the page, and tables of its own."""
COMMAND = "python benches/partitions.py ../shared FOLDER"
TOPIC_BAR, PREDICTED_BAR = 3.0, 8.0
PUBLISHED = ("C4, published", "8,912,000", "89 %", "96 %")
REFERENCE = (
    ("an independent reference, topic", "500", "81 %", "95 %"),
    ("an independent reference, topic", "5,000", "47 %", "70 %"),
    ("an independent reference, topic", "all", "21 %", "42 %"),
)
PICTURES = {"content": "content", "topic": "topic", "predicted-topic": "predicted"}
COLOURS = 'xmlns="http://www.w3.org/2000/svg" style="--sea:#00756b;color:#5a6865" '


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=ALONE, nargs="*")
    parser.add_argument("--update-docs", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    make_models(given.shared, given.folder)
    if given.only is None:
        told = [run(name, given.folder) for name in NAMES]
        show(page(*told), MARK, f"{COMMAND} --update-docs", given.update_docs)
        if given.update_docs:
            draw(told[0])
    for name in given.only or ALONE:
        results = run(f"partitions-{name}", given.folder)
        markdown = seeds_page(results) if name == "seeds" else modes_page(results)
        command = f"{COMMAND} --only {name} --update-docs"
        show(markdown, f"{MARK}-{name}", command, given.update_docs)


def show(markdown: str, mark: str, command: str, update: bool) -> None:
    print(markdown)
    if update:
        update_docs(markdown, PAGE, mark, command)


def make_models(shared: Path, folder: Path) -> None:
    missing = {model: depth for model, depth in MODELS.items() if not model.exists()}
    if missing:
        train, _ = write_halves(shared, folder)
        for model, depth in missing.items():
            command = ("model", "train", train.labels, "--web", train.web, "--depth", depth)
            shoal(*command, "--out", model)


def run(name: str, folder: Path) -> TeamResults:
    shoal("lab", "run", EXPERIMENTS / f"{name}.toml", "--out", folder / name)
    return msgspec.json.decode((folder / name / RESULTS_FILE).read_bytes(), type=TeamResults)


def shoal(*command: object) -> None:
    words = [sys.executable, "-m", "shoal", *map(str, command)]
    say(" ".join(words[2:]))
    subprocess.run(words, check=True)


# --------------------------------------------------------------------------- tables


def page(wiki: TeamResults, faithful: TeamResults, finer: TeamResults, sites: TeamResults) -> str:
    parts = [
        "Local pages are counted over articles that the model has not seen.",
        shares(wiki),
        "Bars:",
        bars(wiki),
        "How many crawlers fetched a page, without claims:",
        histogram(faithful, finer),
        "The corpus `sites`, with the model that has learnt from wiki:",
        shares(sites),
        "Fetches that brought nothing to classify, at the most pages:",
        unclassifiable(wiki, sites),
        "Coverage and overlap over time, at each quarter of the pages:",
        courses(wiki, faithful),
    ]
    return "\n\n".join(parts)


def figures(results: TeamResults) -> Iterator[tuple[TeamRun, TeamFigures]]:
    """Budget by budget, the runs in their order."""
    for place in range(len(results.runs[0].at)):
        for one in results.runs:
            yield one, one.at[place]


def content_at(results: TeamResults, pages: int | None) -> float:
    """Local pages under content hashing among the most crawlers."""
    found = [
        (one.crawlers, told.local_page)
        for one, told in figures(results)
        if one.partition == "content" and told.pages == pages
    ]
    return max(found)[1] or 0.0


def shares(results: TeamResults) -> str:
    heads = (
        "partition", "crawlers", "pages fetched", "local Links", "local pages", "chance 1/N",
        "chance by shares", "times content", "moved per byte", "2(N-1)/N", "sent per byte", "tau",
        "tau outward",
    )  # fmt: skip
    rows = [
        (
            one.partition,
            str(one.crawlers),
            f"{told.fetched:,}",
            number(told.local_url),
            number(told.local_page, 3),
            number(told.chance_even, 3),
            number(told.chance_squares, 3),
            number((told.local_page or 0.0) / content_at(results, told.pages), 1),
            number(told.plain_per_byte),
            number(2.0 - 2.0 * told.chance_even),
            number(told.per_byte),
            number(told.tau),
            number(told.tau_outward),
        )
        for one, told in figures(results)
    ]
    return table(heads, rows)


def bars(wiki: TeamResults) -> str:
    rows = []
    for pages in [told.pages for told in wiki.runs[0].at]:
        content = content_at(wiki, pages)
        for name, bar in (("topic", TOPIC_BAR), ("predicted-topic", PREDICTED_BAR)):
            local = at(wiki, name, pages).local_page or 0.0
            rows.append(
                (
                    f"{name} by content, local pages after {pages:,} pages",
                    f"at least {bar:g}",
                    f"{local / content:.1f}",
                    "reached" if local >= bar * content else "not reached",
                )
            )
        topic, spread = (at(wiki, name, pages).tau or 0.0 for name in ("topic", "content"))
        rows.append(
            (
                f"tau under topic after {pages:,} pages",
                f"more than {spread:.2f} under content",
                f"{topic:.2f}",
                "reached" if topic > spread else "not reached",
            )
        )
    once = min(told.fetched_by[0] for _, told in figures(wiki))
    said = "reached" if once == 1.0 else "not reached"
    rows.append(("pages fetched by exactly one crawler, with claims", "100 %", percent(once), said))
    return table(("bar", "asked", "measured", ""), rows)


def at(results: TeamResults, partition: str, pages: int | None) -> TeamFigures:
    """Among the most crawlers that the partition was run with."""
    found = [
        (one.crawlers, told)
        for one, told in figures(results)
        if one.partition == partition and told.pages == pages
    ]
    return max(found, key=lambda pair: pair[0])[1]


def seeds_page(results: TeamResults) -> str:
    """The bars, over seed sets: means and half the 95 % confidence interval."""
    columns: tuple[tuple[str, Callable[[TeamFigures], float | None], int], ...] = (
        ("local pages", lambda told: told.local_page, 3),
        ("chance 1/N", lambda told: told.chance_even, 3),
        ("chance by shares", lambda told: told.chance_squares, 3),
        ("moved per byte", lambda told: told.plain_per_byte, 2),
        ("sent per byte", lambda told: told.per_byte, 2),
        ("tau", lambda told: told.tau, 2),
        ("tau outward", lambda told: told.tau_outward, 2),
    )
    (web,) = results.webs
    rows: list[list[str]] = []
    bar_rows: list[list[str]] = []
    for place, pages in enumerate(results.webs[web].budgets):
        by_name = {team.partition: runs for team, runs in teams_of(results, web).items()}
        content = by_name["content"]
        for name, runs in by_name.items():
            ratios = [
                (one.at[place].local_page or 0.0) / (other.at[place].local_page or 1.0)
                for one, other in zip(runs, content, strict=True)
            ]
            cells = [shown(mean(runs, place, take), digits) for _, take, digits in columns]
            times = mean_of(ratios)
            rows.append([name, f"{pages:,}", cells[0], shown(times, 1), *cells[1:]])
            bar = {"topic": TOPIC_BAR, "predicted-topic": PREDICTED_BAR}.get(name)
            if bar is not None:
                said = "reached" if times.value >= bar else "not reached"
                what = f"{name} by content, local pages after {pages:,} pages"
                bar_rows.append([what, f"at least {bar:g}", shown(times, 1), said])
        taus = [mean(by_name[name], place, lambda told: told.tau) for name in ("topic", "content")]
        topic, spread = (0.0 if tau is None else tau.value for tau in taus)
        said = "reached" if topic > spread else "not reached"
        what, asked = f"tau under topic after {pages:,} pages", f"more than {spread:.2f}"
        bar_rows.append([what, asked, shown(taus[0], 2), said])
    heads = (
        "partition",
        "pages",
        "local pages",
        "times content",
        *(one for one, *_ in columns[1:]),
    )
    return "\n\n".join((table(heads, rows), table(("bar", "asked", "measured", ""), bar_rows)))


def modes_page(results: TeamResults) -> str:
    rows = []
    for one in results.runs:
        told = one.at[-1]
        rows.append(
            (
                one.partition,
                one.carries,
                "yes" if one.claims else "no",
                f"{told.fetched:,}",
                f"{told.distinct:,}",
                f"{told.downloaded_bytes / 1e6:.1f}",
                f"{told.exported_bytes / 1e6:.2f}",
                number(told.per_byte),
                number(told.local_url),
                number(told.local_page, 3),
                number(told.rank_share, 3),
            )
        )
    heads = (
        "partition", "carries", "claims", "pages fetched", "different", "MB fetched", "MB sent",
        "sent per byte", "local Links", "local pages", "rank found",
    )  # fmt: skip
    return table(heads, rows)


def histogram(*results: TeamResults) -> str:
    rows: list[Sequence[str]] = [PUBLISHED, *REFERENCE]
    for one, told in (pair for faithful in results for pair in figures(faithful)):
        rows.append(
            (
                f"{one.partition}, {one.crawlers}",
                f"{told.fetched:,}" + (" (all)" if told.pages is None else ""),
                percent(told.fetched_by[0]),
                percent(sum(told.fetched_by[:2])),
            )
        )
    return table(("partition", "pages fetched", "by one", "by one or two"), rows)


def unclassifiable(*results: TeamResults) -> str:
    kinds = ("empty", "invalid", "no_text", "few_terms")
    rows = []
    for one in (one for told in results for one in told.runs):
        found = one.at[-1].unclassifiable
        rows.append(
            (
                one.web,
                one.partition,
                str(one.crawlers),
                *(
                    str(found.get(kind, 0)) if kind in found or kind in kinds[:2] else "–"
                    for kind in kinds
                ),
            )
        )
    rows = [row for row in rows if "topic" in row[1]]
    return table(("web", "partition", "crawlers", *kinds), rows)


def courses(*results: TeamResults) -> str:
    rows = []
    for one in (one for told in results for one in told.runs):
        curve = one.curve
        quarters = [len(curve.fetched) * step // 4 - 1 for step in (1, 2, 3, 4)]
        rows.append(
            (
                one.partition,
                str(one.crawlers),
                "yes" if one.claims else "no",
                number(one.tau),
                ", ".join(f"{curve.fetched[place]:,}" for place in quarters),
                ", ".join(number(curve.coverage[place]) for place in quarters),
                ", ".join(number(curve.overlap[place]) for place in quarters),
            )
        )
    heads = ("partition", "crawlers", "claims", "tau", "pages fetched", "coverage", "overlap")
    return table(heads, rows)


def number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def percent(value: float) -> str:
    return f"{100 * value:.0f} %"


# --------------------------------------------------------------------------- pictures


def draw(wiki: TeamResults) -> None:
    """Who fetched for whom, as appendices A to C of the C4 thesis have it."""

    def said(name: str, owner: str, cell: int) -> str:
        return f"{name} fetched {wording.many(cell, 'page')} of {owner}"

    for partition, name in PICTURES.items():
        one = max((r for r in wiki.runs if r.partition == partition), key=lambda r: r.crawlers)
        title = f"Who fetched for whom, in per cent of a row: {partition}, "
        title += f"{wording.many(one.at[-1].fetched, 'page')}"
        matrix, corner = one.at[-1].matrix, "fetched by ↓  belongs to →"
        picture = heat_map(title, one.names, matrix, said, title=title, corner=corner)
        file = DOCS / f"collaboration-{name}.svg"
        file.write_text(picture.replace("<svg ", f"<svg {COLOURS}", 1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
