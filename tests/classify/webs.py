"""Labelled pages on disk: two subjects of eight short essays each."""

from __future__ import annotations

from pathlib import Path

from tests.classify.pages import FARM, SEA, essay

SUBJECTS = {"sea": SEA, "farm": FARM}
PAGES = 8


def html(title: str, text: str, links: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head><title>{title}</title></head>'
        f"<body><main><h1>{title}</h1><p>{text}.</p></main>{links}</body></html>"
    )


def english(words: list[str], seed: int) -> str:
    """Enough of a sentence around the words that it is told as English."""
    told = essay(words, seed, 40)
    return f"This is what we have seen on the way, and what they said about it: {told}"


def make_folders(root: Path, seed: int = 0) -> Path:
    """A folder a category."""
    for name, words in SUBJECTS.items():
        folder = root / name
        folder.mkdir(parents=True)
        for number in range(PAGES):
            text = english(words, seed + 20 * len(name) + number)
            (folder / f"{number}.html").write_text(html(f"Page {number}", text), encoding="utf-8")
    return root


def make_web(root: Path) -> tuple[Path, Path]:
    """The same pages as a host of their own, linked within their subject but for one link each,
    and a table of their labels."""
    host = root / "web" / "essays.example"
    lines = ["url\tlabels"]
    for name, words in SUBJECTS.items():
        other = next(one for one in SUBJECTS if one != name)
        folder = host / name
        folder.mkdir(parents=True)
        for number in range(PAGES):
            text = english(words, 20 * len(name) + number)
            following = (number + 1) % PAGES
            links = (
                f'<p><a href="/{name}/{following}.html">the next one</a> and '
                f'<a href="/{name}/0.html">the first</a>, or '
                f'<a href="/{other}/{number}.html">something else</a></p>'
            )
            page = folder / f"{number}.html"
            page.write_text(html(f"Page {number}", text, links), encoding="utf-8")
            lines.append(f"http://essays.example/{name}/{number}.html\tsubject.{name}.part{number}")
    table = root / "labels.tsv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root / "web", table
