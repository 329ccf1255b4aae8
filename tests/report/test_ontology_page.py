"""The drawing of an ontology: nothing hides anything, and nothing in it is more than text."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from shoal.errors import StorageError
from shoal.ontology.focus import focus_on
from shoal.ontology.ltm import read_ltm
from shoal.ontology.neighbourhood import neighbourhood
from shoal.report.graph_layout import place
from shoal.report.ontology_page import Drawn, html_page, write_ontology_page
from tests.ontology.cars import CARS

NASTY = CARS + '[nasty = "<script>alert(1)</script>"] likes(nasty : a, toyota : b)'


def drawn(most: int = 80, focus: tuple[str, ...] = ("toyota",)) -> Drawn:
    ontology = read_ltm(NASTY.encode())
    part = neighbourhood(ontology, focus, most)
    return Drawn("cars.ltm", ontology, focus_on(ontology, focus), part)


def svg(page: str) -> ET.Element:
    found = re.search(r"<figure.*?(<svg.*?</svg>)</figure>", page, re.DOTALL)
    assert found
    return ET.fromstring(found[1])


def test_every_concept_is_drawn_in_its_class() -> None:
    picture = svg(html_page(drawn()))
    boxes = {g.findtext("text"): g.get("class") for g in picture.findall("g")}
    assert boxes["Toyota"] == "box focal"
    assert boxes["Avensis"] == "box taxonomic"
    assert boxes["TMM Inc."] == "box other"
    assert boxes["Corolla Verso"] == "box rest"
    lines = [line.get("class") for line in picture.findall("line")]
    assert lines.count("link taxonomic") == 4
    assert lines.count("link other") == 3


def test_the_page_needs_nothing_and_escapes_everything() -> None:
    page = html_page(drawn())
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.findall(r'(?:src|href)="', page)
    assert "in focus: weight 1" in page
    assert "The drawing shows the whole ontology." in page


def test_what_is_left_out_is_told() -> None:
    assert "further ones are left out" in html_page(drawn(most=3))
    assert "Nothing is in focus" in html_page(drawn(focus=()))


def test_the_file_is_whole_or_not_there(tmp_path: Path) -> None:
    write_ontology_page(drawn(), tmp_path / "cars.html")
    assert (tmp_path / "cars.html").read_text(encoding="utf-8").endswith("</html>\n")
    with pytest.raises(StorageError, match="cannot write"):
        write_ontology_page(drawn(), tmp_path / "none" / "cars.html")


@pytest.mark.parametrize("count", [60, 350])
def test_no_box_hides_another_and_the_same_graph_is_the_same_picture(count: int) -> None:
    """Few boxes, and many: half of those hang on one, and some on nothing."""
    sizes = [(40.0 + 7 * (number % 20), 26.0) for number in range(count)]
    rings = [min(number, 1 + number % 3) for number in range(count)]
    links = [(number, 0 if number % 2 else number // 3) for number in range(1, count - 5)]
    points = place(rings, sizes, links)
    assert np.array_equal(points, place(rings, sizes, links))
    halves = np.array(sizes) / 2
    apart = np.abs(points[:, None] - points[None])
    hidden = (apart < halves[:, None] + halves[None]).all(axis=2)
    assert not (hidden & ~np.eye(count, dtype=bool)).any()


def test_a_large_one_is_seen_as_a_whole_with_what_is_in_focus_larger() -> None:
    topics = " ".join(f'[t{n} = "topic {n}"] r(t{n}, t{n // 2})' for n in range(1, 200))
    ontology = read_ltm(f'[t0 = "everything"] {topics}'.encode())
    part = neighbourhood(ontology, ("t7",), 5_000)
    page = html_page(Drawn("large.ltm", ontology, focus_on(ontology, ("t7",)), part))
    assert "The drawing shows the whole ontology." in page
    assert page.count('type="radio"') == 3
    assert re.findall(r'(?:src|href)="(.*?)"', page) == ["#focal-0"]
    boxes = {g.findtext("text"): g for g in svg(page).findall("g")}
    assert len(boxes) == 200
    assert boxes["topic 7"].get("id") == "focal-0"
    scales = {name: g.get("transform", "").count("scale") for name, g in boxes.items()}
    assert [name for name, scaled in scales.items() if scaled] == ["topic 7"]
    lines = [line.get("class") for line in svg(page).findall("line")]
    assert lines.count("link other near") == 3
    assert place([0], [(10.0, 10.0)], []).tolist() == [[0.0, 0.0]]
