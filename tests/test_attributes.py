"""Attributes that the parts of a network do not have, or that cannot be set."""

import re

import pytest

import weir


@pytest.mark.parametrize(
    ("part", "name", "value", "message"),
    [
        (lambda n: n.link("h1", "s1"), "raet", "1Mbit", 'Link: there is no "raet" to set; did you mean "rate"?'),
        (lambda n: n.link("h1", "s1"), "bandwidth", "1Mbit", 'Link: there is no "bandwidth" to set (there are: correlation, '),
        (lambda n: n.link("h1", "s1"), "rate_bps", 5, 'Link: rate_bps cannot be set; did you mean "rate"?'),
        (lambda n: n.link("h1", "s1"), "a", "h2", "Link: a cannot be set (there are: correlation, "),
        (lambda n: n.link("h1", "s1"), "up", "down", "up: 'down' is neither True nor False"),
        (lambda n: n.link("h1", "s1"), "overtake", "yes", "overtake: 'yes' is neither True nor False"),
        (lambda n: n.interface("s1-p2"), "qdsic", "10p", 'Interface: there is no "qdsic" to set; did you mean "qdisc"?'),
        (lambda n: n.host("h1"), "ip", "10.0.1.2", "Host: ip cannot be set"),
        (lambda n: n.host("h1"), "gateway", "10.0.1.2", 'Host: there is no "gateway" to set'),
        (lambda n: n, "on_evnt", print, 'Network: there is no "on_evnt" to set; did you mean "on_event"?'),
        (lambda n: n, "now", 3.0, "Network: now cannot be set (there are: on_event)"),
        (lambda n: n, "seed", 3, "Network: seed cannot be set"),
        (lambda n: n.switch("s1"), "queue_rate", "1Mbit", 'Switch: there is no "queue_rate" to set'),
    ],
)  # fmt: skip
def test_what_cannot_be_set_is_told(network: weir.Network, part, name: str, value, message: str):
    with pytest.raises(weir.WeirError, match=re.escape(message)):
        setattr(part(network), name, value)


def test_what_can_be_set_is_set(network: weir.Network):
    link = network.link("h1", "s1")
    link.rate, link.up, link.jitter = "5Mbit", False, weir.impairments.Normal("1ms")
    assert (link.rate, link.up) == ("5Mbit", False)
    network.on_event = print
    assert network.on_event is print
    network.on_event = None
