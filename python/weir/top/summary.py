"""Summarises a switch's metrics as plain values, for ``weir top --json``."""

from __future__ import annotations

from typing import Any

from weir.top.metrics import Labels, Metrics


def summary(now: Metrics, before: Metrics, switch: str | None = None) -> dict[str, Any]:
    """Returns the ports, drops, P4 tables, controllers and threads of a switch as values for JSON.

    Args:
        now: the current metrics.
        before: the metrics of an earlier time, from which rates are computed.
        switch: the name of the switch; ``None`` for all.
    """

    def kept(values: dict[Labels, float]) -> dict[Labels, float]:
        return {key: value for key, value in values.items() if switch in (None, dict(key).get("switch"))}

    def rows(name: str, *labels: str) -> list[tuple[dict[str, str | None], Labels]]:
        return [
            ({label: dict(key).get(label) for label in ("switch", *labels)}, key)
            for key in kept(now.values_of(name))
        ]

    def rate(name: str, key: Labels, factor: float = 1.0) -> float:
        return round(factor * now.rates(name, before).get(key, 0.0), 3)

    def total(name: str, key: Labels) -> float:
        value = now.values_of(name).get(key, 0.0)
        return int(value) if value == int(value) else value

    drops = [
        {**labels, "per_s": rate(name, key), "total": total(name, key)}
        for name, columns in (
            ("dropped_packets", ("place", "reason")),
            ("port_dropped_frames", ("port", "direction", "reason")),
        )
        for labels, key in rows(name, *columns)
    ]
    ports = [
        {
            **labels,
            "received_packets_per_s": rate("port_received_packets", key),
            "received_bps": rate("port_received_bytes", key, 8),
            "sent_packets_per_s": rate("port_sent_packets", key),
            "sent_bps": rate("port_sent_bytes", key, 8),
        }
        for labels, key in rows("port_received_packets", "port")
    ]
    tables = [
        {
            **labels,
            "entries": total("table_entries", key),
            "hits_per_s": rate("table_hits", key),
            "misses_per_s": rate("table_misses", key),
            "hits": total("table_hits", key),
            "misses": total("table_misses", key),
        }
        for labels, key in rows("table_entries", "table")
    ]
    controllers = [
        {**labels, "streams": total("p4runtime_primaries", key)}
        for labels, key in rows("p4runtime_primaries", "role", "certificate", "address", "election_id")
    ]
    workers = [
        {
            "worker": dict(key).get("worker"),
            "cpu_share": rate("worker_cpu_seconds", key),
            "cpu_s": total("worker_cpu_seconds", key),
        }
        for key in now.values_of("worker_cpu_seconds")
    ]
    return {
        "version": 1,
        "interval_s": round(now.time_s - before.time_s, 3),
        "ports": ports,
        "drops": drops,
        "tables": tables,
        "controllers": controllers,
        "workers": workers,
    }
