"""How fast experiments are: pages per second of one core, by what `shoal lab run` runs.

    python benches/lab.py [--pages 2000] [--rounds 3] [--cache DIR]

Each run is a whole simulated crawl of the corpus `wiki`, from its WARC file, on a virtual clock:
leased from the Frontier, found on the Shelf, unpacked, read from the page store, judged, compared
with earlier pages, its Links given priorities and offered. The survey of the web comes first, is
kept in the cache and is told by itself; `--cache` names the place, a new one if none is given. CPU
is that of this process, so a busy machine does not count as slow.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from shoal import lab_pool
from shoal.compose.lab import open_lab
from shoal.lab.experiment_file import read_experiment
from shoal.lab.run_store import Kept, RunStore
from shoal.lab.walked import Walk

SHARED = Path(os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[2] / "shared"))
STRATEGIES = ("breadth-first", "best-first-content", "best-first-anchor", "best-first")
EXPERIMENT = """
strategies = [{strategies}]
pages = [{pages}]
repetitions = {rounds}

[webs.wiki]
path = "{warc}"
labels = "{labels}"

[topics.storms]
words = "hurricane tropical storm cyclone"
targets = "subject.Geography.Storms"

[seeds.random]
random_off_topic = {{ sets = 1, size = 3, seed = 1 }}
"""


class Meter:
    """CPU seconds of each run, from the end of the one before."""

    def __init__(self) -> None:
        self.pages_per_s: dict[str, list[float]] = {}
        self._since_s = time.process_time()

    def tell(self, kept: Kept, made: bool) -> None:
        assert made
        now_s = time.process_time()
        strategy = kept.name.split("/")[-2]
        rates = self.pages_per_s.setdefault(strategy, [])
        rates.append(len(kept.walk.pages) / (now_s - self._since_s))
        self._since_s = time.process_time()


def main() -> None:
    arguments = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    arguments.add_argument("--pages", type=int, default=2_000, help="pages of each run")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--cache", type=Path, help="where the survey is kept, or found")
    asked = arguments.parse_args()
    warc = SHARED / "corpora" / "wiki.warc.gz"
    if not warc.is_file():
        raise SystemExit(f"{warc} is absent (SHOAL_SHARED names another place)")
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as name:
        folder = Path(name)
        file = folder / "experiment.toml"
        file.write_text(
            EXPERIMENT.format(
                strategies=", ".join(f'"{strategy}"' for strategy in STRATEGIES),
                pages=asked.pages,
                rounds=asked.rounds,
                warc=warc,
                labels=warc.with_name("wiki.labels.tsv"),
            ),
            encoding="utf-8",
        )
        measure(file, asked.cache or folder / "cache", folder / "runs")


def measure(file: Path, cache: Path, out: Path) -> None:
    experiment = read_experiment(file)
    surveyed: dict[str, int] = {}

    def look(web: str, done: int, total: int) -> None:
        del web
        surveyed["addresses"], surveyed["of"] = done, total

    began_s = time.process_time()
    with open_lab(experiment, cache, look) as lab:
        opened_s = time.process_time() - began_s
        store = RunStore(out, Walk)
        store.check()
        store.prepare(fresh=True)
        meter = Meter()
        lab_pool.make_runs(experiment, lab, cache, store, 1, meter.tell)
    what = f"survey of {surveyed['of']:,} addresses and plan" if surveyed else "survey read, plan"
    print(f"{what}: {opened_s:.1f} s of CPU; load {os.getloadavg()[0]:.1f}\n")
    print("| strategy | pages per second and core, median | least | most |")
    print("| --- | --- | --- | --- |")
    for strategy, rates in meter.pages_per_s.items():
        print(f"| {strategy} | {median(rates):.0f} | {min(rates):.0f} | {max(rates):.0f} |")


if __name__ == "__main__":
    main()
