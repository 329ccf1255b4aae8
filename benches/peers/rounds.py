"""What the rounds found, and the ratios that follow. Every figure is a median with its extremes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from measure import Run

SCRAPY = "Scrapy"
SHOAL_BREADTH = "Shoal, breadth-first"
SHOAL_BEST = "Shoal, best-first"
CRAWLEE = "Crawlee"
SCRAPY_BAR = 5.0
BARE_BAR = 1.5


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of several measurements, the least and the most."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(median(values), min(values), max(values))

    def show(self, digits: int = 2) -> str:
        if self.low == self.high:
            return f"{self.middle:,.{digits}f}"
        return f"{self.middle:,.{digits}f} ({self.low:,.{digits}f} to {self.high:,.{digits}f})"


@dataclass(slots=True)
class Crawls:
    """One crawler: its crawls of the whole site, and of one page, round by round."""

    whole: list[Run] = field(default_factory=list)
    single: list[Run] = field(default_factory=list)

    def cpu_ms(self, *, started: bool) -> list[float]:
        """CPU milliseconds a page in each round, without start-up where it has ``started``."""
        rows = zip(self.whole, self.single, strict=True)
        if started:
            return [
                1e3 * (whole.cpu_s - single.cpu_s) / (len(whole.pages) - 1)
                for whole, single in rows
            ]
        return [1e3 * whole.cpu_s / len(whole.pages) for whole, _ in rows]


@dataclass(slots=True)
class Comparison:
    """Everything that was measured, and nothing that was concluded."""

    crawls: dict[str, Crawls] = field(default_factory=dict)
    bare_ms: list[dict[str, float]] = field(default_factory=list)

    @property
    def pages(self) -> list[int]:
        return [len(run.pages) for crawls in self.crawls.values() for run in crawls.whole]

    def unfairness(self) -> list[str]:
        """Why the figures cannot be compared; nothing when every crawler fetched the same pages,
        each of them once, and got no error."""
        found = []
        everything = frozenset[str]().union(
            *(run.pages for crawls in self.crawls.values() for run in crawls.whole)
        )
        for name, crawls in self.crawls.items():
            for run in crawls.whole:
                missed = len(everything - run.pages)
                again = run.requests - run.errors - len(run.pages)
                if missed or run.errors or again:
                    found.append(
                        f"{name}: {missed} pages never fetched, {again} fetched again, "
                        f"{run.errors} answers other than 200"
                    )
        return found

    def beside_scrapy(self, name: str, *, started: bool) -> Spread:
        """Pages per CPU second as a multiple of Scrapy's, in each round."""
        own = self.crawls[name].cpu_ms(started=started)
        scrapy = self.crawls[SCRAPY].cpu_ms(started=started)
        return Spread.of([theirs / ours for ours, theirs in zip(own, scrapy, strict=True)])

    def beside_parts(self, name: str, *, started: bool) -> Spread:
        """CPU time as a multiple of the sum of the bare parts, in each round."""
        own = self.crawls[name].cpu_ms(started=started)
        return Spread.of([ours / sums for ours, sums in zip(own, self.part_sums(), strict=True)])

    def part_sums(self) -> list[float]:
        return [
            sum(cost for name, cost in parts.items() if not name.startswith("*"))
            for parts in self.bare_ms
        ]

    def part(self, name: str) -> Spread:
        return Spread.of([parts[name] for parts in self.bare_ms])
