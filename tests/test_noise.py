"""Random delays of hosts, and the effect of seeds without them."""

from typing import Any

import pytest

import weir
from weir.network import NOISES, Noise


def ping(seed: int, noise: Any = "none") -> weir.PingResult:
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_host("h2", "10.0.1.2/24")
    topo.add_link("h1", "h2", delay="1ms")
    with weir.Network(topo, seed=seed, noise=noise) as network:
        return network.host("h1").ping("h2", count=20, interval="10ms")


def test_without_noise_each_seed_gives_the_same():
    assert ping(1) == ping(2)


def test_with_noise_seeds_differ_and_repeat():
    assert ping(1, "realistic") == ping(1, "realistic")
    assert ping(1, "realistic") != ping(2, "realistic")


def test_realistic_noise_has_the_documented_bounds():
    assert NOISES["realistic"] == Noise(start="1ms", processing="60us")
    result = ping(1, "realistic")
    quiet = ping(1)
    starts = {result.replies[0].time_ns for result in (ping(seed, "realistic") for seed in range(1, 11))}
    assert len(starts) == 10
    assert all(0 <= start <= 1_000_000 for start in starts)
    extra = [
        noisy.rtt_ns - exact.rtt_ns
        for noisy, exact in zip(result.replies[1:], quiet.replies[1:], strict=True)
        if noisy.rtt_ns is not None and exact.rtt_ns is not None
    ]
    assert len(extra) == 19
    assert 0 <= min(extra) < max(extra) <= 120_000


def test_users_choose_the_times_of_noise():
    result = ping(1, Noise(start="1s"))
    assert 0 < result.replies[0].time_ns <= 1_000_000_000
    # The start is random, and nothing else.
    assert len({reply.rtt_ns for reply in result.replies[1:]}) == 1


def test_traffic_of_all_kinds_starts_late():
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_host("h2", "10.0.1.2/24")
    topo.add_link("h1", "h2", rate="10Mbit")
    with weir.Network(topo, noise=Noise(start="100ms")) as network:
        h1 = network.host("h1")
        for result in (
            h1.iperf("h2", duration="100ms"),
            h1.iperf("h2", udp=True, duration="100ms"),
        ):
            assert result.streams[0].start_ns % 1_000_000_000 > 0


@pytest.mark.parametrize(
    ("noise", "message"),
    [("realistc", 'did you mean "realistic"'), (5, "expected a name"), (Noise(start="5"), "no unit")],
)
def test_wrong_noise(noise: Any, message: str):
    with pytest.raises(weir.WeirError, match=message):
        ping(1, noise)
