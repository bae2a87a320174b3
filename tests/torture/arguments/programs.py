"""Command lines of links and switches between interfaces that do not exist, and of stand-ins."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from torture.arguments.run import command_case
from torture.arguments.words import ODD, PATHS
from torture.case import Case
from weir.cli import main
from weir.dropin.options import Option
from weir.dropin.p4c import bm2_ss, p4c
from weir.dropin.p4c.flags import BM2_SS, P4C
from weir.dropin.simple_switch import simple_switch, simple_switch_grpc
from weir.dropin.simple_switch.flags import GRPC, SIMPLE_SWITCH

_INTERFACES: Final = [
    "no0", "no1", "no0@nothing", "no0@/proc/self/ns/net", "no0@/dev/null", "no0@", "@", "x" * 16, "no/0", "no\n0", "é", "", "no0@../../x",
]  # fmt: skip
_LINK: Final = {
    "--rate": ["1Mbit", "0bit", "1bit", "100Gbit", "1e18bit"], "--delay": ["1ms", "0s", "-1s", "1000000h", "1ns"], "--jitter": ["1ms", "1h"], "--loss": ["1%", "100%", "101%", "-1%"],
    "--duplicate": ["1%", "1"], "--corrupt": ["0.5%", "nan%"], "--reorder": ["1%,5ms", "1%", "5ms", ",", "1%,5ms,6"], "--limit": ["1000p", "64MB", "0p", "-1p", "99999999999999p"],
    "--seed": ["1", "-1", "18446744073709551615"], "--links": ["links.json", "topology.json", "random.bin", "empty", "folder", "loop", "/dev/null", "missing"],
}  # fmt: skip
_SWITCH: Final = {
    "--entries": PATHS, "--device-id": ["0", "1"], "--cpu-port": ["510", "0", "511"], "--drop-port": ["511"], "--first-host-port": ["2", "x"], "--expire-times": ["1,2", "", ",", "-1"], "--pcap": ["folder", "new"], "--pcap-format": ["pcap", "pcapng", "x"],
    "--metrics": ["127.0.0.1:0", "x", "127.0.0.1:99999", "256.0.0.1:1"], "--executor": ["native", "interp"], "--priority-queues": ["1", "8", "0"], "-I": PATHS, "-D": ["A=1", "="],
    "--workers": ["1", "2", "0"], "--clients": ["x"], "--seed": ["1"], "--queue": ["10p", "x"], "--rate": ["1Mbit", "x"],
    "--queue-rate": ["1Mbit", "1=0", "1:7=5pps", "99999999999=1", ":=x", "=", "1:8=1pps"],
    "--qdisc": ["codel", "1=netem", "1:0=handle 1: htb", "1=", "class add parent 1: classid 1:1 htb rate 0", "tbf rate 1bit burst 0 limit 0"],
}  # fmt: skip


def _given(chance: random.Random, known: dict[str, list[str]], most: int) -> list[str]:
    """Some options with values."""
    words: list[str] = []
    for _ in range(chance.randrange(most)):
        name = chance.choice(list(known))
        value = chance.choice(known[name] if chance.random() < 0.7 else ODD)
        words += [f"{name}={value}"] if name.startswith("--") and chance.random() < 0.5 else [name, value]
    return words


def links(chance: random.Random) -> Case:
    """``weir link`` between interfaces that do not exist, with any settings."""
    words = [chance.choice(_INTERFACES) for _ in range(chance.choice([0, 1, 2, 2, 2, 2, 3]))]
    words += _given(chance, _LINK, 5)
    words += [
        flag for flag in ("--overtake", "--no-realtime", "--control", "--help") if chance.random() < 0.08
    ]
    return command_case("links", "weir", main, ["link", *_without_zeros(words)])


def switches(chance: random.Random) -> Case:
    """``weir switch`` between interfaces, one of which does not exist."""
    program = chance.choice(["router.p4", "router.p4", "router.p4", *PATHS])
    ports = [chance.choice(["1", "1", "2", "0", "511", "-1", "x", "", "9" * 30]) for _ in range(2)]
    words = [program, "-i", f"{ports[0]}@no0", "-i", f"{ports[1]}@{chance.choice(_INTERFACES)}"]
    words += _given(chance, _SWITCH, 4)
    return command_case("switches", "weir", main, ["switch", *_without_zeros(words)])


def stand_ins(chance: random.Random) -> Case:
    """The stand-ins for BMv2's switches and for p4c, with their own options and unknown ones."""
    name, call, known = chance.choice(
        [
            ("simple_switch", simple_switch, SIMPLE_SWITCH),
            ("simple_switch_grpc", simple_switch_grpc, GRPC),
            ("p4c", p4c, P4C),
            ("p4c-bm2-ss", bm2_ss, BM2_SS),
        ]
    )
    words: list[str] = []
    for _ in range(chance.randrange(4)):
        words += _option(chance.choice(known), chance)
    words.insert(chance.randrange(len(words) + 1), chance.choice(["router.p4", *PATHS]))
    if name.startswith("simple"):
        words += ["-i", "1@no0"]
    elif chance.random() < 0.7:
        words += ["-o", chance.choice(["new.json", *PATHS])]
    return command_case("stand-ins", name, call, _without_zeros(words))


def _option(one: Option, chance: random.Random) -> list[str]:
    # Addresses that listen, and standard output, are left alone.
    if one.names[0] in ("--log-console", "--grpc-server-addr", "-o"):
        return []
    value = chance.choice([*ODD, *PATHS, "router.p4", "1@no1"])
    name = chance.choice(one.names)
    if not one.value:
        return [name]
    return [f"{name}={value}"] if one.joined or chance.random() < 0.5 else [name, value]


def _without_zeros(words: Sequence[str]) -> list[str]:
    """The words in the form in which a process can get them."""
    return [word.replace("\0", "") for word in words]
