"""Any argument of traffic, programs and observation works or is reported."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import weir
from command import weir as run_weir
from weir.flows import FlowOptions

NET = Path(__file__).parent / "net"

ODD = [
    None, True, 0, 1, -1, 2**70, 1.5, float("nan"), float("inf"), "", " ", "x", "0", "-1s", "0s", "1ns", "1e3s", "1Mbit",
    "0Mbit", "1B", "-1B", "1km", "h1", "h9", "10.0.2.2", "0.0.0.0", "224.0.0.1", "fe80::1", "\x00", "é", b"", b"x", [],
    ["1kB"], [1], (), {}, object(), print, weir.HostProgram,
]  # fmt: skip

BASE = {
    "ping": {"target": "h2", "count": 2, "timeout": "50ms"},
    "iperf": {"target": "h2", "duration": "20ms"},
    "poisson": {"target": "h2", "rate": "1Mbit", "duration": "20ms"},
    "on_off": {"target": "h2", "rate": "1Mbit", "on": "5ms", "off": "5ms", "duration": "20ms"},
    "requests": {"target": "h2", "count": 2},
    "transfers": {"target": "h2", "count": 2},
    "replay": {"path": "nothing.pcap"},
    "send": {"packet": bytes(60)},
    "sniff": {},
    "serve": {"port": 99},
    "interface": {},
    "tc": {"command": "qdisc show"},
    "cmd": {"command": "ip route"},
}


@pytest.fixture(scope="module")
def router() -> weir.Program:
    return weir.compile(NET / "router.p4")


def names(method: Callable) -> Iterator[str]:
    """The keywords of a method."""
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from FlowOptions.__annotations__
        elif name not in ("self", "progress", "on_reply"):
            yield name


def tolerant(call: Callable[[], object]) -> None:
    """Calls a function, and ignores a reported mistake."""
    try:
        call()
    except weir.WeirError as error:
        assert "\n" not in str(error) and len(str(error)) > 10


@pytest.mark.parametrize("udp", [False, True])
@pytest.mark.parametrize("method", BASE)
def test_traffic(network: weir.Network, method: str, udp: bool):
    h1 = network.host("h1")
    call = getattr(h1, method)
    base = dict(BASE[method])
    known = set(names(call))
    if "udp" in known:
        base["udp"] = udp
    for name in known:
        for odd in ODD:
            tolerant(lambda name=name, odd=odd: call(**{**base, name: odd}))
    network.run_for("1s")
    assert network.host("h2").ping("h1", count=1).received == 1


def test_programs(network: weir.Network):
    h1 = network.host("h1")
    for odd in ODD:
        tolerant(lambda odd=odd: h1.run(odd))
        for name in ("udp", "tcp", "frames"):
            tolerant(lambda name=name, odd=odd: h1.run(weir.HostProgram(), **{name: odd}))
    program = h1.run(weir.HostProgram(), udp=5000)
    options = dict.fromkeys(("congestion", "rate", "mss", "window", "ecn", "sack", "nodelay"))
    for method, base in {
        program.send_udp: {"target": "h2", "port": 7, "payload": b"x", "source_port": None},
        program.connect: {"target": "h2", "port": 80, **options},
        program.listen: {"port": 81, **options},
        program.send: {"packet": bytes(60), "interface": "eth0"},
        program.after: {"delay": "1ms", "token": None},
    }.items():
        for name in base:
            for odd in ODD:
                tolerant(lambda method=method, base=base, name=name, odd=odd: method(**{**base, name: odd}))
    network.run_for("1s")


def test_odd_arguments_of_observation(network: weir.Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    sampler = network.sample(["h1", "s1-p2"], every="1ms")
    flow = network.host("h1").start_iperf("h2", duration="10ms")
    network.run_for("20ms")
    nothing = print
    for method, base in {
        network.host: {"name": "h1"},
        network.switch: {"name": "s1"},
        network.link: {"a": "h1", "b": "s1"},
        network.interface: {"name": "h1"},
        network.tc: {"node": "h1", "command": "qdisc show"},
        network.address: {"target": "h1"},
        network.run_for: {"duration": "1ms"},
        network.at: {"time": "999h", "action": nothing},
        network.after: {"delay": "999h", "action": nothing},
        network.sample: {"ends": "h1", "every": "1s"},
        network.sniff: {"ends": "h1", "filter": ""},
        network.capture: {"path": "a.pcapng", "ends": "h1", "filter": ""},
        network.ping_all: {"timeout": "1ms"},
        network._nodes.receivers: {"address": "10.0.2.2", "server": None},
        flow.pace: {"rate": "1Mbit"},
        sampler.queue: {"end": "h1"},
        sampler.switch_queue: {"end": "s1-p2", "priority": None},
    }.items():
        for name in base:
            for odd in ODD:
                # Events that are due when the run ends do not concern this test.
                if not (callable(odd) and name == "action"):
                    tolerant(
                        lambda method=method, base=base, name=name, odd=odd: method(**{**base, name: odd})
                    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda h: h.ping(5), "5 is not a host: expected one, its name, or an IP address"),
        (lambda h: h.ping("h2", flood="yes"), "flood: 'yes' is neither True nor False"),
        (lambda h: h.ping("h2", interval=1e-7), 'interval: a bare number 1e-07 has no unit; did you mean "0.0000001s"?'),
        (lambda h: h.ping("h2", interval=-1), 'a bare number -1 has no unit: expected one with a unit, such as "1s"'),
        (lambda h: h.ping("h2", interval=None), 'expected an interval such as "1s", found NoneType'),
        (lambda h: h.iperf("h2", udp="no"), "udp: 'no' is neither True nor False"),
        (lambda h: h.iperf("h2", ecn=1), "ecn: 1 is neither True nor False"),
        (lambda h: h.iperf("h2", port=0), "port: 0 is out of range: expected 1 to 65535"),
        (lambda h: h.iperf("h2", linger="3s"), "linger does not apply to TCP: give udp=True"),
        (lambda h: h.iperf("h2", udp=True, linger="soon"), "cannot read linger 'soon'"),
        (lambda h: h.iperf("h2", server=[["h2"]]), "server: ['h2'] is not a host: expected a host or its name"),
        (lambda h: h.on_off("h2", "1Mbit", on="1s", off="1s", random=0), "random: 0 is neither True nor False"),
        (lambda h: h.requests("h2", keep="yes"), "keep: 'yes' is neither True nor False"),
        (lambda h: h.requests("h2", response="0B"), "response: 0 bytes require a new connection for each request: give keep=False"),
        (lambda h: h.requests("h2", every="1s", keep=True), "keep and every are given: with every, each request has its own connection"),
        (lambda h: h.requests("h2", every="0s"), "every: random times cannot have the mean 0s"),
        (lambda h: h.requests("h2", request="0B"), "request: 0 bytes are out of range: expected 1B or more"),
        (lambda h: h.requests("h2", udp=True, response="15B"), "response: 15 bytes are out of range: expected 16B to 65507B"),
        (lambda h: h.transfers("h2", size=[]), "size: there is no size to draw from"),
        (lambda h: h.transfers("h2", every=None), 'expected an every such as "1ms"'),
        (lambda h: h.send(bytes(60), 0), 'interface: expected a string such as "eth0", found 0'),
        (lambda h: h.sniff(None), 'filter: expected a string such as "udp port 5201", found None'),
        (lambda h: h.run(weir.HostProgram(), udp="7"), "udp: '7' is not a whole number"),
        (lambda h: h.run(weir.HostProgram(), frames=1), "frames: 1 is neither True nor False nor a filter"),
        (lambda h: h.ping("h2", on_reply=3), "on_reply: 3 cannot be called: expected a function, such as print"),
        (lambda h: h.ping("h2", progress="no"), "progress: 'no' cannot be called"),
        (lambda h: h._network.run_for("1s", progress=3), "progress: 3 cannot be called"),
        (lambda h: h._network.wait(progress=3), "progress: 3 cannot be called"),
        (lambda h: h._network.ping_all(progress=3), "progress: 3 cannot be called"),
        (lambda h: h._network.at("1s", None), "action: None cannot be called: expected a function"),
        (lambda h: h._network.capture("", "h1"), "path: expected the name of a file, found ''"),
        (lambda h: h._network.sniff([]), "no link end is given"),
    ],
)  # fmt: skip
def test_errors_are_reported(network: weir.Network, call, message: str):
    with pytest.raises(weir.WeirError) as error:
        call(network.host("h1"))
    assert message in str(error.value)


class Unspeakable:
    """An object whose conversion to text fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([10**5000], "found the list <list object>"),
        (Unspeakable(), "found the Unspeakable <Unspeakable object>"),
    ],
)
def test_values_that_cannot_be_written_are_reported(network: weir.Network, value: object, message: str):
    with pytest.raises(weir.WeirError, match=message):
        network.switch("s1").table("ipv4_lpm").insert(value, "drop")
    with pytest.raises(weir.WeirError, match=r"<[A-Za-z]+ object>"):
        weir.Network(value, NET / "router.p4")
    with pytest.raises(weir.WeirError, match="there is no congestion control <"):
        network.host("h1").start_iperf("h2", congestion=value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ping", "--shape", "foo", "h1", "h2"], 'there is no shape "foo"'),
        (["draw", "--shape=dumbell"], "dumbbell"),
        (["lab", "new", ""], 'DIR: expected a name, found ""'),
        (["lab", "copy", "delay", ""], 'DIR: expected a name, found ""'),
        (["example", "copy", "nat", ""], 'DIR: expected a name, found ""'),
        (["man", ""], 'DIR: expected a name, found ""'),
        (["draw", "dumbbell:2", "-o", ""], '--output: expected a name, found ""'),
    ],
)
def test_names_that_mean_nothing(words: list[str], message: str, tmp_path: Path):
    code, out, err = run_weir(*words, cwd=tmp_path)
    assert (code, out) == (1, "") and message in err, err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["lab", "new"], ["example", "copy", "nat"]])
def test_a_folder_may_begin_like_an_option(words: list[str], tmp_path: Path):
    code, out, _ = run_weir(*words, "--", "-x", cwd=tmp_path)
    assert code == 0 and " ./-x" in out.splitlines()[-1]
