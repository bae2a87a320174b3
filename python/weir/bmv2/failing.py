"""Converts errors to the services' exceptions, which have a code and a reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

from weir.bmv2.idl import services
from weir.errors import WeirError


class CallRefusedError(WeirError):
    """An error about a call that cannot be served, with its code.

    Args:
        code: the code's name in ``bmv2.thrift``.
        why: the reason.
    """

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


_EXCEPTIONS: Final[Mapping[str, str]] = {
    "bm_mt": "Table",
    "bm_counter": "Counter",
    "bm_meter": "Meter",
    "bm_register": "Register",
    "bm_parse": "ValueSet",
    "bm_learning": "Learn",
    "bm_load": "Swap",
    "bm_swap": "Swap",
    "bm_dev": "Port",
    "bm_set_crc": "Crc",
    "bm_set_toeplitz": "Toeplitz",
    "bm_get_id": "Id",
    "mirroring_session": "Clone",
    "bm_mc": "Multicast",
    "run": "Command",
}
"""For each group of calls, by the prefix of their names: the exception and its codes."""

_CODES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "Table": (
        ("has this entry already", "DUPLICATE_ENTRY"),
        ("is full", "TABLE_FULL"),
        ("has no entry with", "INVALID_HANDLE"),
        ("no direct counter", "COUNTERS_DISABLED"),
        ("no direct meter", "METERS_DISABLED"),
        ("support_timeout", "AGEING_DISABLED"),
        ("has no member", "INVALID_MBR_HANDLE"),
        ("has no group", "INVALID_GRP_HANDLE"),
        ("^member .* in use", "MBR_STILL_USED"),
        ("^group .* in use", "GRP_STILL_USED"),
        ("without selector", "NO_ACTION_PROFILE_SELECTION"),
        ("entries of table .* are constant|^entry .* is constant", "IMMUTABLE_TABLE_ENTRIES"),
        ("default action of table .* is constant", "DEFAULT_ACTION_IS_CONST"),
        ("are in its action profile|has no action profile", "WRONG_TABLE_TYPE"),
        ("no table", "INVALID_TABLE_NAME"),
        ("has no action|no action profile", "INVALID_ACTION_NAME"),
        ("^key |key field|prefix|mask|bits set past", "BAD_MATCH_KEY"),
        ("parameter", "BAD_ACTION_DATA"),
    ),
    "Counter": (("out of range|no entry", "INVALID_INDEX"), ("no counter", "INVALID_COUNTER_NAME")),
    "Meter": (
        ("out of range|no entry", "INVALID_INDEX"),
        ("no meter", "INVALID_METER_NAME"),
        ("rate", "INVALID_INFO_RATE_VALUE"),
    ),
    "Register": (("cells|out of range", "INVALID_INDEX"), ("no register", "INVALID_REGISTER_NAME")),
    "ValueSet": (("no value set", "INVALID_PARSE_VSET_NAME"),),
    "Crc": (("no calculation", "INVALID_CALCULATION_NAME"), ("", "INVALID_CONFIG")),
    "Multicast": (
        ("no multicast group", "INVALID_MGRP_HANDLE"),
        ("no multicast node|not associated|associated with", "INVALID_L1_HANDLE"),
        ("group .* exists|group 0", "INVALID_MGID"),
    ),
}
"""For each exception, patterns of messages with their codes. The first pattern that matches
decides."""


_STRING: Final = 11
_STRUCT: Final = 12
_LIST: Final = 15
"""The numbers of types in Thrift's binary protocol."""


def with_exceptions(service: Any, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a call, so that its errors become the exceptions that clients expect.

    Args:
        service: the service of the call, from :func:`services`.
        name: the call's name in the service.
        call: the function that implements the call, with its arguments in order.
    """
    kind = next((kind for start, kind in _EXCEPTIONS.items() if name.startswith(start)), None)
    expected = tuple(getattr(service, f"{name}_args").thrift_spec.values())

    @wraps(call)
    def act(*arguments: Any) -> Any:
        try:
            for parameter, argument in zip(expected, arguments, strict=True):
                if problem := _problem(parameter, argument):
                    raise CallRefusedError("ERROR", problem)
            return call(*map(_whole, expected, arguments))
        except WeirError as error:
            raise _exception(kind, error) from None
        except Exception as error:
            raise _undeclared_error(
                f"{type(error).__name__}: {error} (a bug in Weir, please report it)"
            ) from None

    return act


def _problem(expected: tuple[Any, ...], value: Any) -> str:
    """Finds the first required value that is missing from a call, or the first text that is not
    UTF-8; returns an empty string if there is none.

    The library reads a missing value as ``None``, and such a text as bytes. A structure may be
    missing if it has no required fields.

    Args:
        expected: the name and the type, as the library describes them.
        value: the value that arrived.
    """
    name: str
    kind, name, *inner = expected
    if kind == _STRUCT:
        fields = inner[0].thrift_spec.values()
        if value is None:
            return f"the call has no {name}" if any(field[-1] for field in fields) else ""
        parts = ((field, getattr(value, field[1])) for field in fields)
        problems = (_problem(field, part) for field, part in parts if field[-1] or part is not None)
        return next(filter(None, problems), "")
    if value is None:
        return f"the call has no {name}"
    if kind == _LIST:
        part = inner[0] if isinstance(inner[0], tuple) else (inner[0],)
        return next(filter(None, (_problem((part[0], name, *part[1:]), item) for item in value)), "")
    return f"{name} is not UTF-8 text" if kind == _STRING and isinstance(value, bytes) else ""


def _whole(expected: tuple[Any, ...], value: Any) -> Any:
    """Returns a structure without values for a missing structure, as BMv2's server does."""
    return expected[2]() if value is None and expected[0] == _STRUCT else value


def _exception(kind: str | None, error: WeirError) -> Exception:
    message = str(error)
    if kind is None:
        return _undeclared_error(message)
    types = services()
    if kind == "Command":
        return types.CommandError(why=message)  # type: ignore[no-any-return]
    codes = getattr(types, f"{kind}Code")
    name = error.code if isinstance(error, CallRefusedError) else _error_code(kind, error.message)
    code = getattr(codes, name, None)
    if code is None:
        code = max(codes._VALUES_TO_NAMES)
    return getattr(types, f"{kind}Error")(code=code, why=message)  # type: ignore[no-any-return]


def _error_code(kind: str, message: str) -> str:
    return next((code for text, code in _CODES.get(kind, ()) if re.search(text, message)), "ERROR")


def _undeclared_error(why: str) -> Exception:
    """Creates the exception for calls that do not declare an exception."""
    from thriftpy2.thrift import TApplicationException

    return TApplicationException(TApplicationException.INTERNAL_ERROR, why)  # type: ignore[no-any-return]
