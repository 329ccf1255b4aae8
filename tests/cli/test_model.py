"""`shoal model` as people use and misuse it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.classify.pages import SEA
from tests.classify.webs import PAGES, english, html, make_folders, make_web
from tests.cli.command import refused, shoal, well


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folders(tmp_path_factory.mktemp("labelled") / "subjects")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, folders: Path) -> Path:
    path = tmp_path_factory.mktemp("models") / "subjects.model"
    well("model", "train", folders, "--out", path)
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_web(tmp_path_factory.mktemp("table"))


# --------------------------------------------------------------------------- what works


@pytest.mark.parametrize(
    "method", ["margins", "naive-bayes", "naive-bayes-binary", "lewis", "rocchio"]
)
def test_every_method_is_trained_and_tested(tmp_path: Path, folders: Path, method: str) -> None:
    model, fresh = tmp_path / "a.model", make_folders(tmp_path / "fresh", seed=500)
    well("model", "train", folders, "--out", model, "--method", method)
    ran = well("model", "test", model, fresh, "--json")
    told = json.loads(ran.out)
    assert told["accuracy_mean"] == 1.0
    assert told["accuracy_variance"] == 0.0
    assert told["pages_per_second"] > 0
    assert told["per_category"]["sea"] == {
        "pages": PAGES,
        "accuracy": 1.0,
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
    }
    assert told["confusion"] == {
        "farm": {"farm": PAGES, "sea": 0},
        "sea": {"farm": 0, "sea": PAGES},
    }
    assert 0.0 <= told["calibration_error"] <= 1.0
    picture = (tmp_path / "a.model.test.html").read_text(encoding="utf-8")
    assert "<svg" in picture
    assert not re.search(r'(?:src|href)="?http', picture)


def test_a_test_for_people(model: Path, folders: Path, tmp_path: Path) -> None:
    ran = well("model", "test", model, folders, "--picture", tmp_path / "test.html")
    assert re.search(r"sea +8 +100.0 % +100.0 %", ran.out)
    assert "calibration error" in ran.out
    assert "pages a second on one core" in ran.out
    assert (tmp_path / "test.html").exists()


def test_a_model_shows_what_it_knows(model: Path, folders: Path) -> None:
    ran = well("model", "show", model)
    assert "margins, 2 categories, language en" in ran.out
    assert str(folders) in ran.out
    told = json.loads(well("model", "show", model, "--json", "--terms", "3").out)
    assert told["categories"] == ["farm", "sea"]
    assert set(told["strongest_terms"]["sea"]) <= set(SEA)
    assert told["facts"]["pages"] == {"farm": PAGES, "sea": PAGES}
    assert told["facts"]["preprocessing"]


def test_pages_are_classified_with_reasons(model: Path, folders: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.html"
    short.write_text(html("Short", "harbour"), encoding="utf-8")
    ran = well("model", "classify", model, folders / "sea", short, "--json")
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["category"] for answer in answers] == ["sea"] * PAGES + [None]
    assert answers[-1]["kind"] == "few_terms"
    assert answers[0]["reasons"][0]["name"] in {*SEA}
    assert sum(answers[0]["probabilities"].values()) == pytest.approx(1.0)
    ran = well("model", "classify", model, short, "--least-terms", "1")
    assert ran.out.startswith("sea 0.")


def test_labels_in_a_table_with_their_pages_in_a_web(
    table: tuple[Path, Path], tmp_path: Path
) -> None:
    web, labels = table
    model = tmp_path / "a.model"
    well("model", "train", labels, "--web", web, "--out", model)
    told = json.loads(well("model", "show", model, "--json").out)
    assert told["categories"] == ["farm", "sea"]
    assert told["facts"]["collapse"] == {"drop": 1, "depth": 1}
    ran = well("model", "test", model, labels, "--web", web, "--json")
    assert json.loads(ran.out)["accuracy_mean"] == 1.0
    address = "http://essays.example/farm/3.html"
    assert well("model", "classify", model, address, "--web", web).out.startswith("farm")


def test_the_locality_of_a_model_and_of_labels(table: tuple[Path, Path], tmp_path: Path) -> None:
    """Of the links that leave a page, to the next, to the first and to the other subject, each
    page has two at home, but for the last (next is first) and the first (itself)."""
    web, labels = table
    model = tmp_path / "a.model"
    well("model", "train", labels, "--web", web, "--out", model)
    of_labels = json.loads(well("model", "locality", labels, "--web", web, "--json").out)
    of_model = json.loads(well("model", "locality", model, "--web", web, "--json").out)
    home, away = 2 * (2 * PAGES - 2), 2 * PAGES
    for told in (of_labels, of_model):
        assert told["links"] == home + away
        assert told["local"] == pytest.approx(home / (home + away))
        assert told["chance"] == pytest.approx(0.5)
    assert of_labels["by_probability"] == []
    assert sum(one["links"] for one in of_model["by_probability"]) == home + away
    assert "stay in their category" in well("model", "locality", model, "--web", web).out


def test_labels_in_a_table_of_files(folders: Path, tmp_path: Path) -> None:
    lines = [f"{path}\t{path.parent.name};{path.parent.name}" for path in folders.rglob("*.html")]
    labels = tmp_path / "labels.tsv"
    labels.write_text("\n".join(lines), encoding="utf-8")
    well("model", "train", labels, "--out", tmp_path / "a.model")


def test_a_crawl_with_labels(table: tuple[Path, Path], tmp_path: Path) -> None:
    web, labels = table
    crawl = tmp_path / "crawl"
    seeds = ["--seeds", "http://essays.example/sea/1.html"]
    well("crawl", "harbour", *seeds, "--web", web, "--out", crawl)
    refused(shoal("model", "train", crawl, "--out", tmp_path / "m"), 2, r"labels\.tsv")
    (crawl / "labels.tsv").write_text(labels.read_text(encoding="utf-8"), encoding="utf-8")
    ran = well("model", "train", crawl, "--out", tmp_path / "m", "--json")
    facts = json.loads(ran.out)["facts"]
    # Near copies that the crawl met are not followed, so that some pages are not in it.
    assert facts["missing"] < PAGES
    assert sum(facts["pages"].values()) + facts["missing"] == 2 * PAGES


@pytest.mark.parametrize("selection", ["forward", "backward"])
def test_terms_are_selected_step_by_step(tmp_path: Path, folders: Path, selection: str) -> None:
    model = tmp_path / "a.model"
    terms = ("--select", selection, "--stop-words", "20", "--most-share", "0.9")
    well("model", "train", folders, "--out", model, "--method", "naive-bayes", *terms)
    facts = json.loads(well("model", "show", model, "--json").out)["facts"]
    assert facts["features"]["selection"] == selection
    assert 0 < facts["terms"] < 12


# --------------------------------------------------------------------------- what is refused


def trained(labelled: Path, *more: object) -> tuple[object, ...]:
    return ("model", "train", labelled, "--out", labelled.parent / "never.model", *more)


def test_an_empty_category(tmp_path: Path) -> None:
    folders = make_folders(tmp_path / "a")
    (folders / "sky").mkdir()
    refused(shoal(*map(str, trained(folders))), 2, "category 'sky' has no usable page")
    (folders / "sky" / "picture.png").write_bytes(b"\x89PNG")
    refused(shoal(*map(str, trained(folders))), 2, r"'sky' has no usable page \(.*1 no_text")
    assert not (tmp_path / "never.model").exists()


def test_one_category_and_none(tmp_path: Path) -> None:
    folders = tmp_path / "a"
    (folders / "sea").mkdir(parents=True)
    (folders / "sea" / "1.html").write_text(html("One", english(SEA, 1)), encoding="utf-8")
    refused(shoal(*map(str, trained(folders))), 2, "one category only, 'sea'")
    (tmp_path / "none").mkdir()
    refused(shoal(*map(str, trained(tmp_path / "none"))), 2, "has no folders in it")
    refused(shoal(*map(str, trained(tmp_path / "nowhere"))), 2, "no such file or folder")


def test_a_category_of_duplicates(tmp_path: Path) -> None:
    folders = make_folders(tmp_path / "a")
    (folders / "sky").mkdir()
    for number in range(4):
        page = folders / "sky" / f"{number}.html"
        page.write_text(html("Same", english(["comet"], 1)), encoding="utf-8")
    refused(shoal(*map(str, trained(folders))), 2, "'sky' has 4 pages, all with one text")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"http://a.example/ sea\n", r"labels\.tsv, line 1: .*is not an address, a tab and labels"),
        (b"url\tlabel\nhttp://a.example/\t;\n", r"labels\.tsv, line 2"),
        (b"url\tlabel\n", "has no addresses in it"),
        (b"\xff\xfe\x00", "cannot be read as a table"),
        (b"missing.html\tsea\n", r"missing\.html: cannot be read: No such file"),
        (b"http://a.example/\tsea\n", "say with --web"),
        (b".\tsea\n", "cannot be read: Is a directory"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, content: bytes, message: str) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_bytes(content)
    refused(shoal(*map(str, trained(labels))), 2, message)


def test_webs_that_are_unreadable(table: tuple[Path, Path], tmp_path: Path) -> None:
    web, labels = table
    broken = tmp_path / "broken.warc.gz"
    broken.write_bytes(b"no WARC at all")
    out = ("--out", tmp_path / "m")
    refused(shoal("model", "train", labels, "--web", broken, *out), 2, r"broken\.warc\.gz")
    elsewhere = tmp_path / "elsewhere.tsv"
    elsewhere.write_text("http://elsewhere.example/\tsea\n", encoding="utf-8")
    refused(shoal("model", "train", elsewhere, "--web", web, *out), 2, "none of 1 addresses")


def test_a_model_of_another_kind(model: Path, folders: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.model"
    text.write_text("not a model", encoding="utf-8")
    for command in ("show", "test", "classify"):
        more = () if command == "show" else (folders,)
        ran = shoal("model", command, text, *more)
        refused(ran, 2, r"text\.model is no model.*train it again")
    half = tmp_path / "half.model"
    half.write_bytes(model.read_bytes()[:-100])
    refused(shoal("model", "show", half), 2, r"half\.model is no model, or only a part of one")
    refused(shoal("model", "show", tmp_path / "none"), 2, "no such file")


def test_a_model_for_another_language(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "french" / "sea"
    folder.mkdir(parents=True)
    for number in range(3):
        text = (
            "Le bateau est arrivé hier soir dans le port, et les marins ont raconté tout ce qu'ils "
            f"avaient vu pendant ce long voyage de {number} semaines autour du monde. Nous avons "
            "mangé du pain et du fromage, puis nous sommes allés nous promener le long de la mer "
            "avec nos amis, qui nous ont parlé de leur maison, de leurs enfants et de leur travail"
        )
        page = folder / f"{number}.html"
        page.write_text(html("Le port", text).replace('lang="en"', ""), encoding="utf-8")
    refused(shoal("model", "test", model, folder.parent), 2, "another language than.*'en'")
    ran = shoal("model", "classify", model, folder)
    assert ran.code == 2
    assert ran.out.startswith("WORLD")
    assert "every page is in another language" in ran.err


def test_labels_that_the_model_does_not_know(model: Path, tmp_path: Path) -> None:
    folders = make_folders(tmp_path / "a")
    (folders / "sea").rename(folders / "ocean")
    (folders / "farm").rename(folders / "field")
    refused(shoal("model", "test", model, folders), 2, "they have field, ocean; it has farm, sea")


def test_pages_that_are_nowhere(model: Path, table: tuple[Path, Path]) -> None:
    refused(shoal("model", "classify", model, "none.html"), 2, "no such file, folder or WARC")
    refused(shoal("model", "classify", model, "http://a.example/"), 2, "say with --web")
    given = ("model", "classify", model, "http://a.example/", "--web", table[0])
    refused(shoal(*given), 2, "is not in")


def test_an_output_in_no_folder(folders: Path, tmp_path: Path) -> None:
    out = tmp_path / "none" / "a.model"
    refused(shoal("model", "train", folders, "--out", out), 2, "there is no folder")
