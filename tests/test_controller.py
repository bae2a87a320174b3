"""Packets to and from the controller, and callbacks for messages, at their virtual time."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from command import weir as run_weir

NET = Path(__file__).parent / "net"


def topology(cpu_port: int | None = 510) -> weir.Topology:
    """A topology of two hosts in one network, at a switch with a controller."""
    topo = weir.Topology()
    for number in (1, 2):
        neighbours = {f"10.0.1.{3 - number}": f"08:00:00:00:00:0{3 - number}"}
        topo.add_host(f"h{number}", f"10.0.1.{number}/24", f"08:00:00:00:00:0{number}", arp=neighbours)
    topo.add_switch("s1", cpu_port=cpu_port)
    for number in (1, 2):
        topo.add_link(f"h{number}", f"s1-p{number}", delay="1ms")
    return topo


@pytest.fixture
def net() -> Iterator[weir.Network]:
    """The topology of ``topo`` with the program of controller.p4."""
    with weir.Network(topology(), NET / "controller.p4") as network:
        yield network


def test_a_controller_in_python_learns_where_hosts_are(net: weir.Network):
    s1, seen = net.switch("s1"), []

    def learn(packet: weir.control.PacketIn) -> None:
        seen.append((packet.time_ns, net.now_ns, packet["ingress_port"], packet["reason"]))
        source = {"hdr.ethernet.dst": packet.payload[6:12].hex(":")}
        if len(s1.table("stations")) == 0:
            s1.table("stations").insert(source, "to_port", {"port": packet["ingress_port"]})
        s1.packet_out(packet.payload, egress_port=3 - packet["ingress_port"])

    s1.on_packet_in(learn)
    result = net.host("h1").ping("h2", count=5)
    assert result.received == 5
    # The first request and its reply: 98 bytes at 1 Gbit/s, a millisecond of delay, a pass of 1 us.
    assert seen[0] == (1_001_784, 1_001_784, 1, 5)
    # h1 is known when the first reply comes, so only requests are seen.
    assert [row[2] for row in seen] == [1] * 5
    assert len(s1.table("stations")) == 1


def test_packets_are_kept_until_somebody_takes_them(net: weir.Network):
    s1 = net.switch("s1")
    assert s1.packets_in() == []
    net.host("h1").ping("h2", count=2, timeout="1s")
    packets = s1.packets_in()
    assert [packet.fields for packet in packets] == [{"ingress_port": 1, "reason": 5}] * 2
    assert str(packets[0]) == "1.001784ms  packet to the controller of s1, 98 bytes: ingress_port=1, reason=5"
    assert s1.packets_in() == []
    calls: list[object] = []
    s1.on_packet_in(calls.append)
    s1.on_packet_in(None)
    net.host("h1").ping("h2", count=1, timeout="1s")
    assert not calls
    assert len(s1.packets_in()) == 1


def test_the_link_to_the_controller_can_be_slow(net: weir.Network):
    s1 = net.switch("s1")
    s1.controller_link.delay = "5ms"
    s1.packets_in()
    net.host("h1").ping("h2", count=1, timeout="1s")
    assert [packet.time_ns for packet in s1.packets_in()] == [6_001_784]


def test_wrong_fields_are_refused(net: weir.Network):
    s1 = net.switch("s1")
    with pytest.raises(weir.ControlError, match=r'no field "port".*fields: egress_port, pad'):
        s1.packet_out(b"x", port=1)
    with pytest.raises(
        weir.ControlError, match=r"packet_out: egress_port: 512 does not fit in 9 bits \(at most 511\)"
    ):
        s1.packet_out(b"x", egress_port=512)
    with pytest.raises(weir.NetworkError, match="bytes"):
        s1.packet_out("x", egress_port=1)  # type: ignore[arg-type]
    with pytest.raises(weir.NetworkError, match="callback"):
        s1.on_packet_in(5)  # type: ignore[arg-type]


def test_a_switch_without_cpu_port_says_how_to_give_it_one():
    with weir.Network(topology(None), NET / "controller.p4") as network:
        assert not network.switch("s1").has_controller
        with pytest.raises(weir.ControlError, match="cpu_port=510"):
            network.switch("s1").on_packet_in(print)


def test_programs_without_controller_headers_get_the_whole_packet():
    topo = topology()
    with weir.Network(topo, NET / "router.p4") as network:
        s1 = network.switch("s1")
        with pytest.raises(
            weir.ControlError, match=r'none: no header has @controller_header\("packet_out"\)'
        ):
            s1.packet_out(b"x", egress_port=1)
        s1.packet_out(bytes(64))
        network.run_for("1ms")
        assert not network.audit().violations


def test_messages_come_by_callback_at_their_time(net: weir.Network):
    s1, calls = net.switch("s1"), []

    def note(message: weir.Digest | weir.LogLine) -> None:
        calls.append((type(message).__name__, message.time_ns, net.now_ns))

    s1.on_digest(note)
    s1.on_log(note)
    net.host("h1").ping("h2", count=2, timeout="1s")
    times = [1_000_784, 1_001_000_784]
    assert calls == [(kind, time, time) for time in times for kind in ("Digest", "LogLine")]
    assert s1.digests() == []
    s1.on_log(None)
    s1.on_digest(None)
    net.host("h1").ping("h2", count=1, timeout="1s")
    assert len(calls) == 4
    assert (len(s1.digests()), len(s1.log())) == (1, 1)


def test_idle_entries_come_by_callback(net: weir.Network):
    s1, calls = net.switch("s1"), []
    s1.on_idle(lambda notice: calls.append((notice.table, notice.time_ns, net.now_ns)))
    s1.table("stations").insert({"hdr.ethernet.dst": 5}, "to_port", {"port": 1}, idle_timeout="3s")
    net.run_for("5s")
    assert calls == [("MyIngress.stations", 3_000_000_000, 3_000_000_000)]
    net.run_for("5s")
    assert [time for _, time, _ in calls] == [3_000_000_000, 6_000_000_000, 9_000_000_000]


def test_a_callback_that_raises_ends_the_run_and_loses_nothing(net: weir.Network):
    s1, calls = net.switch("s1"), []

    def fail_once(packet: weir.control.PacketIn) -> None:
        calls.append(packet.time_ns)
        if len(calls) == 1:
            raise ValueError("once")

    s1.on_packet_in(fail_once)
    flow = net.host("h1").start_ping("h2", count=3, timeout="1s")
    with pytest.raises(ValueError, match="once"):
        net.wait(flow)
    net.wait(flow)
    assert len(calls) == 3


def test_the_examples_of_the_page_run(net: weir.Network, capsys: pytest.CaptureFixture[str]):
    page = (NET.parent.parent / "docs" / "reference" / "control.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    callbacks, controller = [
        example for example in examples if "on_digest" in example or "on_packet_in" in example
    ]
    names = {"s1": net.switch("s1"), "net": net}
    # Without the line that ends the calls.
    exec(callbacks.rpartition("s1.on_digest(None)")[0], names)
    exec(controller, names)
    net.switch("s1").table("stations").insert(
        {"hdr.ethernet.dst": 5}, "to_port", {"port": 1}, idle_timeout="1s"
    )
    net.host("h1").ping("h2", count=1)
    net.run_for("2s")
    printed = capsys.readouterr().out
    assert "digest to receiver 1: src" in printed
    assert "1001784 1 0800" in printed
    assert len(net.switch("s1").table("stations")) == 0


def test_the_prompt_shows_and_sends_packets(tmp_path: Path):
    file = tmp_path / "topology.json"
    file.write_text(
        '{"hosts": {"h1": {"ip": "10.0.1.1/24", "arp": {"10.0.1.2": "08:00:00:00:00:02"}}, "h2": {"ip": "10.0.1.2/24"}},'
        '"switches": {"s1": {"cpu_port": 510}}, "links": [["h1", "s1-p1"], ["h2", "s1-p2"]]}'
    )
    lines = ["h1 ping -c 1 -W 1 h2", "packets s1", "packets s1"]
    lines += [
        "packet_out s1 0800000000020800000000010800 egress_port=2",
        "wait 1",
        "counters s1",
        "counters s1 received",
    ]
    words = [word for line in lines for word in ("-c", line)]
    _, out, err = run_weir("run", file, "--p4", NET / "controller.p4", *words)
    assert err == ""
    output_lines = out.splitlines()
    assert "1.784us  packet to the controller of s1, 98 bytes: ingress_port=1, reason=5" in output_lines
    assert "none" in output_lines
    assert output_lines[-6:] == [
        "counter             cells in use  packets  bytes",
        "MyIngress.received  2 of 511      2        114",
        "MyIngress.received",
        "cell  packets  bytes",
        "1     1        98",
        "510   1        16",
    ]
    code, _, err = run_weir("run", file, "--p4", NET / "controller.p4", "-c", "packet_out s1 00 port=2")
    assert code == 1
    assert 'no field "port"' in err
