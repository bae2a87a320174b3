"""Digests with headers, as P4Runtime's controllers get them."""

from pathlib import Path

import pytest

import weir
from weir.p4runtime import Client, ServerOptions

NET = Path(__file__).parent / "net"


def topology() -> weir.Topology:
    """A topology of two hosts at a switch; one sends to the other."""
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24", "08:00:00:00:00:01", arp={"10.0.1.2": "08:00:00:00:00:02"})
    topo.add_switch("s1", cpu_port=510)
    topo.add_link("h1", "s1-p1")
    return topo


@pytest.mark.parametrize(
    "data",
    [
        "hdr.ethernet",
        "{ standard_metadata.ingress_port, hdr.ethernet }",
        "{ hdr.packet_out, hdr.ethernet, standard_metadata.ingress_port }",  # the first one is invalid
    ],
)
def test_digests_with_headers_arrive(data: str, tmp_path: Path):
    text = (NET / "controller.p4").read_text()
    name = next(line for line in text.splitlines() if "digest<seen_t>" in line).strip()
    program = tmp_path / "headers.p4"
    program.write_text(text.replace(name, f"digest(1, {data});"))
    with weir.Network(topology(), program) as net:
        net.host("h1").ping("10.0.1.2", count=1, timeout="100ms")
        (expected,) = net.switch("s1").digests()
    served = weir.Network(topology(), program, p4runtime=ServerOptions("127.0.0.1:0"))
    with served as net, Client(net.p4runtime.address("s1")) as client:
        assert client.digests() == []
        net.host("h1").ping("10.0.1.2", count=1, timeout="100ms")
        assert client.wait()
        client.run_for("100ms")
        (digest,) = client.digests()
        values = [[field.number for field in one.fields] for one in (digest, expected)]
        assert values[0] == values[1]
        # Elements of a list have no names in P4Info.
        names = zip(*([field.name for field in one.fields] for one in (digest, expected)), strict=True)
        assert all(far in ("", near) for far, near in names)


def test_a_served_switch_says_who_has_its_digests():
    with weir.Network(topology(), "l2_switch", p4runtime=ServerOptions("127.0.0.1:0")) as net:
        s1 = net.switch("s1")
        for read in (s1.digests, s1.idle_notices, s1.messages, lambda: s1.on_digest(print)):
            with pytest.raises(weir.ControlError, match=r"s1 is served by P4Runtime: .*Client"):
                read()
        assert s1.log() == []
