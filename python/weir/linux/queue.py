"""Queueing disciplines as ``tc`` writes them."""

from __future__ import annotations

from weir import _core, qdisc
from weir.errors import NetworkError
from weir.topology import Endpoint

DEFAULT = "pfifo limit 1000"
"""The queueing discipline of a link for which the topology sets none."""


def queue_text(queue: qdisc.Qdisc | str | None, end: Endpoint) -> str:
    """Converts the queueing discipline of an end of a link to the words of the ``tc`` command.

    Raises:
        UnitError: the discipline cannot be read.
    """
    return DEFAULT if queue is None else core_queue_text(qdisc.core(queue), end)


def core_queue_text(queue: _core.Qdisc, end: Endpoint) -> str:
    """Converts a queueing discipline in the core's form to the words of the ``tc`` command.

    Args:
        queue: the discipline.
        end: the end of a link that gets the discipline.

    Raises:
        NetworkError: ``tc`` cannot write it in one line.
    """
    core = _core.Network(0)
    for number, name in enumerate(("a", "b"), 1):
        core.add_host(name, [(f"02:00:00:00:00:0{number}", [], 1500)], [], [], 0, 0)
    core.connect("a", 0, "b", 0, None, 0, 0.0)
    interface = core.interface("a", 0)
    interface.set_queue(queue)
    text = interface.queue
    if text.startswith("htb"):
        device = end.interface_name
        raise NetworkError(
            f"{end}: in the Linux world, tc makes Htb and its classes one by one: "
            f'net.tc("{end.node}", "qdisc replace dev {device} root handle 1: htb default 10"), then '
            f'net.tc("{end.node}", "class add dev {device} parent 1: classid 1:10 htb rate 5mbit")'
        )
    return text
