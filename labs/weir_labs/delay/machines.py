"""The machines that the lab models, each with the timing of its switch and hosts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import weir
from weir.errors import FileError, WeirError
from weir.lab import json_object, listing, nearest, shown, write_whole_json
from weir.network import computers


@dataclass(frozen=True)
class Machine:
    """The timing of a machine on which the switch and the hosts run.

    Attributes:
        name: the machine's name.
        pass_ns: the time of a pass through the switch, in nanoseconds.
        capacity: the number of passes that the switch can start per second.
        host_ns: a host's processing time for each received packet, in nanoseconds; a round trip has
            two of them.
        host_jitter_ns: the upper bound of a uniformly random time that is added to ``host_ns``.
        computer: the computer that the switches share with the hosts. The computer's times apply;
            the times above are then those of its processors without any waiting.
    """

    name: str
    pass_ns: int
    capacity: int
    host_ns: int
    host_jitter_ns: int = 0
    computer: weir.Computer | None = None

    @classmethod
    def from_computer(cls, computer: weir.Computer) -> Machine:
        """Creates the machine for switches and hosts that share a computer.

        A pass takes the time of ingress and egress, which are separate threads in BMv2. All other
        work counts as work of the hosts.
        """
        stages = (computer.ingress.packet_ns, computer.egress.packet_ns)
        busiest = max(stages) if computer.pipelined else sum(stages)
        further_costs = (
            computer.receive,
            computer.send,
            computer.link,
            computer.stack,
            computer.stack,
            computer.app,
        )
        return cls(
            computer.name,
            sum(stages),
            1_000_000_000 // max(1, busiest),
            sum(cost.packet_ns for cost in further_costs),
            computer=computer,
        )

    @property
    def profile(self) -> weir.Profile:
        """The timing profile of the machine's switches."""
        return weir.Profile(self.name, self.pass_ns, self.capacity)

    @property
    def a_ms(self) -> float:
        """The time of a round trip without recirculation and without transmission times, in
        milliseconds."""
        return 2 * (self.pass_ns + self.host_ns) / 1e6

    @property
    def b_ms(self) -> float:
        """The time that each recirculation adds to a round trip, in milliseconds."""
        return 2 * self.pass_ns / 1e6

    @property
    def switch_alone(self) -> Machine:
        """The machine's switch with hosts that have no processing time, to measure the delay of the
        switch."""
        return replace(self, host_ns=0, host_jitter_ns=0)

    def save(self, path: Path) -> None:
        """Writes the timing to a file for ``weir lab run delay --set profile=FILE.json``."""
        write_whole_json(
            path,
            {key: value for key, value in asdict(self).items() if key != "computer"},
            indent=2,
            follow=True,
        )


MACHINES: Final = {
    machine.name: machine
    for machine in (
        # The times are fitted to all minimum round trips of the thesis over unlimited links (X = 0,
        # 1, 3, 7). The slope of the least-squares line is two passes, its intercept is two passes
        # and two hosts. The capacity of one pass at a time is an assumption. It does not come from
        # a measured throughput.
        Machine("bmv2-vm", 312_500, 3200, 198_000),
        Machine("bmv2-server", 995_025, 1005, 126_000),
        Machine("modern", 1000, 10**9, 0),
    )
}
"""The machines by name: the thesis's virtual machine and server, and a modern switch.

The switches of these computers are Weir's profiles ``bmv2-vm``, ``bmv2-server`` and ``default``.
"""


def machine(name: str) -> Machine:
    """Finds a machine by name or by a computer's name, or reads a file of ``weir lab fit``.

    Weir's profile ``default`` is the machine ``modern``.

    Raises:
        WeirError: there is no machine of that name.
        FileError: the file cannot be read.
    """
    if name in MACHINES or name == "default":
        return MACHINES["modern" if name == "default" else name]
    if name in computers():
        return Machine.from_computer(weir.Computer.named(name))
    if name.endswith(".json"):
        return _read(Path(name))
    names = [*MACHINES, *computers()]
    suggestion = nearest(name, names)
    alternatives = (
        ""
        if suggestion
        else f" (known profiles: {listing(names)}; a file from weir lab fit is also possible)"
    )
    raise WeirError(f'there is no profile "{name}"{alternatives}', suggestion=suggestion)


def _read(path: Path) -> Machine:
    try:
        members = json_object(path.read_text(encoding="utf-8"))
        if "processors" in members:
            return Machine.from_computer(weir.Computer.named(path))
        numbers = {key: members[key] for key in ("pass_ns", "capacity", "host_ns", "host_jitter_ns")}
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except (ValueError, KeyError, TypeError):
        raise FileError("is not a profile from weir lab fit", file=path) from None
    for key, value in numbers.items():
        if not isinstance(value, int) or value < (1 if key == "capacity" else 0):
            raise FileError(f"{key} = {shown(value)}: expected a whole number, at least 0", file=path)
    return Machine(path.stem, **numbers)
