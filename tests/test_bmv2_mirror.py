"""The control of a ``simple_switch``: the same calls reach a second switch over Thrift.

Weir's own Thrift services take the place of those of ``simple_switch``.
"""

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

import needed
import weir
from weir import _core
from weir.control.profile import Profile
from weir.control.switch import Switch
from weir.errors import ControlError

needed.module("thriftpy2")

from weir.dropin.thrift.server import serve  # noqa: E402
from weir.dropin.thrift.standard import Ports  # noqa: E402
from weir.linux.bmv2.client import Client  # noqa: E402
from weir.linux.bmv2.mirror import Mirror  # noqa: E402

LAB = Path(__file__).parent.parent / "labs" / "weir_labs"


class Pair:
    """A mirrored switch, and the switch at the other end.

    Attributes:
        near: the switch that calls change.
        far: the switch that plays ``simple_switch``.
    """

    def __init__(self, program: weir.Program) -> None:
        core = program._core
        self._network = _core.Network(0)
        self._network.add_switch("far", core, (0, 1), [1, 2, 3], 1, 0)
        profile = Profile("real", 0, 1)
        self.far = Switch(self._network.switch("far"), "far", program, profile)
        self._server = serve(self._network.switch("far"), Ports({}, 0, 0), "127.0.0.1")
        self.client = Client("s1", socket.create_connection(("127.0.0.1", self._server.port)))
        mirror = Mirror("s1", core, [1, 2, 3], self.client)
        self.near = Switch(mirror, "s1", program, profile)  # type: ignore[arg-type]

    def close(self) -> None:
        self.client.close()
        self._server.close()

    def same(self, table: str) -> bool:
        """Whether both have the same entries and the same default."""
        near, far = self.near.table(table), self.far.table(table)
        rows = [
            sorted((repr(one.match), one.action, repr(one.params)) for one in t.entries())
            for t in (near, far)
        ]
        return rows[0] == rows[1] and repr(near.default) == repr(far.default)


@pytest.fixture
def pair() -> Iterator[Pair]:
    made = Pair(weir.compile(LAB / "delay" / "delay.p4"))
    yield made
    made.close()


def test_entries_and_defaults_arrive(pair: Pair) -> None:
    table = pair.near.table("ipv4_lpm")
    table.insert({"hdr.ipv4.dstAddr": "10.0.1.1/32"}, "ipv4_forward", {"dstAddr": 1, "port": 1})
    table.insert({"hdr.ipv4.dstAddr": "10.0.0.0/8"}, "ipv4_forward", {"dstAddr": 2, "port": 2})
    assert len(pair.far.table("ipv4_lpm")) == 2 and pair.same("ipv4_lpm")
    table.modify({"hdr.ipv4.dstAddr": "10.0.0.0/8"}, "ipv4_forward", {"dstAddr": 3, "port": 3})
    assert pair.same("ipv4_lpm")
    table.delete({"hdr.ipv4.dstAddr": "10.0.1.1/32"})
    assert len(pair.far.table("ipv4_lpm")) == 1 and pair.same("ipv4_lpm")
    pair.near.table("recirculations").set_default("set_limit", {"x": 7})
    assert pair.same("recirculations")
    table.clear()
    assert len(pair.far.table("ipv4_lpm")) == 0


def test_a_wrong_change_reaches_neither(pair: Pair) -> None:
    with pytest.raises(ControlError):
        pair.near.table("ipv4_lpm").insert({"hdr.ipv4.dstAddr": "10.0.1.1/32"}, "no_such_action", {})
    assert not len(pair.near.table("ipv4_lpm")) and not len(pair.far.table("ipv4_lpm"))


def test_whole_documents_registers_counters_and_sessions() -> None:
    from weir_labs.int_report.chain import entries, program

    pair = Pair(program())
    pair.near.load_entries(entries(1, 2))
    for table in program().tables:
        assert pair.same(table), table
    assert pair.far.clone_sessions().keys() == pair.near.clone_sessions().keys() == {1, 2}
    pair.near.register("left").write(3, 9)
    assert pair.far.register("left").read(3) == pair.near.register("left").read(3) == 9
    # Another program may have changed a cell: the switch's own counts.
    pair.far.register("left").write(4, 5)
    assert pair.near.register("left").read(4) == 5
    assert pair.near.register("left").cells()[:5] == [0, 0, 0, 9, 5]
    pair.close()


def test_priorities_keep_their_order() -> None:
    from weir_labs.int.chain import FROM_H1, PATH, entries, program, watch_entry

    pair = Pair(program())
    document = entries(1, 2)
    document["table_entries"] += [
        watch_entry("export_data", PATH, FROM_H1, priority=20),
        watch_entry("export_data", PATH, None, priority=10),
    ]
    pair.near.load_entries(document)
    near, far = (
        [
            one.match
            for one in sorted(switch.table("watchlist").entries(), key=lambda one: -(one.priority or 0))
        ]
        for switch in (pair.near, pair.far)
    )
    assert near == far and len(near) == 2
    pair.close()


@pytest.mark.parametrize("call", ["digests", "idle_notices", "reset"])
def test_unsupported_calls_of_simple_switch_are_refused(pair: Pair, call: str) -> None:
    with pytest.raises(
        ControlError, match=r'is simple_switch, for which Weir does not support .*switches="weir"'
    ):
        getattr(pair.near, call)()


def test_other_switches_are_refused() -> None:
    topology = weir.Topology()
    topology.add_host("h1", "10.0.0.1/24")
    topology.add_switch("s1")
    topology.add_link("h1", "s1")
    with pytest.raises(weir.NetworkError, match='needs world="linux"'):
        weir.Network(topology, "l2_switch", switches="simple_switch")
    with pytest.raises(weir.NetworkError, match='offloads=True needs world="linux"'):
        weir.Network(topology, "l2_switch", offloads=True)
    with pytest.raises(weir.NetworkError, match="offloads=True: simple_switch"):
        weir.Network(topology, "l2_switch", world="linux", switches="simple_switch", offloads=True)
    with pytest.raises(weir.NetworkError, match=r'no switches .*; did you mean "simple_switch"'):
        weir.Network(topology, "l2_switch", world="linux", switches="simple_swich")
    with pytest.raises(weir.NetworkError, match="do not support it"):
        options = weir.ServerOptions("127.0.0.1:0", port_each=True)
        weir.Network(topology, "l2_switch", world="linux", switches="simple_switch", p4runtime=options)


def test_a_switch_is_ready_when_the_service_of_its_own_name_answers() -> None:
    # simple_switch opens its port before it adds this service. Until then, it answers with an
    # exception and closes the connection.
    near, far = socket.socketpair()
    text = b"TMultiplexedProcessor: Unknown service: simple_switch"
    name = b"get_time_elapsed_us"
    answer = struct.pack(f">II{len(name)}sI", 0x8001_0003, len(name), name, 0)
    answer += struct.pack(f">BHI{len(text)}s", 11, 1, len(text), text) + struct.pack(">BHIB", 8, 2, 1, 0)
    far.sendall(answer)
    client = Client("s1", near)
    assert not client.is_ready()
    client.close()
    far.close()
    pair = Pair(weir.compile(LAB / "shared_computer" / "forward.p4"))
    assert pair.client.is_ready()
    pair.close()
