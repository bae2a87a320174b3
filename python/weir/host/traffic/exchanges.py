"""Settings of exchanges, that is, of requests and short flows: bytes in both directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir import _core, units
from weir.errors import NetworkError
from weir.errors.checks import check_flag, check_port, check_whole
from weir.flows import MAX_DATAGRAM, MIN_DATAGRAM, ExchangeFlow
from weir.flows.tcp_options import tcp_options
from weir.host.traffic.peer import receivers

if TYPE_CHECKING:
    from weir.owners.network import Host, Servers


def exchange_settings(
    address: str,
    port: int,
    count: int,
    *,
    think: str | None = None,
    every: str | None = None,
    random: bool = True,
    request: str | Sequence[str],
    response: str | Sequence[str],
    keep: bool = False,
    udp: bool = False,
    names: tuple[str, str] = ("request", "response"),
    tos: int = 0,
) -> _core.ExchangeSettings:
    """Converts the settings of exchanges to the form that the core takes.

    The next exchange starts a time ``think`` after the end of the last one, or a time ``every``
    after its start.

    Args:
        names: the names of ``request`` and ``response`` in error messages.
        tos: the type of service.

    Raises:
        NetworkError: a number is out of range.
        UnitError: a time or size cannot be read.
    """
    check_whole("count", count, 1)
    check_port("port", port)
    check_whole("tos", tos, 0, 255)
    check_flag("random", random)
    gap = None if every is None else units.time_ns(every, "every")
    poisson = gap is not None and random
    if gap == 0 and random:
        raise NetworkError("every: random times cannot have the mean 0s: expected more, or random=False")
    requests, responses = _sizes(request, names[0], 1, udp), _sizes(response, names[1], 0, udp)
    if keep and not all(responses):
        raise NetworkError(
            f"{names[1]}: 0 bytes require a new connection for each {names[0]}: give keep=False"
        )
    return {
        "to": (address, port),
        "think_ns": units.time_ns("0s" if think is None else think, "think", "s") if gap is None else None,
        "mean_ns": float(gap) if gap is not None and random else None,
        "every_ns": None if random else gap,
        "count": count,
        "request": requests,
        "request_exponential": poisson and len(requests) == 1,
        "response": responses,
        "response_exponential": poisson and responses != [0] and len(responses) == 1,
        "keep_connection": keep,
        "tos": tos,
    }


def _sizes(value: object, name: str, minimum: int, udp: bool) -> list[int]:
    several = value if isinstance(value, (list, tuple)) else [value]
    if not several:
        raise NetworkError(f"{name}: there is no size to draw from")
    sizes = [units.size_bytes(one, name, "10kB") for one in several]
    for size in sizes:
        if udp and not MIN_DATAGRAM <= size <= MAX_DATAGRAM:
            expected = f"{MIN_DATAGRAM}B to {MAX_DATAGRAM}B"
        elif not udp and size < minimum:
            expected = f"{minimum}B or more"
        else:
            continue
        raise NetworkError(f"{name}: {size} bytes are out of range: expected {expected}")
    return sizes


def start_tcp_exchanges(
    host: Host,
    address: str,
    exchanges: _core.ExchangeSettings,
    congestion: str | None,
    server: Servers | None,
) -> ExchangeFlow:
    """Starts exchanges over TCP from a host to an address."""
    clock = host._network._clock
    clock.check_open()
    servers = receivers(host, address, server)
    mark = clock.losses.mark()
    core = host._core.start_exchanges(servers, exchanges, tcp_options(congestion=congestion))
    return ExchangeFlow(clock, core, host.name, servers, mark)
