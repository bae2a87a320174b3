"""Traffic, queues and observation with any arguments, together."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import weir
from torture.case import Case
from torture.networks.bounds import run_and_audit
from torture.switch import ROOT, check_message
from weir.errors import WeirError

_NET = ROOT / "tests" / "net"
_ODD: list[Any] = [
    *(None, True, 0, 1, -1, 2**70, 1.5, float("nan"), "", "x", "0", "-1s", "0s", "1ns", "1ms", "50ms", "1s", "1e3s", "1Mbit", "1Gbit", "0Mbit"),
    *("1B", "100kB", "-1B", "1%", "100%", "h1", "h2", "h9", "s1", "s1-p2", "10.0.2.2", "224.0.0.1", "fe80::1", "\x00", "é", b"", b"x" * 60, [], ["1kB"]),
    *([1], (), {}, "reno", "cubic", "bbr", "root tbf rate 1Mbit burst 10kb latency 1ms", "qdisc show", "udp port 7", 10**5000),
]  # fmt: skip
_TC = [
    "qdisc add dev eth0 root {q}", "qdisc replace dev eth0 root {q}", "qdisc del dev eth0 root", "qdisc show dev eth0", "-s qdisc show",
    "qdisc change dev eth0 root {q}", "class add dev eth0 parent 1: classid 1:1 htb rate {r}", "filter add dev eth0 parent 1: u32 match ip dst 10.0.2.2 flowid 1:1",
]  # fmt: skip
_QDISCS = [
    "netem delay {t} loss {p}", "netem rate {r}", "tbf rate {r} burst {b} latency {t}", "pfifo limit {n}", "fq_codel", "htb default 1",
    "red limit {b} min {b} max {b} avpkt {n} burst {n}", "prio bands {n}", "sfq", "codel target {t} interval {t}", "netem reorder {p} gap {n} delay {t}",
]  # fmt: skip
_METHODS = [
    "ping", "iperf", "poisson", "on_off", "requests", "transfers", "send", "sniff", "serve", "interface", "cmd", "tc",
    "start_ping", "start_iperf", "start_poisson", "start_on_off", "start_requests", "start_transfers",
]  # fmt: skip


def traffic(chance: random.Random) -> Case:
    """Methods of hosts and networks with arguments of which some are odd."""
    seed, executor = chance.getrandbits(60), chance.choice(["native", "native", "interp"])

    def run(folder: Path) -> str:
        own = random.Random(seed)
        accepted = refused = 0
        with weir.Network.load(
            _NET / "topology.json", _NET / "router.p4", executor=executor, seed=1
        ) as network:
            for _ in range(own.randrange(3, 15)):
                call = _call(network, own)
                try:
                    call()
                    accepted += 1
                except WeirError as error:
                    check_message(error)
                    refused += 1
            outcome = run_and_audit(network, "20ms", "1s")
        return outcome if outcome != "done" else "refused" if not accepted else "done"

    return Case("traffic", run)


def _call(network: weir.Network, chance: random.Random) -> Callable[[], object]:
    host = network.host(chance.choice(["h1", "h2"]))
    form = chance.randrange(10)
    if form < 2:
        fill = {"t": chance.choice(["1ms", "0ms", "1ns", "100s", "-1ms", "x"]), "p": chance.choice(["1%", "100%", "101%", "x"]),
                "r": chance.choice(["1mbit", "1bit", "0", "100gbit", "x"]), "b": chance.choice(["1", "1500", "1mb", "0", "x"]),
                "n": chance.choice(["0", "1", "100", "4294967296", "-1", "x"])}  # fmt: skip
        line = chance.choice(_TC).replace("{q}", chance.choice(_QDISCS)).format(**fill)
        return lambda: host.tc(line)
    if form < 3:
        link = network.link("h1", "s1")
        name = chance.choice(["up", "rate", "delay", "loss", "jitter", "mtu", "queue"])
        value = chance.choice(_ODD)
        return lambda: setattr(link, name, value)
    target: Any = network if form < 4 else host
    names = (
        ["sample", "sniff", "tc", "address", "link", "interface", "host", "switch"] if form < 4 else _METHODS
    )
    method = getattr(target, chance.choice(names))
    arguments: dict[str, Any] = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if name in ("progress", "on_reply") or parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.default is parameter.empty or chance.random() < 0.3:
            arguments[name] = _argument(name, chance)
    # Long traffic must end in time.
    for name, value in {"duration": "20ms", "count": 3, "timeout": "20ms"}.items():
        if name in inspect.signature(method).parameters and arguments.get(name) is None:
            arguments[name] = value
    return lambda: method(**arguments)


def _argument(name: str, chance: random.Random) -> Any:
    good: dict[str, Any] = {
        "target": "h2", "duration": "10ms", "rate": "1Mbit", "count": 2, "size": "1kB", "interval": "1ms", "port": 5000, "ends": "h1",
        "every": "1ms", "command": "qdisc show", "packet": bytes(60), "on": "1ms", "off": "1ms", "node": "h1", "name": "h1", "a": "h1", "b": "s1",
    }  # fmt: skip
    return good[name] if name in good and chance.random() < 0.7 else chance.choice(_ODD)
