"""What archiving a page costs: Shoal's own records beside fastwarc's writer.

    python benches/archive.py [WARC]

Over the pages of a WARC file, or over made-up ones of 40 KB. Processor time, one process; every
writer makes the same three records a page (response, request, metadata) with digests, at level 1.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

from shoal.archive import WarcArchive, iter_responses, read_record
from shoal.clock import VirtualClock
from shoal.model import Judgement, Part, Position, Response
from shoal.settings import ArchiveSettings
from shoal.testing.archive import response

PAGES = 400
PAGE_BYTES = 40_000


def made_up_pages() -> list[Response]:
    chance = random.Random(1)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(5_000)]
    pages = []
    for number in range(PAGES):
        text = " ".join(chance.choices(words, k=PAGE_BYTES // 6)).encode()[:PAGE_BYTES]
        pages.append(response(f"http://example.org/{number}", text))
    return pages


def shoal(pages: list[Response], folder: Path, level: int) -> list[Position]:
    archive = WarcArchive(folder, ArchiveSettings(level=level), VirtualClock())
    judgement = Judgement(0.5, 0.25, (Part("title", 0.5), Part("text", 0.25)))
    positions = [archive.append(page, judgement) for page in pages]
    archive.sync()
    archive.close()
    return positions


def fastwarc(pages: list[Response], folder: Path) -> None:
    folder.mkdir()
    with (folder / "f.warc.gz").open("wb") as out:
        stream = GzipWriter(out, compression_level=1)
        for page in pages:
            for kind, block in (
                (WarcRecordType.response, page.head + page.payload),
                (WarcRecordType.request, page.request_head),
                (WarcRecordType.metadata, b"relevance: 0.5\r\nsimilarity: 0.25\r\n"),
            ):
                record = WarcRecord()
                record.init_headers(kind)
                record.headers["WARC-Target-URI"] = page.url.text
                record.is_http = kind is not WarcRecordType.metadata
                record.set_bytes_content(block)
                record.parse_http()
                record.write(stream, checksum_data=True)
                stream.finish()


def main() -> None:
    if len(sys.argv) > 1:
        found = iter_responses(Path(sys.argv[1]))
        pages = [page for page, _ in zip(found, range(PAGES), strict=False)]
    else:
        pages = made_up_pages()
    size_bytes = sum(len(page.payload) for page in pages)
    per_page = size_bytes / len(pages)
    print(f"{len(pages)} pages of {per_page / 1000:.1f} KB on average; ms are per 40 KB")

    def report(name: str, began_s: float, folder: Path | None) -> None:
        spent_ms = (time.process_time() - began_s) * 1000
        line = f"{name:<24} {spent_ms / size_bytes * PAGE_BYTES:7.3f} ms"
        if folder:
            kept = sum(path.stat().st_size for path in folder.glob("*.warc.gz"))
            line += f"   {kept / size_bytes:.3f} of the size"
        print(line)

    with tempfile.TemporaryDirectory() as root:
        for level in (1, 3, 6):
            folder = Path(root, f"shoal{level}")
            began_s = time.process_time()
            shoal(pages, folder, level)
            report(f"shoal, level {level}", began_s, folder)
        folder = Path(root, "fastwarc")
        began_s = time.process_time()
        fastwarc(pages, folder)
        report("fastwarc, level 1", began_s, folder)
        folder = Path(root, "again")
        positions = shoal(pages, folder, 1)
        began_s = time.process_time()
        for position in positions:
            read_record(folder, position)
        report("read by position", began_s, None)
        began_s = time.process_time()
        assert sum(1 for _ in iter_responses(folder / "shoal-00001.warc.gz")) == len(pages)
        report("read one after another", began_s, None)


if __name__ == "__main__":
    main()
