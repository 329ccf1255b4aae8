from __future__ import annotations

import csv
import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path

import pyarrow.parquet
import pytest
from rich.console import Console
from warcio.archiveiterator import ArchiveIterator

from shoal.archive.reader import read_record as read_warc
from shoal.archive.reading import FolderFiles
from shoal.archive.writer import WarcArchive
from shoal.clock import VirtualClock
from shoal.errors import StorageError
from shoal.model import Known, Outcome, Position, Response
from shoal.ontology.ltm import read_ltm
from shoal.ports import Ledger
from shoal.report.export import Exported, ExportRefused, Format, export, render_exported
from shoal.report.formats import TextFolder
from shoal.report.pages import Sort, list_pages, pages_json, render_pages
from shoal.report.parquet import Parquet
from shoal.report.raw import record_with_companions
from shoal.report.rows import COLUMNS, Selection, Source, make_row
from shoal.settings import ArchiveSettings
from shoal.testing.memory_ledger import MemoryLedger
from shoal.url import parse_url
from tests.report.crawls import HOSTILE, START_S, known, made_up, page_visit

FILE = "shoal-00001.warc.gz"
NASTY = '=1+1, "quoted"\r\nsecond line\u2028\0 end'


def record(kind: str, name: str, of: str | None, block: bytes) -> bytes:
    lines = [f"WARC-Type: {kind}", f"WARC-Record-ID: <urn:{name}>"]
    if of is not None:
        lines.append(f"WARC-Concurrent-To: <urn:{of}>")
    lines.append(f"Content-Length: {len(block)}")
    return gzip.compress(
        ("WARC/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode() + block + b"\r\n\r\n"
    )


def crawl(folder: Path, pages: int = 5) -> MemoryLedger:
    """An archive of small records and the Ledger that names them."""
    knowns: list[Known] = []
    data = record("warcinfo", "info", None, b"software: test")
    for number in range(pages):
        response = record("response", f"r{number}", None, f"text of page {number}".encode())
        position = Position(FILE, len(data), len(response))
        data += response + record("request", f"q{number}", f"r{number}", b"GET /")
        data += record("metadata", f"m{number}", f"r{number}", b"relevance: 1")
        visit = page_visit(
            START_S + number, number / 10, title=HOSTILE if number == 0 else f"Page {number}",
            position=position, size_bytes=1_000 - number,
        )  # fmt: skip
        if number == 2:
            visit = replace(visit, outcome=Outcome.DUPLICATE)
        if number == 3:
            visit = replace(visit, outcome=Outcome.NEAR_DUPLICATE)
        knowns.append(known(number, f"https://a.example.org/{number}", visit))
    (folder / FILE).write_bytes(data)
    return MemoryLedger(knowns)


def read_record(folder: Path, position: Position) -> Response:
    with (folder / position.file).open("rb") as file:
        file.seek(position.offset)
        data = gzip.decompress(file.read(position.length))
    body = data.partition(b"\r\n\r\n")[2].strip()
    url = parse_url("https://a.example.org/")
    return Response(url, 200, b"", (), body, body, START_S, 0.1)


def read_text(response: Response) -> str:
    return response.body.decode() + (NASTY if response.body.endswith(b"0") else "")


def source_of(folder: Path, text: Callable[[Response], str] = read_text) -> Source:
    return Source(partial(read_record, folder), text, FolderFiles(folder).read)


def run(
    folder: Path, format_: Format, name: str, selection: Selection | None = None
) -> tuple[Path, Exported]:
    out = folder / name
    archive = folder / "archive"
    archive.mkdir(exist_ok=True)
    source = source_of(archive)
    ontology = read_ltm(b'[fever = "fever"]') if format_.needs_ontology else None
    return out, export(crawl(archive), source, format_, out, selection, ontology=ontology)


def test_json_lines_hold_every_page(tmp_path: Path) -> None:
    out, done = run(tmp_path, Format.JSONL, "pages.jsonl")
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert done.pages == len(rows) == 5
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["title"] == HOSTILE
    assert rows[0]["text"].endswith(NASTY)
    assert rows[1]["text"] == "text of page 1"
    assert rows[1]["fetched_at"] == "2026-09-21T14:13:21.000Z"
    assert [row["outcome"] for row in rows][2:4] == ["duplicate", "near_duplicate"]


def test_csv_reads_back(tmp_path: Path) -> None:
    out, _ = run(tmp_path, Format.CSV, "pages.csv")
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5
    assert rows[0]["text"].endswith(NASTY.replace("\0", ""))
    assert rows[0]["title"] == HOSTILE
    assert '"=1+1' not in out.read_text(encoding="utf-8").split("\r\n")[0]


def test_parquet_has_the_schema_and_streams_in_groups(tmp_path: Path) -> None:
    out, _ = run(tmp_path, Format.PARQUET, "pages.parquet")
    table = pyarrow.parquet.read_table(out)
    assert tuple(table.column_names) == COLUMNS
    assert table.num_rows == 5
    assert table["fetched_at"][1].as_py().isoformat() == "2026-09-21T14:13:21+00:00"
    assert table["relevance"].to_pylist()[4] == 0.4

    sink = Parquet(tmp_path / "many.parquet")
    row = make_row(known(1, "https://a.example.org/"), page_visit(START_S, 0.5), None)
    for _ in range(12_000):
        sink.write(row)
    sink.close()
    groups = pyarrow.parquet.ParquetFile(tmp_path / "many.parquet").num_row_groups
    assert groups == 3


def test_an_empty_selection_is_an_empty_file(tmp_path: Path) -> None:
    nothing = Selection(relevance=0.99)
    for format_ in Format:
        out, done = run(tmp_path, format_, f"none{format_.suffix}", nothing)
        assert done.pages == 0
        assert out.exists()
    assert pyarrow.parquet.read_table(tmp_path / "none.parquet").num_rows == 0


def test_selection_by_relevance_and_uniqueness(tmp_path: Path) -> None:
    _, done = run(tmp_path, Format.JSONL, "a.jsonl", Selection(relevance=0.2))
    assert done.pages == 3
    out, done = run(tmp_path, Format.JSONL, "b.jsonl", Selection(unique=True))
    assert done.pages == 3
    assert "duplicate" not in out.read_text(encoding="utf-8")


def test_a_text_folder_has_numbered_files(tmp_path: Path) -> None:
    out, done = run(tmp_path, Format.TXT, "texts")
    files = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.txt"))
    assert files == [f"0000/000000{number}.txt" for number in range(1, 6)]
    with (out / TextFolder.INDEX).open(encoding="utf-8", newline="") as index:
        rows = list(csv.DictReader(index))
    assert [row["file"] for row in rows] == files
    assert rows[1]["url"] == "https://a.example.org/1"
    assert (out / files[1]).read_text(encoding="utf-8") == "Page 1\n\ntext of page 1\n"
    assert done.size_bytes > 0
    run(tmp_path, Format.TXT, "texts")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "texts"]


def test_warc_copies_whole_records(tmp_path: Path) -> None:
    out, done = run(tmp_path, Format.WARC, "some.warc.gz", Selection(relevance=0.3))
    assert done.pages == 2
    names = re.findall(r"WARC-Record-ID: <urn:(\w+)>", gzip.decompress(out.read_bytes()).decode())
    assert names == ["r3", "q3", "m3", "r4", "q4", "m4"]
    assert out.read_bytes() in (tmp_path / "archive" / FILE).read_bytes()


def test_a_torn_companion_is_left_out(tmp_path: Path) -> None:
    ledger = crawl(tmp_path, 1)
    position = ledger.knowns[0].visits[0].position
    assert position is not None
    path = tmp_path / FILE
    whole = record_with_companions(FolderFiles(tmp_path).read, position)
    path.write_bytes(path.read_bytes()[:-5])
    torn = record_with_companions(FolderFiles(tmp_path).read, position)
    assert whole.startswith(torn)
    assert torn.count(b"\x1f\x8b") < whole.count(b"\x1f\x8b")
    with pytest.raises(ValueError, match="ends within"):
        record_with_companions(FolderFiles(tmp_path).read, replace(position, length=100_000))
    with pytest.raises(ValueError, match="not a compressed record"):
        record_with_companions(
            FolderFiles(tmp_path).read, replace(position, offset=position.offset + 1, length=9)
        )


def test_real_archives_are_read_and_copied(tmp_path: Path) -> None:
    archive = WarcArchive(tmp_path / "warc", ArchiveSettings(), VirtualClock(START_S))
    knowns = []
    for number in range(4):
        url = parse_url(f"https://a.example.org/{number}")
        body = b"the same" if number > 1 else f"page {number}".encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"
        response = Response(
            url, 200, head, (("content-type", "text/plain"),), body, body, START_S, 0.1,
            request_head=b"GET / HTTP/1.1\r\nhost: a.example.org\r\n\r\n",
        )  # fmt: skip
        visit = page_visit(START_S + number, number / 10)
        assert visit.judgement is not None
        position = archive.append(response, visit.judgement)
        knowns.append(known(number, url.text, replace(visit, position=position)))
    archive.sync()
    archive.close()

    source = Source(
        partial(read_warc, tmp_path / "warc"), read_text, FolderFiles(tmp_path / "warc").read
    )
    export(MemoryLedger(knowns), source, Format.JSONL, tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [row["text"][:8] for row in rows][1:] == ["page 1", "the same", "the same"]

    out = tmp_path / "a.warc.gz"
    export(MemoryLedger(knowns), source, Format.WARC, out, Selection(relevance=0.1))
    with out.open("rb") as file:
        kinds = [record.rec_type for record in ArchiveIterator(file)]
    assert kinds == ["response", "request", "metadata"] * 2 + ["revisit", "request", "metadata"]

    (tmp_path / "warc" / "shoal-00001.warc.gz").write_bytes(b"broken")
    done = export(MemoryLedger(knowns), source, Format.JSONL, tmp_path / "b.jsonl")
    assert (done.pages, done.unreadable) == (4, 4)


def test_a_disk_that_does_not_take_it_is_one_message(tmp_path: Path) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    source = source_of(tmp_path)
    with pytest.raises(StorageError, match=r"cannot write .*a\.csv: No space left"):
        export(crawl(tmp_path), source, Format.CSV, tmp_path / "a.csv", progress=full)
    assert not (tmp_path / "a.csv").exists()


def test_what_cannot_be_read_is_counted_and_named(tmp_path: Path) -> None:
    ledger = crawl(tmp_path)
    (tmp_path / FILE).unlink()
    never = known(9, "https://a.example.org/9", page_visit(START_S, 0.5, position=None))
    ledger = MemoryLedger([*ledger.knowns, never])
    source = source_of(tmp_path)
    done = export(ledger, source, Format.JSONL, tmp_path / "a.jsonl")
    assert (done.pages, done.unreadable, done.not_archived) == (6, 5, 1)
    assert "https://a.example.org/0: " in done.problems[0]
    out = StringIO()
    render_exported(done, Console(file=out, width=80))
    assert "5 pages could not be read" in out.getvalue()
    warc = export(ledger, source, Format.WARC, tmp_path / "a.warc.gz")
    assert (warc.pages, warc.unreadable) == (0, 5)


def test_a_failed_export_leaves_the_former_one(tmp_path: Path) -> None:
    ledger = crawl(tmp_path)
    out = tmp_path / "a.jsonl"
    out.write_text("former")

    def broken(_: Response) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(ledger, source_of(tmp_path, broken), Format.JSONL, out)
    assert out.read_text() == "former"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", FILE]


def test_a_foreign_output_is_refused(tmp_path: Path) -> None:
    ledger: Ledger = MemoryLedger([])
    source = source_of(tmp_path)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("do not lose me")
    with pytest.raises(ExportRefused, match="something else"):
        export(ledger, source, Format.TXT, mine)
    with pytest.raises(ExportRefused, match="needs a file"):
        export(ledger, source, Format.CSV, mine)
    with pytest.raises(ExportRefused, match="needs a folder"):
        export(ledger, source, Format.TXT, mine / "thesis.txt")
    with pytest.raises(ExportRefused, match="no folder"):
        export(ledger, source, Format.CSV, tmp_path / "absent" / "a.csv")
    assert (mine / "thesis.txt").read_text() == "do not lose me"


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[int] = []
    source = source_of(tmp_path)
    export(crawl(tmp_path), source, Format.CSV, tmp_path / "a.csv", progress=seen.append)
    assert seen == [1, 2, 3, 4, 5]


def test_the_reference_names_every_column_and_format() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "export.md"
    named = re.findall(r"^\| `(\w+)`", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(named) == (*(format_.value for format_ in Format), *COLUMNS)


def test_pages_in_three_orders(tmp_path: Path) -> None:
    ledger = crawl(tmp_path)
    numbers = {sort: [row.url[-1] for row in list_pages(ledger, sort, 2)] for sort in Sort}
    assert numbers == {Sort.RELEVANCE: ["4", "1"], Sort.TIME: ["4", "1"], Sort.SIZE: ["0", "1"]}
    rows = list_pages(ledger, Sort.RELEVANCE, 20)
    assert json.loads(pages_json(rows))[0]["relevance"] == 0.4
    out = StringIO()
    render_pages(rows, Console(file=out, width=80))
    assert all(f" {row.url}\n" in out.getvalue() for row in rows)
    assert "[bold]" in out.getvalue()
    assert "\x1b" not in out.getvalue()
    assert max(len(line.rstrip()) for line in out.getvalue().splitlines()) <= 80


def test_pyarrow_is_loaded_only_for_parquet() -> None:
    code = "import sys, shoal.report.export, shoal.watch; "
    code += "sys.exit(bool({'pyarrow', 'prometheus_client'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_pages_of_nothing() -> None:
    out = StringIO()
    render_pages(list_pages(MemoryLedger([])), Console(file=out, width=80))
    assert out.getvalue() == "No pages yet.\n"
    assert len(list_pages(made_up(), limit=3)) == 3
