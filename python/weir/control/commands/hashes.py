"""Commands on the CRCs that a program leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.control.commands.registry import command
from weir.control.commands.values import whole
from weir.control.sessions import Crc
from weir.errors import ControlError

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_GROUP = "Hashes"
_TAKES = "NAME POLYNOMIAL INITIAL FINAL_XOR REFLECT_DATA REFLECT_REMAINDER"
_DETAILS = (
    "NAME is not looked at: the parameters are the whole program's. The last two are true or false (1 or 0)."
)


def _set(runtime: Runtime, args: list[str], width: int) -> list[str]:
    most = (1 << width) - 1
    what = ("a polynomial", "an initial value", "a value to xor at the end")
    polynomial, initial, final = (
        whole(text, name, 0, most) for text, name in zip(args[1:4], what, strict=True)
    )
    crc = Crc(polynomial, initial, final, _flag(args[4]), _flag(args[5]))
    runtime.switch.set_crc(f"crc{width}_custom", crc)
    return []


def _flag(text: str) -> bool:
    flags = {"true": True, "1": True, "false": False, "0": False}
    if text.lower() not in flags:
        raise ControlError(f'expected true or false, found "{text}"')
    return flags[text.lower()]


@command(
    _GROUP,
    _TAKES,
    "set what crc16_custom computes",
    example="set_crc16_parameters calc 0x8005 0 0 true true",
    details=_DETAILS,
)
def set_crc16_parameters(runtime: Runtime, args: list[str]) -> list[str]:
    return _set(runtime, args, 16)


@command(
    _GROUP,
    _TAKES,
    "set what crc32_custom computes",
    example="set_crc32_parameters calc 0x04c11db7 0xffffffff 0xffffffff true true",
    details=_DETAILS,
)
def set_crc32_parameters(runtime: Runtime, args: list[str]) -> list[str]:
    return _set(runtime, args, 32)
