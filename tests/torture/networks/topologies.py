"""Topologies: equal addresses, absurd values, other JSON types, very many switches."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import weir
from torture.case import Case
from torture.control.words import VALUES, spoilt, spoilt_text
from torture.networks.bounds import run_and_audit
from torture.switch import ROOT, check_message
from weir.errors import WeirError
from weir.topology import Topology, shapes

_NET = ROOT / "tests" / "net"
_NAMES = [
    "h1",
    "h2",
    "s1",
    "s1-p1",
    "h1-eth0",
    "../x",
    "<b>",
    "",
    " ",
    "é",
    "-",
    "h" * 300,
    "a/b",
    "\x00",
    "\n",
    "h1 h2",
]
_ADDRESSES = [
    *("10.0.1.1/24", "10.0.1.1/24", "10.0.1.2/24", "10.0.1.1/32", "0.0.0.0/0", "255.255.255.255/32", "224.0.0.1/4", "127.0.0.1/8"),
    *("10.0.1.1", "10.0.1.1/33", "::1/128", "fe80::1/64", "::/0", "2001:db8::1/64", "2001:db8::1/64", "10.0.1.256/24", "x", ""),
]  # fmt: skip
_MACS = [
    "08:00:00:00:01:11",
    "08:00:00:00:01:11",
    "ff:ff:ff:ff:ff:ff",
    "00:00:00:00:00:00",
    "01:00:5e:00:00:01",
    "x",
    "",
    None,
]
_TIMES = [
    "0ns",
    "1ns",
    "1us",
    "5ms",
    "1s",
    "100000h",
    "292y",
    "9223372036854775807ns",
    "9223372036854775808ns",
    "-1ms",
    "1e30s",
    "nan",
    "",
    "5",
]
_RATES = ["1bit", "1kbit", "1Mbit", "100Gbit", "1e18bit", "0bit", "-1bit", "1", "inf", None]


def addresses(chance: random.Random) -> Case:
    """Equal or absurd addresses, names, delays and rates; what is accepted runs."""
    seed = chance.getrandbits(60)

    def run(folder: Path) -> str:
        own, topo, refused = random.Random(seed), Topology(), 0

        def call(act: Any, *args: Any, **options: Any) -> None:
            nonlocal refused
            try:
                act(*args, **options)
            except WeirError as error:
                check_message(error)
                refused += 1

        def some(good: str, odd: list[Any]) -> Any:
            return own.choice(odd) if own.random() < 0.3 else good

        for number in range(own.randrange(1, 4)):
            call(topo.add_switch, some(f"s{number}", _NAMES))
        for number in range(own.randrange(1, 6)):
            call(
                topo.add_host,
                some(f"h{number}", _NAMES),
                ip=some(f"10.0.1.{number + 1}/24", _ADDRESSES),
                mac=own.choice([None, *_MACS]),
            )
        nodes = [*topo.hosts, *topo.switches]
        for _ in range(own.randrange(8)):
            a, b = own.choice([*nodes, *_NAMES]), own.choice([*nodes, *_NAMES])
            call(topo.add_link, a, b, delay=some("1ms", _TIMES), rate=some("1Mbit", _RATES), loss=some("0%", ["100%", "1", "-1%", "x"]),
                 mtu=some("1500B", ["0B", "1B", "67B", "68B", "65535B", "65536B", "x"]))  # fmt: skip
        try:
            network = weir.Network(topo, _NET / "router.p4")
        except WeirError as error:
            check_message(error)
            return "refused"
        with network:
            hosts = network.hosts
            for host in hosts:
                target = own.choice([*(other.name for other in hosts), "10.0.1.1", "255.255.255.255", "::1"])
                call(host.start_ping, target, count=3, interval="1ms")
                call(host.start_iperf, target, duration="2ms")
            return run_and_audit(network, "5ms", "1s", own.choice(["1h", "1000h", "290y"]))

    return Case("addresses", run)


def times(chance: random.Random) -> Case:
    """Times near the clock's end, alone and added up."""
    texts = [
        "292y",
        "9223372036854775807ns",
        "9223372036s",
        "1e12s",
        "2562047h",
        "1ns",
        "0s",
        "1ms",
        "106751d",
    ]
    steps = [
        (chance.choice(["run_for", "at", "after", "ping", "iperf", "sample", "send"]), chance.choice(texts))
        for _ in range(10)
    ]
    delay = chance.choice(_TIMES)

    def run(folder: Path) -> str:
        topo = Topology()
        topo.add_switch("s1")
        try:
            for number in (1, 2):
                topo.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
                topo.add_link(f"h{number}", f"s1-p{number}", delay=delay)
            network = weir.Network(topo, _NET / "router.p4")
        except WeirError as error:
            check_message(error)
            return "refused"
        refused = 0
        with network:
            host = network.host("h1")
            for step, text in steps:
                try:
                    if step == "run_for":
                        refused += run_and_audit(network, text) == "refused"
                    elif step == "at":
                        network.at(text, lambda: None)
                    elif step == "after":
                        network.after(text, lambda: None)
                    elif step == "ping":
                        host.start_ping("10.0.0.2", count=3, interval=text, timeout=text)
                    elif step == "iperf":
                        host.start_iperf("10.0.0.2", duration=text, udp=True, rate="1bit")
                    elif step == "sample":
                        network.sample("h1", every=text)
                    else:
                        host.send(bytes(60))
                except WeirError as error:
                    check_message(error)
                    refused += 1
        return "mixed" if refused else "done"

    return Case("times", run, {"case.txt": f"{delay} {steps}\n"})


def documents(chance: random.Random) -> Case:
    """Topology files with values of other types, or damaged text."""
    original = json.loads((_NET / "topology.json").read_text())
    original["switches"]["s1"] = {
        "runtime_json": str(_NET / "s1-runtime.json"),
        "program": str(_NET / "router.p4"),
    }
    if chance.random() < 0.5:
        text = json.dumps(spoilt(original, chance, 0.03))
    else:
        text = spoilt_text(json.dumps(original, indent=1), chance)
    if chance.random() < 0.05:
        name = chance.choice(["hosts", "switches", "links"])
        original[name] = chance.choice([*VALUES, {"h1": {}} if name != "links" else [["h1", "h1"]]])
        text = json.dumps(original)
    content = text.encode("utf-8", "replace")

    def run(folder: Path) -> str:
        (folder / "topology.json").write_bytes(content)
        try:
            network = weir.Network.load("topology.json", _NET / "router.p4", strict=False)
        except WeirError as error:
            check_message(error)
            return "refused"
        with network:
            for host in network.hosts:
                try:
                    host.start_ping("h2", count=2)
                except WeirError as error:
                    check_message(error)
            return run_and_audit(network, "3s")

    return Case("documents", run, {"topology.json": content})


def many(chance: random.Random) -> Case:
    """Up to a thousand switches."""
    count = chance.choice([1, 10, 100, 300, 1000])
    form = chance.choice(["chain", "star", "ring"])

    def run(folder: Path) -> str:
        if form == "chain":
            topo = shapes.chain(min(count, 250))
        else:
            topo = Topology()
            for number in range(count):
                topo.add_switch(f"s{number}")
            for number in range(count):
                if form == "ring" and count > 1:
                    topo.add_link(f"s{number}-p1", f"s{(number + 1) % count}-p2", delay="1us")
                elif number and number < 500:
                    topo.add_link("s0", f"s{number}", delay="1us")
        try:
            network = weir.Network(topo, _NET / "router.p4")
        except WeirError as error:  # The tables have room for few routes.
            check_message(error)
            return "refused"
        with network:
            for host in network.hosts[:2]:
                host.send(bytes(60))
            return run_and_audit(network, "1ms")

    return Case("many", run, {"case.txt": f"{form} of {count} switches\n"})
