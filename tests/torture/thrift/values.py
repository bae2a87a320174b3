"""Random calls of the services, made from the services' description."""

from __future__ import annotations

import random
from typing import Any, Final

from thriftpy2.thrift import TType

from torture.switch import program
from weir.bmv2.idl import services

_INTEGERS: Final = [0, 1, 2, 3, -1, 7, 255, 256, 65535]
_BITS: Final = {TType.BYTE: 8, TType.I16: 16, TType.I32: 32, TType.I64: 64}
_BYTES: Final = [b"", b"\0", b"\x01", b"\0\x01", b"\x0a\0\x01\x01", bytes(16), b"\xff" * 300]

SERVICES: Final = {
    "standard": "Standard", "simple_switch": "SimpleSwitch", "simple_pre_lag": "Multicast",
    "simple_pre": "Multicast", "weir": "Commands",
}  # fmt: skip


def call(chance: random.Random) -> tuple[str, str, dict[str, Any]]:
    """A service, the name of one of its calls, and arguments of the right types."""
    name = chance.choice(list(SERVICES))
    service = getattr(services(), SERVICES[name])
    method = chance.choice(service.thrift_services)
    arguments = getattr(service, f"{method}_args").thrift_spec
    return name, method, {spec[1]: _value(spec[0], spec[2:-1], chance) for spec in arguments.values()}


def _value(kind: int, more: Any, chance: random.Random) -> Any:
    """A value of a type; ``more`` is thriftpy2's description of types that contain others."""
    if kind in _BITS:
        bits = _BITS[kind]
        odd = chance.choice([1 << bits - 1, (1 << bits) - 1, chance.getrandbits(bits)])
        number = chance.choice(_INTEGERS) if chance.random() < 0.7 else odd
        return (number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    if kind == TType.BOOL:
        return chance.random() < 0.5
    if kind == TType.DOUBLE:
        return chance.choice([0.0, 1.0, -1.0, 1e308, float("inf"), float("nan"), 1e-300])
    if kind == TType.BINARY:
        return chance.choice(_BYTES) if chance.random() < 0.8 else chance.randbytes(chance.randrange(40))
    if kind == TType.STRING:
        return chance.choice(_names()) if chance.random() < 0.8 else chance.choice(_ODD)
    if kind == TType.STRUCT:
        struct = more[0]
        # Optional fields are often missing, or there where another one should be.
        return struct(
            **{
                spec[1]: _value(spec[0], spec[2:-1], chance)
                for spec in struct.thrift_spec.values()
                if chance.random() < (0.97 if spec[-1] else 0.6)
            }
        )
    assert kind in (TType.LIST, TType.SET), kind
    inner = more[0]
    kind, more = (inner[0], inner[1:]) if isinstance(inner, tuple) else (inner, ())
    return [_value(kind, more, chance) for _ in range(chance.choice([0, 1, 1, 2, 3, 50]))]


_ODD: Final = ["", "\0", "é", "x" * 10_000, "../x", "nothing", "0" * 5000, "1 2", "\n", "{}"]


def _names() -> list[str]:
    """The names of the switch's objects."""
    own = program()
    kinds = [own.objects(kind) for kind in ("counter", "register", "meter")]
    actions = {action.name for table in own.tables.values() for action in table.actions}
    fields = [
        *own.tables,
        *actions,
        *own.profiles,
        *own.value_sets,
        *(name for kind in kinds for name in kind),
    ]
    lines = ["show_tables", "help", f"table_dump {next(iter(own.tables))}", "mc_mgrp_create 1"]
    return [*fields, *lines, "0", "1", "01", "crc16_custom"]
