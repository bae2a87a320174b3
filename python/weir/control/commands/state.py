"""Commands on the switch as a whole, and those of BMv2 that have no meaning here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.control.commands.nodes import Nodes
from weir.control.commands.registry import command

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_GROUP = "Switch"

REFUSED = {
    "load_new_config_file": "a switch keeps its program: name another p4 file in the topology and start the network anew",
    "swap_configs": "a switch keeps its program: name another p4 file in the topology and start the network anew",
    "write_config_to_file": "there is no JSON configuration: `weir ir FILE.p4` shows what becomes of the program",
    "serialize_state": "the state has no file: table_dump, act_prof_dump, mc_dump, register_read and counter_read show it",
    "port_add": "ports come with the topology's links",
    "port_remove": "ports come with the topology's links",
    "set_toeplitz_hash_key": "v1model has no Toeplitz hash",
    "shell": "this prompt runs no commands of the computer",
}
"""Commands of ``simple_switch_CLI`` that are not there, and why."""


@command(_GROUP, "", "show the switch's name, program and ports", example="switch_info")
def switch_info(runtime: Runtime, args: list[str]) -> list[str]:
    switch = runtime.switch
    ports = " ".join(map(str, switch.ports)) or "none"
    return [f"name: {switch.name}", f"program: {switch.program.path}", f"ports: {ports}"]


@command(_GROUP, "", "show the switch's ports with their queues", example="show_ports")
def show_ports(runtime: Runtime, args: list[str]) -> list[str]:
    lines = []
    for port in runtime.switch.ports:
        queues = runtime.switch.queues(port)
        waiting = sum(queue.waiting for queue in queues)
        depths = sorted({queue.depth for queue in queues})
        depth = str(depths[0]) if len(depths) == 1 else f"{depths[0]} to {depths[-1]}"
        rate = queues[0].port_rate or "unlimited"
        lines.append(f"port {port}: {waiting} packets waiting, depth {depth}, rate {rate}")
    return lines


@command(
    _GROUP,
    "",
    "set everything back but the program's own entries and defaults",
    example="reset_state",
    details="Entries, action profiles, value sets, counters, registers, meters' rates and multicast.\n"
    "Clone sessions, queues and CRC parameters stay.",
)
def reset_state(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.reset()
    runtime.nodes = Nodes(runtime.switch)
    return []


@command(_GROUP, "", "show the microseconds since the switch's start", example="get_time_elapsed")
def get_time_elapsed(runtime: Runtime, args: list[str]) -> list[str]:
    return [str(runtime.switch.now_ns // 1000)]


@command(
    _GROUP,
    "",
    "show the microseconds since the clock's start",
    example="get_time_since_epoch",
    details="The clock of a virtual network starts with it: the same as get_time_elapsed.",
)
def get_time_since_epoch(runtime: Runtime, args: list[str]) -> list[str]:
    return get_time_elapsed(runtime, args)
