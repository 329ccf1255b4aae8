"""Browsing paths that are small enough to be counted by hand."""

from __future__ import annotations

from pathlib import Path

from shoal.testing.strategy import made_up_page
from shoal.training.set_file import save_training_set
from shoal.training.training_set import Step, TrainingPage, TrainingSet, make_training_set

URL = "http://p.example/"


def small_set() -> TrainingSet:
    """Ann links to Bob, Bob to Cat, Cat (the one relevant page) to Ann; Dan links to nobody."""
    return TrainingSet(
        (
            TrainingPage(URL + "ann", False, {"garden": 2}, (1,)),
            TrainingPage(URL + "bob", False, {"garden": 1, "fever": 1}, (2,)),
            TrainingPage(URL + "cat", True, {"fever": 3, "dengue": 4}, (0,)),
            TrainingPage(URL + "dan", False, {"garden": 1, "fever": 1}, ()),
        )
    )


def walked_set() -> TrainingSet:
    """Forty pages of the made-up web that the contract suite walks over."""
    steps: list[Step] = []
    waiting = ["http://site0.example/0"]
    seen: set[str] = set()
    while waiting and len(steps) < 40:
        address = waiting.pop(0)
        if address not in seen:
            seen.add(address)
            page, judgement = made_up_page(address, 7)
            steps.append(Step(page, judgement.similarity > 0.3))
            waiting += [link.target.text for link in page.links]
    return make_training_set(steps)


def saved(made: TrainingSet, folder: Path) -> str:
    path = folder / "path.training"
    save_training_set(made, path)
    return str(path)
