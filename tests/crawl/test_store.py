"""Crawls that keep their archive in a store: what they leave, and what a failing store does."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event as Flag

import pytest

from shoal.archive import store as store_module
from shoal.compose.crawl import open_web, run_crawl
from shoal.compose.reading import open_ledger
from shoal.directory import CrawlDirectory
from shoal.errors import StorageError, StoreError
from shoal.settings import Settings
from shoal.shelf.warc_shelf import BadShelf
from tests.archive.fake_store import PROTOCOL, AwayError, FakeStore, How, empty_store
from tests.cli.command import refused, shoal, well
from tests.crawl import killing

ADDRESS = f"{PROTOCOL}://bucket/crawl"
WEB = "synthetic:seed=5,pages=1000,hosts=12"
SEED = "http://portal.wayfinder.example/"


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[FakeStore]]:
    monkeypatch.setattr(store_module, "PAUSES_S", (0.0, 0.0))
    with empty_store() as fake:
        yield fake


def command(out: Path, *more: str, store: str = ADDRESS) -> tuple[str | Path, ...]:
    where = ("--web", WEB, "--out", out, "--set", f"archive.store={store}")
    return ("crawl", "dengue fever", "--seeds", SEED, *where, "--pages", "60", *more)


def run(made: Settings, path: Path) -> None:
    run_crawl(made, CrawlDirectory(path), [], Flag())


# --------------------------------------------------------------------------- what it leaves


def test_what_reads_a_crawl_reads_its_store(store: type[FakeStore], tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    well(*command(there))
    well(*command(here, store=""))
    assert not list(there.rglob("*.warc.gz"))
    assert store.objects
    for path in (there, here):
        for format_ in ("jsonl", "warc"):
            out = tmp_path / f"{path.name}.{format_}"
            said = well("export", path, "--format", format_, "--out", out)
            assert "could not be read" not in said.err + said.out
    rows = [
        [
            {key: value for key, value in json.loads(line).items() if "warc" not in key}
            for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()
        ]
        for name in ("there", "here")
    ]
    for row in (*rows[0], *rows[1]):
        del row["fetched_at"]
    assert rows[0] == rows[1]
    assert all(row["text"] for row in rows[0])
    assert json.loads(well("report", there, "--json").out)["pages"] == 60
    assert len(json.loads(well("pages", there, "--json").out)) == 20
    assert "kept as a page" in well("why", there, SEED).out


def test_a_crawl_goes_on_where_only_its_state_and_the_store_are_left(
    store: type[FakeStore], tmp_path: Path
) -> None:
    made = killing.settings(11, store=ADDRESS)
    run(made, tmp_path / "whole")
    whole = killing.check(tmp_path / "whole")
    store.objects.clear()
    first = killing.settings(11, store=ADDRESS, pages=60)
    run(first, tmp_path / "here")
    # Another machine: nothing of the first but the state and the settings.
    (tmp_path / "there").mkdir()
    for name in ("crawl.toml", "state.sqlite"):
        (tmp_path / "here" / name).rename(tmp_path / "there" / name)
    run_crawl(made, CrawlDirectory(tmp_path / "there"), [], Flag(), accept_changes=True)
    left = killing.check(tmp_path / "there")
    assert (left.settled, left.digests) == (whole.settled, whole.digests)


# --------------------------------------------------------------------------- a store that fails


@pytest.mark.parametrize("how", [How.NOTHING, How.HALF, How.WHOLE])
def test_away_at_any_put_the_crawl_ends_and_goes_on_later(
    store: type[FakeStore], how: How, tmp_path: Path
) -> None:
    made = killing.settings(12, store=ADDRESS, batch_pages=25)
    run(made, tmp_path / "whole")
    whole = killing.check(tmp_path / "whole")
    puts = sum(operation == "put" for operation, _ in store.log)
    store.objects.clear()
    path = tmp_path / "broken"
    ends = 0
    # The n-th run is let write n objects: each ends a little later than the one before.
    for allowed in itertools.count(1):
        left = itertools.count()
        store.fault = lambda operation, _, left=left, allowed=allowed: (
            how if operation == "put" and next(left) >= allowed else None
        )
        try:
            run(made, path)
        except StoreError as error:
            ends += 1
            assert "cannot write" in str(error)  # noqa: PT017 - there may be none, at the end
        else:
            break
    store.fault = None
    assert 3 < ends <= puts
    left_behind = killing.check(path)
    assert (left_behind.settled, left_behind.digests) == (whole.settled, whole.digests)
    assert left_behind.stop_reason == "finished"


def test_away_in_mid_crawl_is_one_message(store: type[FakeStore], tmp_path: Path) -> None:
    puts = itertools.count()
    store.fault = lambda operation, _: (
        AwayError("Could not connect to the endpoint")
        if operation == "put" and next(puts) > 6
        else None
    )
    asked = command(tmp_path / "c", "--set", "crawl.batch_pages=10")
    ran = shoal(*asked)
    assert ran.code == 3, ran.err
    assert f"{ADDRESS}: cannot write shoal-0000" in ran.err
    assert "Could not connect to the endpoint, 3 times" in ran.err
    assert "Everything up to the last commit is safe" in ran.err
    assert "Traceback" not in ran.err
    with open_ledger(CrawlDirectory(tmp_path / "c")) as ledger:
        safe = {known.url for known, _ in ledger.visits()}
    assert safe
    store.fault = None
    well(*asked)
    killing.check(tmp_path / "c")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (AwayError("no route"), 3, "cannot list what is there: no route, 3 times"),
        (PermissionError("Access Denied"), 3, "no permission .Access Denied.*credentials"),
    ],
)
def test_away_at_the_start_nothing_is_begun(
    store: type[FakeStore], error: Exception, code: int, said: str, tmp_path: Path
) -> None:
    store.fault = lambda *_: error
    refused(shoal(*command(tmp_path / "c")), code, said)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("bucket/prefix", "archive.store is an address such as s3://bucket/prefix"),
        ("ftp://me:secret@host/x", "must not hold a password"),
        ("nonsense://bucket", "no store that fsspec knows"),
    ],
)
def test_an_address_that_is_none(address: str, said: str, tmp_path: Path) -> None:
    ran = shoal(*command(tmp_path / "c", store=address))
    refused(ran, 2, said)
    assert "secret" not in ran.err
    assert not (tmp_path / "c").exists()


def test_what_another_crawl_keeps_is_not_removed(store: type[FakeStore], tmp_path: Path) -> None:
    well(*command(tmp_path / "one"))
    before = dict(store.objects)
    refused(shoal(*command(tmp_path / "two")), 3, "holds an archive of which this crawl's state")
    (tmp_path / "one" / "state.sqlite").unlink()
    refused(shoal(*command(tmp_path / "one")), 3, "holds an archive of which this crawl's state")
    assert store.objects == before


def test_a_missing_object_is_named(store: type[FakeStore], tmp_path: Path) -> None:
    asked = command(tmp_path / "c", "--set", "crawl.batch_pages=10")
    well(*asked)
    del store.objects["bucket/crawl/shoal-00002.warc.gz"]
    out = tmp_path / "pages.jsonl"
    said = well("export", tmp_path / "c", "--format", "jsonl", "--out", out)
    assert f"{ADDRESS}/shoal-00002.warc.gz: not in the store" in said.out
    ran = shoal(*asked, "--pages", "70", "--accept-changes")
    assert ran.code == 3
    assert f"{ADDRESS}/shoal-00002.warc.gz: missing" in ran.err
    assert f"Restore {ADDRESS} from a copy" in ran.err


def test_an_export_from_a_store_that_is_away_ends(store: type[FakeStore], tmp_path: Path) -> None:
    well(*command(tmp_path / "c"))
    store.fault = lambda *_: AwayError("no route")
    out = tmp_path / "pages.jsonl"
    refused(
        shoal("export", tmp_path / "c", "--format", "jsonl", "--out", out), 3, "no route, 3 times"
    )
    assert not out.exists()


def test_the_state_is_not_ahead_of_the_store(store: type[FakeStore], tmp_path: Path) -> None:
    made = killing.settings(13, store=ADDRESS)
    store.fault = lambda operation, path: How.NOTHING if "00004.warc" in path else None
    with pytest.raises(StorageError):
        run(made, tmp_path / "c")
    store.fault = None
    killing.check(tmp_path / "c")


# --------------------------------------------------------------------------- as a frozen web


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "shoal" / "webs"


def test_what_a_store_holds_is_a_frozen_web(
    store: type[FakeStore], cache: Path, tmp_path: Path
) -> None:
    well(*command(tmp_path / "first", "--set", "crawl.batch_pages=10"))
    seen = set(exported(tmp_path / "first"))
    store.log.clear()
    again = ("crawl", "dengue fever", "--seeds", SEED, "--set", "politeness.robots=false")
    for number, web in enumerate((ADDRESS, str(tmp_path / "first"))):
        out = tmp_path / f"again-{number}"
        well(*again, "--web", web, "--out", out)
        assert set(exported(out)) <= seen
        assert len(exported(out)) > 40
    # Segments become one file, and are copied once.
    assert [path.suffixes for path in cache.rglob("*.warc.gz")] == [[".warc", ".gz"]]
    gets = [path for operation, path in store.log if operation == "get"]
    assert len(gets) == len(set(gets))


def test_what_changed_in_the_store_is_copied_anew(
    store: type[FakeStore], cache: Path, tmp_path: Path
) -> None:
    well(*command(tmp_path / "first"))
    with closing(open_web(ADDRESS)) as shelf:
        before = set(shelf.urls())
    well(*command(tmp_path / "first", "--pages", "90", "--accept-changes"))
    with closing(open_web(ADDRESS)) as shelf:
        assert set(shelf.urls()) > before
    assert len(list(cache.rglob("*.warc.gz"))) == 1
    store.objects.clear()
    with pytest.raises(BadShelf, match="no WARC file there"):
        open_web(ADDRESS)


def exported(path: Path) -> list[str]:
    out = path.with_suffix(".jsonl")
    well("export", path, "--format", "jsonl", "--out", out)
    return [json.loads(line)["url"] for line in out.read_text().splitlines()]
