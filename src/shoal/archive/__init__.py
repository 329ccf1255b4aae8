"""WARC out and in."""

from shoal.archive.reader import iter_responses, read_record
from shoal.archive.records import BrokenArchive, Record, read_records
from shoal.archive.writer import WarcArchive

__all__ = [
    "BrokenArchive",
    "Record",
    "WarcArchive",
    "iter_responses",
    "read_record",
    "read_records",
]
