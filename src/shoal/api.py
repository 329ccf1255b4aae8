"""Shoal from Python: the same crawl as on the command line.

from shoal import Crawl, Topic

crawl = Crawl(Topic("dengue fever"), seeds=["https://www.who.int/"], out="dengue", pages=500)
report = crawl.run()
for page in crawl.pages(relevance=0.5):
    print(page.relevance, page.url, page.title)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from threading import Event as Flag
from typing import Any

from shoal import config
from shoal.compose.crawl import run_crawl
from shoal.compose.reading import open_ledger, text_reader
from shoal.crawl.stop import Stop
from shoal.directory import CrawlDirectory
from shoal.errors import UsageError
from shoal.events import Event
from shoal.model import Part, Position
from shoal.report.importance import LinkOptions
from shoal.report.summary import Report, summarise
from shoal.settings import CrawlSettings, Settings


@dataclass(frozen=True, slots=True)
class Topic:
    """What is wanted: words as you would type them into a search box, a topic file, example pages,
    a category of a model, an ontology, languages. ``topic & other`` wants both."""

    words: tuple[str, ...] = ()
    file: str | None = None
    like_pages: tuple[str, ...] = ()
    unlike_pages: tuple[str, ...] = ()
    model: str | None = None
    category_name: str | None = None
    ontology_file: str | None = None
    focus: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def __init__(self, *words: str) -> None:
        if not any(word.strip() for word in words):
            raise UsageError('a topic needs words, such as Topic("dengue fever")')
        self._set(words=words)

    @classmethod
    def from_file(cls, path: str | Path) -> Topic:
        """What a topic file says: see docs/reference/topic-file.md."""
        return cls._of(file=_absolute(path))

    @classmethod
    def like(cls, *pages: str | Path, unlike: Sequence[str | Path] = ()) -> Topic:
        """Pages like these, and unlike those: files, folders, WARC files, or addresses in the
        frozen web that is crawled."""
        return cls._of(
            like_pages=tuple(map(_absolute, pages)), unlike_pages=tuple(map(_absolute, unlike))
        )

    @classmethod
    def category(cls, model: str | Path, name: str) -> Topic:
        """Pages of one category of a model that ``shoal model train`` made."""
        return cls._of(model=_absolute(model), category_name=name)

    @classmethod
    def ontology(cls, path: str | Path, focus: Sequence[str] = ()) -> Topic:
        """Pages that speak of the concepts of an ontology, most of all of those in focus, which are
        named by id or label."""
        return cls._of(ontology_file=_absolute(path), focus=tuple(focus))

    @classmethod
    def language(cls, *codes: str) -> Topic:
        """Pages in one of these languages (ISO 639)."""
        return cls._of(languages=codes)

    def __and__(self, other: Topic) -> Topic:
        """Both at once. Two of one kind, and other combinations, are for a topic file to say."""
        mine, theirs = self._given(), other._given()
        twice = sorted(mine.keys() & theirs.keys())
        if twice:
            raise UsageError(f"{twice[0]} is given twice: combine the two in a topic file")
        return self._of(**mine, **theirs)

    def _given(self) -> dict[str, Any]:
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name))}

    @classmethod
    def _of(cls, **given: object) -> Topic:
        topic = object.__new__(cls)
        topic._set(**given)
        return topic

    def _set(self, **given: object) -> None:
        for one in fields(self):
            object.__setattr__(self, one.name, given.get(one.name, one.default))

    def settings(self, crawl: CrawlSettings) -> CrawlSettings:
        """Those of a crawl, with this topic."""
        return replace(
            crawl,
            topic=self.words,
            topic_file=self.file,
            like=self.like_pages,
            unlike=self.unlike_pages,
            model=self.model,
            category=self.category_name,
            ontology=self.ontology_file,
            focus=self.focus,
            languages=self.languages,
        )


def _absolute(path: str | Path) -> str:
    text = str(path)
    return text if "://" in text else str(Path(text).absolute())


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that a crawl kept, with its text read back from the archive when it is asked for."""

    url: str
    title: str
    relevance: float
    language: str | None
    fetched_at_s: float
    beliefs: tuple[Part, ...]
    """How likely it belongs to each category, or how relevant it is to each part of the topic."""
    _position: Position | None
    _read_text: Callable[[Position], str]

    @property
    def text(self) -> str:
        """The main text; empty where the crawl kept no record."""
        return self._read_text(self._position) if self._position else ""


class _Listener:
    def __init__(self, hear: Callable[[Event], None]) -> None:
        self._hear = hear

    def see(self, event: Event) -> None:
        self._hear(event)

    def close(self) -> None: ...


class Crawl:
    """One crawl in one directory. Making it touches nothing; ``run`` crawls, or goes on."""

    def __init__(
        self,
        topic: Topic,
        *,
        seeds: Sequence[str],
        out: str | Path,
        pages: int | None = None,
        web: str | None = None,
        settings: Settings | None = None,
        accept_changes: bool = False,
    ) -> None:
        """``settings`` has everything else; the arguments beside it win over what it says."""
        base = settings or Settings()
        crawl = base.crawl
        self._settings = replace(
            base,
            crawl=replace(
                topic.settings(crawl),
                seeds=tuple(seeds),
                pages=pages if pages is not None else crawl.pages,
                web=web if web is not None else crawl.web,
            ),
        )
        self._directory = CrawlDirectory(Path(out))
        self._accept_changes = accept_changes
        self._halt = Flag()

    @property
    def settings(self) -> Settings:
        return self._settings

    def run(self, on_event: Callable[[Event], None] | None = None) -> Report:
        """Crawl until there is a reason to stop, and say what came of it. Raises ShoalError."""
        self.run_until_stop(on_event)
        return self.report()

    async def run_async(self, on_event: Callable[[Event], None] | None = None) -> Report:
        """The same beside other tasks; cancelling it stops the crawl soon, durable and resumable.

        ``on_event`` is called from the crawl's own thread.
        """
        task = asyncio.create_task(asyncio.to_thread(self.run, on_event))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self.stop()
            await task
            raise

    def run_until_stop(self, on_event: Callable[[Event], None] | None = None) -> Stop:
        self._halt.clear()
        watchers = [_Listener(on_event)] if on_event else []
        checked = config.check(config.as_layer(self._settings))
        return run_crawl(checked, self._directory, watchers, self._halt, self._accept_changes)

    def stop(self) -> None:
        """Ask a running crawl to end soon. May be called from any thread."""
        self._halt.set()

    def report(self, links: LinkOptions | None = None) -> Report:
        """What the crawl has brought so far; with ``links``, what they make important as well."""
        with open_ledger(self._directory) as ledger:
            return summarise(ledger, self._settings.crawl.relevant_at, links=links)

    def pages(self, relevance: float = 0.0, limit: int | None = None) -> Iterator[FoundPage]:
        """Pages kept, the most relevant first."""
        read_text = text_reader(self._directory)
        with open_ledger(self._directory) as ledger:
            for known, visit in ledger.best(relevance, limit):
                yield FoundPage(
                    known.url,
                    visit.title,
                    visit.judgement.relevance if visit.judgement else 0.0,
                    visit.language,
                    visit.at_s,
                    visit.judgement.beliefs if visit.judgement else (),
                    visit.position,
                    read_text,
                )


__all__ = ["Crawl", "CrawlSettings", "FoundPage", "LinkOptions", "Settings", "Topic"]
