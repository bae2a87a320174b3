"""Names that become file names, and file names that no file can have."""

import os
from pathlib import Path

import pytest

import weir

LONGEST = 63
"""Characters of the longest name of a node."""

IMPOSSIBLE = ["x" * 300, "x" * 5000, "x" * 300 + "/y", "a\0b", "\udc80"]
"""Too long, in a folder whose name is too long, with a NUL, not UTF-8."""


def topology(*hosts: str, switch: str = "s1") -> weir.Topology:
    built = weir.Topology()
    built.add_switch(switch)
    for number, name in enumerate(hosts, 1):
        built.add_host(name, f"10.0.0.{number}/24")
        built.add_link(name, switch)
    return built


@pytest.mark.parametrize(
    "name", ["x" * (LONGEST + 1), "x" * 300, "a/b", "..", "", "-h", "a\nb", "a\0b", "é", "a b"]
)
def test_a_node_has_a_name_that_a_file_can_have(name: str):
    built = topology("h1")
    for add in (lambda: built.add_host(name, "10.0.0.9/24"), lambda: built.add_switch(name)):
        with pytest.raises(weir.TopologyError, match=r"name for a node|too long for the name of a node"):
            add()
    with pytest.raises(weir.TopologyError, match=r"has 300 characters, expected 63 or fewer"):
        built.add_host("x" * 300, "10.0.0.9/24")


def test_captures_of_nodes_with_the_longest_names(tmp_path: Path):
    host, switch = "h" * LONGEST, "s" * LONGEST
    with weir.Network(topology(host, switch=switch), "l2_switch", pcap=tmp_path):
        pass
    assert [file.name for file in tmp_path.iterdir()] == [f"{host}_{switch}-p1.pcapng"]


def test_captures_of_links_whose_names_are_equal_in_a_file(tmp_path: Path):
    built = weir.Topology()
    for number, name in enumerate(("a", "b_c", "a_b", "c", "d", "e"), 1):
        built.add_host(name, f"10.0.0.{number}/24")
    for ends in (("a", "b_c"), ("a_b", "c"), ("d", "e")):
        built.add_link(*ends, delay="1ms")
    with weir.Network(built, pcap=tmp_path) as net:
        net.host("a").ping("b_c", count=1)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "a_b_c-0.pcapng",
        "a_b_c-1.pcapng",
        "d_e.pcapng",
    ]
    # The ping's frames are in the first alone.
    sizes = [(tmp_path / f"a_b_c-{number}.pcapng").stat().st_size for number in (0, 1)]
    assert sizes[0] > sizes[1]


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_files_that_cannot_be_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.chdir(tmp_path)
    built = topology("h1", "h2")
    with weir.Network(built, "l2_switch") as net:
        ping = net.host("h1").ping("h2", count=1)
        calls = [
            lambda: weir.compile(f"{name}.p4"),
            lambda: weir.compile(name),
            lambda: weir.Topology.load(f"{name}.json"),
            lambda: weir.Network(built, name),
            lambda: weir.Network(built, f"{name}.p4"),
        ]
        if "\udc80" not in name:
            # Linux has files of such names.
            calls += [
                lambda: net.capture(f"{name}.pcapng", "h1"),
                lambda: weir.Network(built, "l2_switch", pcap=name),
                lambda: ping.plot(f"{name}.png"),
                lambda: ping.to_csv(f"{name}.csv"),
            ]
        for call in calls:
            with pytest.raises(weir.FileError):
                call()


def test_a_neighbour_whose_name_is_not_text(tmp_path: Path):
    # As Linux has it, by other programs.
    (tmp_path / os.fsdecode(b"\xff.p4")).touch()
    (tmp_path / "router.p4").touch()
    with pytest.raises(weir.FileError, match=r'no such file; did you mean ".*/router.p4"\?'):
        weir.compile(tmp_path / "ruoter.p4")


def test_a_folder_of_captures_that_is_a_file(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(weir.FileError, match="is a file, expected a folder for captures"):
        weir.Network(topology("h1"), "l2_switch", pcap=tmp_path / "file")
