"""The time that a ping waits for replies that do not come."""

from typing import Any

import pytest

import weir


@pytest.fixture
def net() -> weir.Network:
    """Two hosts on a link of 5 ms."""
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_host("h2", "10.0.1.2/24")
    topo.add_link("h1", "h2", rate="unlimited", delay="5ms")
    network = weir.Network(topo)
    network.host("h1").ping("h2", count=1)
    return network


def after(net: weir.Network, **options) -> tuple[int, float]:
    """The replies to a ping, and how many seconds it took."""
    start = net.now
    result = net.host("h1").ping("h2", **options)
    return result.received, round(net.now - start, 3)


def test_a_ping_ends_with_the_last_reply(net: weir.Network):
    assert after(net, count=3) == (3, 2.01)


@pytest.mark.parametrize(
    ("lost", "options", "expected"),
    [
        # The last request, sent after 2 s, has no reply; the last reply came before that.
        (3, {"count": 3}, (2, 3.0)),
        # The first request is lost, and the first reply, that to the second request.
        (1, {"count": 3}, (1, 3.01)),
        (2, {"count": 2, "interval": "3s"}, (1, 6.0)),
        (3, {"count": 3, "interval": "10ms"}, (2, 1.02)),
        # With its own time-out, each request waits that long.
        (3, {"count": 3, "timeout": "200ms"}, (2, 2.2)),
        (3, {"count": 3, "timeout": "5s"}, (2, 7.0)),
        (1, {"count": 3, "timeout": "5s"}, (1, 6.0)),
    ],
)
def test_a_ping_ends_soon_after_its_last_request_if_a_reply_is_lost(
    net: weir.Network, lost: int, options: dict[str, Any], expected: tuple[int, float]
):
    net.link("h1", "h2").loss = weir.impairments.Frames([lost])
    assert after(net, **options) == expected


def test_a_ping_waits_longer_after_long_round_trips(net: weir.Network):
    net.link("h1", "h2").delay = "400ms"
    net.link("h1", "h2").loss = weir.impairments.Frames([2])
    # The reply comes after 0.8 s, and the ping then waits twice as long.
    assert after(net, count=2, interval="100ms") == (1, 2.4)


def test_a_ping_without_replies_waits_ten_seconds(net: weir.Network):
    net.link("h1", "h2").loss = "100%"
    assert after(net, count=3) == (0, 12.0)


def test_time_to_live(net: weir.Network):
    assert after(net, count=1, ttl=1)[0] == 1
    with pytest.raises(weir.NetworkError, match="ttl: 256 is out of range"):
        net.host("h1").ping("h2", ttl=256)


def test_a_plot_has_a_gap_where_a_request_was_lost(net: weir.Network) -> None:
    net.link("h1", "h2").loss = weir.impairments.Frames([2])
    ping = net.host("h1").ping("h2", count=4, interval="100ms")
    assert ping.lost == 2  # The loss is in both directions.
    line, marks = ping.plot().axes[0].lines
    known = [value == value for value in line.get_ydata()]
    assert known == [reply.rtt_ns is not None for reply in ping.replies]
    assert (len(known), list(marks.get_ydata())) == (4, [0, 0])
