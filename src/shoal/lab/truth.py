"""What a web's pages are about: the labels that runs are measured against."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.errors import UsageError
from shoal.lab.experiment_file import nearest
from shoal.lab.survey import Flags, Survey
from shoal.url import BadUrl, Url, parse_url

SHOWN = 12


class BadLabels(UsageError):
    """Labels that are not there, or that belong to another web; the message says which."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The labels of each address of a Survey, by its number."""

    labels: tuple[tuple[str, ...], ...]

    def is_target(self, survey: Survey, targets: Sequence[str], half: int | None = None) -> Flags:
        """The pages (of one half) that have one of these labels, or one below it. Raises BadLabels
        where there is none."""
        found = np.fromiter(
            (
                bool(page) and any(_is_below(label, target) for label in own for target in targets)
                for own, page in zip(self.labels, survey.is_page, strict=True)
            ),
            np.bool_,
            len(self.labels),
        )
        if half is not None:
            found &= np.fromiter((half_of(url) == half for url in survey.urls), np.bool_)
        if not found.any():
            there = sorted({label for own in self.labels for label in own})
            hint = nearest(targets[0], there) if targets[0] else ""
            shown = hint if len(hint) < 300 else f"; there are {', '.join(there[:SHOWN])} ..."
            raise BadLabels(f"no page of this web has the label {' or '.join(targets)}{shown}")
        return found

    def is_labelled(self, survey: Survey) -> Flags:
        """The pages that have any label."""
        some = np.fromiter(map(bool, self.labels), np.bool_, len(self.labels))
        return some & survey.is_page


def half_of(url: str) -> int:
    """0 or 1, by the last bit of the MD5 of an address: evenly, and the same everywhere."""
    return hashlib.md5(url.encode(), usedforsecurity=False).digest()[-1] & 1


def read_truth(path: Path, survey: Survey) -> Truth:
    """Labels from a TSV file with the columns ``url`` and ``labels``. Raises BadLabels."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        raise BadLabels(f"labels {path}: cannot be read: {error}") from error
    if not rows or "url" not in rows[0] or "labels" not in rows[0]:
        raise BadLabels(f"labels {path}: its first line must name the columns url and labels")
    by_number: dict[int, tuple[str, ...]] = {}
    for line, row in enumerate(rows, start=2):
        try:
            number = survey.number(parse_url(row["url"] or ""))
        except BadUrl as error:
            raise BadLabels(f"labels {path}, line {line}: {error}") from error
        if number is not None:
            labels = tuple(part.strip() for part in (row["labels"] or "").split(";"))
            by_number[number] = (*by_number.get(number, ()), *filter(None, labels))
    if not by_number:
        raise BadLabels(
            f"labels {path}: none of its {len(rows):,} addresses is on this web, such as "
            f"{rows[0]['url']}; the web has {survey.urls[0]}"
        )
    return Truth(tuple(by_number.get(number, ()) for number in range(len(survey.urls))))


def told_truth(tell: Callable[[Url], str | None], survey: Survey) -> Truth:
    """The labels that a web knows of itself."""
    labels = []
    for text in survey.urls:
        label = tell(parse_url(text))
        labels.append(() if label is None else (label,))
    return Truth(tuple(labels))


def _is_below(label: str, target: str) -> bool:
    return label == target or label.startswith(f"{target}.")
