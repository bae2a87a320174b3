"""The cost of each mode: bytes in data packets, and bytes of reports, on each link."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

import weir
from weir.lab import one_of, switches_of
from weir.network import WorldName
from weir.telemetry import Instruction, words_of

from .chain import PATH, chain, packed_address, program
from .collector import collect
from .metadata import watch

SHIM_AND_HEADER: Final = 16
"""The bytes that the source inserts in INT-MD and INT-MX: 4 of the shim header, 12 of the INT
header."""

REPORT: Final = 14 + 20 + 8 + 8 + 12
"""The bytes of a report without metadata: Ethernet, IPv4, UDP, group header, individual header."""

_HEADER_BYTES: Final = 28


@weir.experiment(
    mode=["MD", "MX", "XD"],
    switches=[2, 3, 5, 8, 12],
    instructions=[int(PATH)],
    data_bytes=[1000],
    packets=[100],
)
def cost(
    mode: str, switches: int, instructions: int, data_bytes: int, packets: int, seed: int
) -> dict[str, Any]:
    """How many bytes does telemetry add to each link, by mode and number of switches?"""
    return measure_cost(mode, switches, instructions, data_bytes, packets, seed)


def measure_cost(
    mode: str,
    switches: int,
    instructions: int,
    data_bytes: int,
    packets: int,
    seed: int,
    world: WorldName = "virtual",
    switch: str = "weir",
) -> dict[str, Any]:
    """Takes the measurements of :func:`cost` in a world."""
    one_of("mode", mode, "MD", "MX", "XD")
    with weir.Network(
        chain(
            switches, "100Mbit", watch=watch(mode, instructions), mtu=dict.fromkeys(range(1, switches), 9000)
        ),
        program(),
        seed=seed,
        world=world,
        switches=switches_of(world, switch),
    ) as net:
        collector = collect(net)
        ends = [net.sniff(f"s{number}-p2") for number in range(1, switches + 1)]
        last = net.sniff(f"s{switches}-p3")
        net.host("h1").iperf(
            "h2", udp=True, rate="10Mbit", length=f"{data_bytes}B", count=packets, interval=None
        )
        net.run_for("100ms")
        rows = []
        for number, end in enumerate([*ends, last], start=1):
            frames = [bytes(frame) for frame in end.frames if frame.outbound]
            data = [frame for frame in frames if frame[26:30] == packed_address("h1") and frame[23] == 17]
            reports = [frame for frame in frames if frame[26:28] == bytes((10, 1))]
            bytes_without_int = len(data) * (14 + _HEADER_BYTES + data_bytes)
            embedded, reported = _predicted_bytes(mode, switches, number, instructions)
            rows.append(
                {
                    "link": "collector" if number > switches else f"s{number}-s{number + 1}",
                    "number": number,
                    "int_bytes": (sum(map(len, data)) - bytes_without_int) / packets,
                    "report_bytes": sum(map(len, reports)) / packets,
                    "predicted_int": float(embedded),
                    "predicted_report": float(reported),
                }
            )
        rows[switches - 1]["link"] = "h2"
    frame = pl.DataFrame(rows)
    inner = frame.filter(pl.col("number") < switches)
    added = frame["int_bytes"].to_numpy() + frame["report_bytes"].to_numpy()
    return {
        "reports_per_packet": len(collector.reports) / packets,
        "int_bytes": float(inner["int_bytes"].to_numpy().max()),
        "network_bytes": float(added[: switches - 1].sum()),
        "collector_bytes": float(frame["report_bytes"][-1]),
        "total_bytes": float(added.sum()),
        "differs": int(
            frame.filter(
                (pl.col("int_bytes") != pl.col("predicted_int"))
                | (pl.col("report_bytes") != pl.col("predicted_report"))
            ).height
        ),
        "links": frame,
    }


def _predicted_bytes(mode: str, switches: int, number: int, instructions: int) -> tuple[int, int]:
    """Predicts the bytes of telemetry in a packet, and the bytes of reports for each packet, on the
    link after a switch.

    Args:
        mode: the mode.
        switches: the number of switches in the chain.
        number: the switch's number; the number after the last one stands for the collector's link.
        instructions: the instruction bitmap.
    """
    hop = 4 * words_of(instructions)
    # Reports name their node in the header, so the node's id is not part of their metadata.
    metadata_bytes = 4 * words_of(instructions & ~Instruction.NODE)
    inside = number < switches
    if mode == "MD":
        report = REPORT + metadata_bytes + _HEADER_BYTES + SHIM_AND_HEADER + hop * (switches - 1)
        return (SHIM_AND_HEADER + hop * number if inside else 0), (report if number > switches else 0)
    report = REPORT + metadata_bytes + _HEADER_BYTES + (SHIM_AND_HEADER if mode == "MX" else 0)
    carried = number if inside else (switches if number > switches else 0)
    return (SHIM_AND_HEADER if mode == "MX" and inside else 0), report * carried
