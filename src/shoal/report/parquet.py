"""Rows into Parquet. Apart from the other formats because it alone loads pyarrow, which is slow."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

import pyarrow
import pyarrow.parquet

from shoal.report.rows import COLUMNS, Row

_GROUP_ROWS = 5_000
_GROUP_CHARACTERS = 32_000_000
_TYPES = {
    "relevance": pyarrow.float64(),
    "similarity": pyarrow.float64(),
    "status": pyarrow.int32(),
    "depth": pyarrow.int32(),
    "warc_offset": pyarrow.int64(),
    "warc_length": pyarrow.int64(),
    "size_bytes": pyarrow.int64(),
    "fetched_at": pyarrow.timestamp("ms", tz="UTC"),
}
SCHEMA = pyarrow.schema([(name, _TYPES.get(name, pyarrow.string())) for name in COLUMNS])


@dataclass
class Parquet:
    """Apache Parquet, zstd, a row group for every few thousand rows."""

    path: Path
    _rows: list[Row] = field(default_factory=list)
    _characters: int = 0

    def __post_init__(self) -> None:
        self._writer = pyarrow.parquet.ParquetWriter(self.path, SCHEMA, compression="zstd")

    def write(self, row: Row) -> None:
        self._rows.append(row)
        self._characters += len(row.text or "")
        if len(self._rows) >= _GROUP_ROWS or self._characters >= _GROUP_CHARACTERS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if not self._rows:
            return
        columns = []
        for place in fields(Row):
            values = pyarrow.array([getattr(row, place.name) for row in self._rows])
            columns.append(values.cast(SCHEMA.field(place.name).type))
        self._writer.write_table(pyarrow.table(columns, schema=SCHEMA))
        self._rows.clear()
        self._characters = 0
