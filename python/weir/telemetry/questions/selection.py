"""Selects the reports of a query by flow, node, port, queue and time."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from weir import units
from weir.errors import CommandError
from weir.telemetry.flow import Flow, flow_of
from weir.telemetry.protocol import PROTOCOLS

Clock = Literal["arrival", "node"]
"""The clock for times in a query.

``arrival``: when the collector received the report. ``node``: when the packet arrived at the node,
by the node's own clock, if reports contain that time.
"""

FLOW_COLUMNS: Final = tuple(Flow._fields)
"""The columns of ``reports`` that a flow consists of."""

_FLOW: Final = re.compile(r"(?:(?P<protocol>[a-z]+\d*)\s+)?(?P<source>\S+)(?:\s*>\s*(?P<target>\S+))?")
_EXAMPLES: Final = '"udp 10.0.1.1:4000 > 10.0.2.2:5000", "10.0.1.1 > *", "10.0.2.2", ":5000" or "tcp *"'


@dataclass(frozen=True)
class Selection:
    """The reports that a query selects; by default all.

    Attributes:
        flow: a :class:`Flow`, or a string such as ``udp 10.0.1.1:4000 > 10.0.2.2:5000`` in which
            parts may be missing or ``*``. An address or port without ``>`` can be at either end.
        node: a node's id.
        port: an egress port's number.
        queue: a queue's id.
        start: the time from which reports arrived, such as ``"1.5s"``.
        end: the time before which reports arrived.
    """

    flow: str | Flow | None = None
    node: int | None = None
    port: int | None = None
    queue: int | None = None
    start: str | None = None
    end: str | None = None

    def reports(self, origin_ns: int) -> tuple[str, list[Any]]:
        """Builds a condition in SQL on rows of ``reports``, called ``r``; returns the condition and
        its parameters.

        Raises:
            CommandError: the flow cannot be understood.
            UnitError: a time cannot be read.
        """
        conditions: list[tuple[str, list[Any]]] = []
        if self.flow is not None:
            conditions.append(_flow_condition(str(self.flow)))
        for text, sign, name in ((self.start, ">=", "start"), (self.end, "<", "end")):
            if text is not None:
                conditions.append((f"r.time_ns {sign} ?", [origin_ns + units.time_ns(text, name, "s")]))
        return _conjunction(conditions)

    def reporter_condition(self, origin_ns: int) -> tuple[str, list[Any]]:
        """Builds a condition like :meth:`reports`, in which the node is the reporting node."""
        of_node = [] if self.node is None else [("r.node = ?", [self.node])]
        return _conjunction([self.reports(origin_ns), *of_node])

    def hops(self, origin_ns: int) -> tuple[str, list[Any]]:
        """Builds a condition on rows of ``reports``, called ``r``, with their ``hops``, called
        ``h``."""
        columns = (("node", self.node), ("egress_port", self.port), ("queue", self.queue))
        conditions = [(f"h.{name} = ?", [number]) for name, number in columns if number is not None]
        return _conjunction([self.reports(origin_ns), *conditions])


def _conjunction(conditions: list[tuple[str, list[Any]]]) -> tuple[str, list[Any]]:
    texts = [f"({text})" for text, _ in conditions]
    return " AND ".join(texts) or "true", [value for _, values in conditions for value in values]


def _flow_condition(text: str) -> tuple[str, list[Any]]:
    match = _FLOW.fullmatch(text.strip())
    if match is None:
        raise CommandError(f'"{text}" is not a flow: expected something like {_EXAMPLES}')
    conditions: list[tuple[str, list[Any]]] = []
    if match["protocol"] is not None:
        conditions.append(("r.protocol = ?", [_protocol(match["protocol"])]))
    source, target = _end(match["source"], text), match["target"]
    if target is not None:
        conditions += [_end_condition("source", source), _end_condition("target", _end(target, text))]
    else:
        either = [_end_condition("source", source), _end_condition("target", source)]
        sql = " OR ".join(f"({condition})" for condition, _ in either)
        conditions.append((sql, [value for _, values in either for value in values]))
    return _conjunction(conditions)


def _protocol(name: str) -> int:
    numbers = {protocol: number for number, protocol in PROTOCOLS.items()}
    if name in numbers:
        return numbers[name]
    if match := re.fullmatch(r"ip(\d{1,3})", name):
        return int(match[1])
    raise CommandError(f'"{name}" is not a protocol: expected udp, tcp, icmp, or ip and a number')


def _end(text: str, text_of_end: str) -> tuple[int | None, int | None]:
    """Reads an address and a port of a flow; ``None`` means any."""
    address, colon, port = text.partition(":")
    try:
        number = None if address in ("", "*") else int(ipaddress.IPv4Address(address))
        port_number = None if port in ("", "*") else int(port)
    except ValueError:
        raise CommandError(
            f'"{text}" in the flow "{text_of_end}": expected something like {_EXAMPLES}'
        ) from None
    if (colon and not port) or (port_number is not None and not 0 <= port_number <= 65535):
        raise CommandError(
            f'"{text}" in the flow "{text_of_end}": expected a port from 0 to 65535 after the colon'
        )
    return number, port_number


def _end_condition(end: str, address_and_port: tuple[int | None, int | None]) -> tuple[str, list[Any]]:
    columns = zip((end, f"{end}_port"), address_and_port, strict=True)
    return _conjunction([(f"r.{name} = ?", [number]) for name, number in columns if number is not None])


def flow_text(row: tuple[Any, ...]) -> str | None:
    """Formats a flow, given by the values of its columns; returns ``None`` if they are null."""
    flow = flow_of(row)
    return None if flow is None else str(flow)


def flow_columns(table: str = "r") -> str:
    """Returns the SQL list of the columns of a flow."""
    return ", ".join(f"{table}.{name}" for name in FLOW_COLUMNS)
