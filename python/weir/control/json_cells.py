"""Counters, meters and registers in the runtime JSON, in the shape of P4Runtime's entries for them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from weir import _core
from weir.control.cells import Rates
from weir.control.json_tables import entry_key, named, number
from weir.jsonfile import Node

if TYPE_CHECKING:
    from weir.control.switch import Switch

_MOST = (1 << 64) - 1
_RATES = ("cir", "cburst", "pir", "pburst")
_COUNTS = ("packet_count", "byte_count")
_ENTRY = ("table", "match", "priority")


def counter_entry(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``counter_entries`` asks for."""
    node.only(("counter", "index", "data"))
    counter = named(node, "counter", switch.counter)
    index = _index(node.require("index"))
    return node.attempt(partial(counter.writing, index, *_counts(node.require("data"))))


def direct_counter_entry(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``direct_counter_entries`` asks for."""
    node.only((*_ENTRY, "data"))
    table, key = entry_key(switch, node)
    return _core.Update.write_direct_counter(table.name, key, *_counts(node.require("data")))


def meter_entry(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``meter_entries`` asks for; without index all cells."""
    node.only(("meter", "index", "config"))
    meter = named(node, "meter", switch.meter)
    index, rates = node.get("index"), _rates(node.require("config"))
    if index is None:
        return node.attempt(partial(meter.writing_all, rates))
    return node.attempt(partial(meter.writing, _index(index), rates))


def direct_meter_entry(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``direct_meter_entries`` asks for."""
    node.only((*_ENTRY, "config"))
    table, key = entry_key(switch, node)
    rates = _rates(node.require("config"))
    return _core.Update.write_direct_meter(
        table.name, key, (rates.committed_rate, rates.committed_burst, rates.peak_rate, rates.peak_burst)
    )


def register_entry(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``register_entries`` asks for."""
    node.only(("register", "index", "data"))
    register = named(node, "register", switch.register)
    index, value = _index(node.require("index")), node.require("data")
    return value.attempt(partial(register.writing, index, value.value))


def _index(node: Node) -> int:
    return number(node, "an index", 0, _MOST)


def _counts(node: Node) -> tuple[int, int]:
    node.only(_COUNTS)
    packets, octets = (
        0 if part is None else number(part, "a count", 0, _MOST) for part in map(node.get, _COUNTS)
    )
    return packets, octets


def _rates(node: Node) -> Rates:
    node.only(_RATES)
    numbers = [number(node.require(name), "a rate or burst", 0, _MOST) for name in _RATES]
    return Rates(*numbers)
