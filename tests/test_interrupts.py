"""Ctrl-C during runs: none is lost, also in runs whose events take long."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

import weir
from torture.programs.template import program
from weir.stf import run_stf
from weir.stf.bench import Bench
from weir.topology import shapes

SLOW = "for (bit<32> i in 32w0 .. 32w100000) { meta.b = meta.b + i; }"
"""What takes the interpreter some hundredths of a second for each packet."""


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_a_run_with_slow_packets_ends_soon(tmp_path: Path):
    (tmp_path / "slow.p4").write_text(program(apply=SLOW))
    slow = weir.compile(tmp_path / "slow.p4", executor="interp")
    topology = shapes.star(2)
    topology.routes = None
    with weir.Network(topology, slow) as network:
        network.host("h1").start_ping("h2", count=100_000, interval="1ms")
        network.run_for("10ms")
        before = network.events
        threading.Timer(0.2, interrupt).start()
        # All events of a slice would take minutes.
        with pytest.raises(KeyboardInterrupt):
            network.run_for("100s")
        assert 0 < network.events - before < 5000
        network.run_for("1ms")


def test_a_test_with_a_slow_packet_ends_soon(tmp_path: Path):
    (tmp_path / "slow.p4").write_text(program(apply=SLOW))
    slow = weir.compile(tmp_path / "slow.p4", executor="interp")
    (tmp_path / "slow.stf").write_text("packet 0 00\n" * 100_000)
    threading.Timer(0.2, interrupt).start()
    # All packets would take minutes.
    with pytest.raises(KeyboardInterrupt):
        run_stf(slow, tmp_path / "slow.stf")


def test_a_packet_that_passes_a_slow_program_forever_ends_soon(tmp_path: Path):
    # A longer loop would end in the limit of loops, and the packet with it.
    again = SLOW.replace("100000", "10000") + " resubmit_preserving_field_list(0);"
    (tmp_path / "slow.p4").write_text(program(apply=again))
    slow = weir.compile(tmp_path / "slow.p4", executor="interp")
    (tmp_path / "slow.stf").write_text("packet 0 00\n")
    threading.Timer(0.2, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run_stf(slow, tmp_path / "slow.stf")
    bench = Bench(slow, [0])
    threading.Timer(0.2, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        bench.send(0, b"x")


def test_an_interrupt_before_another_exception_is_not_lost():
    with weir.Network(shapes.star(2)) as network:

        def action() -> None:
            interrupt()
            raise ZeroDivisionError

        network.at("1ms", action)
        with pytest.raises(KeyboardInterrupt) as raised:
            network.run_for("1s")
        assert isinstance(raised.value.__context__, ZeroDivisionError)
        network.run_for("1s")
