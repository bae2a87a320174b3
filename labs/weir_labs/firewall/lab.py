"""Declares the lab and its experiments: the thesis's firewall, and the controller, rules and
attacks that it proposes."""

from __future__ import annotations

from weir.lab import Lab, Part
from weir.network import WORLDS

from . import worlds
from .attack import attack
from .attacks import ATTACKS
from .binding import binding
from .changing import changing
from .contacts import contacts
from .exchange import WAYS, exchange
from .flooding import flooding
from .joining import joining
from .network import path
from .published import PUBLISHED
from .report import (
    attack as attack_report,
    binding as binding_report,
    changing as changing_report,
    contacts as contacts_report,
    exchange as exchange_report,
    flooding as flooding_report,
    joining as joining_report,
    worlds as worlds_report,
)

LAB = Lab(
    name="firewall",
    question="Can switches exclude hosts that do not belong to a network?",
    parts=[
        Part(experiment=binding, report=binding_report.findings, quick={"pings": [2], "spoofed": [100]}),
        Part(experiment=joining, report=joining_report.findings, quick={"control_delay": ["1ms", "10ms"]}),
        Part(
            experiment=attack,
            report=attack_report.findings,
            quick={"attack": [*ATTACKS], "packets": [1000]},
            own_times="it accounts for each packet, and a busy computer loses some before the switch sees them",
        ),
        Part(experiment=changing, report=changing_report.findings, quick={"rules": [10], "seconds": [1]}),
        Part(
            experiment=exchange,
            report=exchange_report.findings,
            quick={"rules": [10], "exchanges": [5]},
            own_times="its packets arrive faster than such a switch takes them",
        ),
        Part(
            experiment=flooding,
            report=flooding_report.findings,
            quick={"per_second": [0, 5000, 20_000], "joins": [3]},
        ),
        Part(experiment=contacts, report=contacts_report.findings),
    ],
    network=path,
    source=(
        "The thesis: Oskar Claeson and William Kruse, High-Speed, Low-Latency, and Secure Networking "
        "with P4, Master's thesis, Chalmers University of Technology, 2021; the firewall in sections "
        "3.4 and 4.4."
    ),
    published=PUBLISHED,
    linux=[
        Part(
            experiment=worlds.binding,
            report=worlds_report.binding,
            quick={"pings": [2], "spoofed": [50]},
            workers=1,
        ),
    ],
    allowed={
        "attack": [*ATTACKS],
        "way": WAYS,
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
    },
)
