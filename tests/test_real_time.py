"""Virtual time that follows the wall clock."""

import itertools
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import weir
from command import NET, RUN, WEIR, weir as run_weir
from weir.clock import realtime
from weir.errors import NetworkError, UnitError, WeirWarning
from weir.p4runtime import Client, ServerOptions


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A fake wall clock, which advances during sleeps, and by a number of seconds on request."""
    now = 0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += round(seconds * 1e9)

    monkeypatch.setattr(realtime, "monotonic_ns", lambda: now)
    monkeypatch.setattr(realtime, "sleep", sleep)
    return sleep


def test_time_follows_the_wall_clock(network: weir.Network, wall: Callable[[float], None]):
    network.run_real_time("10s")
    assert (network.now_ns, realtime.monotonic_ns()) == (10**10, 10**10)
    network.run_real_time("10s", speed=4)
    assert (network.now_ns, realtime.monotonic_ns()) == (2 * 10**10, 125 * 10**8)
    with network.real_time(0.5) as pace:
        # Between calls, time is paused.
        wall(100)
        network.host("h1").ping("h2", count=3)
        network.run_for("1s")
        network.run_real_time("1s")
        assert not pace.is_behind
    began = realtime.monotonic_ns()
    network.run_for("1h")
    assert realtime.monotonic_ns() == began


def test_until_ends_a_real_time_run(network: weir.Network, wall: Callable[[float], None]):
    asked = itertools.count()
    network.run_real_time(until=lambda: next(asked) == 500)
    # Once a tick of 2 ms.
    assert network.now_ns == 998_000_000


def test_actions_come_at_their_time(network: weir.Network, wall: Callable[[float], None]):
    seen: list[tuple[float, int]] = []
    for at in ("1s", "2.5s"):
        network.at(at, lambda: seen.append((network.now, realtime.monotonic_ns())))
    network.run_real_time("3s")
    assert seen == [(1, 10**9), (2.5, 25 * 10**8)]


def test_a_slow_simulation_says_so(network: weir.Network, wall: Callable[[float], None]):
    with pytest.warns(WeirWarning) as warned, network.real_time() as pace:
        network.at("1s", lambda: wall(0.9))
        network.run_for("2s")
        # It has caught up.
        assert not pace.is_behind
        for after in ("1s", "2s"):
            network.after(after, lambda: wall(20))
        network.run_for("3s")
        assert pace.behind_ns // 10**9 == 40
        assert str(pace).endswith("virtual time is 40s behind the wall clock")
    assert [str(one.message).split()[-5] for one in warned] == ["20s", "40s"]


def test_results_are_those_of_virtual_time(network: weir.Network, wall: Callable[[float], None]):
    with weir.Network.load(NET / "topology.json", NET / "router.p4") as other, other.real_time(1000):
        there = other.host("h1").iperf("h2", duration="0.5s")
    here = network.host("h1").iperf("h2", duration="0.5s")
    assert list(there.intervals) == list(here.intervals)


def test_a_controller_in_a_thread_forwards_pings():
    topo = weir.Topology()
    for number in (1, 2):
        other = {f"10.0.1.{3 - number}": f"08:00:00:00:00:0{3 - number}"}
        topo.add_host(f"h{number}", f"10.0.1.{number}/24", f"08:00:00:00:00:0{number}", arp=other)
    topo.add_switch("s1", cpu_port=510)
    for number in (1, 2):
        topo.add_link(f"h{number}", f"s1-p{number}")
    over = threading.Event()
    with (
        weir.Network(topo, NET / "controller.p4", p4runtime=ServerOptions("127.0.0.1:0")) as net,
        Client(net.p4runtime.address("s1")) as s1,
    ):
        s1.on_packet_in(lambda packet: s1.packet_out(packet.payload, egress_port=3 - packet["ingress_port"]))

        def control() -> None:
            while not over.is_set():
                s1.wait("20ms")

        thread = threading.Thread(target=control)
        thread.start()
        with net.real_time():
            # In virtual time the controller would have no chance to answer.
            assert net.host("h1").ping("h2", count=3, interval="50ms", timeout="60s").received == 3
        over.set()
        thread.join()


def test_mistakes(network: weir.Network):
    for speed in (0, -1, "fast", True, float("nan"), 1e7):
        with pytest.raises(NetworkError, match="speed: expected virtual seconds in a second"):
            network.real_time(speed)  # type: ignore[arg-type]
    with pytest.raises(UnitError):
        network.run_real_time("5")
    with pytest.raises((NetworkError, TypeError), match="until"):
        network.run_real_time(until=3)  # type: ignore[arg-type]
    network.close()
    with pytest.raises(NetworkError, match="closed"):
        network.run_real_time("1s")


def test_mistakes_on_the_command_line():
    code, _, err = run_weir(*RUN, "--speed", "2", "--virtual-time")
    assert (code, err.splitlines()[-1]) == (
        2,
        "Error: --speed is only for real time: leave out --virtual-time",
    )
    code, out, err = run_weir(*RUN, "-c", "wait")
    assert (code, err) == (0, "") and "there are no background jobs" in out
    code, _, err = run_weir(*RUN, "-c", "wait soon")
    assert (code, err) == (
        1,
        "error: cannot read time 'soon': expected a number and a unit, such as \"1s\"\n",
    )


def test_commands_from_a_pipe_take_over_the_clock(tmp_path: Path):
    with subprocess.Popen(
        [WEIR, *RUN, "--real-time", "--speed", "1000"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout
        times = []
        for _ in range(2):
            process.stdin.write("wait 2\n")
            process.stdin.flush()
            times.append(float(process.stdout.readline().split()[-1].rstrip("s")))
            time.sleep(0.05)
        # Time went on in between.
        assert times[1] > times[0] + 2.001
        process.stdin.write("wait\n")
        process.stdin.flush()
        # On a busy computer, the first signal may come before the command.
        for _ in range(10):
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            if select.select([process.stdout], [], [], 5)[0]:
                break
        assert process.stdout.readline().startswith("the network's time is ")
        process.stdin.write("h1 ping -c 1 h2")
        process.stdin.close()
        assert "1 received" in process.stdout.read()
        assert process.wait(30) == 0
