"""Queueing disciplines, which decide how packets wait at an interface and in which order they
leave.

>>> net.host("h1").interface("eth0").qdisc = weir.qdisc.Fq(maxrate="20Mbit")        # doctest: +SKIP
>>> net.host("h1").tc("qdisc replace dev eth0 root fq maxrate 20mbit")              # doctest: +SKIP

Both lines do the same. The settings are those of ``tc`` in Linux, with units;
docs/reference/links.md describes them.
"""

from __future__ import annotations

from weir.qdisc.aqm import Codel, DualPi2, FqCodel, Red
from weir.qdisc.base import Qdisc, core
from weir.qdisc.htb import Htb, HtbClass
from weir.qdisc.netem import Netem, Slot
from weir.qdisc.shaping import Fifo, Fq, Tbf

__all__ = [
    "Codel",
    "DualPi2",
    "Fifo",
    "Fq",
    "FqCodel",
    "Htb",
    "HtbClass",
    "Netem",
    "Qdisc",
    "Red",
    "Slot",
    "Tbf",
    "core",
]
