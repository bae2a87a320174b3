"""Output in notebooks: drawings, tables, results, journeys, programs and diagnostics."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import weir
from weir.display import details, grid, sparkline, topology_svg
from weir.display.layout import layout
from weir.display.topology import Drawing, DrawnLink
from weir.topology import shapes

TOPOLOGIES = [
    shapes.dumbbell(3),
    shapes.chain(4),
    shapes.star(30),
    shapes.fat_tree(4),
    weir.Topology(),
]


@pytest.fixture
def h1(network: weir.Network) -> weir.Host:
    """The host that sends."""
    return network.host("h1")


def svg_of(text: str) -> ElementTree.Element:
    """The picture in an output; it must be well-formed."""
    return ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + len("</svg>")])


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=repr)
def test_a_drawing_is_well_formed_and_repeats(topology: weir.Topology):
    text = topology._repr_html_()
    picture = svg_of(text)
    assert text == topology._repr_html_()
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    boxes = [node for node in picture.iter() if node.tag.endswith("rect")]
    places = [(float(box.attrib["x"]), float(box.attrib["y"])) for box in boxes]
    assert all(0 <= x <= width - 84 and 0 <= y <= height - 34 for x, y in places)
    apart = [(a, b) for n, a in enumerate(places) for b in places[:n]]
    assert all(abs(a[0] - b[0]) > 84 or abs(a[1] - b[1]) > 34 for a, b in apart), "boxes overlap"


def test_many_hosts_of_a_switch_are_one_box():
    words = shapes.star(30)._repr_html_()
    assert "h1 … h30" in words and "30 hosts" in words and ">h17<" not in words
    assert ">h8<" in shapes.star(8)._repr_html_()


def test_a_line_is_drawn_as_one():
    places = layout(["h1", "h2"], ["s1", "s2"], [("h1", "s1"), ("s1", "s2"), ("s2", "h2")])
    assert [places.places[name] for name in ("h1", "s1", "s2", "h2")] == [(0, 0), (1, 0), (2, 0), (3, 0)]


def test_leaves_stand_below_spines_and_pods_together():
    topology = shapes.fat_tree(4)
    links = [(link.a.node, link.b.node) for link in topology.links]
    places = layout(list(topology.hosts), list(topology.switches), links)
    rows = {name[0]: row for name, (_, row) in places.places.items()}
    assert rows == {"c": 0, "a": 1, "e": 2, "h": 3}
    columns = {name: column for name, (column, _) in places.places.items()}
    for layer in "ea":
        order = sorted((name for name in columns if name[0] == layer), key=columns.__getitem__)
        assert [name[1] for name in order] == list("00112233")


def test_every_switch_has_a_place_even_without_hosts():
    places = layout(["h1"], ["s1", "s2", "s3", "s4"], [("h1", "s1"), ("s3", "s4")])
    assert set(places.places) == {"h1", "s1", "s2", "s3", "s4"}
    assert len(set(places.places.values())) == 5


def test_links_show_what_limits_them(network: weir.Network):
    link = network.link("h1", "s1")
    link.rate, link.delay, link.loss = "10Mbit", "5ms", "1%"
    text = network._repr_html_()
    assert "10Mbit" in text and "5ms" in text and "1% loss" in text and "stroke-dasharray" not in text
    link.up = False
    assert "stroke-dasharray" in network._repr_html_() and "(down)" in network._repr_html_()


def test_all_words_are_escaped():
    evil = '<script>alert("x")</script>&'
    drawing = Drawing({evil: evil}, {"s1": evil}, [DrawnLink(evil, "s1", (evil, evil), evil)])
    for text in (
        topology_svg(drawing),
        grid([evil], [[evil]]),
        details(evil, ""),
        sparkline([0, 1], [1, 2], evil, evil, evil),
    ):
        assert "<script" not in text and "&lt;script" in text
        assert not re.search(r"&(?!lt;|gt;|amp;|quot;|#x27;)", text)


def test_outputs_use_the_colours_of_the_page(network: weir.Network, h1: weir.Host):
    outputs = [network, network.topology, h1.ping("h2", count=3), network.switch("s1"), network.audit()]
    for one in outputs:
        text = one._repr_html_()
        assert "background:#" not in text and "color:#000" not in text and "fill:#fff" not in text


def test_results_show_figures_picture_and_rows(network: weir.Network, h1: weir.Host):
    ping = h1.ping("h2", count=3)
    assert "3/3 received" in repr(ping) and "rtt min/avg/max" in repr(ping)
    text = ping._repr_html_()
    assert svg_of(text) is not None and "<details" in text and "3 rows" in text
    flow = h1.iperf("h2", size="100kB", trace=True)
    assert "100000 bytes" in repr(flow) and "Mbit/s" in repr(flow)
    for result in (flow, flow.goodput, flow.streams[0].trace):
        assert "<details" in result._repr_html_()
    assert "delivered" in network.audit()._repr_html_()
    matrix = network.ping_all()
    assert repr(matrix) == "<weir.PingMatrix of 2 hosts: 2/2 received>"
    assert matrix._repr_html_().count("<tr") == 3


def test_tables_switches_and_programs(network: weir.Network):
    s1 = network.switch("s1")
    table = s1["ipv4_lpm"]
    assert repr(table) == f"<weir.Table MyIngress.ipv4_lpm of s1: {len(table)} entries>"
    text = table._repr_html_()
    assert "hdr.ipv4.dstAddr (lpm)" in text and "default" in text
    assert "MyIngress.ipv4_lpm" in s1._repr_html_() and "MyIngress.ipv4_lpm" in s1.program._repr_html_()
    assert repr(s1.program).endswith("tables>") or repr(s1.program).endswith("table>")


def test_journeys_are_folded(network: weir.Network, h1: weir.Host):
    s1 = network.switch("s1")
    s1.trace(1)
    h1.ping("h2", count=1)
    (journey,) = s1.journeys()
    assert repr(journey).startswith("<weir.Journey s1: packet 0, port 1 → port 2, ")
    text = journey._repr_html_()
    assert text.count("<details") == text.count("</details>") > 5
    assert "MyIngress.ipv4_lpm" in text and not text.index("<details") > text.index("port 1")


def test_findings_show_their_source(tmp_path: Path):
    path = tmp_path / "a.p4"
    path.write_text("control c() { apply { x = 1 < 2; } }\n")
    (finding, *_) = weir.check(path)
    assert repr(finding) == f"<weir.Diagnostic {path}:1:23: error: {finding.message}>"
    assert "x = 1 &lt; 2" in finding._repr_html_()


def test_plots_are_figures(h1: weir.Host, tmp_path: Path):
    from matplotlib.figure import Figure

    ping = h1.ping("h2", count=3)
    figure = ping.plot(title="three pings")
    assert isinstance(figure, Figure) and figure.axes[0].get_title(loc="left") == "three pings"
    data, size = figure._repr_png_()  # type: ignore[attr-defined]
    assert data.startswith(b"\x89PNG") and size["width"] > 500
    own = Figure()
    ax = own.subplots()
    assert ping.plot(tmp_path / "a.svg", ax=ax) is own and (tmp_path / "a.svg").exists()
    trace = h1.iperf("h2", size="100kB", trace=True).streams[0].trace
    for plot in (trace.plot, trace.plot_window, ping.rtts.plot):
        assert plot(ax=ax) is own
    with pytest.raises(weir.MeasureError, match="ax: expected matplotlib axes"):
        ping.plot(ax="left")


def test_a_wrong_format_is_refused_before_anything_is_drawn(tmp_path: Path):
    class Slow(weir.Series):
        def draw(self, ax):
            raise AssertionError("drawn")

    with pytest.raises(weir.FileError, match=r"a plot cannot be written as '\.gif': expected \.png"):
        Slow("a", "", [], []).plot(tmp_path / "a.gif")


def test_a_small_plot_has_gaps_where_values_are_unknown():
    picture = sparkline(range(6), [1, 2, float("nan"), 3, float("nan"), 4], "s", "ms", "rtt")
    path = re.findall(r'd="(M[^"]*)"', picture)[-1]
    lines = [[part.split(",")[0] for part in line.split("L")] for line in path[1:].split("M")]
    assert [len(line) for line in lines] == [2, 2, 2]
    # The second and third line are points.
    assert [len(set(line)) for line in lines] == [2, 1, 1]
    assert sparkline(range(3), [1, float("nan"), float("nan")], "s", "ms", "rtt") == ""
    many = [float("nan") if n % 1000 < 100 else 1.0 for n in range(10_000)]
    assert sparkline(range(10_000), many, "s", "ms", "rtt").count("M") > 9
