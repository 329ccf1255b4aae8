"""What any Strategy must keep to. Subclass StrategyContract and give ``make_strategy``.

A Strategy that is a Rescorer or a Learner as well is looked at in those roles too; one that is not
passes those tests by being neither.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.model import Judgement, Lease, Link, LinkCount, LinkKind, Page, Priority, Waiting
from shoal.ports import Learner, LinkCounter, Rescorer, Strategy
from shoal.url import parse_url

_WORDS = st.text(alphabet="abcdefghij ", max_size=40)
_SEED = st.integers(0, 1_000_000)


class StrategyContract:
    def make_strategy(self) -> Strategy:
        """A fresh Strategy that knows nothing yet; each time the same one."""
        raise NotImplementedError("give the contract a strategy to look at")

    @given(
        anchors=st.lists(_WORDS, max_size=30),
        relevance=st.floats(0, 1),
        similarity=st.floats(0, 1),
    )
    @settings(deadline=None)
    def test_one_finite_priority_a_link_in_their_order(
        self, anchors: list[str], relevance: float, similarity: float
    ) -> None:
        page, links = _page_with(anchors)
        judgement = Judgement(relevance, similarity)
        together = self.make_strategy().priorities(page, judgement, links, _lease_of(page))
        assert len(together) == len(links)
        for priority in together:
            assert is_sound(priority)

    @given(anchors=st.lists(_WORDS, max_size=10), similarity=st.floats(0, 1))
    @settings(deadline=None)
    def test_the_same_evidence_gives_the_same_priorities(
        self, anchors: list[str], similarity: float
    ) -> None:
        page, links = _page_with(anchors)
        judgement = Judgement(similarity, similarity)
        once = self.make_strategy().priorities(page, judgement, links, _lease_of(page))
        again = self.make_strategy().priorities(page, judgement, links, _lease_of(page))
        assert list(once) == list(again)

    def test_seeds_have_a_finite_priority(self) -> None:
        assert is_sound(self.make_strategy().seed(parse_url("http://seed.example/")))

    def test_a_page_without_links_is_told_too(self) -> None:
        page, _ = _page_with([])
        strategy = self.make_strategy()
        assert list(strategy.priorities(page, Judgement(1.0, 1.0), [], _lease_of(page))) == []

    @given(seed=_SEED)
    @settings(max_examples=5, deadline=None)
    def test_the_same_history_gives_the_same_crawl(self, seed: int) -> None:
        once, again = Walk(self.make_strategy(), seed), Walk(self.make_strategy(), seed)
        once.go(25)
        again.go(25)
        assert once.told == again.told

    @given(seed=_SEED)
    @settings(max_examples=5, deadline=None)
    def test_rescoring_gives_each_waiting_url_a_finite_priority(self, seed: int) -> None:
        strategy = self.make_strategy()
        walk = Walk(strategy, seed)
        walk.go(25)
        if isinstance(strategy, Rescorer):
            waiting = walk.waiting()
            found = strategy.rescore(waiting)
            assert len(found) == len(waiting)
            assert all(is_sound(priority) for priority in found)
            assert list(strategy.rescore([])) == []

    @given(seed=_SEED, before=st.integers(0, 20))
    @settings(max_examples=5, deadline=None)
    def test_what_was_learnt_survives(self, seed: int, before: int) -> None:
        """Half a walk, a crash, and the other half by a Strategy that was only told."""
        whole = Walk(self.make_strategy(), seed)
        if not isinstance(whole.strategy, Learner):
            return
        kept: dict[str, bytes] = {}
        whole.strategy.recall(kept.get)
        for _ in range(3):
            whole.go(before // 3)
            kept.update(whole.strategy.knowledge())
        resumed = whole.resumed_by(self.make_strategy())
        assert isinstance(resumed.strategy, Learner)
        resumed.strategy.recall(kept.get)
        whole.go(15)
        resumed.go(15)
        assert resumed.told == whole.told

    @given(seed=_SEED, pages=st.integers(1, 9))
    @settings(max_examples=5, deadline=None)
    def test_what_others_count_is_added_once_and_never_told_on(self, seed: int, pages: int) -> None:
        strategy = self.make_strategy()
        if not isinstance(strategy, LinkCounter):
            return
        walk = Walk(strategy, seed)
        walk.go(10)
        waiting = walk.waiting()
        urls = [item.url for item in waiting]
        assert isinstance(strategy, Rescorer)
        before = [item.value for item in strategy.rescore(waiting)]
        here = list(strategy.counted(urls))
        counts = [LinkCount(url.key, pages) for url in urls]
        for by in ("one", "one", "two"):
            strategy.told(by, counts)
        strategy.told("one", [LinkCount(url.key, pages - 1) for url in urls])
        assert list(strategy.counted(urls)) == here
        after = [item.value for item in strategy.rescore(waiting)]
        assert after == [value + 2 * pages for value in before]

    @given(seed=_SEED)
    @settings(max_examples=5, deadline=None)
    def test_what_others_count_survives(self, seed: int) -> None:
        strategy = self.make_strategy()
        if not isinstance(strategy, LinkCounter):
            return
        assert isinstance(strategy, Learner)
        kept: dict[str, bytes] = {}
        strategy.recall(kept.get)
        chance = random.Random(seed)
        keys = [chance.getrandbits(64) - (1 << 63) for _ in range(5_000)]
        for _ in range(8):
            counts = [LinkCount(key, chance.randint(0, 99)) for key in chance.sample(keys, 2_000)]
            strategy.told(chance.choice(("one", "two")), counts)
            kept.update(strategy.knowledge())
        resumed = self.make_strategy()
        assert isinstance(resumed, Learner)
        resumed.recall(kept.get)
        walk, again = Walk(strategy, seed), Walk(resumed, seed)
        walk.go(10)
        again.go(10)
        assert again.told == walk.told
        news = [LinkCount(key, 100) for key in keys[:10]]
        strategy.told("one", news)
        assert isinstance(resumed, LinkCounter)
        resumed.told("one", news)
        assert {**kept, **strategy.knowledge()} == {**kept, **resumed.knowledge()}


def is_sound(priority: Priority) -> bool:
    return isfinite(priority.value) and all(isfinite(part.value) for part in priority.parts)


class Walk:
    """A Strategy walks over a made-up web, as a crawl with batches of one would have it."""

    def __init__(self, strategy: Strategy, seed: int) -> None:
        self.strategy = strategy
        self.told: list[tuple[str, Priority]] = []
        """All that the Strategy has said, in order."""
        self._seed = seed
        self._known: dict[str, Waiting] = {}
        self._fetched: set[str] = set()
        start = parse_url("http://site0.example/0")
        self._known[start.text] = Waiting(1, start, strategy.seed(start), 0, LinkKind.SEED)

    def resumed_by(self, strategy: Strategy) -> Walk:
        """The same walk at the same place, gone on with by another Strategy."""
        walk = Walk(strategy, self._seed)
        walk.told = list(self.told)
        walk._known = dict(self._known)
        walk._fetched = set(self._fetched)
        return walk

    def waiting(self) -> list[Waiting]:
        return [item for url, item in self._known.items() if url not in self._fetched]

    def go(self, pages: int) -> None:
        for _ in range(pages):
            waiting = sorted(self.waiting(), key=lambda item: (-item.priority.value, item.id))
            if not waiting:
                return
            self._fetch(waiting[0])
            self._rescore()

    def _fetch(self, item: Waiting) -> None:
        self._fetched.add(item.url.text)
        page, judgement = made_up_page(item.url.text, self._seed)
        lease = Lease(
            item.id,
            item.url,
            item.priority.value,
            item.depth,
            redirects=0,
            attempts=0,
            kind=item.kind,
            anchor=item.anchor,
            context=item.context,
            parts=item.priority.parts,
        )
        found = self.strategy.priorities(page, judgement, page.links, lease)
        for link, priority in zip(page.links, found, strict=True):
            assert is_sound(priority)
            self.told.append((link.target.text, priority))
            self._offer(link, priority, item.depth + 1)

    def _offer(self, link: Link, priority: Priority, depth: int) -> None:
        known = self._known.get(link.target.text)
        if known is not None and priority.value <= known.priority.value:
            return
        number = len(self._known) + 1 if known is None else known.id
        self._known[link.target.text] = Waiting(
            number, link.target, priority, depth, link.kind, link.anchor, link.context
        )

    def _rescore(self) -> None:
        strategy = self.strategy
        if isinstance(strategy, Rescorer) and strategy.rescore_due():
            waiting = self.waiting()
            for item, priority in zip(waiting, strategy.rescore(waiting), strict=True):
                self.told.append((item.url.text, priority))
                self._known[item.url.text] = replace(item, priority=priority)


_TOPIC = ("abc", "fish")
_FILLER = ("hay", "dig", "beige", "face", "jab", "headache", "bagged")


def made_up_page(address: str, seed: int) -> tuple[Page, Judgement]:
    """A page made of its own address and the seed: the same, whoever asks."""
    chance = random.Random(f"{seed} {address}")
    source = parse_url(address)
    similarity = chance.random() ** 3
    terms = {word: chance.randint(1, 9) for word in chance.sample(_FILLER, 4)}
    if similarity > 0.3:
        terms |= {word: chance.randint(1, 5) for word in _TOPIC}
    links = tuple(_made_up_link(source.text, chance) for _ in range(chance.randint(0, 12)))
    return (
        Page(url=source, media_type="text/html", text=" ".join(terms), terms=terms, links=links),
        Judgement(min(1.0, similarity * 1.5), similarity),
    )


def _made_up_link(source: str, chance: random.Random) -> Link:
    words = chance.choices((*_TOPIC, *_FILLER), k=chance.randint(0, 4))
    target = f"http://site{chance.randint(0, 4)}.example/{chance.choice(words or ['x'])}/"
    return Link(
        parse_url(source),
        parse_url(f"{target}{chance.randint(0, 20)}"),
        LinkKind.ANCHOR,
        " ".join(words),
        " ".join(chance.choices(_FILLER, k=5)),
        position=chance.random(),
    )


def _page_with(anchors: Sequence[str]) -> tuple[Page, list[Link]]:
    source = parse_url("http://source.example/")
    links = [
        Link(source, parse_url(f"http://target.example/{number}"), LinkKind.ANCHOR, anchor)
        for number, anchor in enumerate(anchors)
    ]
    return Page(url=source, media_type="text/html", links=tuple(links)), links


def _lease_of(page: Page) -> Lease:
    return Lease(1, page.url, 1.0, depth=0, redirects=0, attempts=0, kind=LinkKind.SEED)
