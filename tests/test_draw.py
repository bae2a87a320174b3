"""``weir draw``, and the drawing in the reports of experiments."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import weir
from command import NET, weir as run_weir
from weir.examples import EXAMPLES
from weir.topology import shapes


def names(picture: Path) -> set[str]:
    """The texts in a picture."""
    elements = ElementTree.fromstring(picture.read_text(encoding="utf-8")).iter(
        "{http://www.w3.org/2000/svg}text"
    )
    return {text.text or "" for text in elements}


def test_a_file_and_a_shape(tmp_path: Path) -> None:
    code, out, _ = run_weir("draw", NET / "topology.json", cwd=tmp_path)
    assert (code, out) == (0, "topology.svg\n")
    assert {"h1", "h2", "s1"} <= names(tmp_path / "topology.svg")
    code, out, _ = run_weir("draw", "--shape", "leaf_spine:2,2", "-o", "x.svg", cwd=tmp_path)
    assert (code, out) == (0, "x.svg\n")
    assert len(names(tmp_path / "x.svg")) > 4


def test_png_and_pdf(tmp_path: Path) -> None:
    for name in ("a.png", "b.png", "a.pdf", "b.pdf"):
        code, out, _ = run_weir("draw", NET / "topology.json", "-o", name, cwd=tmp_path)
        assert (code, out) == (0, f"{name}\n")
    png = (tmp_path / "a.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert png == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_a_png_has_what_the_svg_has(tmp_path: Path) -> None:
    import matplotlib.image

    run_weir("draw", NET / "topology.json", "-o", "x.svg", cwd=tmp_path)
    run_weir("draw", NET / "topology.json", "-o", "x.png", cwd=tmp_path)
    svg = ElementTree.fromstring((tmp_path / "x.svg").read_text(encoding="utf-8"))
    picture = matplotlib.image.imread(tmp_path / "x.png")
    scale = picture.shape[1] / float(svg.attrib["width"])
    assert picture.shape[0] / float(svg.attrib["height"]) == pytest.approx(scale, rel=0.01)
    boxes = list(svg.iter("{http://www.w3.org/2000/svg}rect"))
    assert len(boxes) == 3
    for box in boxes:
        x, y, width = (float(box.attrib[name]) for name in ("x", "y", "width"))
        # The line at the top of each box, which is 1.5 units wide, and the ground above it.
        column = round((x + width / 2) * scale)
        above, line = (picture[round((y + dy) * scale), column, :3] for dy in (-4, 0))
        assert above.min() > 0.99
        assert line.min() < 0.5


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["--shape", "chain:2", "-o", "x.gif"],
            "x.gif: a plot cannot be written as '.gif': expected .png, .svg",
        ),
        (["--shape", "chain:2", "-o", "x"], "x: the name has no suffix: expected .png, .svg or .pdf"),
        (["none.json", "-o", "x.gif"], "x.gif: "),
        (["--shape", "tree:10,2", "-o", "x.png"], "x.png: the drawing is too large for PNG"),
        (["--shape", "chain:2", "-o", "none/x.svg"], "none/x.svg: cannot be written"),
        (["none.json"], "none.json: no such file"),
        (["--shape", "chian:2"], 'did you mean "chain"'),
    ],
)
def test_mistakes(tmp_path: Path, arguments: list[str], expected: str) -> None:
    code, _, errors = run_weir("draw", *arguments, cwd=tmp_path)
    assert code != 0
    assert expected in errors


_SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]


def text_box(text: ElementTree.Element) -> Box:
    """Where a text is, if a letter is half as wide as high: left, top, right, bottom."""
    x, y, size = (float(text.attrib[name]) for name in ("x", "y", "font-size"))
    width = 0.5 * size * len(text.text or "")
    left = x if text.attrib["text-anchor"] == "start" else x - width / 2
    return left, y - 0.7 * size, left + width, y


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


DRAWN = [
    "leaf_spine:8,4", "leaf_spine:4,2", "fat_tree:4", "ring:12", "ring:5", "star:16", "star:5", "chain:10",
    "dumbbell:4", "tree:2,3", "parking_lot:4", *sorted(EXAMPLES),
]  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_texts_and_boxes_do_not_overlap(name: str, tmp_path: Path) -> None:
    example = EXAMPLES.get(name)
    arguments = ["--shape", name] if example is None else [str(example.folder / "topology.json")]
    assert run_weir("draw", *arguments, "-o", "x.svg", cwd=tmp_path)[0] == 0
    svg = ElementTree.fromstring((tmp_path / "x.svg").read_text(encoding="utf-8"))
    texts = [(text.text, text_box(text)) for text in svg.iter(f"{_SVG}text")]
    width, height = (float(svg.attrib[side]) for side in ("width", "height"))
    for number, (text, box) in enumerate(texts):
        assert box[0] >= 0 and box[2] <= width and box[1] >= 0 and box[3] <= height, text
        assert not [other for other, there in texts[:number] if overlap(box, there)], text
    boxes = [
        (x, y, x + float(rect.attrib["width"]), y + float(rect.attrib["height"]))
        for rect in svg.iter(f"{_SVG}rect")
        for x, y in [(float(rect.attrib["x"]), float(rect.attrib["y"]))]
    ]
    for number, box in enumerate(boxes):
        assert not [other for other in boxes[:number] if overlap(box, other)]
    for path in svg.iter(f"{_SVG}path"):
        x, y, *_, x2, y2 = (float(part) for part in re.findall(r"[-\d.]+", path.attrib["d"]))
        for share in range(2, 99) if "L" in path.attrib["d"] else ():
            at = x + (x2 - x) * share / 100, y + (y2 - y) * share / 100
            assert not [box for box in boxes if overlap((*at, *at), box)], path.attrib["d"]
    # Rates are visible: at links, or once for all links between two rows.
    assert [text for text, _ in texts if text and "bit" in text]


@weir.experiment(size=[1, 2])
def reach(size: int) -> dict[str, float]:
    """Measures whether the hosts reach each other."""
    with weir.Network(shapes.chain(size)) as net:
        return {"lost": float(net.ping_all().lost)}


def test_a_report_has_the_network_and_no_address(tmp_path: Path) -> None:
    reach.run(out=tmp_path / "out", workers=1, progress=False).report()
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert 'aria-label="Topology: ' in html
    assert "aria-sort" in html
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", html)


def test_texts_stay_in_their_boxes(tmp_path: Path) -> None:
    import matplotlib.image

    switches = ["toprackswitch1", "toprackswitch2"]
    text = {
        "hosts": {"WWWWWWWWW01": {"ip": "192.168.100.200/24"}},
        "switches": {name: {} for name in switches},
        "links": [["WWWWWWWWW01", f"{switches[0]}-p1"]],
    }
    (tmp_path / "t.json").write_text(json.dumps(text))
    for name in ("x.svg", "x.png"):
        code, _, err = run_weir("draw", "t.json", "-o", name, cwd=tmp_path)
        assert code == 0, err
    # Names with different ends look different.
    assert len([name for name in names(tmp_path / "x.svg") if name.startswith("toprac")]) == 2
    svg = ElementTree.fromstring((tmp_path / "x.svg").read_text(encoding="utf-8"))
    picture = matplotlib.image.imread(tmp_path / "x.png")
    scale = picture.shape[1] / float(svg.attrib["width"])
    for box in svg.iter("{http://www.w3.org/2000/svg}rect"):
        x, y, width, height = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
        rows = slice(round((y + 3) * scale), round((y + height - 3) * scale))
        for side in (x - 4, x - 2.5, x + width + 2.5, x + width + 4):
            assert picture[rows, round(side * scale), :3].min() > 0.9, side
