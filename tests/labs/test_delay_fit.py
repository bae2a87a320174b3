"""``weir lab fit`` derives the profile from measurements that were made with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import weir
from weir.errors import FileError
from weir_labs.delay.fit import fit
from weir_labs.delay.machines import MACHINES, machine
from weir_labs.delay.rtt import rtt
from weir_labs.delay.tcp import tcp_throughput


def test_a_simulated_machine_is_found_again(tmp_path: Path) -> None:
    rows = ["recirculations,rtt_min_ms,rtt_avg_ms,tcp_mbps"]
    for x in (0, 1, 3, 7):
        ping = rtt.function("bmv2-vm", "unlimited", x, 1, 10, 1)
        flow = tcp_throughput.function("bmv2-vm", "unlimited", x, 1, 5, 1)
        rows.append(f"{x},{ping['rtt_min_ms']},{ping['rtt_avg_ms']},{flow['goodput_mbps']}")
    (tmp_path / "vm.csv").write_text("\n".join(rows) + "\n")
    fitted = fit(tmp_path / "vm.csv")
    known = MACHINES["bmv2-vm"]
    assert fitted.machine.pass_ns == pytest.approx(known.pass_ns, rel=1e-3)
    assert fitted.machine.host_ns == pytest.approx(known.host_ns, rel=1e-2)
    assert fitted.machine.capacity == pytest.approx(known.capacity, rel=0.05)
    assert fitted.machine.host_jitter_ns == 0 and fitted.r2 > 0.9999
    fitted.machine.save(tmp_path / "mine.json")
    assert machine(str(tmp_path / "mine.json")).pass_ns == fitted.machine.pass_ns


@pytest.mark.parametrize(
    ("name", "rtts", "within"),
    [("bmv2-vm", (0.97, 1.66, 2.97, 5.36), 0.06), ("bmv2-server", (2.16, 4.27, 8.3, 16.13), 0.04)],
)
def test_the_machines_of_the_thesis_are_fitted_to_all_its_round_trips(
    tmp_path: Path, name: str, rtts: tuple[float, ...], within: float
) -> None:
    rows = [f"{x},{rtt}," for x, rtt in zip((0, 1, 3, 7), rtts, strict=True)]
    # Throughput is a column of the file, but does not set the capacity of these machines.
    text = "\n".join(["recirculations,rtt_min_ms,tcp_mbps", *rows, "0,,25"])
    (tmp_path / "thesis.csv").write_text(text + "\n")
    fitted, known = fit(tmp_path / "thesis.csv").machine, MACHINES[name]
    assert known.pass_ns == pytest.approx(fitted.pass_ns, rel=0.002)
    assert known.host_ns == pytest.approx(fitted.host_ns, rel=0.01)
    # One pass at a time.
    assert known.capacity == round(1e9 / known.pass_ns)
    for x, minimum in zip((0, 1, 3, 7), rtts, strict=True):
        assert known.a_ms + known.b_ms * x == pytest.approx(minimum, rel=within if x == 0 else 0.03)
    assert known.a_ms + known.b_ms * 7 == pytest.approx(rtts[-1], rel=0.01)


@pytest.mark.parametrize("name", MACHINES)
def test_the_switches_of_machines_are_profiles(name: str) -> None:
    timing = weir.Profile.named("default" if name == "modern" else name)
    known = MACHINES[name]
    assert (known.pass_ns, known.capacity) == (timing.pass_latency_ns, timing.capacity)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recirculatons,rtt_min_ms\n0,1\n", 'the column "recirculatons" is unknown'),
        ("rtt_min_ms\n1\n", "the column recirculations is missing"),
        ("recirculations,rtt_min_ms\n0,1\n", "at least two numbers of recirculations"),
        ("recirculations,rtt_min_ms\n0,1\n1,2\n", "expected tcp_mbps, or udp_sent_mbps"),
        ("recirculations,rtt_min_ms\n0,2\n1,1\n", "do not increase with recirculations"),
        ("recirculations,rtt_min_ms\n0,x\n", 'rtt_min_ms is "x": expected a number'),
        ("recirculations,rtt_min_ms\n,1\n", "recirculations is empty"),
        ("recirculations,rtt_min_ms\n0,1,2\n", "more cells than columns"),
        ("recirculations,rtt_min_ms\n0,nan\n", "expected a number from 0"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(FileError, match=message):
        fit(tmp_path / "a.csv")
    with pytest.raises(FileError, match="no such file"):
        fit(tmp_path / "none.csv")


def test_endless_devices_are_refused() -> None:
    with pytest.raises(FileError, match="larger than 16 MiB"):
        fit(Path("/dev/zero"))
