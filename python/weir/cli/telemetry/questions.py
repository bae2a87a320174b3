"""The commands that query a store: paths, latencies, queues, shared, bursts, drops, losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from weir.cli.numbers import Whole
from weir.cli.telemetry.answers import (
    clock_option,
    open_store,
    output_options,
    selection_options,
    show_answer,
    store_argument,
)

_TIMES = ("start", "end")
_HOPS = ("flow", "node", "port", "queue", *_TIMES)


def _question(name: str, short_help: str, *examples: str) -> Callable[[Any], Any]:
    lines = "".join(f"\n  weir telemetry {example}" for example in examples)
    title = "Example" if len(examples) == 1 else "Examples"
    return click.command(name, short_help=short_help, epilog=f"\b\n{title}:{lines}")


def _show_answer(given: dict[str, Any], ask: Any) -> None:
    output = {name: given.pop(name) for name in ("rows", "as_json", "csv", "plot")}
    limited = any(given.get(name) is not None for name in _HOPS)
    show_answer(lambda: ask(**given), limited=limited, **output)


@_question(
    "paths",
    "Show the paths of flows over time.",
    "paths run1",
    'paths run1 --flow "10.0.1.1 > 10.0.2.2" --plot paths.png',
)
@store_argument
@selection_options("flow", *_TIMES)
@click.option(
    "--window",
    default="10ms",
    show_default=True,
    metavar="TIME",
    help="The time within which reports of single nodes (INT-XD, INT-MX) are joined to a path.",
)
@output_options
def paths(store: str, **given: Any) -> None:
    """Show the paths of flows over time, with a new line when a flow takes another path."""
    _show_answer(given, open_store(store).paths)


@_question(
    "latencies",
    "Show the latencies of packets in each node.",
    "latencies run1",
    "latencies run1 --by-flow --from 2s --to 3s",
)
@store_argument
@selection_options(*_HOPS)
@click.option("--by-flow", is_flag=True, help="Show a line for each flow.")
@output_options
def latencies(store: str, **given: Any) -> None:
    """Show the latencies of packets in each node: mean, percentiles and maximum."""
    _show_answer(given, open_store(store).latencies)


@_question(
    "queues",
    "Show the length of each queue over time.",
    "queues run1 --node 2 --interval 1ms --plot queue.png",
)
@store_argument
@selection_options(*_HOPS)
@click.option(
    "--interval",
    default="10ms",
    show_default=True,
    metavar="TIME",
    help="The length of the interval for each line.",
)
@clock_option
@output_options
def queues(store: str, **given: Any) -> None:
    """Show the length of each queue in packets over time."""
    _show_answer(given, open_store(store).queues)


@_question(
    "shared",
    "Show the flows that shared a queue.",
    "shared run1",
    "shared run1 --node 2 --port 2 --at-least 20 --from 1s --to 2s",
)
@store_argument
@selection_options(*_HOPS)
@click.option(
    "--at-least",
    type=Whole(0),
    default=0,
    metavar="N",
    help="Count only packets that arrived at a queue with at least this many packets.",
)
@output_options
def shared(store: str, **given: Any) -> None:
    """Show which flows shared each queue, by the bytes of their packets.

    The aggressor is the flow with the most bytes in a shared queue, if it has more than 1.2 times
    an equal share.
    """
    _show_answer(given, open_store(store).shares)


@_question(
    "bursts",
    "Show microbursts in queues.",
    "bursts run1 --threshold 32",
    "bursts run1 --threshold 32 --shorter-than 500us --clock node",
)
@store_argument
@click.option(
    "--threshold",
    type=Whole(1),
    required=True,
    metavar="N",
    help="The queue length, in packets, at which a burst begins.",
)
@click.option(
    "--shorter-than",
    default="1ms",
    show_default=True,
    metavar="TIME",
    help="Show only bursts that are shorter than this time.",
)
@selection_options(*_HOPS)
@clock_option
@output_options
def bursts(store: str, threshold: int, **given: Any) -> None:
    """Show microbursts, each with its largest queue and the flow with the most bytes in it."""
    asked = open_store(store)
    _show_answer(given, lambda **rest: asked.bursts(threshold, **rest))


@_question(
    "drops",
    "Show where and why packets were dropped.",
    "drops run1",
    "drops run1 --node 3 --plot drops.png",
)
@store_argument
@selection_options("flow", "node", *_TIMES)
@output_options
def drops(store: str, **given: Any) -> None:
    """Show the drops that nodes reported, by flow, with the reason if a node reported it."""
    _show_answer(given, open_store(store).drops)


@_question(
    "losses",
    "Show lost and late reports of each node.",
    "losses run1",
    "losses run1 --gaps",
)
@store_argument
@selection_options("node", *_TIMES)
@click.option("--gaps", is_flag=True, help="Show a line for each gap of missing reports.")
@output_options
def losses(store: str, gaps: bool, **given: Any) -> None:
    """Show how many report datagrams of each node arrived, were lost, or were late.

    Nodes number their datagrams, so missing numbers mean lost datagrams.
    """
    asked = open_store(store)
    _show_answer(given, asked.gaps if gaps else asked.losses)
