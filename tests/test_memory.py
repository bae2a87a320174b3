"""Memory does not grow while a network runs and Python starts one flow after the other."""

from __future__ import annotations

import gc

import pytest

import weir
from weir.bench.network import router
from weir.topology import shapes


@pytest.fixture(scope="module")
def program() -> weir.Program:
    return router()


def test_deleted_objects_free_memory(program: weir.Program):
    with weir.Network(shapes.star(3), program) as net:
        h1, h2, h3 = net.hosts
        loads = []
        for _ in range(24):
            assert h1.iperf(h2, size="20kB").bytes == 20_000
            assert h3.iperf(h2, udp=True, rate="1Mbit", count=5).received == 5
            assert h2.ping(h1, count=1).received == 1
            # Nothing refers to this flow: it runs to its end and is freed.
            h1.start_iperf(h3, size="3kB")
            net.run_for("10s")
            gc.collect()
            loads.append(net.resource_usage())
        capacities = [name for name in loads[0] if name.endswith("capacity")]
        # After a minute connections in TIME-WAIT go as fast as others come.
        assert [loads[12][name] for name in capacities] == [loads[-1][name] for name in capacities]
        # Three servers are left, and possibly a client whose end was not read.
        assert loads[-1]["apps"] <= 4
        assert loads[-1]["app_capacity"] <= 8
        net.run_for("3min")
        assert {
            name: count
            for name, count in net.resource_usage().items()
            if count and not name.endswith("capacity")
        } == {
            "apps": 3,
            "bindings": 3,
        }


def test_a_result_outlives_what_was_measured(program: weir.Program):
    with weir.Network(shapes.star(2), program) as net:
        h1, h2 = net.hosts
        flow = h1.start_iperf(h2, size="20kB")
        net.run_for("1s")
        result = flow.result()
        del flow
        gc.collect()
        net.run_for("1s")
        assert result.bytes == 20_000
        assert h1.ping(h2, count=2).received == 2
