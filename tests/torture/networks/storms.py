"""Packets that multiply and packets that loop, on links with and without delay."""

from __future__ import annotations

import functools
import random
from pathlib import Path

import weir
from torture.case import Case
from torture.networks.bounds import run_and_audit
from weir.control.profile import profiles
from weir.topology import Topology

_PROGRAM = Path(__file__).with_name("flood.p4")


@functools.cache
def _program(executor: str) -> weir.Program:
    return weir.compile(_PROGRAM, executor=executor)


def storms(chance: random.Random) -> Case:
    """A ring, a clique or a random graph of switches that flood, loop, resubmit or clone."""
    count = chance.choice([1, 2, 3, 4, 8, 16])
    delays = chance.choice([["0ns"], ["1ns"], ["0ns", "1us"], ["1ms"], ["10us", "1ms"]])
    rate = chance.choice([None, None, "1Gbit", "1kbit"])
    shape = chance.choice(["ring", "clique", "random", "double"])
    pairs = [(n, (n + 1) % count) for n in range(count)] if count > 1 else []
    if shape == "clique":
        pairs = [(a, b) for a in range(min(count, 6)) for b in range(a)]
    elif shape == "random":
        pairs += [
            (a, b) for _ in range(count) if (a := chance.randrange(count)) != (b := chance.randrange(count))
        ]
    elif shape == "double":
        pairs *= 2
    links = [(a, b, chance.choice(delays), rate) for a, b in pairs]
    whats = [chance.choice([0, 2, 4, 6, 8, 10]) for _ in range(chance.randrange(1, 5))]
    duration = chance.choice(["1us", "100us", "1ms"])
    executor = chance.choice(["native", "native", "interp"])
    events = chance.choice([100_000, 100_000, 100_000, 2_000_000])
    sessions, seed = chance.random() < 0.7, chance.randrange(100)
    profile = chance.choice(["default", *profiles()])

    def run(folder: Path) -> str:
        topo = Topology()
        for number in range(count):
            topo.add_switch(f"s{number}")
            topo.add_host(f"h{number}", ip=f"10.0.{number}.1/24")
            topo.add_link(f"h{number}", f"s{number}-p0", delay="1us")
        for number, (a, b, delay, own) in enumerate(links):
            topo.add_link(f"s{a}-p{number + 1}", f"s{b}-p{number + 1}", delay=delay, rate=own)
        with weir.Network(topo, _program(executor), seed=seed, profile=profile) as network:
            for switch in network.switches:
                if switch.ports:
                    switch.set_multicast_group(1, switch.ports)
                if sessions:
                    switch.set_clone_session(1, port=switch.ports[-1])
            for what in whats:
                network.host("h0").send(bytes([what, min(1, len(links))]) + bytes(60))
            return run_and_audit(network, duration, events=events)

    return Case("storms", run, {"case.txt": f"{links} {whats} {duration} {executor} {profile}\n"})
