"""Reads and writes a topic file. Every mistake is a message that names the key and the nearest."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, Final

import msgspec

from shoal.errors import UsageError
from shoal.topic.keywords import WORD
from shoal.topic.spec import (
    KINDS,
    AllSpec,
    AnySpec,
    CategorySpec,
    ExamplesSpec,
    LanguageSpec,
    MeanSpec,
    NotSpec,
    OntologySpec,
    Spec,
    WordsSpec,
)
from shoal.wording import nearest

DEEPEST: Final = 8
"""So many tables within tables."""
_SYNTHETIC: Final = "synthetic:"
_LISTS: Final = ("words", "like", "unlike", "language", "focus", "label_languages")
"""Of which one may be written without a list."""


class BadTopic(UsageError):
    """The topic is not one; the message names the place and what to do."""


def read_topic(path: Path) -> Spec:
    """Raises BadTopic. Paths in it become those of files, seen from the topic file."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BadTopic(f"there is no topic file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadTopic(f"cannot read {path}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadTopic(f"{path} is not valid TOML: {error}") from error
    try:
        return anchored(parse_topic(given), path.parent)
    except BadTopic as error:
        raise BadTopic(f"{path}: {error}") from error


def parse_topic(given: dict[str, Any], place: str = "", depth: int = 0) -> Spec:
    """A Spec of what TOML gave. ``place`` is where the table stands, for messages."""
    before = f"{place}." if place else ""
    if depth > DEEPEST:
        raise BadTopic(f"{place}: more than {DEEPEST} tables within tables")
    found = [key for key in KINDS if key in given]
    if len(found) != 1:
        _check_keys(given, {name for kind in KINDS.values() for name in _keys(kind)}, before)
        where = place or "the topic"
        if not found:
            raise BadTopic(
                f"{where} says nothing of what is wanted: give one of {', '.join(KINDS)}"
            )
        raise BadTopic(
            f"{where} has {' and '.join(found)}: a table is of one kind; give each a table of its "
            "own, below [[all]] or [[any]]"
        )
    (key,) = found
    kind = KINDS[key]
    _check_keys(given, set(_keys(kind)), before)
    if "weight" in given and not place.split("[")[0].endswith("mean"):
        raise BadTopic(f"{before}weight counts in a table of [[mean]] only; leave it out")
    made = _convert(_filled(given, key, before, depth), kind, before)
    _check_values(made, before)
    return made


def anchored(spec: Spec, folder: Path) -> Spec:
    """With the files that it names seen from a folder."""

    def seen(name: str) -> str:
        is_path = "://" not in name and not name.startswith(_SYNTHETIC)
        return str(folder / name) if is_path else name

    if isinstance(spec, ExamplesSpec):
        return replace(
            spec,
            like=tuple(map(seen, spec.like)),
            unlike=tuple(map(seen, spec.unlike)),
            web=None if spec.web is None else seen(spec.web),
        )
    if isinstance(spec, CategorySpec):
        return replace(spec, model=seen(spec.model))
    if isinstance(spec, OntologySpec):
        return replace(spec, ontology=seen(spec.ontology))
    return _with_members(spec, lambda member: anchored(member, folder))


def as_table(spec: Spec) -> dict[str, Any]:
    """What TOML would give for it: defaults left out."""
    table: dict[str, Any] = {}
    for field in fields(spec):
        value = getattr(spec, field.name)
        if value is None or value in ("", (), {}) or value == field.default:
            continue
        if isinstance(value, Spec):
            value = as_table(value)
        elif isinstance(value, tuple):
            value = [as_table(one) if isinstance(one, Spec) else one for one in value]
        table[field.name.rstrip("_")] = value
    return table


def _with_members(spec: Spec, change: Callable[[Spec], Spec]) -> Spec:
    if isinstance(spec, AllSpec):
        return replace(spec, all=tuple(map(change, spec.all)))
    if isinstance(spec, AnySpec):
        return replace(spec, any=tuple(map(change, spec.any)))
    if isinstance(spec, MeanSpec):
        return replace(spec, mean=tuple(map(change, spec.mean)))
    return replace(spec, not_=change(spec.not_)) if isinstance(spec, NotSpec) else spec


def _keys(kind: type[Spec]) -> list[str]:
    return [field.name.rstrip("_") for field in fields(kind)]


def _check_keys(given: dict[str, Any], known: set[str], before: str) -> None:
    for key in given:
        if key not in known:
            raise BadTopic(f"unknown key {before}{key}{nearest(key, sorted(known))}")


def _filled(given: dict[str, Any], key: str, before: str, depth: int) -> dict[str, Any]:
    """With its tables made Specs, and one text where a list may stand made a list."""
    value = given[key]
    if key == "not":
        if not isinstance(value, dict):
            raise BadTopic(f"{before}not is a table: write [{before}not] above its keys")
        rest = {name: other for name, other in given.items() if name != key}
        return {**rest, "not_": parse_topic(value, f"{before}not", depth + 1)}
    if key in ("all", "any", "mean"):
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise BadTopic(f"{before}{key} is tables: write [[{before}{key}]] above each's keys")
        if not value:
            raise BadTopic(f"{before}{key} is empty")
        members = tuple(
            parse_topic(table, f"{before}{key}[{number}]", depth + 1)
            for number, table in enumerate(value, start=1)
        )
        return {**given, key: members}
    lists = {name: [given[name]] for name in _LISTS if isinstance(given.get(name), str)}
    return {**given, **lists}


def _convert(table: dict[str, Any], kind: type[Spec], before: str) -> Spec:
    held = {name: value for name, value in table.items() if _is_made(value)}
    plain = {name: value for name, value in table.items() if name not in held}
    try:
        if held:
            common = msgspec.convert(plain, Spec, strict=True)
            return kind(name=common.name, weight=common.weight, **held)
        return msgspec.convert(plain, kind, strict=True)
    except msgspec.ValidationError as error:
        text, _, place = str(error).partition(" - at `$.")
        place = f"{before}{place.rstrip('`')}" if place else before.rstrip(".")
        said = text.replace("`", "")
        raise BadTopic(f"{place}: {said}" if place else said) from error


def _is_made(value: object) -> bool:
    return isinstance(value, Spec) or (isinstance(value, tuple) and isinstance(value[0], Spec))


def _check_words(spec: WordsSpec, before: str) -> None:
    if not any(WORD.search(phrase) for phrase in spec.words):
        raise BadTopic(f"{before}words has no word in it (of two letters or more)")
    if not 0 < spec.border < 1:
        raise BadTopic(f"{before}border is a cosine between 0 and 1, not {spec.border}")
    for term, count in spec.terms.items():
        if not WORD.search(term.lower()):
            raise BadTopic(f"{before}terms.{term} has no word in it")
        if not (count > 0 and isfinite(count)):
            raise BadTopic(f"{before}terms.{term} must be more than 0, not {count}")


def _check_ontology(spec: OntologySpec, before: str) -> None:
    for key in ("focus_weight", "taxonomic_weight", "other_weight", "rest_weight"):
        if not 0 <= (weight := getattr(spec, key)) <= 1:
            raise BadTopic(f"{before}{key} is a weight between 0 and 1, not {weight}")
    if spec.focus and not spec.focus_weight:
        raise BadTopic(f"{before}focus_weight is 0, so that the focus would count nothing")
    if not (spec.limit > 0 and isfinite(spec.limit)):
        raise BadTopic(f"{before}limit must be more than 0, not {spec.limit}")
    _check_codes(spec.label_languages, f"{before}label_languages")


def _check_codes(codes: Sequence[str], place: str) -> None:
    for code in codes:
        if not (2 <= len(code) <= 3 and code.isascii() and code.isalpha() and code.islower()):
            raise BadTopic(f"{place}: {code!r} is no ISO 639 code, such as 'en'")


def _check_values(spec: Spec, before: str) -> None:
    if not (spec.weight > 0 and isfinite(spec.weight)):
        raise BadTopic(f"{before}weight must be more than 0, not {spec.weight}")
    if isinstance(spec, WordsSpec):
        _check_words(spec, before)
    elif isinstance(spec, ExamplesSpec) and not spec.like:
        raise BadTopic(f"{before}like is empty: name pages that are wanted")
    elif isinstance(spec, CategorySpec) and (spec.least_terms or 1) < 1:
        raise BadTopic(f"{before}least_terms must be at least 1, not {spec.least_terms}")
    elif isinstance(spec, OntologySpec):
        _check_ontology(spec, before)
    elif isinstance(spec, LanguageSpec):
        _check_codes(spec.language or ("",), f"{before}language")
