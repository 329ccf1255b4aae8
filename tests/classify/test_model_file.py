"""Models as files: what was saved is what is loaded, and nothing else is ever loaded."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from shoal.classify import model_file
from shoal.classify.choices import MethodName
from shoal.classify.examples import example_of
from shoal.classify.model_file import BadModel, Model
from shoal.classify.train import train
from shoal.errors import StorageError
from tests.classify.pages import FARM, SEA, essay, page_of

PAGES = [page_of(essay([*SEA, *FARM], seed), title="tide") for seed in range(5)]


@pytest.fixture(scope="module", params=[MethodName.MARGINS, MethodName.NAIVE_BAYES])
def model(request: pytest.FixtureRequest) -> Model:
    examples = [
        example_of(page_of(essay(words, seed), f"{name}{seed}", name), [name])
        for name, words in (("sea", SEA), ("farm", FARM))
        for seed in range(5)
    ]
    return train(examples, source="essays", trained_at="2026-01-01T00:00:00Z", method=request.param)


@pytest.fixture
def saved(model: Model, tmp_path: Path) -> Path:
    path = tmp_path / "a.model"
    model_file.save(model, path)
    return path


def test_a_loaded_model_answers_exactly_as_before(model: Model, saved: Path) -> None:
    loaded = model_file.load(saved)
    np.testing.assert_array_equal(
        loaded.classifier.probabilities(PAGES), model.classifier.probabilities(PAGES)
    )
    assert loaded.classifier.reasons(PAGES[0], "sea") == model.classifier.reasons(PAGES[0], "sea")
    assert loaded.facts == model.facts
    assert (loaded.method, loaded.language, loaded.version) == (model.method, "en", 1)


def test_the_same_model_makes_the_same_bytes(model: Model, saved: Path, tmp_path: Path) -> None:
    model_file.save(model, tmp_path / "b.model")
    assert (tmp_path / "b.model").read_bytes() == saved.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.model", "b.model"]


# --------------------------------------------------------------------------- what is refused


def rewritten(saved: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    with zipfile.ZipFile(saved) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    change(parts)
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return saved


def with_head(**changes: object) -> Callable[[dict[str, bytes]], object]:
    def change(parts: dict[str, bytes]) -> None:
        head = json.loads(parts["model.json"])
        parts["model.json"] = json.dumps({**head, **changes}).encode()

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_head(version=2), "newer Shoal.*upgrade Shoal"),
        (with_head(version=0), "older Shoal.*train the model again"),
        (with_head(format="parrot"), "no model of Shoal's but 'parrot'"),
        (with_head(bias=[0.0]), "numbers do not fit"),
        (with_head(bias=["many"]), "damaged"),
        (with_head(categories=["sea"]), "two or more"),
        (with_head(categories=["sea", "sea"]), "two or more"),
        (with_head(blocks=[{"place": "attic"}]), "damaged"),
        (lambda parts: parts.pop("0.learnt"), r"0\.learnt is missing"),
        (lambda parts: parts.pop("model.json"), "no model of Shoal's"),
        (lambda parts: parts.update({"0.learnt": b"\0" * 4}), "has 4 bytes"),
        (lambda parts: parts.update({"0.learnt": parts["0.learnt"] + b"\0"}), "larger than it can"),
        (
            lambda parts: parts.update({"0.learnt": b"\xff" * len(parts["0.learnt"])}),
            "what is no number",
        ),
        (lambda parts: parts.update({"text.terms": b"tide\ntide"}), "stands twice"),
        (lambda parts: parts.update({"text.terms": b"\xff\xfe"}), "damaged"),
        (lambda parts: parts.update({"model.json": b"{"}), "damaged"),
    ],
)
def test_a_damaged_or_foreign_file_says_what_to_do(
    saved: Path, change: Callable[[dict[str, bytes]], object], message: str
) -> None:
    with pytest.raises(BadModel, match=message) as caught:
        model_file.load(rewritten(saved, change))
    assert "train" in str(caught.value)


def test_a_file_cut_anywhere_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for size in range(0, len(whole) - 1, max(1, len(whole) // 60)):
        saved.write_bytes(whole[:size])
        with pytest.raises(BadModel):
            model_file.load(saved)


def test_a_file_with_any_byte_changed_is_refused_or_loads_as_data(saved: Path) -> None:
    """Never anything but BadModel: what loads in spite of a change says nothing of code."""
    whole = saved.read_bytes()
    chance = np.random.default_rng(1)
    for at in chance.integers(0, len(whole), 150):
        saved.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            model_file.load(saved)
        except BadModel:
            continue


class _Trap:
    sprung = False

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch sprung",)


def test_a_pickle_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "trap.model"
    path.write_bytes(pickle.dumps(_Trap()))
    with pytest.raises(BadModel, match="is no model"):
        model_file.load(path)
    stream = io.BytesIO()
    np.save(stream, np.array([_Trap()], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("model.json", stream.getvalue())
    with pytest.raises(BadModel):
        model_file.load(path)
    assert not (tmp_path / "sprung").exists()


def test_a_member_that_claims_to_be_small_is_held_to_it(saved: Path) -> None:
    """A zip bomb: a head of a hundred million bytes is refused by its entry alone."""

    def change(parts: dict[str, bytes]) -> None:
        parts["model.json"] = b" " * 100_000_000

    with pytest.raises(BadModel, match="larger than it can be"):
        model_file.load(rewritten(saved, change))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match="no such file"):
        model_file.load(tmp_path / "none.model")
    with pytest.raises(BadModel, match="is a folder"):
        model_file.load(tmp_path)


def test_a_model_that_cannot_be_written_leaves_nothing(model: Model, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        model_file.save(model, tmp_path / "nowhere" / "a.model")
    assert not list(tmp_path.iterdir())
