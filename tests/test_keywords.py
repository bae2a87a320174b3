"""Keywords that a method does not have."""

import inspect
import re

import pytest

import weir


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda h: h.ping("h2", cuont=3), 'ping: there is no option "cuont"; did you mean "count"?'),
        (lambda h: h.start_ping("h2", cuont=3), 'start_ping: there is no option "cuont"'),
        (lambda h: h.iperf("h2", durtion="1s"), 'iperf: there is no option "durtion"; did you mean "duration"?'),
        (lambda h: h.iperf("h2", udp=True, bandwidth="1M"), 'no option "bandwidth"'),
        (lambda h: h.poisson("h2", rat="1Mbit"), 'poisson: there is no option "rat"; did you mean "rate"?'),
        (lambda h: h.on_off("h2", "1Mbit", on="1s", of="1s"), 'on_off: there is no option "of"'),
        (lambda h: h.requests("h2", trys=3), 'requests: there is no option "trys"; did you mean "tries"?'),
        (lambda h: h.start_transfers("h2", sise="1kB"), 'did you mean "size"?'),
        (lambda h: h.replay("a.pcap", sped=2), 'replay: there is no option "sped"; did you mean "speed"?'),
        (lambda h: h.sniff(fliter="icmp"), 'sniff: there is no option "fliter"; did you mean "filter"?'),
        (lambda h: h.send(b"", iface="eth0"), 'did you mean "interface"?'),
        (lambda h: h.run(weir.HostProgram(), ports=7), 'run: there is no option "ports" (there are: program, udp, tcp, frames)'),
        (lambda h: h.serve(80, reflect=True), 'did you mean "reflect_options"?'),
        (lambda h: h._network.run_for(durration="1s"), 'did you mean "duration"?'),
        (lambda h: h._network.sample("h1", evry="1s"), 'did you mean "every"?'),
        (lambda h: h._network.capture("a.pcapng", "h1", filtr="icmp"), 'did you mean "filter"?'),
        (lambda h: weir.HostProgram().listen(80, windov="1kB"), 'did you mean "window"?'),
        (lambda h: weir.Network(weir.Topology(), sede=3), 'Network: there is no option "sede"; did you mean "seed"?'),
        (lambda h: weir.Network.load("t.json", sede=3), 'load: there is no option "sede"'),
    ],
)  # fmt: skip
def test_a_wrong_keyword_is_told_with_the_right_one(network: weir.Network, call, message: str):
    with pytest.raises(weir.NetworkError, match=re.escape(message)):
        call(network.host("h1"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.add_host("h1", ipp="10.0.1.1/24"), 'add_host: there is no option "ipp"; did you mean "ip"?'),
        (lambda t: t.add_link("h1", "h2", dealy="5ms"), 'add_link: there is no option "dealy"; did you mean "delay"?'),
        (lambda t: t.add_switch("s1", p5="router.p4"), 'add_switch: there is no option "p5"; did you mean "p4"?'),
    ],
)  # fmt: skip
def test_a_wrong_keyword_of_a_topology_is_told(call, message: str):
    with pytest.raises(weir.TopologyError, match=re.escape(message)):
        call(weir.Topology())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s1: s1.table(nmae="ipv4_lpm"), 'table: there is no option "nmae"; did you mean "name"?'),
        (lambda s1: s1.set_queue_rate("1Mbit", prot=1), 'set_queue_rate: there is no option "prot"; did you mean "port"?'),
        (lambda s1: s1.set_clone_session(5, 1, lenght=64), 'set_clone_session: there is no option "lenght"; did you mean "length"?'),
        (lambda s1: s1.table("ipv4_lpm").insert({}, "drop", parms={}), 'insert: there is no option "parms"; did you mean "params"?'),
        (lambda s1: s1.table("ipv4_lpm").modify({}, acton="drop"), 'modify: there is no option "acton"; did you mean "action"?'),
        (lambda s1: s1.table("ipv4_lpm").delete({}, priorty=1), 'delete: there is no option "priorty"; did you mean "priority"?'),
    ],
)  # fmt: skip
def test_a_wrong_keyword_of_a_switch_or_table_is_told(s1: weir.Switch, call, message: str):
    with pytest.raises(weir.ControlError, match=re.escape(message)):
        call(s1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weir.impairments.GilbertElliott(entr="1%", leave="2%"), 'GilbertElliott: there is no option "entr"; did you mean "enter"?'),
        (lambda: weir.impairments.Correlation(los="1%"), 'Correlation: there is no option "los"; did you mean "loss"?'),
        (lambda: weir.Topology().add_host("h1", ip="fd00::1/64"), '"fd00::1/64" is of IPv6: it is given as ip6=, beside an IPv4 address'),
    ],
)  # fmt: skip
def test_a_wrong_impairment_or_address_is_told(call, message: str):
    with pytest.raises(weir.WeirError, match=re.escape(message)):
        call()


def test_other_wrong_calls_stay_what_they_are(network: weir.Network):
    h1 = network.host("h1")
    for call in (
        lambda: h1.ping(),
        lambda: h1.ping("h2", 3, 4, 5),
        lambda: h1.ping("h2", target="h2"),
        lambda: h1.ping("h2", count=1, on_reply=lambda: None),
    ):
        with pytest.raises(TypeError):
            call()


def test_methods_look_to_people_as_they_are_written():
    for method in (weir.Host.iperf, weir.Host.start_iperf):
        parameters = inspect.signature(method).parameters
        assert list(parameters)[:4] == ["self", "target", "udp", "rate"]
        assert parameters["parallel"].default == 1
    assert list(inspect.signature(weir.Host.ping).parameters) == list(
        inspect.signature(weir.Host.start_ping).parameters
    )
    assert weir.Host.ping.__name__ == "ping" and "echo requests" in weir.Host.ping.__doc__
    assert "seed" in inspect.signature(weir.Network.load).parameters
