"""The account of all packets: delivered, dropped or in flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir import _core
from weir._core import Drop, InFlight
from weir.files.columns import Column
from weir.measure.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Account(Table):
    """Counts of all packets of a network, which must balance. Packets created by hosts, switches
    and links = delivered + dropped + in flight.

    Each frame on a link, and each frame that a host is about to send, counts as one packet,
    including fragments, ARP requests and copies.

    Attributes:
        created: packets that hosts created.
        made_by_devices: packets that switches created: copies, or their own packets.
        made_by_links: duplicates that links created.
        delivered: packets that arrived at their destination host.
        drops: dropped packets, by place and reason.
        in_flight: packets in flight.
        violations: descriptions of places where the account does not balance, which is a fault in
            the simulator; normally empty.
    """

    created: int
    made_by_devices: int
    made_by_links: int
    delivered: int
    drops: Sequence[Drop]
    in_flight: InFlight
    violations: Sequence[str]

    @classmethod
    def _from_core(cls, core: _core.Account) -> Account:
        """Converts an account from the form that the core returns."""
        return cls(
            core.created,
            core.made_by_devices,
            core.made_by_links,
            core.delivered,
            list(core.drops),
            core.in_flight,
            core.violations,
        )

    @property
    def dropped(self) -> int:
        """Number of dropped packets."""
        return sum(drop.packets for drop in self.drops)

    @property
    def balances(self) -> bool:
        """Whether the packet counts balance at each link and node and in total."""
        return not self.violations

    def columns(self) -> list[Column]:
        """Returns a row for each place and reason of drops: ``place``, ``reason``, ``packets``."""
        return [
            Column("place", "text", [drop.place for drop in self.drops]),
            Column("reason", "text", [drop.reason for drop in self.drops]),
            Column("packets", "int", [drop.packets for drop in self.drops]),
        ]

    def draw(self, ax: Axes) -> None:
        """Draws a bar for each place and reason of drops."""
        names = [f"{drop.place}: {drop.reason}" for drop in self.drops]
        ax.barh(names, [drop.packets for drop in self.drops], height=0.6)
        ax.set_ylim(max(len(names), 4) - 0.5, -0.5)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("packets dropped")

    def __str__(self) -> str:
        lines = [
            f"{self.created} created by hosts, {self.made_by_devices} by switches, "
            f"{self.made_by_links} by links",
            f"{self.delivered} delivered, {self.dropped} dropped, {self.in_flight.total} in flight",
            *(f"  {drop.packets} dropped at {drop.place}: {drop.reason}" for drop in self.drops),
            *(f"  does not balance: {violation}" for violation in self.violations),
        ]
        return "\n".join(lines)
