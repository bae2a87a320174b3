"""Networks in several threads: the results of one thread, and which arguments are refused."""

from pathlib import Path

import pytest

import weir
from weir.errors import NetworkError
from weir.topology.shapes import dumbbell, ring


def run(threads: int, folder: Path) -> tuple[object, ...]:
    """Runs TCP flows over a lossy dumbbell, and returns their results and captures."""
    topology = dumbbell(3, rate="100Mbit", middle_rate="50Mbit", middle_delay="5ms")
    pcap = folder / str(threads)
    with weir.Network(topology, seed=3, threads=threads, noise="realistic", pcap=pcap) as net:
        net.link("s1", "s2").loss = "0.1%"
        net.after("1s", lambda: setattr(net.link("s1", "s2"), "rate", "20Mbit"))
        flows = [net.host(f"h{n}").start_iperf(f"h{n + 3}", duration="2s") for n in (1, 2, 3)]
        net.run_for("4s")
        results = [flow.wait().to_dict() for flow in flows]
        account = net.audit()
    captures = [(file.name, file.read_bytes()) for file in sorted(pcap.iterdir())]
    return results, account, captures, net.now


def test_results_do_not_depend_on_threads(tmp_path: Path) -> None:
    alone = run(1, tmp_path)
    assert run(2, tmp_path) == alone
    assert run(3, tmp_path) == alone


def ring_goodputs(threads: int) -> list[float]:
    """Runs two TCP flows over a ring, in whose short windows threads often wait for each other."""
    with weir.Network(ring(4), threads=threads, seed=7) as net:
        flows = [
            net.host("h1").start_iperf("h4", duration="1s"),
            net.host("h2").start_iperf("h3", duration="1s"),
        ]
        net.run_for("2s")
        return [flow.result().goodput_mbps for flow in flows]


def test_threads_decide_alike_when_one_is_late() -> None:
    """A thread that lost its processor once read what another had changed in the meantime."""
    alone = ring_goodputs(1)
    # More threads than processors.
    assert ring_goodputs(4) == alone
    assert ring_goodputs(2) == alone


@pytest.mark.parametrize(
    ("threads", "message"),
    [
        (0, "threads: 0 is out of range: expected 1 to 256"),
        (257, "threads: 257 is out of range: expected 1 to 256"),
        (True, "threads: True is not a whole number: expected 1 to 256"),
        ("2", "threads: '2' is not a whole number: expected 1 to 256"),
    ],
)
def test_numbers_of_threads_are_checked(threads: object, message: str) -> None:
    with pytest.raises(NetworkError) as error:
        weir.Network(dumbbell(1), threads=threads)  # type: ignore[arg-type]
    assert str(error.value) == message
