"""Models as files: a zip of JSON, words and plain numbers.

    model.json          format, version, method, language, facts, categories, calibration, blocks
    text.terms          one term a line, UTF-8
    lead.terms
    0.learnt, 0.idf     of each block: 32-bit floats, little-endian, row after row
    ...

1. Reading a file executes nothing that is in it, and no member may be larger than what it stands
   for, or than ``_LARGEST_BYTES``: every size is known before its bytes are read.
2. A file that was read answers exactly as the model that was written.
3. What is wrong with a file is a BadModel, which says what to do.
4. A file appears whole or not at all, and the same model makes the same bytes.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from pathlib import Path
from typing import IO, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from shoal.classify.linear import Block, Calibration, LinearClassifier, Place, Scores
from shoal.classify.model import Facts, Model
from shoal.classify.vocabulary import Vocabularies, Vocabulary
from shoal.classify.weighing import Frequency, Scale, Weighing
from shoal.errors import StorageError, UsageError

__all__ = ["VERSION", "BadModel", "Facts", "Model", "load", "save"]

FORMAT: Final = "shoal-model"
VERSION: Final = 1
_HEAD: Final = "model.json"
_HEAD_BYTES: Final = 16_000_000
_LARGEST_BYTES: Final = 2_000_000_000
_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The first that a zip can say; the real one is in the facts."""
_NUMBER: Final = np.dtype("<f4")
_TRAIN_AGAIN: Final = "train it again with `shoal model train`, or restore it from a copy"


class BadModel(UsageError):
    """The file holds no model that can be used here."""


class _Stamp(msgspec.Struct):
    """What every version of the format begins with."""

    format: str
    version: int


class _Block(msgspec.Struct):
    place: Place
    frequency: Frequency
    scale: Scale
    idf: bool


class _Head(msgspec.Struct):
    format: str
    version: int
    method: str
    language: str
    categories: tuple[str, ...]
    bias: tuple[float, ...]
    slope: tuple[float, ...]
    offset: tuple[float, ...]
    blocks: tuple[_Block, ...]
    facts: Facts


def save(model: Model, path: Path) -> None:
    """Write beside ``path`` first, then put it in its place. Raises StorageError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            _write(model, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if draft.exists():
            draft.unlink()


def load(path: Path) -> Model:
    """Raises BadModel."""
    try:
        with zipfile.ZipFile(path) as file:
            return _read(file, path)
    except FileNotFoundError as error:
        raise BadModel(f"{path}: no such file; make it with `shoal model train`") from error
    except IsADirectoryError as error:
        raise BadModel(
            f"{path} is a folder; give the file that `shoal model train` made"
        ) from error
    except OSError as error:
        raise BadModel(f"{path}: cannot be read: {error.strerror or error}") from error
    except zipfile.BadZipFile as error:
        raise BadModel(f"{path} is no model, or only a part of one; {_TRAIN_AGAIN}") from error
    except (zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        # What zipfile and msgspec say of damaged members, other compressions, and encryption.
        raise _damaged(path, str(error)) from error


def _write(model: Model, file: IO[bytes]) -> None:
    classifier = model.classifier
    scores, calibration = classifier.scores, classifier.calibration
    head = _Head(
        FORMAT,
        VERSION,
        model.method,
        model.language,
        classifier.categories,
        _floats(scores.bias),
        _floats(calibration.slope),
        _floats(calibration.offset),
        tuple(
            _Block(
                one.place, one.weighing.frequency, one.weighing.scale, one.weighing.idf is not None
            )
            for one in scores.blocks
        ),
        model.facts,
    )
    parts = {_HEAD: msgspec.json.format(msgspec.json.encode(head), indent=1)}
    for place in Place:
        parts[f"{place}.terms"] = "\n".join(_terms(classifier.vocabularies, place)).encode()
    for number, block in enumerate(scores.blocks):
        parts[f"{number}.learnt"] = block.learnt.astype(_NUMBER).tobytes()
        if block.weighing.idf is not None:
            parts[f"{number}.idf"] = block.weighing.idf.astype(_NUMBER).tobytes()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in parts.items():
            target.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)


def _read(file: zipfile.ZipFile, path: Path) -> Model:
    head = _read_head(file, path)
    vocabularies = Vocabularies(*(_read_terms(file, path, place) for place in Place))
    size = len(head.categories)
    if size < 2 or len(set(head.categories)) < size:
        raise _damaged(path, "its categories are not two or more different ones")
    if not len(head.bias) == len(head.slope) == len(head.offset) == size:
        raise _damaged(path, "its numbers do not fit its categories")
    blocks = []
    for number, block in enumerate(head.blocks):
        terms = len(_terms(vocabularies, block.place))
        learnt = _read_numbers(file, path, f"{number}.learnt", terms * size)
        idf = _read_numbers(file, path, f"{number}.idf", terms) if block.idf else None
        weighing = Weighing(block.frequency, block.scale, idf)
        blocks.append(Block(block.place, weighing, learnt.reshape(terms, size)))
    scores = Scores(tuple(blocks), _array(path, head.bias))
    calibration = Calibration(_array(path, head.slope), _array(path, head.offset))
    classifier = LinearClassifier(head.categories, vocabularies, scores, calibration)
    return Model(classifier, head.method, head.language, head.facts, head.version)


def _read_head(file: zipfile.ZipFile, path: Path) -> _Head:
    if _HEAD not in file.namelist():
        raise BadModel(f"{path} is no model of Shoal's (it has no {_HEAD}); {_TRAIN_AGAIN}")
    text = _read_bytes(file, path, _HEAD, _HEAD_BYTES)
    stamp = msgspec.json.decode(text, type=_Stamp)
    if stamp.format != FORMAT:
        raise BadModel(f"{path} is no model of Shoal's but {stamp.format!r}; {_TRAIN_AGAIN}")
    if stamp.version > VERSION:
        raise BadModel(
            f"{path} was made by a newer Shoal: it is of version {stamp.version}, and this one "
            f"reads up to {VERSION}; upgrade Shoal, or train the model again with this one"
        )
    if stamp.version < VERSION:
        raise BadModel(
            f"{path} was made by an older Shoal: it is of version {stamp.version}, and this one "
            f"reads {VERSION}; train the model again"
        )
    return msgspec.json.decode(text, type=_Head)


def _read_terms(file: zipfile.ZipFile, path: Path, place: Place) -> Vocabulary:
    text = _read_bytes(file, path, f"{place}.terms", _LARGEST_BYTES).decode()
    vocabulary = Vocabulary(tuple(text.split("\n")) if text else ())
    if len(vocabulary.columns) != len(vocabulary.terms):
        raise _damaged(path, f"a term stands twice in {place}.terms")
    return vocabulary


def _read_numbers(file: zipfile.ZipFile, path: Path, name: str, count: int) -> NDArray[np.float64]:
    size_bytes = count * _NUMBER.itemsize
    content = _read_bytes(file, path, name, size_bytes)
    if len(content) != size_bytes:
        raise _damaged(path, f"{name} has {len(content)} bytes and should have {size_bytes}")
    numbers = np.frombuffer(content, _NUMBER).astype(np.float64)
    if not np.isfinite(numbers).all():
        raise _damaged(path, f"{name} holds what is no number")
    return numbers


def _read_bytes(file: zipfile.ZipFile, path: Path, name: str, most_bytes: int) -> bytes:
    """A member of at most so many bytes, told by its own entry and held to it while reading."""
    try:
        entry = file.getinfo(name)
    except KeyError:
        raise _damaged(path, f"{name} is missing") from None
    if entry.file_size > min(most_bytes, _LARGEST_BYTES):
        raise _damaged(path, f"{name} is larger than it can be")
    with file.open(entry) as member:
        return member.read(entry.file_size + 1)


def _array(path: Path, numbers: tuple[float, ...]) -> NDArray[np.float64]:
    array = np.array(numbers, np.float64)
    if not np.isfinite(array).all():
        raise _damaged(path, "it holds what is no number")
    return array


def _terms(vocabularies: Vocabularies, place: Place) -> tuple[str, ...]:
    return (vocabularies.text if place is Place.TEXT else vocabularies.lead).terms


def _floats(numbers: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(number) for number in numbers)


def _damaged(path: Path, what: str) -> BadModel:
    return BadModel(f"{path} is damaged: {what}; {_TRAIN_AGAIN}")
