"""The control interface of a ``simple_switch``: a copy in this process, and BMv2's Thrift services.

The copy is a virtual switch that receives no packets. It checks each change in the same way as
Weir's own switches, and stores the entries. The mirror then sends the change to ``simple_switch``,
in the form that Weir's own Thrift services use. Registers and counters are read from
``simple_switch``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from weir import _core
from weir.bmv2.idl import services
from weir.bmv2.standard_cells import Cells
from weir.bmv2.values import signed
from weir.control.profile import Profile
from weir.control.switch import Switch
from weir.errors import ControlError
from weir.program import Program

if TYPE_CHECKING:
    from weir.linux.bmv2.client import Client

_TABLE_CHANGES: Final = frozenset(("insert", "modify", "delete", "clear", "set_default", "reset_default"))
_GLOBAL_CHANGES: Final = frozenset(("load", "load_values"))
_SET_CHANGES: Final = frozenset(("set_value_set", "add_to_value_set", "remove_from_value_set"))
_READS: Final = frozenset(
    (
        "program", "has_program", "ports", "is_port_up", "entries", "entry", "default_action",
        "table_state", "clone_sessions", "multicast_groups", "value_set",
    )
)  # fmt: skip


class Mirror:
    """The methods of ``weir._core.Switch`` for which ``simple_switch`` has a Thrift call.

    Args:
        name: the switch.
        program: the program of the switch.
        ports: its ports.
        client: the connection to the switch's services.
    """

    def __init__(self, name: str, program: _core.Program, ports: list[int], client: Client) -> None:
        # The network owns the copy.
        self._network = _core.Network(0)
        self._network.add_switch(name, program, (0, 1), ports, 1, 0)
        self._copy = self._network.switch(name)
        self._name, self._client = name, client
        copy = Switch(self._copy, name, Program(program, program.path()), Profile("real", 0, 1))
        self._standard = Cells(copy)
        tables = {table.name: table for table in program.declarations().tables()}
        self._tables = tables
        self._written: dict[str, dict[str, tuple[int, str]]] = {name: {} for name in tables}
        self._defaults = {name: self._default(name) for name in tables}
        self._sets = [value_set.name for value_set in program.declarations().value_sets()]
        self._sessions: Mapping[int, _core.CloneSession] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Finds a method of the switch: one of the copy that only reads, or one that changes both
        the copy and ``simple_switch``."""
        if name in _READS:
            method: Callable[..., Any] = getattr(self._copy, name)
            return method
        if name in _TABLE_CHANGES | _GLOBAL_CHANGES | _SET_CHANGES:
            return lambda *arguments: self._change(name, *arguments)
        if hasattr(_core.Switch, name):
            return lambda *_, **__: self._refuse(name)
        raise AttributeError(name)

    def _change(self, name: str, *arguments: Any) -> Any:
        if name == "insert" and arguments[4] is not None:
            raise ControlError(f"{self._name} is simple_switch, whose entries do not time out here")
        result = getattr(self._copy, name)(*arguments)
        for table in (
            [arguments[0]] if name in _TABLE_CHANGES else self._tables if name in _GLOBAL_CHANGES else []
        ):
            self._write_table(table)
        if name in _GLOBAL_CHANGES:
            self._write_sessions()
        for value_set in self._sets if name not in _TABLE_CHANGES else []:
            self._write_set(value_set)
        return result

    def _write_table(self, table: str) -> None:
        info, call = self._tables[table], self._client.standard
        if not info.const_entries and info.keys:
            entries = {repr((e.match_key, e.options)): e for e in self._standard.bm_mt_get_entries(0, table)}
            written = self._written[table]
            for key in [key for key in written if key not in entries]:
                call("bm_mt_delete_entry", 0, table, written.pop(key)[0])
            for key, entry in entries.items():
                target = entry.action_entry
                action, data = target.action_name, target.action_data
                if key not in written:
                    handle = call("bm_mt_add_entry", 0, table, entry.match_key, action, data, entry.options)
                    written[key] = handle, repr(target)
                elif written[key][1] != repr(target):
                    call("bm_mt_modify_entry", 0, table, written[key][0], action, data)
                    written[key] = written[key][0], repr(target)
        default = self._default(table)
        if repr(default) != repr(self._defaults[table]):
            call("bm_mt_set_default_action", 0, table, default.action_name, default.action_data)
            self._defaults[table] = default

    def _default(self, table: str) -> Any:
        return self._standard.bm_mt_get_default_entry(0, table)

    def _write_set(self, name: str) -> None:
        self._client.standard("bm_parse_vset_clear", 0, name)
        for value in self._standard.bm_parse_vset_get(0, name):
            self._client.standard("bm_parse_vset_add", 0, name, value)

    def _write_sessions(self) -> None:
        sessions = self._copy.clone_sessions()
        for number in self._sessions.keys() - sessions:
            self._client.simple_switch("mirroring_session_delete", number)
        for number, session in sessions.items():
            if self._sessions.get(number) != session:
                replicas = session.replicas
                port = session.port if not replicas else replicas[0].port if len(replicas) == 1 else None
                if port is None or session.length:
                    raise ControlError(f"{self._name}: simple_switch clones whole packets to one port here")
                config = services().CloneSession(port=port)
                self._client.simple_switch("mirroring_session_add", number, config)
        self._sessions = sessions

    def set_clone_session(self, session: int, config: _core.CloneSession | None) -> None:
        """Sets or removes a clone session, in the copy and in ``simple_switch``."""
        self._copy.set_clone_session(session, config)
        self._write_sessions()

    def register(self, register: str, index: int) -> bytes:
        """Reads a cell of a register from ``simple_switch``; Thrift transfers only the lowest 64
        bits."""
        size = len(self._copy.register(register, index))
        return _bytes(self._client.standard("bm_register_read", 0, register, index), size)

    def registers(self, register: str) -> list[bytes]:
        """Reads all cells of a register from ``simple_switch``."""
        size = len(self._copy.register(register, 0))
        return [_bytes(cell, size) for cell in self._client.standard("bm_register_read_all", 0, register)]

    def write_register(self, register: str, index: int, value: object) -> None:
        """Writes a cell of a register, in the copy and in ``simple_switch``."""
        self._copy.write_register(register, index, value)
        number = int.from_bytes(self._copy.register(register, index), "big")
        if number >> 64:
            raise ControlError(f"{register}[{index}]: Thrift writes numbers below 2**64")
        self._client.standard("bm_register_write", 0, register, index, signed(number, 64))

    def reset_register(self, register: str) -> None:
        """Sets all cells of a register to 0, in the copy and in ``simple_switch``."""
        self._copy.reset_register(register)
        self._client.standard("bm_register_reset", 0, register)

    def counter(self, counter: str, index: int) -> tuple[int, int]:
        """Reads the packets and bytes of a counter's cell from ``simple_switch``."""
        # The copy checks the counter's name and the index.
        self._copy.counter(counter, index)
        counts = self._client.standard("bm_counter_read", 0, counter, index)
        return counts.packets, counts.bytes

    def counters(self, counter: str) -> list[tuple[int, int]]:
        """Reads the packets and bytes of all cells of a counter from ``simple_switch``."""
        return [self.counter(counter, index) for index in range(len(self._copy.counters(counter)))]

    def reset_counter(self, counter: str) -> None:
        """Sets all cells of a counter to 0 in ``simple_switch``."""
        self._copy.reset_counter(counter)
        self._client.standard("bm_counter_reset_all", 0, counter)

    def write_all_meters(self, meter: str, rates: Any) -> None:
        """Sets the rates of all cells of a meter, in the copy and in ``simple_switch``."""
        if rates is None:
            self._refuse("write_all_meters without rates")
        self._copy.write_all_meters(meter, rates)
        set_rates = self._standard.bm_meter_get_rates(0, meter, 0)
        self._client.standard("bm_meter_array_set_rates", 0, meter, set_rates)

    def _refuse(self, what: str) -> NoReturn:
        raise ControlError(
            f"{self._name} is simple_switch, for which Weir does not support {what}: use the Linux "
            "world's own "
            'switches (switches="weir")'
        )


def _bytes(cell: int, size: int) -> bytes:
    """Converts the value of a register's cell from Thrift's signed number to bytes."""
    return (cell & ((1 << 64) - 1) & ((1 << 8 * size) - 1)).to_bytes(size, "big")
