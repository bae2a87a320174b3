"""A wrong keyword raises TypeError, with a note that suggests the right one."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import weir
from command import weir as command
from weir import hints
from weir.hints import habits


def notes(call: Callable[[], object]) -> list[str]:
    """The notes with which Python would print the error of a call with a wrong keyword."""
    with pytest.raises(TypeError, match="unexpected keyword argument") as caught:
        call()
    hints.add_hint(caught.value)
    return getattr(caught.value, "__notes__", [])


@pytest.mark.parametrize(
    ("call", "right"),
    [
        (lambda h: h.ping("h2", cuont=3), "count"),
        (lambda h: h.start_ping("h2", cuont=3), "count"),
        (lambda h: h.iperf("h2", durtion="1s"), "duration"),
        (lambda h: h.poisson("h2", "1Mbit", durration="1s"), "duration"),
        (lambda h: h.requests("h2", trys=3), "tries"),
        (lambda h: h.start_transfers("h2", sise="1kB"), "size"),
        (lambda h: h.replay("a.pcap", sped=2), "speed"),
        (lambda h: h.sniff(fliter="icmp"), "filter"),
        (lambda h: h.send(b"", iface="eth0"), "interface"),
        (lambda h: h.serve(80, reflect=True), "reflect_options"),
        (lambda h: h._network.run_for(durration="1s"), "duration"),
        (lambda h: h._network.sample("h1", evry="1s"), "every"),
        (lambda h: h._network.capture("a.pcapng", "h1", filtr="icmp"), "filter"),
        (lambda h: weir.Network(weir.Topology(), sede=3), "seed"),
        (lambda h: weir.Network.load("t.json", sede=3), "seed"),
        (lambda h: h.run(weir.HostProgram()).listen(80, windov="1kB"), "window"),
        (lambda h: h.run(weir.HostProgram()).connect("h2", 80, windov="5kB"), "window"),
    ],
)  # fmt: skip
def test_wrong_keywords_get_a_note(network: weir.Network, call, right: str):
    assert notes(lambda: call(network.host("h1"))) == [f'Did you mean "{right}"?']


@pytest.mark.parametrize(
    ("call", "right"),
    [
        (lambda t: t.add_host("h1", ipp="10.0.1.1/24"), "ip"),
        (lambda t: t.add_link("h1", "h2", dealy="5ms"), "delay"),
        (lambda t: t.add_switch("s1", p5="router.p4"), "p4"),
        (lambda t: weir.impairments.GilbertElliott(entr="1%", leave="2%"), "enter"),
        (lambda t: weir.impairments.Correlation(los="1%"), "loss"),
        (lambda t: weir.qdisc.Codel(tarjet="5ms"), "target"),
    ],
)  # fmt: skip
def test_wrong_keywords_of_topologies(call, right: str):
    assert notes(lambda: call(weir.Topology())) == [f'Did you mean "{right}"?']


@pytest.mark.parametrize(
    ("call", "right"),
    [
        (lambda s1: s1.table(nmae="ipv4_lpm"), "name"),
        (lambda s1: s1.set_queue_rate("1Mbit", prot=1), "port"),
        (lambda s1: s1.set_clone_session(5, 1, lenght=64), "length"),
        (lambda s1: s1.table("ipv4_lpm").insert({}, "drop", parms={}), "params"),
        (lambda s1: s1.table("ipv4_lpm").modify({}, acton="drop"), "action"),
        (lambda s1: s1.table("ipv4_lpm").delete({}, priorty=1), "priority"),
    ],
)  # fmt: skip
def test_wrong_keywords_of_switches(s1: weir.Switch, call, right: str):
    assert notes(lambda: call(s1)) == [f'Did you mean "{right}"?']


@pytest.mark.parametrize(
    ("call", "note"),
    [
        (lambda t: t.add_link("h1", "s1", bw=10), 'Did you mean "rate"?'),
        (lambda t: t.add_link("h1", "s1", max_queue_size=100), 'Did you mean "queue"?'),
        (lambda t: t.add_link("h1", "s1", latency="5ms"), 'Did you mean "delay"?'),
        (lambda t: t.add_link("h1", "s1", port2=1), 'Use the port as part of the end: add_link(…, "s2-p1")'),
        (lambda t: t.add_link("h1", "s1", use_htb=True), "Use rate=… alone, which is exact, or queue=weir.qdisc.Htb(…)"),
        (lambda t: t.add_host("h1", "10.0.0.1/8", defaultRoute="via 10.0.0.2"), 'Did you mean "gateway"?'),
        (lambda t: t.add_host("h1", "10.0.0.1/8", cpu=0.5), "Use processing=…, the time that a host takes for a frame"),
        (lambda t: t.add_switch("s1", json_path="router.json"), 'Did you mean "p4"?'),
        (lambda t: t.add_switch("s1", dpid="1"), "Use nothing: a switch is identified by its name"),
    ],
)  # fmt: skip
def test_options_of_mininet(call, note: str):
    assert notes(lambda: call(weir.Topology())) == [note]


@pytest.mark.parametrize(
    ("call", "right"),
    [
        (lambda h: h.ping("h2", c=3), "count"),
        (lambda h: h.ping("h2", t=3), "ttl"),
        (lambda h: h.ping("h2", W=3), "timeout"),
        (lambda h: h.iperf("h2", t=10), "duration"),
        (lambda h: h.iperf("h2", l4Type="UDP"), "udp"),
        (lambda h: h.iperf("h2", udpBw="10M"), "rate"),
        (lambda h: h.iperf("h2", b="10M"), "rate"),
        (lambda h: h.iperf("h2", P=4), "parallel"),
        (lambda h: h.iperf("h2", bw="10M"), "rate"),
    ],
)  # fmt: skip
def test_options_of_ping_and_iperf(network: weir.Network, call, right: str):
    assert notes(lambda: call(network.host("h1"))) == [f'Did you mean "{right}"?']


def test_replacements_for_mininets_keywords_exist():
    # Each method accepts the keywords that the hints name.
    for method, instead in habits.WITHOUT_KEYWORD.items():
        taken = inspect.signature(getattr(weir.Topology, method)).parameters
        assert not set(instead) & set(taken)
    assert weir.qdisc.Htb and weir.qdisc.Red and weir.ServerOptions


def test_an_experiments_error_has_the_hint(tmp_path):
    file = tmp_path / "mininet.py"
    file.write_text(
        "import weir\n@weir.experiment(bw=[10])\ndef links(bw):\n"
        "    weir.Topology().add_link('h1', 's1', bw=bw)\n"
    )
    ended = command("experiment", "run", str(file), "--out", str(tmp_path / "out"))
    assert "got an unexpected keyword argument 'bw'; Did you mean \"rate\"?" in "".join(map(str, ended))


def test_note_lists_all_keywords(network: weir.Network):
    h1 = network.host("h1")
    assert notes(lambda: h1.run(weir.HostProgram(), ports=7)) == [
        "Host.run() takes: program, udp, tcp, frames"
    ]
    (note,) = notes(lambda: h1.iperf("h2", udp=True, colour="red"))
    assert note.startswith("Host.iperf() takes: target, udp, rate, duration, ")


def test_missing_arguments_are_named(network: weir.Network):
    h1 = network.host("h1")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'rate'"):
        h1.poisson("h2", rat="1Mbit")
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'off'"):
        h1.on_off("h2", "1Mbit", on="1s", of="1s")


def test_an_ipv6_address_as_ip_is_reported():
    message = '"fd00::1/64" is an IPv6 address: give it as ip6=, in addition to an IPv4 address'
    with pytest.raises(weir.WeirError, match=re.escape(message)):
        weir.Topology().add_host("h1", ip="fd00::1/64")


def test_methods_that_wait_name_themselves(network: weir.Network):
    h1 = network.host("h1")
    calls = {"ping": h1.ping, "iperf": h1.iperf, "requests": h1.requests}
    for name, call in calls.items():
        with pytest.raises(TypeError, match=rf"^Host\.{name}\(\) got an unexpected keyword argument 'tume'"):
            call("h2", tume=3)
    for name in ("ping", "iperf"):
        with pytest.raises(TypeError, match=rf"^Host\.start_{name}\(\)|^start_{name}\(\)"):
            getattr(h1, f"start_{name}")("h2", tume=3)


SCRIPT = """
import weir

topology = weir.Topology()
topology.add_host("h1", ip="10.0.1.1/24")
network = weir.Network(topology)
network.{mistake}
"""


@pytest.mark.parametrize(
    ("mistake", "right"), [('run_for(durration="1s")', "duration"), ("on_evnt = print", "on_event")]
)
def test_scripts_show_the_note(mistake: str, right: str):
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(mistake=mistake)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    error, note = ran.stderr.splitlines()[-2:]
    assert error.startswith(("TypeError: Timed.run_for() got", "AttributeError: 'Network' object has no"))
    assert note == f'Did you mean "{right}"?'


def test_notebooks_show_the_note(network: weir.Network, monkeypatch: pytest.MonkeyPatch):
    calls, shell = [], SimpleNamespace(custom_exceptions=())

    def set_custom_exc(kinds: tuple, handler: Callable) -> None:
        shell.custom_exceptions, shell.handler = kinds, handler

    shell.set_custom_exc = set_custom_exc
    shell.showtraceback = lambda info, tb_offset: calls.append(info[1].__notes__)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    hints.install()
    try:
        network.run_for(durration="1s")
    except shell.custom_exceptions as error:
        shell.handler(shell, type(error), error, error.__traceback__, tb_offset=1)
    assert calls == [['Did you mean "duration"?']]


def test_errors_of_other_code_stay_as_they_are():
    class Host:
        def pong(self) -> None:
            pass

    for call in (lambda: Host().pong(cuont=3), lambda: dict.fromkeys(1, sede=2), lambda: len()):
        with pytest.raises(TypeError) as caught:
            call()
        hints.add_hint(caught.value)
        assert not hasattr(caught.value, "__notes__")


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


def test_methods_keep_their_signatures():
    for method in (weir.Host.iperf, weir.Host.start_iperf):
        parameters = inspect.signature(method).parameters
        assert list(parameters)[:4] == ["self", "target", "udp", "rate"]
        assert parameters["parallel"].default == 1
    assert list(inspect.signature(weir.Host.ping).parameters) == list(
        inspect.signature(weir.Host.start_ping).parameters
    )
    assert weir.Host.ping.__name__ == "ping" and "echo requests" in weir.Host.ping.__doc__
    assert "seed" in inspect.signature(weir.Network.load).parameters
