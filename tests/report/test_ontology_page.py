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


def test_no_box_hides_another_and_the_same_graph_is_the_same_picture() -> None:
    count = 60
    sizes = [(40.0 + 7 * (number % 20), 26.0) for number in range(count)]
    rings = [min(number, 1 + number % 3) for number in range(count)]
    links = [(number, number // 3) for number in range(1, count)]
    points = place(rings, sizes, links)
    assert np.array_equal(points, place(rings, sizes, links))
    for one in range(count):
        for other in range(one):
            apart = np.abs(points[one] - points[other])
            room = (np.array(sizes[one]) + np.array(sizes[other])) / 2
            assert (apart >= room).any(), (one, other)
    assert place([0], [(10.0, 10.0)], []).tolist() == [[0.0, 0.0]]
