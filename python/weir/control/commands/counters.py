"""Commands on counters, registers and meters."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from weir.control.commands.registry import command
from weir.control.commands.values import find, value, whole
from weir.control.match import to_bytes
from weir.errors import ControlError
from weir.program import ObjectInfo

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_COUNTERS = "Counters"
_REGISTERS = "Registers"
_METERS = "Meters"
_MOST_CELLS_SHOWN = 1 << 16

Rates = tuple[int, int, int, int]


def find_object(runtime: Runtime, kind: str, name: str) -> ObjectInfo:
    """The counter, register or meter of that name or unambiguous end."""
    objects = runtime.switch.program.objects(kind)
    return objects[find(kind, name, objects)]


def _index(found: ObjectInfo, text: str) -> int:
    what = "an entry's handle" if found.table is not None else "an index"
    number = whole(text, what)
    if found.table is None and number >= found.size:
        raise ControlError(f"{found.name} has {found.size} cells: index {number} is out of range")
    return number


def read_count(runtime: Runtime, name: str, index: str) -> tuple[int, int]:
    """A counter cell's packets and bytes; of a direct counter the index is an entry's handle."""
    found = find_object(runtime, "counter", name)
    number = _index(found, index)
    core = runtime.switch.core
    return (
        core.counter(found.name, number) if found.table is None else core.direct_counter(found.table, number)
    )


@command(
    _COUNTERS,
    "COUNTER INDEX",
    "show a counter's cell",
    example="counter_read MyIngress.port_counter 1",
    details="Of a table's direct counter, INDEX is an entry's handle.",
)
def counter_read(runtime: Runtime, args: list[str]) -> list[str]:
    packets, octets = read_count(runtime, args[0], args[1])
    return [f"{args[0]}[{args[1]}] = {packets} packets, {octets} bytes"]


@command(
    _COUNTERS,
    "COUNTER INDEX PACKETS BYTES",
    "set a counter's cell",
    example="counter_write port_counter 1 0 0",
)
def counter_write(runtime: Runtime, args: list[str]) -> list[str]:
    found = find_object(runtime, "counter", args[0])
    number = _index(found, args[1])
    packets, octets = whole(args[2], "packets"), whole(args[3], "bytes")
    core = runtime.switch.core
    if found.table is None:
        core.set_counter(found.name, number, packets, octets)
    else:
        core.set_direct_counter(found.table, number, packets, octets)
    return []


@command(_COUNTERS, "COUNTER", "set all cells of a counter to 0", example="counter_reset port_counter")
def counter_reset(runtime: Runtime, args: list[str]) -> list[str]:
    found = find_object(runtime, "counter", args[0])
    core = runtime.switch.core
    if found.table is None:
        for index in range(found.size):
            core.set_counter(found.name, index, 0, 0)
    else:
        for handle, _, _ in core.entry_hits(found.table):
            core.set_direct_counter(found.table, handle, 0, 0)
    return []


def read_register(runtime: Runtime, name: str, index: str) -> int:
    """A register cell's value."""
    found = find_object(runtime, "register", name)
    return int.from_bytes(runtime.switch.core.register(found.name, _index(found, index)), "big")


@command(
    _REGISTERS,
    "REGISTER [INDEX]",
    "show a register's cell, or all of them",
    example="register_read MyIngress.last_seen 0",
)
def register_read(runtime: Runtime, args: list[str]) -> list[str]:
    if len(args) == 2:
        return [f"{args[0]}[{args[1]}] = {read_register(runtime, args[0], args[1])}"]
    found = find_object(runtime, "register", args[0])
    if found.size > _MOST_CELLS_SHOWN:
        raise ControlError(f"{found.name} has {found.size} cells: give the index of one")
    cells = [int.from_bytes(runtime.switch.core.register(found.name, i), "big") for i in range(found.size)]
    return [f"{args[0]} = {', '.join(map(str, cells))}"]


@command(_REGISTERS, "REGISTER INDEX VALUE", "set a register's cell", example="register_write last_seen 0 42")
def register_write(runtime: Runtime, args: list[str]) -> list[str]:
    found = find_object(runtime, "register", args[0])
    index = _index(found, args[1])
    number = value(args[2], found.width, f"a cell of {found.name}")
    runtime.switch.core.set_register(found.name, index, to_bytes(number, found.width))
    return []


@command(_REGISTERS, "REGISTER", "set all cells of a register to 0", example="register_reset last_seen")
def register_reset(runtime: Runtime, args: list[str]) -> list[str]:
    found = find_object(runtime, "register", args[0])
    for index in range(found.size):
        runtime.switch.core.set_register(found.name, index, to_bytes(0, found.width))
    return []


_RATES = (
    "RATE:BURST is given twice: what is green, and what is yellow.\n"
    "Rates are packets or bytes per microsecond, bursts packets or bytes."
)


@command(
    _METERS,
    "METER INDEX RATE:BURST RATE:BURST",
    "set the rates of a meter's cell",
    example="meter_set_rates limiter 0 0.001:10 0.002:20",
    details=_RATES + "\nOf a table's direct meter, INDEX is an entry's handle.",
)
def meter_set_rates(runtime: Runtime, args: list[str]) -> list[str]:
    found = find_object(runtime, "meter", args[0])
    number, rates = _index(found, args[1]), _rates(args[2:])
    core = runtime.switch.core
    if found.table is None:
        core.set_meter(found.name, number, rates)
    else:
        core.set_direct_meter(found.table, number, rates)
    return []


@command(
    _METERS,
    "METER RATE:BURST RATE:BURST",
    "set the rates of all cells of a meter",
    example="meter_array_set_rates limiter 0.001:10 0.002:20",
    details=_RATES,
)
def meter_array_set_rates(runtime: Runtime, args: list[str]) -> list[str]:
    found, rates = find_object(runtime, "meter", args[0]), _rates(args[1:])
    core = runtime.switch.core
    if found.table is None:
        for index in range(found.size):
            core.set_meter(found.name, index, rates)
    else:
        for handle, _, _ in core.entry_hits(found.table):
            core.set_direct_meter(found.table, handle, rates)
    return []


@command(_METERS, "METER INDEX", "show the rates of a meter's cell", example="meter_get_rates limiter 0")
def meter_get_rates(runtime: Runtime, args: list[str]) -> list[str]:
    found = find_object(runtime, "meter", args[0])
    number = _index(found, args[1])
    core = runtime.switch.core
    rates = core.meter(found.name, number) if found.table is None else core.direct_meter(found.table, number)
    if rates is None:
        return [f"{args[0]}[{args[1]}] has no rates: all is green"]
    green, green_burst, yellow, yellow_burst = rates
    return [
        f"green: {_shown(green)}:{green_burst}",
        f"yellow: {_shown(yellow)}:{yellow_burst}",
    ]


def _rates(words: list[str]) -> Rates:
    (green, green_burst), (yellow, yellow_burst) = map(_rate, words)
    if yellow < green:
        raise ControlError(f"the second rate ({words[1]}) is below the first ({words[0]})")
    return green, green_burst, yellow, yellow_burst


def _rate(text: str) -> tuple[int, int]:
    rate, colon, burst = text.partition(":")
    try:
        if not colon:
            raise InvalidOperation
        per_second = Decimal(rate) * 1_000_000
        if not per_second.is_finite() or not 0 <= per_second < 1 << 63:
            raise InvalidOperation
    except InvalidOperation:
        raise ControlError(f'expected RATE:BURST such as 0.001:10, found "{text}"') from None
    return round(per_second), whole(burst, "a burst")


def _shown(per_second: int) -> str:
    text = f"{Decimal(per_second) / 1_000_000:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
