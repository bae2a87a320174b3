"""The calls of the service ``standard`` on counters, meters, registers and parser value sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from weir import _core
from weir.bmv2.failing import CallRefusedError
from weir.bmv2.idl import services
from weir.bmv2.standard_tables import Tables
from weir.bmv2.values import counts_in, number, read, signed, size
from weir.control.switch import Switch
from weir.program import ObjectInfo

_BILLIONTHS: Final = 10**15
"""One unit per microsecond, as a number of billionths of a unit per second."""

_MAX_RATE: Final = 1e13
"""The maximum rate of a meter, in units per microsecond."""


class Cells(Tables):
    """The calls on counters, meters, registers and value sets, in addition to those on tables."""

    def __init__(self, switch: Switch) -> None:
        super().__init__(switch)

    # Counters

    def bm_counter_read(self, _: int, counter: str, index: int) -> Any:
        packets, octets = self._core.counter(self._switch.counter(counter).name, _index(index))
        return services().Count(bytes=signed(octets, 64), packets=signed(packets, 64))

    def bm_counter_reset_all(self, _: int, counter: str) -> None:
        self._core.reset_counter(self._switch.counter(counter).name)

    def bm_counter_write(self, _: int, counter: str, index: int, value: Any) -> None:
        self._core.write_counter(self._switch.counter(counter).name, _index(index), *counts_in(value))

    # Meters

    def bm_meter_array_set_rates(self, _: int, meter: str, rates: Sequence[Any]) -> None:
        self._core.write_all_meters(self._switch.meter(meter).name, _rates_in(rates))

    def bm_meter_set_rates(self, _: int, meter: str, index: int, rates: Sequence[Any]) -> None:
        self._core.write_meter(self._switch.meter(meter).name, _index(index), _rates_in(rates))

    def bm_meter_get_rates(self, _: int, meter: str, index: int) -> list[Any]:
        return _rates_out(self._core.meter(self._switch.meter(meter).name, _index(index)))

    def bm_mt_set_meter_rates(self, _: int, table: str, handle: int, rates: Sequence[Any]) -> None:
        self._core.write_meter(self._direct(table, "meter"), _index(handle), _rates_in(rates))

    def bm_mt_get_meter_rates(self, _: int, table: str, handle: int) -> list[Any]:
        return _rates_out(self._core.meter(self._direct(table, "meter"), _index(handle)))

    # Registers

    def _register(self, name: str) -> ObjectInfo:
        return self._switch.program.objects("register")[self._switch.program.full_name("register", name)]

    def bm_register_read(self, _: int, register: str, index: int) -> int:
        return signed(number(self._core.register(self._register(register).name, _index(index))), 64)

    def bm_register_read_all(self, _: int, register: str) -> list[int]:
        return [signed(number(cell), 64) for cell in self._core.registers(self._register(register).name)]

    def bm_register_write(self, _: int, register: str, index: int, value: int) -> None:
        info = self._register(register)
        self._core.write_register(info.name, _index(index), value % (1 << info.width))

    def bm_register_write_range(self, _: int, register: str, start: int, end: int, value: int) -> None:
        info = self._register(register)
        if not 0 <= start <= end <= info.size:
            raise CallRefusedError(
                "INVALID_INDEX", f"{info.name} has {info.size} cells: {start} to {end} is out of range"
            )
        for index in range(start, end):
            self._core.write_register(info.name, index, value % (1 << info.width))

    def bm_register_reset(self, _: int, register: str) -> None:
        self._core.reset_register(self._register(register).name)

    # Value sets

    def bm_parse_vset_add(self, _: int, value_set: str, value: bytes) -> None:
        self._switch.runtime.call(["pvs_add", self._set_name(value_set), str(number(value))])

    def bm_parse_vset_remove(self, _: int, value_set: str, value: bytes) -> None:
        self._switch.runtime.call(["pvs_remove", self._set_name(value_set), str(number(value))])

    def bm_parse_vset_clear(self, _: int, value_set: str) -> None:
        self._core.set_value_set(self._set_name(value_set), [])

    def bm_parse_vset_get(self, _: int, value_set: str) -> list[bytes]:
        info = self._switch.program.value_sets[self._set_name(value_set)]
        width = sum(key.width for key in info.fields)
        members = []
        for member in self._core.value_set(info.name):
            together = 0
            for key, text in zip(info.fields, member, strict=True):
                if any(mark in text for mark in ("/", "&&&", "..", "*")):
                    raise CallRefusedError(
                        "ERROR", f"{info.name} has a member that is not a single value: {text}"
                    )
                together = together << key.width | number(read(text, key.width))
            members.append(together.to_bytes(size(width), "big"))
        return members

    def _set_name(self, name: str) -> str:
        return self._switch.program.full_name("value set", name)


def _index(index: int) -> int:
    if index < 0:
        raise CallRefusedError("INVALID_INDEX", f"index {index} is out of range")
    return index


def _rates_in(rates: Sequence[Any]) -> _core.Rates:
    """Converts the rates of a meter (committed, then peak) from Thrift."""
    if len(rates) != 2:
        raise CallRefusedError(
            "BAD_RATES_LIST", f"a meter has 2 rates, committed and peak, found {len(rates)}"
        )
    if not all(0 <= rate.units_per_micros <= _MAX_RATE for rate in rates):
        raise CallRefusedError(
            "INVALID_INFO_RATE_VALUE", f"rates are from 0 to {_MAX_RATE:g} units a microsecond"
        )
    committed, peak = (round(rate.units_per_micros * _BILLIONTHS) for rate in rates)
    if any(rate.burst_size < 0 for rate in rates):
        raise CallRefusedError("INVALID_BURST_SIZE_VALUE", "bursts are at least 0")
    return committed, rates[0].burst_size, peak, rates[1].burst_size, 0


def _rates_out(rates: _core.Rates | None) -> list[Any]:
    """Converts the rates of a meter to Thrift; an empty list if it has none."""
    if rates is None:
        return []
    committed, burst, peak, peak_burst, _ = rates
    pairs = (committed, burst), (peak, peak_burst)
    return [
        services().Rate(units_per_micros=rate / _BILLIONTHS, burst_size=min(most, (1 << 31) - 1))
        for rate, most in pairs
    ]
