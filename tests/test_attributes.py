"""Attributes that the parts of a network do not have, or that cannot be set."""

import pytest

import weir
from weir import hints

LINK = "What can be set on Link: correlation, corrupt, delay, duplicate, jitter, loss, mtu, overtake, queue, rate, reorder, up"


@pytest.mark.parametrize(
    ("part", "name", "value", "message", "note"),
    [
        (lambda n: n.link("h1", "s1"), "raet", "1Mbit", "'Link' object has no attribute 'raet'", 'Did you mean "rate"?'),
        (lambda n: n.link("h1", "s1"), "bandwidth", "1Mbit", "'Link' object has no attribute 'bandwidth'", 'Did you mean "rate"?'),
        (lambda n: n.link("h1", "s1"), "rate_bps", 5, "property 'rate_bps' of 'Link' object has no setter", 'Did you mean "rate"?'),
        (lambda n: n.link("h1", "s1"), "a", "h2", "property 'a' of 'Link' object has no setter", LINK),
        (lambda n: n.interface("s1-p2"), "qdsic", "10p", "'Interface' object has no attribute 'qdsic'", 'Did you mean "qdisc"?'),
        (lambda n: n.interface("s1-p2"), "name", "x", "property 'name' of 'Interface' object has no setter", "What can be set on Interface: qdisc"),
        (lambda n: n.host("h1"), "ip", "10.0.1.2", "property 'ip' of 'Host' object has no setter", None),
        (lambda n: n.host("h1"), "gateway", "10.0.1.2", "'Host' object has no attribute 'gateway'", None),
        (lambda n: n, "on_evnt", print, "'Network' object has no attribute 'on_evnt'", 'Did you mean "on_event"?'),
        (lambda n: n, "now", 3.0, "property 'now' of 'Network' object has no setter", "What can be set on Network: on_event"),
        (lambda n: n, "seed", 3, "property 'seed' of 'Network' object has no setter", "What can be set on Network: on_event"),
        (lambda n: n.switch("s1"), "queue_rate", "1Mbit", "'Switch' object has no attribute 'queue_rate'", None),
    ],
)  # fmt: skip
def test_wrong_attributes_are_reported(
    network: weir.Network, part, name: str, value, message: str, note: str | None
):
    with pytest.raises(AttributeError) as caught:
        setattr(part(network), name, value)
    assert str(caught.value) == message
    hints.add_hint(caught.value)
    assert getattr(caught.value, "__notes__", []) == ([] if note is None else [note])


@pytest.mark.parametrize(("name", "value"), [("up", "down"), ("overtake", "yes")])
def test_a_wrong_value_of_a_flag_is_reported(network: weir.Network, name: str, value: str):
    with pytest.raises(weir.NetworkError, match=f"{name}: '{value}' is neither True nor False"):
        setattr(network.link("h1", "s1"), name, value)


def test_settable_attributes(network: weir.Network):
    link = network.link("h1", "s1")
    link.rate, link.up, link.jitter = "5Mbit", False, weir.impairments.Normal("1ms")
    assert (link.rate, link.up) == ("5Mbit", False)
    network.on_event = print
    assert network.on_event is print
    network.on_event = None
