"""Every row of other people's test data: where we differ, it is written down, with the reason."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from shoal.url import BadUrl, UrlParser
from tests.url.suites import SUITES, Row

DIFFERENCES = Path(__file__).with_name("known_differences.json")
ROWS = {
    "whatwg": 891,
    "whatwg_with_policy": 648,
    "javascript_only": 1,
    "to_ascii": 87,
    "idna": 2_670,
    "idna_removed": 20,
    "percent_encoding": 7,
    "public_suffixes": 77,
    "nutch": 68,
}
"""How many rows were compared, so that none is lost unseen."""


def _known(suite: str) -> Counter[Row]:
    by_reason: dict[str, list[list[str]]] = json.loads(DIFFERENCES.read_text())[suite]
    return Counter(Row(*row) for rows in by_reason.values() for row in rows)


@pytest.mark.parametrize("suite", SUITES)
def test_the_differences_are_the_known_ones_no_more_and_no_fewer(suite: str) -> None:
    rows = list(SUITES[suite]())
    found = Counter(row for row in rows if row.ours != row.theirs)
    known = _known(suite)
    assert not found - known, "new differences"
    assert not known - found, "no differences any more"
    assert len(rows) == ROWS[suite]


@pytest.mark.parametrize("suite", SUITES)
def test_what_is_a_url_stays_that_url(suite: str) -> None:
    parser = UrlParser()
    for row in SUITES[suite]():
        try:
            url = parser.parse(row.given, row.base)
        except BadUrl:
            continue
        assert parser.parse(url.text) == url


def test_every_difference_has_a_reason() -> None:
    for by_reason in json.loads(DIFFERENCES.read_text()).values():
        assert all(reason and rows for reason, rows in by_reason.items())
