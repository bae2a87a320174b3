"""Queueing disciplines as ``tc`` writes them."""

from __future__ import annotations

from weir import _core, qdisc
from weir.errors import NetworkError

DEFAULT = "pfifo limit 1000"
"""The queueing discipline of a link for which the topology sets none."""


def queue_text(queue: qdisc.Qdisc | str | None) -> str:
    """Converts a queueing discipline to the words of the ``tc`` command.

    Raises:
        UnitError: the discipline cannot be read.
    """
    return DEFAULT if queue is None else core_queue_text(qdisc.core(queue))


def core_queue_text(queue: _core.Qdisc) -> str:
    """Converts a queueing discipline in the core's form to the words of the ``tc`` command.

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
        raise NetworkError(
            "Htb: on real hosts, tc sets its classes one by one: "
            'host.cmd("tc qdisc replace dev eth0 root handle 1: htb; tc class add dev eth0 …")'
        )
    return text
