"""A WordNet of our own, small enough to do sums with by hand, in both formats.

entity ── object ── vehicle ── train, railroad train ── (Flying Scotsman, an instance)
                 │         ├── car, auto
                 │         └── coach, carriage
                 └── person ── coach, trainer
       └─ event ── storm, tempest ── hurricane
                                 └── typhoon

travel ── ride        train, teach        (verbs)
stormy, tempestuous                       (adjectives)
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

from shoal.wordnet.database import FILES, read_database
from shoal.wordnet.lexicon import Lexicon


class Concept(NamedTuple):
    name: str
    """Its part of speech and a number, as offsets are."""
    words: tuple[str, ...]
    parents: tuple[str, ...] = ()
    instance: bool = False


CONCEPTS = (
    Concept("n00000001", ("entity",)),
    Concept("n00000002", ("object",), ("n00000001",)),
    Concept("n00000003", ("vehicle",), ("n00000002",)),
    Concept("n00000004", ("train", "railroad_train"), ("n00000003",)),
    Concept("n00000005", ("car", "auto"), ("n00000003",)),
    Concept("n00000006", ("coach", "carriage"), ("n00000003",)),
    Concept("n00000007", ("person",), ("n00000002",)),
    Concept("n00000008", ("coach", "trainer"), ("n00000007",)),
    Concept("n00000009", ("event",), ("n00000001",)),
    Concept("n00000010", ("storm", "tempest"), ("n00000009",)),
    Concept("n00000011", ("hurricane",), ("n00000010",)),
    Concept("n00000012", ("typhoon",), ("n00000010",)),
    Concept("n00000013", ("Flying_Scotsman",), ("n00000004",), instance=True),
    Concept("n00000014", ("goose",), ("n00000002",)),
    Concept("v00000001", ("travel",)),
    Concept("v00000002", ("ride",), ("v00000001",)),
    Concept("v00000003", ("train", "teach")),
    Concept("a00000001", ("stormy", "tempestuous")),
)
IRREGULAR = {"noun.exc": "geese goose\n", "verb.exc": "rode ride\ntaught teach\n"}
_LICENCE = "  1 This is written for tests, and says nothing that is true of English.  \n"
_NAMES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


def database() -> dict[str, bytes]:
    """The files by their names, as wndb(5WN) describes them."""
    files = {name: _LICENCE for name in FILES if not name.endswith(".exc")} | IRREGULAR
    for part, name in _NAMES.items():
        entries: dict[str, list[str]] = {}
        for concept in CONCEPTS:
            if concept.name[0] == part:
                files[f"data.{name}"] += _data_line(concept)
                for word in concept.words:
                    entries.setdefault(word.lower(), []).append(concept.name[1:])
        for word, offsets in sorted(entries.items()):
            count = len(offsets)
            files[f"index.{name}"] += f"{word} {part} {count} 1 @ {count} 0 {' '.join(offsets)}  \n"
    return {name: text.encode() for name, text in files.items()}


def _data_line(concept: Concept) -> str:
    words = " ".join(f"{word} 0" for word in concept.words)
    symbol = "@i" if concept.instance else "@"
    pointers = [f"{symbol} {parent[1:]} {parent[0]} 0000" for parent in concept.parents]
    # A pointer that is no IS-A relation, which must change nothing.
    pointers.append(f"+ {concept.name[1:]} {concept.name[0]} 0101")
    return (
        f"{concept.name[1:]} 03 {concept.name[0]} {len(concept.words):02x} {words} "
        f"{len(pointers):03d} {' '.join(pointers)} | a gloss | with a bar; \n"
    )


def write_database(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, content in database().items():
        (folder / name).write_bytes(content)
    return folder


def lmf(before: str = "") -> str:
    """The same as WN-LMF. ``before`` stands where the document type does."""
    entries: dict[tuple[str, str], list[str]] = {}
    for concept in CONCEPTS:
        for word in concept.words:
            entries.setdefault((word, concept.name[0]), []).append(concept.name)
    forms = {"goose": "geese", "ride": "rode", "teach": "taught"}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        before,
        "<LexicalResource>",
        '<Lexicon id="xx" label="Autre" language="fr" email="a@b.example" license="x" version="1">',
        '<LexicalEntry id="xx-1"><Lemma writtenForm="chat" partOfSpeech="n"/></LexicalEntry>',
        "</Lexicon>",
        '<Lexicon id="t" label="Tiny" language="en" email="a@b.example" license="x" version="1">',
    ]
    for (word, part), synsets in entries.items():
        form = f'<Form writtenForm="{forms[word]}"/>' if word in forms else ""
        senses = "".join(f'<Sense id="{word}-{name}" synset="{name}"/>' for name in synsets)
        lines.append(
            f'<LexicalEntry id="{word}-{part}">'
            f'<Lemma writtenForm="{word.replace("_", " ")}" partOfSpeech="{part}"/>'
            f"{form}{senses}</LexicalEntry>"
        )
    for concept in CONCEPTS:
        kind = "instance_hypernym" if concept.instance else "hypernym"
        relations = "".join(
            f'<SynsetRelation relType="{kind}" target="{parent}"/>' for parent in concept.parents
        )
        lines.append(
            f'<Synset id="{concept.name}" ili="" partOfSpeech="{concept.name[0]}">'
            f"<Definition>a gloss</Definition>{relations}"
            f'<SynsetRelation relType="also" target="{concept.name}"/></Synset>'
        )
    return "\n".join([*lines, "</Lexicon>", "</LexicalResource>"])


def write_lmf(path: Path) -> Path:
    content = lmf('<!DOCTYPE LexicalResource SYSTEM "http://127.0.0.1:9/none.dtd">').encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def lexicon() -> Lexicon:
    return Lexicon(read_database(database()))
