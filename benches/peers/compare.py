"""Shoal beside Scrapy and Crawlee, and beside its own bare parts: one go, the same pages.

    python benches/peers/compare.py [--pages 3000] [--rounds 3] [--cut BYTES] [--json FILE]
                                    [--update-docs]

One nginx on loopback serves one closed site; each crawler fetches all of it, politeness off, each
time in a process of its own. Rounds are interleaved, so that noise of the machine hits all alike.
nginx's own log says what each crawler fetched: the comparison is refused as unfair (exit code 1)
unless all fetched the same pages, each once, without errors. Scrapy and Crawlee extract and follow
links and keep nothing. Shoal is the command line with its defaults: it also takes main text,
language, fingerprint and judgement, searches for twins, keeps its frontier on disk and writes WARC.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from measure import AccessLog, Failed, Run, measure
from rounds import CRAWLEE, SCRAPY, SHOAL_BEST, SHOAL_BREADTH, Comparison, Crawls
from tables import as_json, as_markdown
from website import LONELY, running_nginx

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PEERS_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
DOCS = ROOT / "docs" / "explanation" / "performance.md"
LEAST_PAGES = 2_000
TOPIC = "tropical diseases"
SHOAL_SETTINGS = (
    "politeness.delay_s=0",
    "politeness.per_host=64",
    "politeness.per_ip=64",
    "politeness.robots=false",
    "politeness.host_share=1",
    "fetch.contact=bench@example.org",
)
STRATEGIES = {SHOAL_BREADTH: "breadth-first", SHOAL_BEST: "best-first"}


def command(crawler: str, start: str, folder: Path) -> list[str | Path]:
    if crawler == SCRAPY:
        return [PEERS_PYTHON, HERE / "scrapy_crawl.py", start]
    if crawler == CRAWLEE:
        return [PEERS_PYTHON, HERE / "crawlee_crawl.py", start]
    settings = [part for setting in SHOAL_SETTINGS for part in ("--set", setting)]
    return [
        Path(sys.executable).with_name("shoal"), "crawl", TOPIC, "--seeds", start,
        "--out", folder / "crawl", "--strategy", STRATEGIES[crawler],
        "--log", "none", "--allow-private", *settings,
    ]  # fmt: skip


def crawl(crawler: str, start: str, log: AccessLog, folder: Path) -> Run:
    """One crawl in a folder of its own, which is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        run = measure(command(crawler, start, Path(name)), log, Path(name))
    say(f"  {crawler}: {len(run.pages):,} pages, {run.cpu_s:.1f} s of CPU, {run.wall_s:.1f} s")
    return run


def compare(folder: Path, start: str, rounds: int) -> Comparison:
    found = Comparison({name: Crawls() for name in (SCRAPY, CRAWLEE, *STRATEGIES)})
    with running_nginx(folder) as base:
        log = AccessLog(folder / "access.log")
        # Once for nothing: what is installed is compiled at its first start, and the disk is read.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        say("first starts")
        for crawler in found.crawls:
            crawl(crawler, base + LONELY, log, folder)
        for number in range(1, rounds + 1):
            say(f"round {number} of {rounds}")
            parts = measure([sys.executable, HERE / "bare_parts.py", base, folder], log, folder)
            found.bare_ms.append(json.loads(parts.output)["ms"])
            for crawler, crawls in found.crawls.items():
                crawls.single.append(crawl(crawler, base + LONELY, log, folder))
                crawls.whole.append(crawl(crawler, base + start, log, folder))
    return found


def circumstances(site: dict[str, object], rounds: int) -> list[str]:
    """What a reader must know to read the figures."""
    cpu = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    pages, size_bytes = int(str(site["pages"])), int(str(site["bytes"]))
    asked = "import importlib.metadata as m; print(m.version('scrapy'), m.version('crawlee'))"
    scrapy, crawlee = subprocess.run(
        [PEERS_PYTHON, "-c", asked], check=True, capture_output=True, text=True
    ).stdout.split()
    return [
        f"Machine: {os.cpu_count()} cores ({cpu[1] if cpu else 'unknown'}), {memory_gb:.0f} GB, "
        f"load {os.getloadavg()[2]:.1f} over the last 15 minutes (this bench is about 1 of it)",
        f"Site: {pages:,} pages of {size_bytes / pages / 1e3:.0f} KB ({site['source']}), "
        "fetched whole by every crawler",
        f"Versions: Shoal {version('shoal')}, Scrapy {scrapy}, Crawlee {crawlee} (ParselCrawler), "
        f"Python {sys.version.split()[0]}",
        f"Rounds: {rounds}, interleaved; medians, with the least and the most",
    ]


def update_docs(markdown: str, docs: Path, asked: str, name: str) -> None:
    """Put the tables where the page marks their place."""
    text = docs.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise SystemExit(f"{docs} does not mark a place for the figures: {begin} ... {end}")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    block = f"{begin}\n\n    {asked}\n\n{markdown}\n\n{end}"
    docs.write_text(before + block + after, encoding="utf-8")
    say(f"{docs} is up to date")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    arguments = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    arguments.add_argument("--pages", type=int, default=3_000, help="pages of the site")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument(
        "--cut", type=int, metavar="BYTES", help="cut each page off there, for short pages"
    )
    arguments.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    arguments.add_argument("--update-docs", action="store_true", help=f"rewrite {DOCS.name}")
    arguments.add_argument(
        "--directory", type=Path, help="where site and crawls are kept meanwhile (a real disk)"
    )
    asked = arguments.parse_args()
    # Ended politely, it ends what it started: nginx and the crawler under way.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    if asked.pages < LEAST_PAGES:
        arguments.error(
            f"--pages {asked.pages}: at least {LEAST_PAGES:,}, as the comparison is set"
        )
    if not PEERS_PYTHON.is_file():
        arguments.error("Scrapy and Crawlee are not installed: run benches/run, which does that")
    with tempfile.TemporaryDirectory(dir=asked.directory, prefix="shoal-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        # In a process of its own: a child's peak memory is at least its parent's when it begins.
        writing: list[str | Path] = [sys.executable, HERE / "website.py", folder, str(asked.pages)]
        if asked.cut is not None:
            writing.append(str(asked.cut))
        subprocess.run(writing, check=True)
        site = json.loads((folder / "site.json").read_text(encoding="utf-8"))
        if "absent" in site["source"]:
            say(f"The site is of {site['source']}.")
        try:
            found = compare(folder, site["start"], asked.rounds)
        except Failed as error:
            raise SystemExit(str(error)) from error
        shutil.rmtree(folder / "pages")
    facts = circumstances(site, asked.rounds)
    markdown = as_markdown(found, facts)
    print(markdown)
    if asked.json:
        asked.json.write_text(json.dumps(as_json(found, facts), indent=2), encoding="utf-8")
    unfair = found.unfairness()
    for line in unfair:
        say(f"UNFAIR: {line}")
    if asked.update_docs and not unfair:
        line = f"python benches/peers/compare.py --pages {asked.pages} --rounds {asked.rounds}"
        if asked.cut is None:
            update_docs(markdown, DOCS, line, "compare")
        else:
            update_docs(markdown, DOCS, f"{line} --cut {asked.cut}", "compare, cut")
    return 1 if unfair else 0


if __name__ == "__main__":
    sys.exit(main())
