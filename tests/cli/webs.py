"""Small frozen webs, every page of which has a purpose."""

from __future__ import annotations

import gzip
from pathlib import Path

HOST = "garden.example"
SEED = f"http://{HOST}/"
TOPIC = "dengue fever"
ENDLESS = "synthetic:seed=3,pages=100000,hosts=60"
ENDLESS_SEED = "http://portal.wayfinder.example/"

_DENGUE = (
    "Dengue fever is an infection that mosquitoes carry. Dengue fever begins with a high fever, "
    "and patients with dengue fever rest and drink. The dengue virus has four forms. "
)
_GARDEN = (
    "Tomatoes want sun, water and patience. Prune the vines in early summer and tie them to a "
    "stake, so that the fruit hangs free and the leaves dry after rain. "
)
LINKS = """
<a href="/dengue/one.html">Dengue fever, part one</a>
<a href="/dengue/copy.html">Dengue fever, part one again</a>
<a href="/dengue/two.html">Dengue fever, part two</a>
<a href="/tomatoes.html">Tomatoes</a>
<a href="/private/diary.html">My diary</a>
<a href="/folder">A folder</a>
<a href="/archive.zip">Everything in one file</a>
<a href="/gone.html">Gone</a>
<a href="http://elsewhere.example/">Elsewhere</a>
"""


def page(title: str, text: str, links: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head><title>{title}</title></head>'
        f"<body><main><h1>{title}</h1><p>{text}</p></main>{links}</body></html>"
    )


PAGES = {
    "robots.txt": "User-agent: *\nDisallow: /private/\n",
    "index.html": page("The garden", _GARDEN + _DENGUE, LINKS),
    "dengue/one.html": page("Dengue fever, part one", _DENGUE * 4),
    "dengue/copy.html": page("Dengue fever, part one", _DENGUE * 4),
    "dengue/two.html": page("Dengue fever, part two", "Mosquitoes bite by day. " * 3 + _DENGUE),
    "tomatoes.html": page("Tomatoes", _GARDEN * 4),
    "private/diary.html": page("My diary", _DENGUE),
    "folder/index.html": page("The folder", _GARDEN + "It is the folder's own page. " * 3),
}


def make_folder(parent: Path) -> Path:
    """``parent/web``: one host with an answer of every kind."""
    root = parent / "web"
    for name, text in PAGES.items():
        path = root / HOST / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def make_warc(path: Path) -> Path:
    """The same pages in a WARC file of the plainest kind."""
    with path.open("wb") as file:
        for number, (name, text) in enumerate(PAGES.items()):
            kind = "text/plain" if name == "robots.txt" else "text/html; charset=utf-8"
            body = text.encode()
            answer = (
                f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
            ).encode() + body
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\n"
                f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
                "WARC-Date: 2024-05-01T12:00:00Z\r\n"
                f"WARC-Target-URI: {SEED}{name.removesuffix('index.html')}\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(answer)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + answer + b"\r\n\r\n"))
    return path
