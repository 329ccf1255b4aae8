"""The web, topic and seeds of ``shoal demo``."""

from __future__ import annotations

from typing import Final

from shoal.lab.synthetic import SyntheticKnobs, SyntheticShelf
from shoal.url import Url

DEMO_TOPIC: Final = "dengue fever"
DEMO_KNOBS: Final = SyntheticKnobs(seed=7, pages=4_000, hosts=44, topics=10)


def demo_shelf() -> SyntheticShelf:
    """About one page in eleven is about the topic, in islands that tunnels connect."""
    return SyntheticShelf(DEMO_KNOBS)


def demo_topic() -> tuple[str, ...]:
    """What somebody would type: the words of ``crawl.topic``."""
    return (DEMO_TOPIC,)


def demo_seeds(shelf: SyntheticShelf) -> tuple[Url, ...]:
    """A portal page, and a directory page that knows one island of the topic."""
    return (shelf.start_url, shelf.directory(DEMO_TOPIC))


def demo_settings(port: int, pages: int, log: str | None) -> dict[str, dict[str, object]]:
    """The demonstration's crawl as a layer of settings: polite, but in a hurry, for the web is its
    own and on this machine. ``port`` is where the synthetic web is served."""
    seeds = [url.text for url in demo_seeds(demo_shelf())]
    return {
        "crawl": {"topic": list(demo_topic()), "seeds": seeds, "pages": pages, "attempts": 1},
        "fetch": {"resolve": [f"*:*=127.0.0.1:{port}"], "allow_private": True},
        "politeness": {"delay_s": 0.05, "per_ip": 64},
        "watch": {} if log is None else {"log": log},
    }
