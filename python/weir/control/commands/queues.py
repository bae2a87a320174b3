"""Commands on the egress queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.control.commands.registry import command
from weir.control.commands.values import whole

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_GROUP = "Queues"
_LAST_PORT = (1 << 32) - 1


def _which(args: list[str]) -> tuple[int | None, int | None]:
    port = whole(args[0], "a port", 0, _LAST_PORT) if args else None
    priority = whole(args[1], "a priority", 0, 7) if len(args) > 1 else None
    return port, priority


@command(
    _GROUP,
    "PACKETS [PORT] [PRIORITY]",
    "set how many packets a queue holds",
    example="set_queue_depth 64 1",
    details="Of all queues, those of a port, or one of them.",
)
def set_queue_depth(runtime: Runtime, args: list[str]) -> list[str]:
    port, priority = _which(args[1:])
    runtime.switch.set_queue_depth(whole(args[0], "a depth in packets", 0, (1 << 31) - 1), port, priority)
    return []


@command(
    _GROUP,
    "RATE [PORT] [PRIORITY]",
    "set how fast packets leave; 0 for no limit",
    example="set_queue_rate 1000 1",
    details="Packets per second, or bits with a unit: 10Mbit. Of all ports, of one, or of one of its queues.",
)
def set_queue_rate(runtime: Runtime, args: list[str]) -> list[str]:
    port, priority = _which(args[1:])
    rate: str | None = args[0]
    if args[0][-1:].isdigit() or not args[0][:1].isdigit():
        packets = whole(args[0], "a rate in packets per second, or one with a unit such as 10Mbit")
        rate = f"{packets}pps" if packets else None
    runtime.switch.set_queue_rate(rate, port, priority)
    return []


@command(_GROUP, "PORT", "show a port's queues", example="show_queues 1")
def show_queues(runtime: Runtime, args: list[str]) -> list[str]:
    queues = runtime.switch.queues(whole(args[0], "a port", 0, _LAST_PORT))
    return [
        f"priority {queue.priority}: {queue.waiting} packets waiting, depth {queue.depth}, "
        f"rate {queue.rate or 'unlimited'}, of the port {queue.port_rate or 'unlimited'}"
        for queue in queues
    ]
