"""A small frozen web with labels, and experiments over it."""

from __future__ import annotations

from pathlib import Path

import pytest

HOST = "http://web.example"
_STORM = "A hurricane is a tropical storm. The cyclone and its storm surge came ashore. "
_BREAD = "Bake the bread with flour, yeast and water, and let the dough rest for an hour. "


def storm_page(number: int) -> str:
    return _STORM + f"This one was called number{number} of its season. "


def _html(title: str, text: str, links: list[tuple[str, str]]) -> str:
    anchors = "".join(f'<p><a href="{href}">{anchor}</a></p>' for href, anchor in links)
    return (
        f'<!doctype html><html lang="en"><head><title>{title}</title></head>'
        f"<body><h1>{title}</h1><p>{text}</p>{anchors}</body></html>"
    )


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty pages: a hub that links everything, eight storms in a chain, thirty about bread, and
    an index. One Link of each page leads nowhere."""
    there = tmp_path_factory.mktemp("lab")
    root = there / "web" / "web.example"
    root.mkdir(parents=True)
    gone = ("/gone.html", "gone")
    rows = ["url\tlabels"]
    for n in range(8):
        links = [(f"/storm{(n + 1) % 8}.html", "the next hurricane"), ("/index/", "index"), gone]
        (root / f"storm{n}.html").write_text(_html(f"Storm {n}", storm_page(n), links))
        rows.append(f"{HOST}/storm{n}.html\tweather.storms;thing")
    for n in range(30):
        links = [(f"/bread{(n + k) % 30}.html", "more bread") for k in (1, 4, 9)]
        links += [gone, ("/index/", "index")]
        if n % 10 == 4:
            links.append((f"/storm{n // 10}.html", "a tropical storm"))
        text = _BREAD + f"Loaf loaf{n} of the baker."
        (root / f"bread{n}.html").write_text(_html(f"Bread {n}", text, links))
        rows.append(f"{HOST}/bread{n}.html\tfood")
    (root / "index").mkdir()
    every = [(f"/storm{n}.html", f"storm {n}") for n in range(8)]
    (root / "index" / "index.html").write_text(_html("Index", "All there is.", every))
    (there / "labels.tsv").write_text("\n".join(rows) + "\n")
    return there


def write_experiment(folder: Path, web: Path, **changes: str) -> Path:
    """An experiment over that web; ``changes`` replace pieces of its text."""
    text = f"""
title = "Storms and bread"
strategies = ["breadth-first", "best-first"]
pages = [0.25, 20]
[webs.small]
path = "{web / "web"}"
labels = "{web / "labels.tsv"}"
[topics.storms]
words = "hurricane tropical storm cyclone"
targets = "weather"
[seeds.random]
random_off_topic = {{ sets = 2, size = 2 }}
"""
    for before, after in changes.items():
        text = text.replace(before, after)
    path = folder / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return path
