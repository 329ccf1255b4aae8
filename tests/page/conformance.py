"""Other people's tests of HTML parsers, read from the shared archive."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.shared_data import shared


@cache
def archive_files(prefix: str) -> dict[str, bytes]:
    """Every file below ``prefix`` of the archive of HTML tests; skips where it is absent."""
    found: dict[str, bytes] = {}
    with tarfile.open(shared("conformance", "html.tar.xz")) as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if member.isfile() and name.startswith(prefix):
                file = archive.extractfile(member)
                assert file is not None
                found[name] = file.read()
    assert found, f"nothing below {prefix}"
    return found


_SECTION = re.compile(
    rb"\n?^#(data|errors|new-errors|document-fragment|script-on|script-off|document|encoding)$\n?",
    re.MULTILINE,
)


class Row(NamedTuple):
    """One case of an html5lib ``.dat`` file: its sections by name."""

    name: str
    sections: dict[str, bytes]


def dat_rows(prefix: str) -> Iterator[Row]:
    for name, content in sorted(archive_files(prefix).items()):
        if name.endswith(".dat"):
            for number, case in enumerate(re.split(rb"(?:\A|\n)#data\n", content)[1:]):
                parts = _SECTION.split(b"\n#data\n" + case)
                sections = dict(
                    zip((part.decode() for part in parts[1::2]), parts[2::2], strict=True)
                )
                yield Row(f"{name.rpartition('/')[2]}:{number}", sections)
