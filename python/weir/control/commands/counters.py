"""Commands on counters, registers and meters."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from weir import units
from weir.control.cells import Rates
from weir.control.commands.registry import command
from weir.control.commands.values import value, whole
from weir.errors import ControlError, UnitError

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_COUNTERS = "Counters"
_REGISTERS = "Registers"
_METERS = "Meters"
_MOST_CELLS_SHOWN = 1 << 16


def _index(text: str) -> int:
    return whole(text, "an index")


@command(
    _COUNTERS,
    "COUNTER INDEX",
    "show a counter's cell",
    example="counter_read MyIngress.port_counter 1",
    details="Of a table's direct counter, INDEX is an entry's handle.",
)
def counter_read(runtime: Runtime, args: list[str]) -> list[str]:
    count = runtime.switch.counter(args[0]).read(_index(args[1]))
    return [f"{args[0]}[{args[1]}] = {count.packets} packets, {count.bytes} bytes"]


@command(
    _COUNTERS,
    "COUNTER INDEX PACKETS BYTES",
    "set a counter's cell",
    example="counter_write port_counter 1 0 0",
)
def counter_write(runtime: Runtime, args: list[str]) -> list[str]:
    counter, index = runtime.switch.counter(args[0]), _index(args[1])
    counter.write(index, whole(args[2], "packets"), whole(args[3], "bytes"))
    return []


@command(_COUNTERS, "COUNTER", "set all cells of a counter to 0", example="counter_reset port_counter")
def counter_reset(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.counter(args[0]).reset()
    return []


@command(
    _REGISTERS,
    "REGISTER [INDEX]",
    "show a register's cell, or all of them",
    example="register_read MyIngress.last_seen 0",
    details="A cell that is a struct is one number, its first field in the upper bits.",
)
def register_read(runtime: Runtime, args: list[str]) -> list[str]:
    register = runtime.switch.register(args[0])
    if len(args) == 2:
        return [f"{args[0]}[{args[1]}] = {register.read(_index(args[1]))}"]
    if len(register) > _MOST_CELLS_SHOWN:
        raise ControlError(f"{register.name} has {len(register)} cells: give the index of one")
    return [f"{args[0]} = {', '.join(map(str, register.cells()))}"]


@command(_REGISTERS, "REGISTER INDEX VALUE", "set a register's cell", example="register_write last_seen 0 42")
def register_write(runtime: Runtime, args: list[str]) -> list[str]:
    register = runtime.switch.register(args[0])
    number = value(args[2], register.width, f"a cell of {register.name}")
    register.write(_index(args[1]), number)
    return []


@command(_REGISTERS, "REGISTER", "set all cells of a register to 0", example="register_reset last_seen")
def register_reset(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.register(args[0]).reset()
    return []


_RATES = (
    "RATE:BURST is given twice: what is green, and what is yellow.\n"
    "Rates are packets or bytes per microsecond, as in simple_switch_CLI, or have a unit: 1000pps for a meter of\n"
    "packets, 10Mbit for one of bytes; they are kept as whole packets or bytes per second. Bursts are packets or bytes."
)


@command(
    _METERS,
    "METER INDEX RATE:BURST RATE:BURST",
    "set the rates of a meter's cell",
    example="meter_set_rates limiter 0 0.001:10 0.002:20",
    details=_RATES + "\nOf a table's direct meter, INDEX is an entry's handle.",
)
def meter_set_rates(runtime: Runtime, args: list[str]) -> list[str]:
    meter = runtime.switch.meter(args[0])
    meter.write(_index(args[1]), _rates(args[2:], meter.info.counts))
    return []


@command(
    _METERS,
    "METER RATE:BURST RATE:BURST",
    "set the rates of all cells of a meter",
    example="meter_array_set_rates limiter 0.001:10 0.002:20",
    details=_RATES,
)
def meter_array_set_rates(runtime: Runtime, args: list[str]) -> list[str]:
    meter = runtime.switch.meter(args[0])
    meter.write_all(_rates(args[1:], meter.info.counts))
    return []


@command(_METERS, "METER INDEX", "show the rates of a meter's cell", example="meter_get_rates limiter 0")
def meter_get_rates(runtime: Runtime, args: list[str]) -> list[str]:
    rates = runtime.switch.meter(args[0]).read(_index(args[1]))
    if rates is None:
        return [f"{args[0]}[{args[1]}] has no rates: all is green"]
    return [
        f"green: {_shown(rates.committed_rate)}:{rates.committed_burst}",
        f"yellow: {_shown(rates.peak_rate)}:{rates.peak_burst}",
    ]


def _rates(words: list[str], counts: str) -> Rates:
    (green, green_burst), (yellow, yellow_burst) = (_rate(word, counts) for word in words)
    if yellow < green:
        raise ControlError(f"the second rate ({words[1]}) is below the first ({words[0]})")
    return Rates(green, green_burst, yellow, yellow_burst)


def _rate(text: str, counts: str) -> tuple[int, int]:
    """Packets or bytes per second, and the burst."""
    rate, colon, burst = text.partition(":")
    if not colon:
        raise ControlError(f'expected RATE:BURST such as 0.001:10, found "{text}"')
    number = _packets(rate, counts) if rate.endswith("pps") else _bits(rate, counts)
    if number is None:
        number = _per_microsecond(rate, text)
    if 0 < number < 1:
        raise ControlError(f"{rate} is less than one a second: rates are whole packets or bytes per second")
    return round(number), whole(burst, "a burst")


def _packets(rate: str, counts: str) -> Decimal:
    if counts != "packets":
        raise ControlError(f"this meter counts {counts}: its rates are no packets per second, found {rate}")
    return Decimal(whole(rate.removesuffix("pps"), "a rate in packets per second"))


def _bits(rate: str, counts: str) -> Decimal | None:
    """Bytes per second of a rate in bits; none if it has no such unit."""
    try:
        bits = units.rate_bps(rate)
    except UnitError as error:
        if rate[-1:].isalpha() and "unit" in error.message and not rate[:1].isalpha():
            raise ControlError(error.message) from None
        return None
    if counts != "bytes":
        raise ControlError(f"this meter counts {counts}: its rates are no bits per second, found {rate}")
    return Decimal(bits) / 8


def _per_microsecond(rate: str, text: str) -> Decimal:
    try:
        per_second = Decimal(rate) * 1_000_000
        if not per_second.is_finite() or not 0 <= per_second < 1 << 63:
            raise InvalidOperation
    except InvalidOperation:
        raise ControlError(f'expected RATE:BURST such as 0.001:10, found "{text}"') from None
    return per_second


def _shown(per_second: int) -> str:
    text = f"{Decimal(per_second) / 1_000_000:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
