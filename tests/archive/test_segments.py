"""StoreArchive: the contract, and every way in which a store can fail."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from shoal.archive import store as store_module
from shoal.archive.capture import Maker
from shoal.archive.reader import read_record
from shoal.archive.records import BrokenArchive, read_records
from shoal.archive.segments import StoreArchive
from shoal.archive.store import PAUSES_S, open_store
from shoal.archive.store_files import StoreFiles
from shoal.clock import VirtualClock
from shoal.errors import StorageError, StoreError, UsageError
from shoal.model import ArchiveMark, Position, Response
from shoal.settings import ArchiveSettings
from shoal.testing.archive import ArchiveContract, response
from tests.archive.fake_store import PROTOCOL, AwayError, FakeStore, How, empty_store

ADDRESS = f"{PROTOCOL}://bucket/crawl"
ROOM = "bucket/crawl/"


@pytest.fixture(autouse=True)
def store() -> Iterator[type[FakeStore]]:
    with empty_store() as fake:
        yield fake


def at_once(_: float) -> None: ...


def make(address: str = ADDRESS, segment_bytes: int = 16_000_000) -> StoreArchive:
    numbers = itertools.count()
    return StoreArchive(
        open_store(address, at_once),
        ArchiveSettings(segment_bytes=segment_bytes),
        VirtualClock(1_700_000_000.0),
        maker=Maker(record_ids=lambda: f"urn:test:{next(numbers)}"),
    )


def read(position: Position, address: str = ADDRESS) -> Response:
    return read_record(StoreFiles(open_store(address, at_once), block_bytes=100), position)


class TestInMemory(ArchiveContract):
    def address(self, folder: Path) -> str:
        return f"{PROTOCOL}://{folder}"

    def open_archive(self, folder: Path) -> StoreArchive:
        return make(self.address(folder))

    def read(self, folder: Path, position: Position) -> Response:
        return read(position, self.address(folder))

    def peek(self, folder: Path, name: str) -> bytes | None:
        return FakeStore.objects.get(f"{folder}/{name}")

    def put(self, folder: Path, name: str, data: bytes) -> None:
        FakeStore.objects[f"{folder}/{name}"] = data

    def names(self, above: Path) -> set[str]:
        return {name.removeprefix(f"{above}/") for name in FakeStore.objects}


class TestSegmentsOfOneResponse(TestInMemory):
    def open_archive(self, folder: Path) -> StoreArchive:
        return make(self.address(folder), segment_bytes=1)


class TestInAFolder(ArchiveContract):
    def open_archive(self, folder: Path) -> StoreArchive:
        return make(f"file://{folder}")

    def read(self, folder: Path, position: Position) -> Response:
        return read(position, f"file://{folder}")


class TestInFsspecsOwnMemory(ArchiveContract):
    """memory:// as fsspec has it, which is nobody's fake."""

    @pytest.fixture(autouse=True)
    def emptied(self) -> Iterator[None]:
        self.filesystem().store.clear()
        yield
        self.filesystem().store.clear()

    def filesystem(self) -> MemoryFileSystem:
        return MemoryFileSystem()

    def open_archive(self, folder: Path) -> StoreArchive:
        return make(f"memory://{folder}")

    def read(self, folder: Path, position: Position) -> Response:
        return read(position, f"memory://{folder}")

    def peek(self, folder: Path, name: str) -> bytes | None:
        path = f"{folder}/{name}"
        return bytes(self.filesystem().cat_file(path)) if self.filesystem().exists(path) else None

    def put(self, folder: Path, name: str, data: bytes) -> None:
        self.filesystem().pipe_file(f"{folder}/{name}", data)

    def names(self, above: Path) -> set[str]:
        return {name.removeprefix(f"{above}/") for name in self.filesystem().store}


def page(number: int) -> Response:
    return response(f"http://example.org/{number}", f"page {number} ".encode() * 20)


# --------------------------------------------------------------------------- what is there


def test_what_comes_between_two_syncs_is_one_object_and_its_index(store: type[FakeStore]) -> None:
    archive = make()
    for number in range(6):
        archive.append(page(number))
        if number % 3 == 2:
            archive.sync()
            archive.sync()  # nothing new: nothing is written
    assert sorted(store.objects) == [
        f"{ROOM}shoal-0000{number}.{kind}" for number in (1, 2) for kind in ("cdxj", "warc.gz")
    ]
    assert archive.sync() == ArchiveMark(
        (("shoal-00002.warc.gz", len(store.objects[f"{ROOM}shoal-00002.warc.gz"])),)
    )


def test_a_segment_is_a_whole_warc_file_with_its_index(
    store: type[FakeStore], tmp_path: Path
) -> None:
    archive = make()
    sent = [page(number) for number in range(4)]
    for item in sent:
        archive.append(item)
    archive.sync()
    path = tmp_path / "shoal-00001.warc.gz"
    path.write_bytes(store.objects[f"{ROOM}shoal-00001.warc.gz"])
    records = list(read_records(path))
    assert [record.kind for record in records[:3]] == ["warcinfo", "response", "request"]
    assert records[0].fields["warc-filename"] == path.name
    lines = store.objects[f"{ROOM}shoal-00001.cdxj"].decode().splitlines()
    assert lines == sorted(lines)
    found = [json.loads(line[line.index("{") :]) for line in lines]
    for fields in found:
        position = Position(fields["filename"], int(fields["offset"]), int(fields["length"]))
        assert read(position).url.text == fields["url"]
    assert {fields["url"] for fields in found} == {item.url.text for item in sent}


def test_a_payload_of_an_earlier_segment_is_not_written_again(store: type[FakeStore]) -> None:
    archive = make()
    first = archive.append(response("http://example.org/one", b"the same words"))
    archive.sync()
    second = archive.append(response("http://example.org/two", b"the same words"))
    archive.sync()
    assert (first.file, second.file) == ("shoal-00001.warc.gz", "shoal-00002.warc.gz")
    got = read(second)
    assert (got.url.text, got.body) == ("http://example.org/two", b"the same words")
    below = f"{PROTOCOL}://bucket"
    assert read(Position(f"crawl/{second.file}", second.offset, second.length), below) == got


def test_memory_holds_one_segment_however_late_the_commit(store: type[FakeStore]) -> None:
    archive = make(segment_bytes=4_000)
    for number in range(60):
        archive.append(page(number))
    sizes = [len(data) for name, data in store.objects.items() if name.endswith(".gz")]
    assert len(sizes) > 3
    assert all(4_000 <= size < 6_000 for size in sizes)


def test_reading_in_order_asks_for_each_byte_once(store: type[FakeStore]) -> None:
    archive = make()
    positions = [archive.append(page(number)) for number in range(50)]
    archive.close()
    store.log.clear()
    files = StoreFiles(open_store(ADDRESS, at_once), block_bytes=1_000, blocks=2)
    for number, position in enumerate(positions):
        assert read_record(files, position).payload == page(number).payload
    asked = [operation for operation, _ in store.log]
    size = len(store.objects[f"{ROOM}shoal-00001.warc.gz"])
    assert asked.count("get") <= size // 1_000 + 1
    assert asked.count("info") == 1


# --------------------------------------------------------------------------- recovery


def archived(segments: int) -> tuple[ArchiveMark, list[Position]]:
    archive = make()
    positions = []
    for number in range(segments):
        positions.append(archive.append(page(number)))
        archive.sync()
    return archive.sync(), positions


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_missing_segment_is_named_and_nothing_is_changed(
    store: type[FakeStore], number: int
) -> None:
    mark, _ = archived(3)
    make_later = make()
    make_later.recover(mark)
    make_later.append(page(9))
    make_later.sync()
    del store.objects[f"{ROOM}shoal-0000{number}.warc.gz"]
    before = dict(store.objects)
    with pytest.raises(BrokenArchive, match=rf"crawl/shoal-0000{number}.*missing"):
        make().recover(mark)
    assert store.objects == before


def test_a_cut_segment_is_named(store: type[FakeStore]) -> None:
    mark, positions = archived(3)
    for number in (1, 3):
        name = f"{ROOM}shoal-0000{number}.warc.gz"
        whole = store.objects[name]
        store.objects[name] = whole[:-200]
        if number == 3:
            with pytest.raises(BrokenArchive, match=r"shoal-00003.*damaged"):
                make().recover(mark)
        with pytest.raises(BrokenArchive, match=f"shoal-0000{number}.*"):
            read(replace_length(positions[number - 1], len(whole)))
        store.objects[name] = whole


def replace_length(position: Position, length: int) -> Position:
    return Position(position.file, position.offset, length - position.offset)


def test_a_lost_index_is_made_anew(store: type[FakeStore]) -> None:
    mark, _ = archived(3)
    name = f"{ROOM}shoal-00002.cdxj"
    lost = store.objects.pop(name)
    make().recover(mark)
    assert store.objects[name] == lost


def test_an_archive_that_was_not_recovered_is_not_written_to(store: type[FakeStore]) -> None:
    archived(1)
    before = dict(store.objects)
    with pytest.raises(BrokenArchive, match="recover it first"):
        make().append(page(1))
    assert store.objects == before


def test_two_crawls_in_one_place_do_not_overwrite_each_other(store: type[FakeStore]) -> None:
    one, two = make(), make()
    one.recover(ArchiveMark())
    two.recover(ArchiveMark())
    one.append(page(1))
    one.sync()
    before = dict(store.objects)
    two.append(page(2))
    with pytest.raises(StoreError, match="another crawl writes to the same place"):
        two.sync()
    assert store.objects == before


# --------------------------------------------------------------------------- failures


OPERATIONS = 14
"""More than the scripted crawl below makes: the last ones fail nothing."""


@pytest.mark.parametrize("how", [How.NOTHING, How.HALF, How.WHOLE, How.SILENTLY_HALF])
@pytest.mark.parametrize("at", range(OPERATIONS))
def test_a_put_that_fails_for_good_loses_nothing_that_was_vouched_for(
    store: type[FakeStore], how: How, at: int
) -> None:
    archive = make(segment_bytes=900)
    mark = ArchiveMark()
    vouched: dict[int, Position] = {}
    fresh: dict[int, Position] = {}
    puts = itertools.count()

    def fail(operation: str, path: str) -> How | None:
        return how if operation == "put" and next(puts) >= at else None

    store.fault = fail
    failure: StoreError | None = None
    try:
        for number in range(9):
            fresh[number] = archive.append(page(number))
            if number % 3 == 2:
                mark = archive.sync()
                vouched |= fresh
    except StoreError as error:
        failure = error
    if failure is not None:
        assert "Everything up to the last commit is safe" in str(failure)
        with pytest.raises(StorageError, match="needs recovery"):
            archive.append(page(99))
        with pytest.raises(StorageError, match="needs recovery"):
            archive.sync()
    archive.close()
    store.fault = None
    assert (failure is not None) == (next(puts) > at)

    again = make()
    again.recover(mark)
    assert again.sync() == mark
    for number, position in vouched.items():
        assert read(position).payload == page(number).payload
    last = max((position.file for position in vouched.values()), default="")
    assert all(name.rpartition("/")[2] <= last for name in store.objects if name.endswith("gz"))
    added = again.append(page(100))
    again.close()
    assert read(added).payload == page(100).payload


@pytest.mark.parametrize("how", list(How))
@pytest.mark.parametrize("operation", ["put", "info", "ls", "rm", "get"])
def test_what_fails_for_a_moment_is_tried_again(
    store: type[FakeStore], operation: str, how: How
) -> None:
    mark, _ = archived(2)
    late = make()
    late.recover(mark)
    late.append(page(7))
    late.sync()
    left = {name: len(PAUSES_S) for name in ("put", "info", "ls", "rm", "get")}

    def fail(what: str, path: str) -> How | None:
        if what == operation and left[what]:
            left[what] -= 1
            return how
        return None

    pauses: list[float] = []
    archive = StoreArchive(
        open_store(ADDRESS, pauses.append), ArchiveSettings(), VirtualClock(1_700_000_000.0)
    )
    store.fault = fail
    archive.recover(mark)
    position = archive.append(page(3))
    archive.sync()
    assert read(position).payload == page(3).payload
    if operation != "get":
        assert pauses
        assert tuple(pauses) == PAUSES_S[: len(pauses)]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError("Access Denied"), "no permission .*credentials"),
        (FileNotFoundError("NoSuchBucket"), "no such place .*Make the bucket"),
        (AwayError("could not connect"), r"could not connect, 5 times\. .*when the store can be"),
        (TimeoutError(), r"TimeoutError, 5 times"),
    ],
)
def test_a_store_that_refuses_at_the_start_says_what_to_do(
    store: type[FakeStore], error: Exception, said: str
) -> None:
    store.fault = lambda operation, _: error if operation == "put" else None
    with pytest.raises(StoreError, match=f"{ADDRESS}: cannot write to it: .*{said}"):
        open_store(ADDRESS, at_once).check()
    store.fault = None
    open_store(ADDRESS, at_once).check()
    assert store.objects == {}


def test_a_store_of_no_known_kind_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no store that fsspec knows.*s3://"):
        open_store("nonsense://x/y")


def test_a_store_whose_package_is_missing_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(UsageError, match="s3fs"):
        open_store("s3://bucket/prefix")


def test_without_fsspec_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UsageError, match=r"pip install 'shoal\[store\]'"):
        open_store(ADDRESS)


def test_where_folders_are_wanted_they_are_made(
    store: type[FakeStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "WITH_FOLDERS", frozenset({PROTOCOL}))
    store.folders = set()
    place = open_store(ADDRESS, at_once)
    place.check()
    archive = StoreArchive(place.below("crawler-1"), ArchiveSettings(), VirtualClock())
    archive.recover(ArchiveMark())
    position = archive.append(page(1))
    archive.close()
    assert store.folders == {"bucket/crawl", "bucket/crawl/crawler-1"}
    assert read(position, f"{ADDRESS}/crawler-1").payload == page(1).payload
