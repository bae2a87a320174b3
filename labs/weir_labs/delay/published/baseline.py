"""Round trips without recirculation: a sample of pings, theory, processing times (4.3, 5.2.1)."""

from __future__ import annotations

from typing import Final

from weir.lab import Arithmetic, Fitted, NoValue, Predicted, Published, Tables

from ..theory import rate_name, transmission_ms, wire_bytes
from ..thesis import COUNTED_BYTES
from .common import FITTED, NOT_VARYING, number, rtt

_BITS: Final = {"unlimited": None, "1Gbit": 10**9, "1Mbit": 10**6, "100kbit": 10**5, "10kbit": 10**4}
_SENT: Final = {"unlimited": 0.0, "1Gbit": 0.009824, "1Mbit": 9.824, "100kbit": 98.24, "10kbit": 982.4}
"""The thesis's transmission times on a link, in milliseconds."""

_PROCESSING: Final = {"vm": 0.98, "server": 2.16}
_THEORY: Final = {
    "vm": {"1Gbit": 1.019, "1Mbit": 40.276, "100kbit": 393.94, "10kbit": 3930.58},
    "server": {"1Gbit": 2.199, "1Mbit": 41.456, "100kbit": 395.12, "10kbit": 3931.76},
}


def _sample_numbers() -> list[Published]:
    noise = NoValue(
        reason="the thesis does not say on which machine it took the sample, and single round trips depend on what else the machine does"
    )
    origin = ("Figure 4.14", "a sample of pings", "X = 0, 1200 data bytes")
    rows = [("ping1", 1.37), ("ping2", 1.18), ("ping3", 1.15), ("ping4", 1.88)]
    rows += [("min", 1.150), ("mean", 1.393), ("max", 1.881), ("mdev", 0.293)]
    return [
        *(number(f"sample.{name}", *origin, f"round trip, {name}", value, noise) for name, value in rows),
        number(
            "sample.loss", *origin, "loss", 0, Predicted(part="rtt", value=_loss_percent, absolute=0), unit="%"
        ),
        number(
            "sample.time", *origin, "duration of four pings", 3004, Arithmetic(value=3 * 1000, absolute=10),
            note="three of ping's default intervals of one second",
        ),
    ]  # fmt: skip


def _loss_percent(tables: Tables) -> float | None:
    point = {"profile": "bmv2-vm", "rate": "unlimited", "x": 0}
    sent, received = tables.mean("sent", **point), tables.mean("received", **point)
    return None if sent is None or received is None else 100 * (sent - received) / sent


def _theory_numbers() -> list[Published]:
    experiment = "round trips without recirculation, theory"
    names = {"unlimited": "unlimited", "1Gbit": "1Gbits", "1Mbit": "1Mbits"}
    names |= {"100kbit": "100kbits", "10kbit": "10kbits"}
    numbers = []
    for rate, value in _SENT.items():
        ours = transmission_ms(COUNTED_BYTES, _BITS[rate]) / 4
        note = "" if not value else f"for {COUNTED_BYTES} bytes, without Ethernet's header"
        for machine, name in (("vm", f"tx.{names[rate]}"), ("server", f"tx.server.{rate}")):
            numbers.append(
                number(
                    f"theory.{name}", "5.2.1", experiment, f"{machine}, links {rate_name(rate)}", "time of a transmission on a link", value,
                    Arithmetic(value=ours, absolute=0.0005 * value), note=note,
                )
            )  # fmt: skip
    for machine, processing in _PROCESSING.items():
        numbers.append(
            number(
                f"theory.rtt.{machine}.unlimited", "5.2.1", experiment, f"{machine}, links unlimited",
                "round trip (the measured minimum)", processing,
                Fitted(parameter=FITTED[machine], part="rtt", value=rtt(machine, "unlimited", 0)),
            )
        )  # fmt: skip
        for rate, value in _THEORY[machine].items():
            ours = transmission_ms(COUNTED_BYTES, _BITS[rate]) + processing
            whole_ms = transmission_ms(wire_bytes(1200), _BITS[rate]) + processing
            numbers.append(
                number(
                    f"theory.rtt.{machine}.{rate}", "5.2.1", experiment, f"{machine}, links {rate_name(rate)}",
                    "time of four transmissions and the measured processing", value,
                    Arithmetic(value=ours, relative=0.001),
                    note=f"{whole_ms:.3f} ms with the 14 bytes of Ethernet's header, which are also on the wire",
                )
            )  # fmt: skip
    return numbers


def _processing_numbers() -> list[Published]:
    origin = ("5.2.1", "round trips without recirculation")
    numbers = []
    for machine, value in _PROCESSING.items():
        ours = Fitted(parameter=FITTED[machine], part="rtt", value=rtt(machine, "unlimited", 0))
        conditions = f"{machine}, links unlimited"
        numbers += [
            number(
                f"proc.{machine}.prose", *origin, conditions, "processing (the thesis calls it an average)", value, ours,
                note="another sentence of the thesis calls the same number a minimum",
            ),
            number(f"proc.change.{machine}", *origin, conditions, "processing (the minimum again)", value, ours),
        ]  # fmt: skip
    server = Fitted(
        parameter=f"{FITTED['vm']}; the same times in bmv2-server", part="rtt", value=_server_is_slower
    )
    return [
        *numbers,
        number("rel.server.higher", *origin, "links unlimited", "processing", "takes longer on the server", server),
        number(
            "rel.lowrate", *origin, "slower links", "round trip minus the thesis's theory", "grows as links get slower",
            Arithmetic(part="rtt", value=_processing_grows),
            note="the 14 bytes of Ethernet's header, which the thesis's theory leaves out, cause this growth: they add 0.45 ms at "
            "1 Mbit/s and 44.8 ms at 10 kbit/s",
        ),
        number(
            "rel.minmean.server", *origin, "server", "minimum and mean round trip", "close to each other",
            NoValue(reason=NOT_VARYING),
        ),
        number(
            "rel.minmean.vm", *origin, "vm", "minimum and mean round trip", "clearly apart",
            NoValue(reason=NOT_VARYING),
        ),
    ]  # fmt: skip


def _server_is_slower(tables: Tables) -> bool | None:
    vm, server = rtt("vm", "unlimited", 0)(tables), rtt("server", "unlimited", 0)(tables)
    return None if vm is None or server is None else server > vm


def _processing_grows(tables: Tables) -> bool | None:
    """Returns whether the round trip minus four transmissions, counted as in the thesis, grows from
    each rate to the next."""
    remainders = []
    for rate, bits in _BITS.items():
        round_trip = rtt("vm", rate, 0)(tables)
        if round_trip is None:
            return None
        remainders.append(round_trip - transmission_ms(COUNTED_BYTES, bits))
    return remainders == sorted(remainders) and remainders[-1] > remainders[0]


NUMBERS: Final = [*_sample_numbers(), *_theory_numbers(), *_processing_numbers()]
