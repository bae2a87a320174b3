"""The control plane, which reads and changes the state of a running switch
(docs/reference/control.md)."""

from weir._core import CloneSession, Crc, Digest, GroupMember, LogLine, Member, Queue, Replica
from weir.control.action_profile import ActionProfile
from weir.control.cells import Count, Counter, Meter, MeterCounts, Rates, Register
from weir.control.controller import PacketIn
from weir.control.entry import TableEntry, WeightedAction
from weir.control.messages import IdleNotice
from weir.control.switch import Switch
from weir.control.table import Table
from weir.control.value_set import ValueSet

__all__ = [
    "ActionProfile",
    "CloneSession",
    "Count",
    "Counter",
    "Crc",
    "Digest",
    "GroupMember",
    "IdleNotice",
    "LogLine",
    "Member",
    "Meter",
    "MeterCounts",
    "PacketIn",
    "Queue",
    "Rates",
    "Register",
    "Replica",
    "Switch",
    "Table",
    "TableEntry",
    "ValueSet",
    "WeightedAction",
]
