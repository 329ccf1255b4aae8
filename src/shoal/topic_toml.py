"""A topic as TOML: what ``shoal topic suggest`` writes, and ``topic_file`` reads back the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from shoal.config import toml_value
from shoal.topic.spec import Spec
from shoal.topic.topic_file import as_table


def to_toml(spec: Spec) -> str:
    return "\n".join(_lines(as_table(spec), "")) + "\n"


def _lines(table: Mapping[str, Any], place: str) -> Iterator[str]:
    below: list[tuple[str, Any]] = []
    for key, value in table.items():
        tables = isinstance(value, list) and value and isinstance(value[0], dict)
        if tables or (isinstance(value, dict) and key != "terms"):
            below.append((key, value))
        elif isinstance(value, dict):
            yield f"{key} = {_inline(value)}"
        elif isinstance(value, list) and len(value) > 1:
            yield f"{key} = ["
            yield from (f"  {toml_value(item)}," for item in value)
            yield "]"
        else:
            yield f"{key} = {toml_value(value)}"
    for key, value in below:
        name = f"{place}{key}"
        if isinstance(value, dict):
            yield from ("", f"[{name}]", *_lines(value, f"{name}."))
        else:
            for one in value:
                yield from ("", f"[[{name}]]", *_lines(one, f"{name}."))


def _inline(table: Mapping[str, float]) -> str:
    pairs = (f"{msgspec.json.encode(key).decode()} = {value!r}" for key, value in table.items())
    return "{ " + ", ".join(pairs) + " }"
