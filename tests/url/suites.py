"""Other people's tests of addresses, read from the shared folder: what we say, what they say."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import ada_url

from shoal.settings import UrlSettings
from shoal.url import BadUrl, UrlParser
from tests.shared_data import shared

BROWSER = UrlSettings(
    drop_fragment=False,
    drop_session_ids=False,
    drop_tracking=False,
    drop_index=False,
    repair=False,
)
"""As little policy as the settings allow: the rules of browsers, and what is no choice of ours."""
BAD = "no Url"


class Row(NamedTuple):
    """One case: what was given, and the two answers (``BAD`` where there is no Url)."""

    given: str
    base: str | None
    ours: str
    theirs: str


def _read(member: str) -> str:
    with tarfile.open(shared("conformance", "url.tar.xz")) as archive:
        for info in archive:
            if info.name.removeprefix("./") == member:
                file = archive.extractfile(info)
                assert file is not None
                return file.read().decode()
    raise AssertionError(f"{member} is not in the archive")


def _cases(member: str) -> list[dict[str, Any]]:
    return [case for case in json.loads(_read(member)) if isinstance(case, dict)]


def _ours(parser: UrlParser, text: str, base: str | None) -> str:
    try:
        return parser.parse(text, base).text
    except BadUrl:
        return BAD


def _whatwg(settings: UrlSettings, data: str = "urltestdata.json") -> Iterator[Row]:
    parser = UrlParser(settings)
    for case in _cases(f"wpt/url/resources/{data}"):
        theirs = BAD if case.get("failure") else case["href"]
        if not theirs.startswith(("http://", "https://")):
            theirs = BAD  # An address, but of no interest to a crawler.
        yield Row(case["input"], case["base"], _ours(parser, case["input"], case["base"]), theirs)


def whatwg() -> Iterator[Row]:
    return _whatwg(BROWSER)


def javascript_only() -> Iterator[Row]:
    """Text that no UTF-8 can hold."""
    return _whatwg(BROWSER, "urltestdata-javascript-only.json")


def whatwg_with_policy() -> Iterator[Row]:
    """Only what the policy makes a Url, or none, against the rules of browsers."""
    return (row for row in _whatwg(UrlSettings()) if BAD in (row.ours, row.theirs))


def _names(member: str) -> Iterator[Row]:
    parser = UrlParser(BROWSER)
    for case in _cases(member):
        given, output = case["input"], case["output"]
        if not given:
            continue
        # As the authors of the data say: names with these characters end before the host does.
        if re.search(r"[/?#@:\\\[\]]", given):
            continue
        theirs = BAD if not output else f"http://{output}/"
        yield Row(given, None, _ours(parser, f"http://{given}/", None), theirs)


def to_ascii() -> Iterator[Row]:
    return _names("wpt/url/resources/toascii.json")


def idna() -> Iterator[Row]:
    return _names("wpt/url/resources/IdnaTestV2.json")


def idna_removed() -> Iterator[Row]:
    """Rows that an older version of the same table had."""
    return _names("wpt/url/resources/IdnaTestV2-removed.json")


def percent_encoding() -> Iterator[Row]:
    """Of the answers for each encoding of a page, that for UTF-8: ours for every page."""
    parser = UrlParser(BROWSER)
    for case in _cases("wpt/url/resources/percent-encoding.json"):
        given = f"http://a.example/?{case['input']}"
        theirs = f"http://a.example/?{case['output']['utf-8']}"
        yield Row(given, None, _ours(parser, given, None), theirs)


def public_suffixes() -> Iterator[Row]:
    parser = UrlParser()
    pattern = re.compile(r"^checkPublicSuffix\('(.*)', (?:'(.*)'|null)\);", re.MULTILINE)
    for given, expected in pattern.findall(_read("psl/test_psl.txt")):
        # Theirs is null for a suffix itself, whose Urls we give their host as the site, and for
        # what is no host at all.
        theirs = ada_url.idna_to_ascii(expected or given.lower()).decode()
        if given.startswith("."):
            theirs = BAD
        try:
            ours = parser.parse(f"http://{given}/").site
        except BadUrl:
            ours = BAD
        yield Row(given, None, ours, theirs)


def nutch() -> Iterator[Row]:
    parser = UrlParser()
    for line in _read("url/nutch-urlnormalizer/regex-normalize-default.test").splitlines():
        if line.strip() and not line.startswith("#"):
            given, theirs = line.split()
            yield Row(given, None, _ours(parser, given, None), theirs)


SUITES: dict[str, Callable[[], Iterator[Row]]] = {
    "whatwg": whatwg,
    "whatwg_with_policy": whatwg_with_policy,
    "javascript_only": javascript_only,
    "to_ascii": to_ascii,
    "idna": idna,
    "idna_removed": idna_removed,
    "percent_encoding": percent_encoding,
    "public_suffixes": public_suffixes,
    "nutch": nutch,
}
