"""P4Runtime: controllers in this process and in others control switches of a network."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weir
from weir.control import GroupMember, Rates, Replica, WeightedAction
from weir.control.switch_objects import SwitchObjects
from weir.errors import ControlError, NetworkError
from weir.p4runtime import Client, ServerOptions

NET = Path(__file__).parent / "net"
CONTROL = Path(__file__).parents[1] / "testdata" / "switch" / "control.p4"


def topology() -> weir.Topology:
    """A topology of two hosts in one network, at a switch with a controller."""
    topo = weir.Topology()
    for number in (1, 2):
        neighbours = {f"10.0.1.{3 - number}": f"08:00:00:00:00:0{3 - number}"}
        topo.add_host(f"h{number}", f"10.0.1.{number}/24", f"08:00:00:00:00:0{number}", arp=neighbours)
    topo.add_switch("s1", cpu_port=510)
    for number in (1, 2):
        topo.add_link(f"h{number}", f"s1-p{number}", delay="1ms")
    return topo


def serve(p4: Path, **options: object) -> weir.Network:
    """The topology of ``topo`` with a program, served at a free port."""
    return weir.Network(topology(), p4, p4runtime=ServerOptions("127.0.0.1:0", **options))


@pytest.fixture
def net() -> Iterator[weir.Network]:
    """A network with one object of each kind, and a server."""
    with serve(CONTROL) as network:
        yield network


@pytest.fixture
def client(net: weir.Network) -> Iterator[Client]:
    """A primary controller of its switch."""
    with Client(net.p4runtime.address("s1")) as found:
        yield found


def drive(switch: SwitchObjects) -> list[object]:
    """Changes each kind of object and reads it back."""
    seen: list[object] = []
    table = switch.table("all_kinds")
    table.insert(
        {"what": 1, "index": [1, 3], "value": [5, 900], "from": 2, "answer": "10.0.0.0/8"},
        "to",
        {"port": 2},
        7,
    )
    second = table.insert({"what": 1}, "answer", {"what": 9}, 1)
    table.insert({"what": 2, "value": [7, 7]}, "NoAction", {}, 2)
    table.modify(second, "answer", {"what": 10})
    table.delete({"what": 2, "value": [7, 7]}, 2)
    seen += [(str(entry), entry.packets) for entry in table.entries()]
    table.set_default("drop")
    seen.append(str(table.default))
    prefixes = switch.table("prefixes")
    prefixes.insert({"answer": "10.1.0.0/16"}, "paced", {}, idle_timeout="5s")
    prefixes.insert({}, "drop")
    prefixes.set_default("answer", {"what": 12})
    prefixes.set_rates({"answer": "10.1.0.0/16"}, Rates(1000, 100, 2000, 200))
    seen += [str(entry) for entry in prefixes.entries()]
    seen += [str(prefixes.default), prefixes.rates({"answer": "10.1.0.0/16"})]
    prefixes.reset_default()
    seen.append(str(prefixes.default))
    seen += [(str(entry), entry.is_const) for entry in switch.table("fixed").entries()]
    balance = switch.table("balance")
    balance.insert(
        {"index": 3},
        actions=[WeightedAction("to", {"port": "1"}, 2, watch_port=2), WeightedAction("drop", {})],
    )
    seen += [str(entry) for entry in balance.entries()]
    balance.clear()
    ways = switch.action_profile("ways")
    for number in (1, 2):
        ways.add_member("to", {"port": number}, number=number)
    ways.add_group([GroupMember(1, 2), GroupMember(2, 1, watch_port=1)], number=4)
    seen.append(ways.group(4))
    balance.insert({"index": 1}, group=4)
    balance.insert({"index": 2}, member=2)
    seen += [str(entry) for entry in balance.entries()]
    seen += [sorted(ways.members()), ways.groups()]
    ways.modify_group(4, [2])
    ways.modify_member(1, "drop")
    seen += [str(ways.members()[1]), ways.groups()]
    switch.counter("both").write(3, 5, 600)
    seen += [switch.counter("both")[3], switch.counter("packets")[0]]
    switch.register("number").write(1, 77)
    switch.register("pair").write(2, {"first": 1, "second": 1 << 99})
    seen += [switch.register("number")[1], switch.register("pair")[2], switch.register("number").cells()]
    switch.register("note").write(0, {"$valid$": 1, "a": 3, "b": 4})
    seen += switch.register("note").cells()
    switch.meter("by_packets").write(1, Rates(10, 1, 20, 2))
    seen += [switch.meter("by_packets")[1], switch.meter("by_packets").cells()]
    switch.value_set("dropped").add(17)
    seen.append(switch.value_set("dropped").members())
    switch.set_multicast_group(5, [Replica(1, 0), Replica(2, 9, (Replica(1, 4), Replica(7, 3)))])
    switch.set_clone_session(7, 2, length=60)
    switch.set_clone_session(8, replicas=[Replica(1, 0, (2,))])
    seen += [switch.multicast_groups(), switch.clone_sessions()]
    switch.delete_multicast_group(5)
    switch.delete_clone_session(7)
    switch.delete_clone_session(8)
    seen += [switch.multicast_groups(), switch.clone_sessions()]
    for one in (switch.table("all_kinds"), balance):
        one.clear()
    seen.append(len(switch.table("all_kinds")))
    ways.delete_group(4)
    ways.delete_member(1)
    seen.append(sorted(ways.members()))
    return seen


def test_one_script_controls_a_switch_here_and_one_elsewhere(client: Client):
    with weir.Network(topology(), CONTROL) as near:
        here = drive(near.switch("s1"))
    assert drive(client) == here


def choose_after(switch: SwitchObjects) -> list[object]:
    """Writes action sets with random choice and a group action; returns how they read."""
    balance = switch.table("balance")
    ways = [WeightedAction("send", {"port": "2"}, 2), WeightedAction("drop", {}, watch_port=1)]
    tag = ("tag_some", {"tag": 5, "long": 1 << 71})
    entry = balance.insert({"group": 1}, actions=ways, at_random=True, group_action=tag)
    balance.insert({"group": 2}, actions=ways, group_action=("mark", {"port": 9}))
    seen: list[object] = [str(one) for one in balance.entries()]
    first = balance.entry({"group": 1})
    assert first.at_random and first.group_action is not None
    balance.modify(entry, actions=ways[:1])
    seen.append(str(balance.entry({"group": 1})))
    again = {"actions": first.actions, "at_random": first.at_random, "group_action": first.group_action}
    balance.modify(entry, **again)
    assert balance.entry({"group": 1}) == first
    wrong: list[dict[str, Any]] = [
        {"actions": ways, "group_action": ("send", {"port": 1})},
        {"actions": [WeightedAction("mark", {"port": 1})]},
        {"actions": ways, "group_action": ("mark", {})},
        {"actions": ways, "group_action": "mark"},
        {"action": "send", "params": {"port": 1}, "at_random": True},
    ]
    for case in wrong:
        with pytest.raises(ControlError) as error:
            balance.insert({"group": 3}, **case)
        seen.append(str(error.value))
    return seen


def test_action_sets_do_something_before_the_chosen_action():
    program = CONTROL.with_name("group_actions.p4")
    with serve(program) as net, Client(net.p4runtime.address("s1")) as far:
        remote = choose_after(far)
    with weir.Network(topology(), program) as near:
        local = choose_after(near.switch("s1"))
    assert remote == local
    assert local[:3] == [
        "hdr.request.group=1 -> I.tag_some(tag=5, long=2361183241434822606848), then one at random of "
        "I.send(port=2) (weight 2), I.drop() (while port 1 is up)",
        "hdr.request.group=2 -> I.mark(port=9), then one of "
        "I.send(port=2) (weight 2), I.drop() (while port 1 is up)",
        "hdr.request.group=1 -> one of I.send(port=2) (weight 2)",
    ]
    assert "cannot be a group action of table I.balance" in str(local[3])
    assert "is for the group action of action sets of table I.balance only" in str(local[4])
    assert 'expected an action and its parameters, ("name", {…})' in str(local[6])
    assert "need a list of actions" in str(local[7])


LEARN = """
import sys
from weir.p4runtime import Client

address, wanted = sys.argv[1], int(sys.argv[2])
with Client(address, lockstep=True) as s1:
    left = wanted

    def learn(packet):
        global left
        left -= 1
        source = {"hdr.ethernet.dst": packet.payload[6:12].hex(":")}
        if len(s1.table("stations")) == 0:
            s1.table("stations").insert(source, "to_port", {"port": packet["ingress_port"]})
        s1.packet_out(packet.payload, egress_port=3 - packet["ingress_port"])

    s1.on_packet_in(learn)
    s1.on_digest(lambda digest: None)
    while left and s1.wait("30s"):
        pass
"""
"""The controller of test_controller.py, in a process of its own."""


def pings_with_a_controller_elsewhere(folder: Path) -> list[int | None]:
    """Round-trip times of pings that a controller in another process forwards, in nanoseconds."""
    script = folder / "learn.py"
    script.write_text(LEARN)
    with serve(NET / "controller.p4", lockstep=True, lockstep_timeout="60s") as net:
        command = [sys.executable, str(script), net.p4runtime.address("s1"), "5"]
        process = subprocess.Popen(command)
        try:
            net.p4runtime.wait_for_controller("s1", "60s")
            result = net.host("h1").ping("h2", count=5)
            assert process.wait(60) == 0
        finally:
            process.kill()
        assert len(net.switch("s1").table("stations")) == 1
        return [reply.rtt_ns for reply in result.replies]


def test_a_lockstep_controller_in_another_process_acts_at_the_time_of_the_packet(tmp_path: Path):
    with weir.Network(topology(), NET / "controller.p4") as net:
        s1 = net.switch("s1")

        def learn(packet: weir.control.PacketIn) -> None:
            source = {"hdr.ethernet.dst": packet.payload[6:12].hex(":")}
            if len(s1.table("stations")) == 0:
                s1.table("stations").insert(source, "to_port", {"port": packet["ingress_port"]})
            s1.packet_out(packet.payload, egress_port=3 - packet["ingress_port"])

        s1.on_packet_in(learn)
        near = [reply.rtt_ns for reply in net.host("h1").ping("h2", count=5).replies]
    assert len(near) == 5
    assert pings_with_a_controller_elsewhere(tmp_path) == near


def test_a_lockstep_controller_that_does_not_answer_is_named():
    with (
        serve(NET / "controller.p4", lockstep=True, lockstep_timeout="100ms") as net,
        Client(net.p4runtime.address("s1")) as client,
        pytest.raises(
            ControlError, match=r"lock-step: the controller of s1 did not send its arbitration message again"
        ),
    ):
        client.on_packet_in(lambda packet: None)
        net.host("h1").ping("h2", count=1)


def test_time_goes_on_after_messages_without_a_callback_and_ones_that_were_read():
    with (
        serve(NET / "controller.p4", lockstep=True, lockstep_timeout="20s") as net,
        Client(net.p4runtime.address("s1"), lockstep=True) as client,
    ):
        assert client.digests() == []
        received: list[int] = []
        ping = threading.Thread(
            target=lambda: received.append(net.host("h1").ping("h2", count=2, timeout="1s").sent)
        )
        ping.start()
        # The first message is a digest, and time is paused. The callback gets it at once.
        assert client._client.wait(1, 20_000) == 2
        digests: list[weir.control.Digest] = []
        client.on_digest(digests.append)
        assert len(digests) == 1
        # The second one is a packet, which has no callback: the client may read it or not.
        while ping.is_alive():
            client.run_for("10ms")
        assert received == [2]
        assert len(digests) == 2
        assert len(client.packets_in()) == 2


def test_a_client_that_closes_has_sent_all_its_packets(tmp_path: Path):
    script = tmp_path / "flood.py"
    script.write_text(
        "import sys\n"
        "from weir.p4runtime import Client\n"
        "with Client(sys.argv[1]) as s1:\n"
        "    for number in range(300):\n"
        "        s1.packet_out(bytes(100), egress_port=2)\n"
    )
    with serve(NET / "controller.p4") as net:
        subprocess.run([sys.executable, str(script), net.p4runtime.address("s1")], check=True, timeout=60)
        sniffer = net.sniff("h2")
        net.run_for("1s")
        assert len(sniffer.frames) == 300


def test_messages_come_with_their_fields():
    with serve(NET / "controller.p4") as net, Client(net.p4runtime.address("s1")) as client:
        assert client.digests() == []
        net.host("h1").ping("h2", count=1, timeout="100ms")
        assert client.wait()
        client.run_for("100ms")
        packets = client.packets_in()
        assert [(packet["ingress_port"], packet["reason"], len(packet.payload)) for packet in packets] == [
            (1, 5, 98)
        ]
        digests = client.digests()
        assert [(digest["src"], digest["port"]) for digest in digests] == [(0x080000000001, 1)]
        sniffer = net.sniff("h2")
        client.packet_out(packets[0].payload, egress_port=2)
        for _ in range(1000):
            net.run_for("1ms")
            if sniffer.frames:
                break
            time.sleep(0.01)
        assert 98 in [len(frame.data) for frame in sniffer.frames]


def test_a_controller_gives_a_switch_its_program(net: weir.Network, client: Client):
    assert "I.all_kinds" in client.tables
    client.set_program(NET / "controller.p4", cookie=5)
    assert list(client.tables) == ["MyIngress.stations"]
    client.table("stations").insert({"hdr.ethernet.dst": "08:00:00:00:00:02"}, "to_port", {"port": 2})
    client.table("stations").insert({"hdr.ethernet.dst": "08:00:00:00:00:01"}, "to_port", {"port": 1})
    assert net.host("h1").ping("h2", count=2).received == 2
    s1 = net.switch("s1")
    assert (Path(s1.program.path).name, list(s1.tables)) == ("controller.p4", ["MyIngress.stations"])
    assert [str(entry.action) for entry in s1.table("stations").entries()] == ["MyIngress.to_port"] * 2
    s1.table("stations").delete({"hdr.ethernet.dst": "08:00:00:00:00:02"})
    assert len(client.table("stations")) == 1
    assert s1.counter("received").cells()[1].packets == 2
    assert s1.program is s1.program
    assert s1.runtime.run("table_dump stations")
    with pytest.raises(ControlError, match="egress_port"):
        s1.packet_out(b"", port=1)
    # A program as text has no file.
    client._client.set_program("verify_and_commit", (b"", CONTROL.read_bytes()), None)
    assert (s1.program.path, len(s1.program.digest)) == ("p4_device_config.p4", 16)
    assert "I.all_kinds" in s1.tables


def test_notices_of_idle_entries_have_their_action(net: weir.Network, client: Client):
    client.table("prefixes").insert({"answer": "10.0.0.0/8"}, "answer", {"what": 3}, idle_timeout="1s")
    seen: list[weir.control.IdleNotice] = []
    client.on_idle(seen.append)
    net.run_for("1.5s")
    while not seen:
        assert client.wait("30s")
    assert (seen[0].table, seen[0].entry.action, seen[0].entry.params) == (
        "I.prefixes",
        "I.answer",
        {"what": "3"},
    )


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.p4", "secret.txt", "sub/../../secret.p4"])
def test_programs_of_controllers_read_no_other_files(client: Client, tmp_path: Path, name: str):
    for quoted in (f'"{name}"', f"<{name}>"):
        text = f"#include {quoted}\n"
        with pytest.raises(ControlError) as refused:
            client._client.set_program("verify", (b"", text.encode()), None)
        assert "inside the server's folders only" in str(refused.value)
        assert "root:" not in str(refused.value)


def test_the_larger_election_id_is_primary(net: weir.Network, client: Client):
    address = net.p4runtime.address("s1")
    with Client(address, election_id=9) as second:
        assert second.is_primary
        client.run_for("50ms")
        assert not client.is_primary
        with pytest.raises(ControlError, match="primary"):
            client.table("prefixes").insert({}, "drop")
        second.table("prefixes").insert({}, "drop")
        assert len(client.table("prefixes")) == 1
        assert sorted(net.p4runtime.controllers("s1")) == [("", 1, False), ("", 9, True)]


def test_all_switches_at_one_port_or_one_each():
    topo = weir.Topology()
    for name in ("s1", "s2"):
        topo.add_switch(name)
    topo.add_link("s1-p1", "s2-p1")
    for each in (False, True):
        options = ServerOptions("127.0.0.1:0", port_each=each)
        with weir.Network(topo, CONTROL, p4runtime=options) as net:
            addresses = {net.p4runtime.address(name) for name in ("s1", "s2")}
            assert len(addresses) == (2 if each else 1)
            with Client(net.p4runtime.address("s2"), 1) as client:
                client.table("prefixes").insert({}, "drop")
            assert [len(net.switch(name).table("prefixes")) for name in ("s1", "s2")] == [0, 1]


def test_mistakes_have_a_diagnosis(net: weir.Network, client: Client):
    for act, message in (
        (lambda: client.table("prefixs"), "prefixs"),
        (lambda: client.table("prefixes").insert({"answer": "10.0.0.0/8"}, "to", {"port": 600}), "600"),
        (lambda: client.table("fixed").insert({"index": 3}, "NoAction"), "fixed"),
        (lambda: client.counter("both").read(99), "99"),
        (lambda: client.ports, "P4Runtime has no request for the ports of a switch"),
        (lambda: client.trace(1), "trace: P4Runtime has no request for this; weir.Switch.trace has it"),
        (lambda: client.set_queue_rate("1Mbit"), "set_queue_rate: P4Runtime has no request for this"),
        (client.log, "P4Runtime has no request for lines of log_msg"),
        (lambda: client.set_program(CONTROL, "verify_and_comit"), "verify_and_commit"),  # type: ignore[arg-type]
        (lambda: client.packet_out(b"", port=1), 'has no field "port"'),
        (lambda: Client(net.p4runtime.address("s1"), 77), "77"),
        (lambda: Client(net.p4runtime.address("s1"), election_id=1), "1"),
        (lambda: Client("127.0.0.1:1", timeout="2s"), "no P4Runtime server answers at 127.0.0.1:1"),
        (lambda: Client("nowhere"), "nowhere"),
        (lambda: net.switch("s1").on_digest(print), "s1 is served by P4Runtime"),
        (lambda: net.switch("s1").on_packet_in(print), "s1 is served by P4Runtime"),
    ):
        with pytest.raises(ControlError) as raised:
            act()
        assert message in str(raised.value)
    for given, message in (
        ("somewhere", "is not an address to listen on"),
        (7, "expected True, an address"),
        (ServerOptions("127.0.0.1:65535", port_each=True, first_device_id=-1), "first_device_id"),
    ):
        with pytest.raises((NetworkError, ControlError)) as refused:
            weir.Network(topology(), CONTROL, p4runtime=given)  # type: ignore[arg-type]
        assert message in str(refused.value)


def test_a_closed_network_has_no_server(net: weir.Network, client: Client):
    net.close()
    with pytest.raises(ControlError):
        client.table("prefixes").entries()


def test_several_threads_may_control_switches_while_the_network_runs(net: weir.Network):
    address = net.p4runtime.address("s1")
    failures: list[Exception] = []

    def fill(role: int) -> None:
        try:
            with Client(address, role=f"role {role}") as mine:
                for index in range(50):
                    mine.table("all_kinds").insert(
                        {"what": role, "answer": f"10.0.{index}.0/24"}, "NoAction", {}, 1
                    )
                    mine.table("all_kinds").delete({"what": role, "answer": f"10.0.{index}.0/24"}, 1)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=fill, args=(role,)) for role in (1, 2, 3)]
    for thread in threads:
        thread.start()
    net.run_for("50ms")
    for thread in threads:
        thread.join()
    assert not failures
    assert len(net.switch("s1").table("all_kinds")) == 0
