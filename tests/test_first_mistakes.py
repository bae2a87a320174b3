"""Mistakes of the first hour in Python: each gets a message that says what to write."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import weir
from weir import hints
from weir.errors.traceback import lines

LAB = Path(__file__).parent.parent / "labs" / "weir_labs" / "delay"


def test_nodes_are_found_where_people_look(network: weir.Network):
    h1 = network.host("h1")
    assert network["h1"] is network.get("h1") is network.hosts["h1"] is network.hosts[0] is h1
    assert network["s1"] is network.switches["s1"] is network.switch("s1")
    assert "h1" in network.hosts and h1 in network.hosts and "h9" not in network.hosts
    assert network.hosts.get("h9") is None and network.hosts.get("h1") is h1
    assert network.hosts.keys() == ["h1", "h2"] and dict(network.hosts.items())["h2"] is network["h2"]
    assert list(network.hosts) == network.hosts.values() == network.hosts[:]
    for look in (network.__getitem__, network.get, network.hosts.__getitem__):
        with pytest.raises(weir.NetworkError, match='"h9"; did you mean "h1"'):
            look("h9")


def test_a_switch_is_no_host(network: weir.Network):
    with pytest.raises(weir.NetworkError) as caught:
        network.host("s1")
    assert str(caught.value) == '"s1" is a switch, not a host; did you mean net.switch("s1")?'
    with pytest.raises(weir.NetworkError, match='"h1" is a host, not a switch'):
        network.switch("h1")


def test_a_network_reads_its_topology():
    with weir.Network(str(LAB / "topology.json"), LAB / "delay.p4") as net:
        assert net.hosts.keys() == ["h1", "h2"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: weir.Network("no.json", "x.p4"), "no.json: no such file"),
        (lambda: weir.Network(5, "x.p4"), "topology: expected a weir.Topology, or the name of a topology.json, found 5"),
        (lambda: weir.Network.load(weir.Topology()), "expected the name of a topology.json, found <weir.Topology of 0 hosts"),
        (lambda: weir.Network(weir.Topology(), 7), "p4: expected the name of a P4 program, or a program from weir.compile, found 7"),
        (lambda: weir.Network(weir.Topology(), seed="x"), "the seed 'x' is not a whole number: expected 0 to 2**63 - 1"),
        (lambda: weir.Network(weir.Topology(), seed="7"), "the seed '7' is not a whole number: expected 0 to 2**63 - 1; did you mean \"7\"?"),
        (lambda: weir.Network(weir.Topology(), seed=1.5), "the seed 1.5 is not a whole number"),
        (lambda: weir.Network(weir.Topology(), profile=3), "profile: expected the name of a profile or a weir.Profile, found 3"),
        (lambda: weir.Network(LAB / "delay.p4", LAB / "topology.json"), "delay.p4 is a P4 program, not a topology: the topology comes first"),
        (lambda: weir.compile("control c() { apply { } }"), "expected the name of a P4 program's file, found the text of a program"),
        (lambda: weir.compile(["a.p4"]), "expected the name of a P4 program, found ['a.p4']"),
        (lambda: weir.check(5), "expected the name of a P4 program, found 5"),
        (lambda: weir.compile("no/such/dir/a.p4"), "no such file: there is no folder no/such/dir"),
    ],
)  # fmt: skip
def test_wrong_networks(make, message: str):
    with pytest.raises(weir.WeirError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.insert(["10.0.9.1", 32], "drop"), 'match: expected values by name, {"hdr.ipv4.dstAddr": …}, found the list'),
        (lambda t: t.insert([]), 'match: expected values by name, {"hdr.ipv4.dstAddr": …}, found the list []'),
        (lambda t: t.insert("10.0.9.1/32", "drop"), "found the str '10.0.9.1/32'"),
        (lambda t: t.insert({"hdr.ipv4.dstAddr": "10.0.9.1/32"}, "ipv4_forward", ["08:00:00:00:01:11", 1]), 'params: expected values by name, {"dstAddr": …, "port": …}, found the list'),
        (lambda t: t._switch.trace("on"), "expected number of packets to trace, a whole number, found 'on'"),
    ],
)  # fmt: skip
def test_wrong_calls_of_the_control_plane(network: weir.Network, call, message: str):
    with pytest.raises(weir.ControlError) as caught:
        call(network.switch("s1").table("ipv4_lpm"))
    assert message in str(caught.value)


def test_a_port_is_used_once():
    topo = weir.Topology()
    topo.add_host("h1", ip="10.0.0.1/24")
    topo.add_host("h2", ip="10.0.0.2/24")
    topo.add_switch("s1")
    topo.add_link("h1", "s1-p1")
    with pytest.raises(weir.TopologyError) as caught:
        topo.add_link("h2", "s1-p1")
    assert "s1-p1" in str(caught.value) and "h1" in str(caught.value)


def test_a_missing_runtime_file_is_not_the_topology(tmp_path: Path):
    text = (LAB / "topology.json").read_text()
    (tmp_path / "topology.json").write_text(text)
    (tmp_path / "s1.runtime.json").write_text("{}")
    with pytest.raises(weir.TopologyError, match=r'did you mean "s1\.runtime\.json"'):
        weir.Topology.load(tmp_path / "topology.json")
    (tmp_path / "s1.runtime.json").rename(tmp_path / "x.json")
    with pytest.raises(weir.TopologyError, match=r'there is no file "s1-runtime\.json"') as caught:
        weir.Topology.load(tmp_path / "topology.json")
    assert "did you mean" not in str(caught.value)
    (tmp_path / "s1-runtim.json").write_text(text)
    with pytest.raises(weir.TopologyError, match='there is no file "s1-runtime') as caught:
        weir.Topology.load(tmp_path / "s1-runtim.json")
    assert "did you mean" not in str(caught.value)
    topo = weir.Topology()
    topo.file = str(tmp_path / "topology.json")
    topo.add_switch("s1", entries=tmp_path / "topologi.json")
    with pytest.raises(weir.FileError, match=r"no such file \(entries of s1\)$"):
        weir.Network(topo, LAB / "delay.p4")


@pytest.mark.parametrize(
    ("part", "name", "note"),
    [
        (lambda n: n, "pingAll", "Use net.ping_all()"),
        (lambda n: n, "pingall", "Use net.ping_all()"),
        (lambda n: n, "ping", 'Use net.host("h1").ping("h2")'),
        (lambda n: n, "iperf", 'Use net.host("h1").iperf("h2")'),
        (lambda n: n, "start", "Use nothing: a network is already running, and time passes in ping, run_for and similar methods"),
        (lambda n: n, "stop", "Use net.close()"),
        (lambda n: n, "h1", 'Use net["h1"]'),
        (lambda n: n, "s1", 'Use net["s1"]'),
        (lambda n: n, "configLinkStatus", 'Use net.link("h1", "s1").up = False'),
        (lambda n: n.hosts, "h1", 'Use ["h1"]'),
        (lambda n: n.link("h1", "s1"), "bw", "Use rate"),
        (lambda n: weir, "CLI", 'Use "weir run topology.json --p4 router.p4", the prompt, or the methods of weir.Network'),
        (lambda n: weir, "Net", 'Use weir.Network("topology.json", p4="router.p4")'),
        (lambda n: weir, "sniff", 'Use net.sniff("h1")'),
        (lambda n: n, "intf", 'Use net.interface("h1-eth0")'),
        (lambda n: n.host("h1"), "intf", 'Use interface("eth0")'),
        (lambda n: n.host("h1"), "capture", 'Use net.capture("h1.pcapng", "h1")'),
        (lambda n: n.link("h1", "s1"), "capture", 'Use net.capture("link.pcapng", "s1-p1"), with an end of the link'),
        (lambda n: n.link("h1", "s1"), "intf", 'Use net.interface("s1-p1")'),
        (lambda n: n.interface("h1-eth0"), "bw", 'Use net.link("h1", "s1").rate'),
        (lambda n: n.switch("s1"), "intf", 'Use net.interface("s1-p1")'),
        (lambda n: n.topology, "addHost", "Use add_host"),
        (lambda n: n.host("h1"), "udp", 'Use iperf("h2", udp=True, rate="1Mbit")'),
        (lambda n: n.switch("s1"), "table_add", 'Use runtime.run("table_add …")'),
        (lambda n: n.switch("s1").table("ipv4_lpm"), "add", "Use insert"),
        (lambda n: n.host("h1").ping("h2", count=1), "rtt", "Use rtt_avg_ms or rtts"),
    ],
)  # fmt: skip
def test_names_of_other_tools(network: weir.Network, part, name: str, note: str):
    with pytest.raises(AttributeError) as caught:
        getattr(part(network), name)
    hints.add_hint(caught.value)
    assert caught.value.__notes__ == [note]


@pytest.mark.parametrize(
    ("call", "note"),
    [
        (lambda t: t.add_link("h1", "s1", bw=10), 'Did you mean "rate"?'),
        (lambda t: t.add_link("h1", "s1", latency="5ms"), 'Did you mean "delay"?'),
        (lambda t: t.add_switch("s2", runtime="s2.json"), 'Did you mean "entries"?'),
        (lambda t: t.add_host("h3", address="10.0.0.3/24"), 'Did you mean "ip"?'),
    ],
)
def test_keywords_of_other_tools(call, note: str):
    with pytest.raises(TypeError) as caught:
        call(weir.Topology())
    hints.add_hint(caught.value)
    assert caught.value.__notes__ == [note]


def test_the_habits_name_existing_replacements():
    from weir.hints.habits import ATTRIBUTES, KEYWORDS

    for owner, names in ATTRIBUTES.items():
        cls = weir if owner == "weir" else hints._weir_object(owner) or getattr(weir, owner)
        assert not [name for name in names if hasattr(cls, name)], owner
    ours = {word for meant in KEYWORDS.values() for word in ([meant] if isinstance(meant, str) else meant)}
    assert not set(KEYWORDS) & ours


def test_a_call_without_target_names_the_method_called(network: weir.Network):
    with pytest.raises(TypeError, match=r"^Host\.ping\(\) missing 1 required positional argument: 'target'"):
        network.host("h1").ping()


SCRIPT = """
import sys
sys.path[:0] = {path!r}
import weir
def experiment(net):
    return net.host("h9")
experiment(weir.Network({topology!r}, {p4!r}))
"""


def run(text: str, *options: str) -> str:
    """The error that a script prints."""
    ended = subprocess.run(
        [sys.executable, *options, "-"], input=text, capture_output=True, text=True, env={**os.environ}
    )
    assert ended.returncode == 1, ended.stderr
    return ended.stderr


def test_a_script_shows_the_mistake_first_and_no_frames_of_ours():
    text = SCRIPT.format(path=sys.path, topology=str(LAB / "topology.json"), p4=str(LAB / "delay.p4"))
    shown = run(text)
    assert shown.splitlines()[0] == 'NetworkError: there is no host "h9"; did you mean "h1"?'
    assert "in experiment" in shown and "nodes.py" not in shown and "Traceback" not in shown
    assert "nodes.py" in run(text, "-X", "dev")


def test_a_notebook_shows_the_same(network: weir.Network):
    with pytest.raises(weir.NetworkError) as caught:
        network.host("h9")
    traceback_lines = caught.value._render_traceback_()
    assert traceback_lines == lines(caught.value) and traceback_lines[0].startswith(
        'NetworkError: there is no host "h9"'
    )
    assert not any("nodes.py" in line for line in traceback_lines)
    assert any("test_first_mistakes.py" in line for line in traceback_lines)


@pytest.mark.parametrize("command", ["ping", "iperf"])
def test_a_wrong_plot_file_is_refused_before_the_measurement(command: str):
    # The topology, which does not exist, would be the next mistake.
    completed = subprocess.run(
        [sys.executable, "-m", "weir", command, "no.json", "h1", "h2", "--plot", "rtt.gif"],
        capture_output=True,
        text=True,
    )
    assert "a plot cannot be written as '.gif': expected .png, .svg or .pdf" in completed.stderr
    assert "no.json" not in completed.stderr and completed.returncode != 0


FORWARD = {"dstAddr": "08:00:00:00:02:22", "port": 9}
UNLINKED = r"MyIngress\.ipv4_lpm: .* to port 9 \((MyIngress\.)?ipv4_forward\), which no link is connected to \(linked: 1, 2\)"


def test_an_entry_for_a_port_without_a_link_gives_a_warning(network: weir.Network):
    table = network.switch("s1").table("ipv4_lpm")
    with pytest.warns(weir.WeirWarning, match=UNLINKED) as caught:
        table.insert({"hdr.ipv4.dstAddr": "10.0.9.0/24"}, "ipv4_forward", FORWARD)
    assert caught[0].filename == __file__
    entry = {
        "table": "MyIngress.ipv4_lpm",
        "match": {"hdr.ipv4.dstAddr": ["10.0.8.0", 24]},
        "action_name": "MyIngress.ipv4_forward",
        "action_params": FORWARD,
    }
    other = {**entry, "match": {"hdr.ipv4.dstAddr": ["10.0.7.0", 24]}}
    table.delete(table.entries()[0])  # It holds four.
    with pytest.warns(weir.WeirWarning, match="2 entries send packets to port 9"):
        network.switch("s1").load_entries({"target": "bmv2", "table_entries": [entry, other]})
    with pytest.warns(weir.WeirWarning, match=UNLINKED):
        table.set_default("ipv4_forward", FORWARD)
    with pytest.warns(weir.WeirWarning, match=UNLINKED):
        table.modify({"hdr.ipv4.dstAddr": "10.0.9.0/24"}, "MyIngress.ipv4_forward", FORWARD)


@pytest.mark.parametrize(
    "command",
    [
        "table_add MyIngress.ipv4_lpm MyIngress.ipv4_forward 10.0.9.0/24 => 08:00:00:00:02:22 9",
        "table_add MyIngress.ipv4_lpm MyIngress.ipv4_forward 10.0.9.0/24 => 08:00:00:00:02:22 0x9",
        "table_set_default MyIngress.ipv4_lpm MyIngress.ipv4_forward 08:00:00:00:02:22 9",
        "table_modify MyIngress.ipv4_lpm MyIngress.ipv4_forward 0 08:00:00:00:02:22 9",
    ],
)
def test_a_command_for_a_port_without_a_link_gives_a_warning(
    network: weir.Network, tmp_path: Path, command: str
):
    with pytest.warns(weir.WeirWarning, match=UNLINKED) as caught:
        network.switch("s1").runtime.run(command)
    assert len(caught) == 1
    file = tmp_path / "s1.txt"
    file.write_text(
        f"table_clear MyIngress.ipv4_lpm\n{command.replace('modify', 'add').replace(' 0 ', ' 10.0.9.0/24 => ')}\n"
    )
    with pytest.warns(weir.WeirWarning, match="1 entry sends packets to port 9"):
        network.switch("s1").run_commands(file)


def test_entries_for_linked_ports_and_for_dropping_give_none(network: weir.Network, recwarn):
    table = network.switch("s1").table("ipv4_lpm")
    for port in (1, 2, 511):
        match = {"hdr.ipv4.dstAddr": f"10.1.{port % 256}.0/24"}
        table.insert(match, "ipv4_forward", {**FORWARD, "port": port})
        table.delete(match)
    assert not recwarn.list


def test_the_command_shows_the_warning(tmp_path: Path):
    topology = (LAB / "topology.json").read_text()
    (tmp_path / "topology.json").write_text(topology)
    entries = (LAB / "s1-runtime.json").read_text().replace('"port": 2', '"port": 7')
    (tmp_path / "s1-runtime.json").write_text(entries)
    completed = subprocess.run(
        [sys.executable, "-m", "weir", "ping", tmp_path / "topology.json", "h1", "h2", "--p4", LAB / "delay.p4", "-c", "1"],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert "warning: s1: MyIngress.ipv4_lpm: 1 entry sends packets to port 7" in completed.stderr


def test_short_forms_count_in_words(network: weir.Network):
    assert repr(network) == "<weir.Network of 2 hosts and 1 switch at 0.0s>"
    assert repr(network.switch("s1")) == "<weir.Switch s1: router.p4, 2 ports>"
    assert "2 hosts, 1 switch, 2 links" in network._repr_html_()


def test_iperf_shows_no_line_for_a_scrap_of_an_interval(network: weir.Network):
    from weir.cli.iperf import report

    flow = network.host("h1").iperf("h2", udp=True, rate="1Mbit", duration="2s")
    assert len(flow.intervals) == 3 and flow.intervals[-1].end_s - 2 < 0.1
    spans = [line[6:19] for line in report(flow).splitlines() if "sec" in line]
    assert spans == ["0.00-1.00 sec", "1.00-2.00 sec", "0.00-2.00 sec"]
