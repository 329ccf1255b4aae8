"""Makes training sets of browsing paths, wherever they were kept.

A path is one of:

- a file of addresses and marks (see ``training.path_file``), whose pages a frozen web holds;
- a HAR file, as browsers save it, or a WARC file, as recording proxies write it: the pages in the
  order in which they came, and a list of those that are relevant;
- the directory of a crawl: its pages in the order of settling, relevant by what the crawl judged,
  or by such a list.

A page that is kept nowhere is counted as missing. What cannot be read is a UsageError that names
it. Nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from shoal.archive.reader import iter_responses, read_record
from shoal.archive.records import BrokenArchive
from shoal.compose.crawl import make_parser, open_web
from shoal.compose.reading import archive_files, open_ledger
from shoal.directory import CrawlDirectory
from shoal.errors import UsageError
from shoal.http.headers import is_accepted
from shoal.http.heads import make_head
from shoal.model import Outcome, Response
from shoal.settings import PARSED_TYPES, Settings
from shoal.training.har import HarVisit, read_har
from shoal.training.path_file import read_marks, read_path_file
from shoal.training.training_set import Step, TrainingSet, make_training_set
from shoal.url import BadUrl, Url, UrlParser


class NothingRecorded(UsageError):
    """The path leads to no training set; the message says why."""


class Recorded(NamedTuple):
    """What was made of a path."""

    made: TrainingSet
    missing: tuple[str, ...]
    """Addresses whose page is kept nowhere, as they are written in the path."""


@dataclass(frozen=True, slots=True)
class _Visit:
    """One visit as its source tells it."""

    address: str
    relevant: bool | None
    """None where the source does not say."""
    came_from: str | None = None
    response: Response | None = None
    """None where the source does not keep the page."""


def record_path(source: Path, web: str | None = None, marks: Path | None = None) -> Recorded:
    """``web`` holds pages that the source itself does not; ``marks`` lists the relevant ones.
    Raises UsageError."""
    urls = UrlParser()
    wanted: set[str] | None = None
    if marks is not None:
        wanted = {_parsed(text, urls, marks).surt for text in read_marks(marks)}
    missing: list[str] = []
    with ExitStack() as stack:
        shelf = None if web is None else stack.enter_context(closing(open_web(web)))
        parser = make_parser(Settings())

        def steps() -> Iterator[Step]:
            for visit in _visits(source, web, wanted is not None):
                response = visit.response
                if response is None and shelf is not None:
                    response = shelf.find(_parsed(visit.address, urls, source))
                if response is None or not _is_page(response):
                    missing.append(visit.address)
                    continue
                relevant = visit.relevant if wanted is None else response.url.surt in wanted
                yield Step(parser.parse(response), bool(relevant), visit.came_from)

        try:
            made = make_training_set(steps())
        except BrokenArchive as error:
            raise NothingRecorded(f"{source} is not a whole WARC file: {error}") from error
    _check(made, source, missing, marks)
    return Recorded(made, tuple(missing))


def _visits(source: Path, web: str | None, marked: bool) -> Iterator[_Visit]:
    if source.is_dir():
        return _visits_of_crawl(CrawlDirectory(source))
    is_warc = source.name.endswith((".warc", ".warc.gz"))
    is_har = source.name.endswith(".har")
    if not source.is_file():
        raise NothingRecorded(
            f"{source}: no such file; give a list of addresses and marks, a HAR file, a WARC file "
            "or the directory of a crawl"
        )
    if is_warc or is_har:
        if not marked:
            raise NothingRecorded(
                f"{source} does not say which pages are relevant; list their addresses in a file, "
                "one a line, and give it to --relevant"
            )
        return _visits_of_warc(source) if is_warc else _visits_of_har(source)
    if web is None:
        raise NothingRecorded(
            f"{source} lists addresses; say with --web which frozen web (WARC files, a folder, a "
            "crawl) holds their pages"
        )
    return (_Visit(text, mark) for text, mark in read_path_file(source))


def _visits_of_warc(source: Path) -> Iterator[_Visit]:
    urls = UrlParser()
    for response in iter_responses(source):
        if _is_page(response):
            # As the Links to it will be written.
            url = _parsed(response.url.text, urls, source)
            yield _Visit(url.text, None, None, replace(response, url=url))


def _visits_of_har(source: Path) -> Iterator[_Visit]:
    urls = UrlParser()
    for visit in read_har(source):
        # What is no Url is a page of the browser's own, such as about:blank.
        url, source_url = _or_none(visit.url, urls), _or_none(visit.came_from, urls)
        if url is not None:
            came_from = None if source_url is None else source_url.text
            yield _Visit(url.text, None, came_from, _response_of(visit, url))


def _or_none(text: str | None, urls: UrlParser) -> Url | None:
    try:
        return None if text is None else urls.parse(text)
    except BadUrl:
        return None


def _response_of(visit: HarVisit, url: Url) -> Response | None:
    if visit.body is None:
        return None
    headers = (("content-type", visit.content_type),)
    return Response(url, 200, make_head(200, headers), headers, visit.body, visit.body, 0.0, 0.0)


def _visits_of_crawl(directory: CrawlDirectory) -> Iterator[_Visit]:
    directory.require()
    relevant_at = directory.settings().crawl.relevant_at
    files = archive_files(directory)
    with open_ledger(directory) as ledger:
        for known, visit in ledger.visits(frozenset({Outcome.PAGE})):
            relevant = visit.judgement is not None and visit.judgement.relevance >= relevant_at
            response = None
            if visit.position is not None:
                response = read_record(files, visit.position)
            yield _Visit(known.url, relevant, known.source, response)


def _is_page(response: Response) -> bool:
    return response.status == 200 and is_accepted(response.header("content-type"), PARSED_TYPES)


def _parsed(text: str, urls: UrlParser, source: Path) -> Url:
    try:
        return urls.parse(text)
    except BadUrl as error:
        raise NothingRecorded(f"{source}: {text[:80]!r} is no address: {error}") from error


def _check(made: TrainingSet, source: Path, missing: list[str], marks: Path | None) -> None:
    if not made.pages:
        where = f", such as {missing[0]}" if missing else ""
        raise NothingRecorded(
            f"{source}: none of its {len(missing)} pages is kept anywhere{where}; say with --web "
            "which frozen web holds them"
        )
    if not made.relevant:
        who = f"none of its {len(made.pages)} pages is"
        raise NothingRecorded(
            f"{source}: {who} marked as relevant, so nothing can be learnt from it"
            if marks is None
            else f"{source}: {who} listed in {marks}, so nothing can be learnt from it"
        )
