"""Networks whose switches and hosts share a computer."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import weir
from command import weir as run_weir
from weir.errors import FileError, NetworkError
from weir.network import computers

BUSY = weir.Computer(
    name="busy",
    processors=2,
    wake_up_ns=20_000,
    receive=weir.Cost(20_000),
    ingress=weir.Cost(40_000),
    egress=weir.Cost(20_000),
    send=weir.Cost(20_000, 1.5),
)


def chain(switches: int, computer: object = None, **options: object) -> weir.Network:
    topology = weir.Topology()
    topology.add_host("h1", "10.0.0.1/24")
    topology.add_host("h2", "10.0.0.2/24")
    for number in range(1, switches + 1):
        topology.add_switch(f"s{number}")
    topology.add_link("h1", "s1-p1", rate=None)
    for number in range(1, switches):
        topology.add_link(f"s{number}-p2", f"s{number + 1}-p1", rate=None)
    topology.add_link("h2", f"s{switches}-p2", rate=None)
    return weir.Network(topology, computer=computer, **options)  # type: ignore[arg-type]


def test_each_switch_takes_time_of_the_same_processors() -> None:
    goodput = []
    for switches in (1, 4):
        with chain(switches, BUSY) as net:
            assert net.computer is BUSY
            flow = net.host("h1").iperf("h2", udp=True, rate="200Mbit", length="1400B", duration="200ms")
            goodput.append(flow.goodput_mbps)
            reasons = {drop.reason for drop in net.audit().drops}
            assert ("the computer is too busy" in reasons) == (switches == 4)
    assert goodput[0] > 3 * goodput[1]


def test_recirculated_packets_take_the_work_of_a_pass(tmp_path: Path) -> None:
    from weir_labs.delay.chain import network, recirculate
    from weir_labs.delay.machines import MACHINES

    rtts = []
    for x in (0, 1, 3):
        with network("delay", MACHINES["modern"], computer=BUSY) as net:
            recirculate(net, x)
            rtts.append(net.host("h1").ping("h2", count=2).rtt_min_ms)
    # Ingress and egress, and two wake-ups, there and back.
    step = 2 * (40 + 20 + 2 * 20) / 1000
    assert rtts[1] - rtts[0] == pytest.approx(step, rel=1e-3)
    assert rtts[2] - rtts[0] == pytest.approx(3 * step, rel=1e-3)


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    def run(folder: str, seed: int) -> bytes:
        noisy = weir.Computer(name="noisy", processors=2, wake_up_ns=1000, wake_up_jitter_ns=5000)
        with chain(2, noisy, seed=seed, pcap=tmp_path / folder) as net:
            net.host("h1").ping("h2", count=5)
        return b"".join(file.read_bytes() for file in sorted((tmp_path / folder).iterdir()))

    assert run("a", 1) == run("b", 1)
    assert run("c", 1) != run("d", 2)


def test_files_topologies_and_the_command_line(tmp_path: Path) -> None:
    BUSY.save(tmp_path / "busy.json")
    assert weir.Computer.named(tmp_path / "busy.json") == BUSY
    topology = {
        "computer": "busy.json",
        "hosts": {"h1": {"ip": "10.0.0.1/24"}, "h2": {"ip": "10.0.0.2/24"}},
        "switches": {"s1": {}},
        "links": [["h1", "s1-p1"], ["h2", "s1-p2"]],
    }
    (tmp_path / "topology.json").write_text(json.dumps(topology))
    with weir.Network.load(tmp_path / "topology.json") as net:
        assert net.computer == BUSY
    del topology["computer"]
    (tmp_path / "topology.json").write_text(json.dumps(topology))
    plain = run_weir("ping", tmp_path / "topology.json", "h1", "h2", "-c", "1")[1]
    shared = run_weir(
        "ping", tmp_path / "topology.json", "h1", "h2", "-c", "1", "--computer", tmp_path / "busy.json"
    )[1]
    assert plain != shared


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: chain(1, "bmv2-two-procesors"), "there is no computer"),
        (lambda: chain(1, 3), "expected the name of a computer or a weir.Computer, found 3"),
        (lambda: chain(1, BUSY, profile="bmv2-vm"), "and a timing profile"),
        (lambda: weir.Computer(name="x", processors=0), "processors=0: expected 1 to 1024"),
        (lambda: weir.Computer(name="x", receive=5), "receive: expected a Cost, found 5"),  # type: ignore[arg-type]
        (
            lambda: weir.Computer(name="x", interrupted_every_ns=5, interrupted_for_ns=5),
            "expected less than interrupted_every_ns",
        ),
    ],
)
def test_mistakes(make: object, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        make()  # type: ignore[operator]


def test_files_that_are_no_computers(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    for text in ("[]", "{", '{"name": "a", "colour": 1}', '{"name": "a", "receive": {"x": 1}}'):
        file.write_text(text)
        with pytest.raises(FileError, match="is not a computer"):
            weir.Computer.named(file)


def test_a_slower_computer_takes_longer() -> None:
    slow = BUSY.scaled(2)
    assert (slow.switch_ns, slow.wake_up_ns) == (2 * BUSY.switch_ns, 40_000)
    assert slow.send.byte_ns == 3.0 and slow.quantum_ns == BUSY.quantum_ns
    assert all(computer.name == name for name, computer in computers().items())


@pytest.mark.parametrize("factor", [0, -1, math.inf, math.nan, True, "2", None])
def test_a_computer_is_scaled_by_a_number_above_0(factor: Any):
    with pytest.raises(NetworkError, match="expected a number above 0"):
        BUSY.scaled(factor)


def test_a_computer_that_cannot_be_written_is_an_error(tmp_path: Path):
    with pytest.raises(FileError, match="nowhere"):
        BUSY.save(tmp_path / "nowhere" / "mine.json")
