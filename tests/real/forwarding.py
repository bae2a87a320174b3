"""Frames cross a switch; a controller, metrics, captures, a link that goes down, the end."""

import subprocess
import urllib.request
from pathlib import Path

from real_network import Raw, ethernet, eventually, ip, metric, switch, wires

from weir import _core
from weir.p4runtime import Client

HERE = Path(__file__).parent
wires(3)
options = ["--entries", str(HERE / "entries.json"), "--cpu-port", "64", "--p4runtime", "unix:p4.sock"]
options += ["--metrics", "127.0.0.1:9100", "--pcap", "captures"]
ports = [option for number in (1, 2, 3) for option in ("-i", f"{number}@s1-eth{number}")]
with switch(str(HERE / "ports.p4"), *ports, *options) as service:
    one, two, three = (Raw(f"h{number}") for number in (1, 2, 3))

    # Frames of many sizes, in order.
    frames = [ethernet(2, 0x0800, bytes([size % 256]) * size) for size in range(46, 1500, 7)]
    for frame in frames:
        one.send(frame)
    assert [two.receive() for _ in frames] == frames
    assert three.is_quiet(0.1)

    # A VLAN tag stays in the frame.
    tagged = ethernet(1, 0x8100, b"\x20\x05\x08\x00" + bytes(60))
    two.send(tagged)
    assert one.receive() == tagged

    # A group: all ports except the one where the frame arrived.
    flood = ethernet(255, 0x0806, bytes(46))
    three.send(flood)
    assert [one.receive(), two.receive()] == [flood, flood]
    assert three.is_quiet(0.1)

    # A controller learns and answers.
    with Client("unix:p4.sock", 0) as controller:
        unknown = ethernet(3, 0x0800, b"x" * 50)
        one.send(unknown)
        while not (packets := controller.packets_in()):
            assert controller.wait()
        assert [(packet["ingress_port"], packet.payload) for packet in packets] == [(1, unknown)]
        controller.packet_out(unknown, egress_port=3)
        assert three.receive() == unknown
        table = controller.table("ports")
        table.insert({"hdr.ethernet.dst": "08:00:00:00:00:03"}, "to", {"port": 3})
        one.send(unknown)
        assert three.receive() == unknown
        eventually(lambda: [entry.packets for entry in table.entries()] == [1, len(frames), 1])

        # Digests pass as well, and the frames continue.
        learned = []
        controller.on_digest(learned.append)
        noted = [ethernet(2, 0x88B5, bytes([number]) * 46) for number in range(3)]
        for frame in noted:
            one.send(frame)
            assert two.receive() == frame
        while len(learned) < 3:
            assert controller.wait()
        assert {digest["port"] for digest in learned} == {1}

        # Another program takes its place.
        controller.set_program(HERE / "mirror.p4")
        two.send(flood)
        assert two.receive() == flood

    with urllib.request.urlopen("http://127.0.0.1:9100/metrics", timeout=20) as answer:
        text = answer.read().decode()
    assert metric(text, "weir_port_received_packets_total", port="1") == len(frames) + len(noted) + 2
    assert metric(text, "weir_port_sent_bytes_total", port="2") == sum(map(len, frames + noted)) + 2 * len(
        flood
    )

    # The link of a port goes down and comes back.
    ip("link set h3 down")
    assert service.wait_for("the link of a port is")["up"] is False
    ip("link set h3 up")
    assert service.wait_for("the link of a port is")["up"] is True
    three = Raw("h3")
    three.send(flood)
    assert three.receive() == flood

    # An interface goes, and another one comes with its name.
    ip("link delete h3")
    assert service.wait_for("the link of a port is")["up"] is False
    one.send(flood)
    assert one.receive() == flood
    ip("link add h3 type veth peer name s1-eth3", "link set h3 up", "link set s1-eth3 up")
    assert service.wait_for("the link of a port is")["up"] is True
    three = Raw("h3")
    three.send(flood)
    assert three.receive() == flood
    service.stop()

captured = _core.read_capture("captures/s1-eth1.pcapng", 1 << 20)
assert len(captured) == len(frames) + len(noted) + 6, len(captured)
counters = subprocess.run(["ip", "-s", "link", "show", "s1-eth1"], capture_output=True, text=True, check=True)
print("done", counters.stdout.splitlines()[0].split()[1])
