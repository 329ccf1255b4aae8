"""A finished crawl becomes a frozen web: its archive, labels, and an experiment to begin with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from shoal.atomic import write_atomically
from shoal.errors import StorageError, UsageError
from shoal.model import Known, Visit

RELEVANT = "relevant"
OTHER = "other"


class Frozen(NamedTuple):
    """What was made."""

    files: int
    pages: int
    relevant: int
    experiment: Path


def freeze_crawl(
    archive: Iterable[Path],
    visits: Iterable[tuple[Known, Visit]],
    relevant_at: float,
    words: str,
    out: Path,
) -> Frozen:
    """Write ``out``, which must be new or empty: the WARC files (linked where the disk can, else
    copied), ``labels.tsv`` by what the crawl judged, and ``experiment.toml``. The crawl itself is
    left as it is."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not a new folder; give another one to --out")
    files = sorted(archive)
    if not files:
        raise UsageError("the crawl kept no archive, so there is nothing to freeze")
    lines = ["url\tlabels"]
    relevant = 0
    for known, visit in visits:
        hit = visit.judgement is not None and visit.judgement.relevance >= relevant_at
        relevant += hit
        lines.append(f"{known.url}\t{RELEVANT if hit else OTHER}")
    if not relevant:
        raise UsageError(
            "no page of the crawl is relevant to its topic: nothing could be measured on it"
        )
    experiment = out / "experiment.toml"
    try:
        (out / "web").mkdir(parents=True)
        for file in files:
            _link(file, out / "web" / _name_of(file, files))
        write_atomically(out / "labels.tsv", "\n".join(lines) + "\n")
        write_atomically(experiment, _experiment(words))
    except OSError as error:
        raise StorageError(f"cannot write to {out}: {error.strerror}") from error
    return Frozen(len(files), len(lines) - 1, relevant, experiment)


def _name_of(file: Path, files: Sequence[Path]) -> str:
    """Its own, unless another has the same: each Crawler of a Team has a folder of its own."""
    if sum(other.name == file.name for other in files) == 1:
        return file.name
    return f"{file.parent.parent.name}-{file.name}"


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # Another disk, or one without hard links.
        shutil.copyfile(source, target)


def _experiment(words: str) -> str:
    quoted = words.replace("\\", "\\\\").replace('"', '\\"')
    return f"""title = "{quoted}: strategies on a frozen crawl"
strategies = ["breadth-first", "best-first"]
pages = [0.1, 0.2]

[webs.crawl]
path = "web"
labels = "labels.tsv"

[topics.topic]
words = "{quoted}"
targets = "{RELEVANT}"

[seeds.random]
random_off_topic = {{ sets = 3, size = 3, seed = 1 }}
"""
