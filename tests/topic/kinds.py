"""Small topics of every kind, and a small model, for the tests of topics."""

from __future__ import annotations

from collections import Counter
from functools import cache

from shoal.classify.examples import example_of
from shoal.classify.model import Model
from shoal.classify.train import train
from shoal.ports import Topic
from shoal.topic.examples import ExampleTopic, learn_examples
from shoal.topic.keywords import KeywordTopic
from shoal.topic.rarity import Rarity
from tests.classify.pages import FARM, SEA, SKY, essay, page_of

RARITY = Rarity()


def counts(words: list[str], seed: int) -> Counter[str]:
    return Counter(essay(words, seed).split())


@cache
def sea_examples(unlike: bool) -> ExampleTopic:
    likes = [counts(SEA, seed) for seed in range(6)]
    unlikes = [counts(FARM, seed) for seed in range(20, 26)] if unlike else []
    return learn_examples(likes, unlikes, RARITY)


def fresh_examples(unlike: bool) -> ExampleTopic:
    """Not the one that was asked before."""
    sea_examples.cache_clear()
    return sea_examples(unlike)


@cache
def subjects() -> Model:
    subjects = {"sea": SEA, "farm": FARM, "sky": SKY}
    examples = [
        example_of(page_of(essay(words, seed), f"{name}{seed}"), [name])
        for number, (name, words) in enumerate(subjects.items())
        for seed in range(100 * number, 100 * number + 8)
    ]
    return train(examples, source="essays", trained_at="2026-01-01T00:00:00Z")


def sea_words() -> Topic:
    return KeywordTopic(("harbour sailor", "tide"), RARITY)
