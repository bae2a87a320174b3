"""The experiment of the slides: four flows with and without load balancing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

import weir

from .balancers import Feedback
from .fabric import PAIRS, PATHS
from .measure import END_S, GOOD_MBPS, Observations, mean, observe
from .paths import hashed_path


@weir.experiment(
    queues=["off", "all", "shared"],
    threshold=[20],
    timeout=["1s"],
    percent=[20],
    congestion=["cubic"],
    rate=["10Mbit"],
    seconds=[100],
    seeds=10,
)
def balancing(
    queues: str,
    threshold: int,
    timeout: str,
    percent: int,
    congestion: str,
    rate: str,
    seconds: int,
    seed: int,
) -> dict[str, Any]:
    """Does each flow find a path without other flows?

    ``queues`` is ``off`` for no load balancing. Otherwise it decides which queues count: ``all`` as
    in the slides, or only ``shared`` queues with packets of several flows.
    """
    feedback = make_feedback(queues, threshold, timeout, percent)
    observations = observe(feedback, congestion=congestion, rate=rate, seconds=seconds, seed=seed)
    return {
        **{f"mbps_{number}": mbps for number, mbps in enumerate(observations.end_rates, start=1)},
        **{f"run_mbps_{number}": mbps for number, mbps in enumerate(observations.run_rates, start=1)},
        "run_rtt_ms": mean(observations.rtts_ms(seconds)),
        "run_ping_ms": observations.ping_ms(seconds),
        "run_queue": float(observations.queue.mean()),
        "run_host_queue": float(observations.host_queue.mean()),
        **numbers(observations),
        "rates": observations.table,
        "latency": observations.latency,
        "ways": observations.ways,
        "flows": _flows(observations),
    }


def make_feedback(queues: str, threshold: int, timeout: str, percent: int) -> Feedback | None:
    """Creates the feedback scheme for an experiment's parameters; returns ``None`` if ``queues`` is
    ``off``.

    Raises:
        ValueError: a value is out of range.
        UnitError: the time-out cannot be read.
    """
    if queues not in ("off", "all", "shared"):
        raise ValueError(f"queues={queues}: expected off, all or shared")
    # Values are checked even without load balancing.
    feedback = Feedback("all" if queues == "off" else queues, threshold, timeout, percent)
    return None if queues == "off" else feedback


def numbers(observations: Observations) -> dict[str, Any]:
    """Returns the results of a run that are in the tables of all experiments."""
    used = observations.ways.group_by("flow", maintain_order=True).last()["path"]
    return {
        "slowest_mbps": min(observations.end_rates),
        "total_mbps": sum(observations.end_rates),
        "good": int(min(observations.end_rates) > GOOD_MBPS),
        "settled_s": observations.settled_s,
        "paths_at_end": used.n_unique(),
        "rtt_ms": mean(observations.rtts_ms(END_S)),
        "ping_ms": observations.ping_ms(END_S),
        "queue": float(observations.queue[-END_S * 100 :].mean()),
        "host_queue": float(observations.host_queue[-END_S * 100 :].mean()),
        "notices": len(observations.notices),
        "late": len(observations.overtaken_packets),
        "overtaken_without_move": observations.overtaken_without_move,
        "retransmits": sum(flow.retransmits for flow in observations.flows),
    }


def _flows(observations: Observations) -> pl.DataFrame:
    """Builds a table of flows: the path that the hash chose, the path that the packets took, and
    the flow's results."""
    hashed = [hashed_path(key, PATHS) for key in observations.keys]
    sharing = Counter(hashed)
    first = dict(
        observations.ways.group_by("flow", maintain_order=True).first().select("flow", "path").iter_rows()
    )
    notes = Counter(notice.flow for notice in observations.notices)
    late = Counter(packet.flow for packet in observations.overtaken_packets)
    rows = zip(
        range(1, PAIRS + 1),
        observations.keys,
        hashed,
        observations.end_rates,
        observations.rtts_ms(END_S),
        strict=True,
    )
    return pl.DataFrame(
        [
            (number, key[2], key[3], path, first.get(number), sharing[path], mbps, rtt, notes[key], late[key])
            for number, key, path, mbps, rtt in rows
        ],
        schema={
            "flow": pl.Int64,
            "source_port": pl.Int64,
            "port": pl.Int64,
            "hashed_path": pl.Int64,
            "first_path": pl.Int64,
            "sharing": pl.Int64,
            "mbps": pl.Float64,
            "rtt_ms": pl.Float64,
            "notices": pl.Int64,
            "late": pl.Int64,
        },
        orient="row",
    )
