"""Samplers that would fill the memory stop, and the run's error says so."""

import pytest

import weir
from weir.topology import shapes


def test_a_sampler_takes_so_many_samples():
    with weir.Network(shapes.star(2)) as network:
        samples = network.sample("h1", every="1ns")
        with pytest.raises(
            weir.NetworkError, match=r"4194304 samples of an end at 4\.194303ms.*sample less often"
        ):
            network.run_for("1s")
        # The network continues without the sampler.
        network.run_for("1s")
        assert len(samples.samples()) == 4194304
        assert network.host("h1").ping("h2", count=1).received == 1
