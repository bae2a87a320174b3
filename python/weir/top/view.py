"""Builds the tables that ``weir top`` shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import floor, log10

from rich import box
from rich.table import Table

from weir.text.digits import whole_number
from weir.text.visible import visible_line
from weir.top.metrics import Labels, Metrics
from weir.units import format_rate

_LONGEST_ROLE = 24
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
WIDE = 80
"""The columns of a terminal that shows all numbers."""
_MEDIUM_WIDTH = 60
"""The columns of a terminal that shows packets and bits of ports."""
_UNKNOWN = "–"
"""The rate before the second reading."""


def tables(now: Metrics, before: Metrics | None, switch: str | None = None, width: int = WIDE) -> list[Table]:
    """Builds the tables of ports, drops, P4 tables, controllers and threads, with rates since
    ``before``.

    Args:
        now: the current metrics.
        before: the metrics of an earlier time; without them, rates are unknown.
        switch: the name of the switch to show; ``None`` for all.
        width: columns of the terminal. With few, the tables leave out totals, and then
            the packets of ports.
    """
    has_switch_column = switch is None and any(
        dict(labels).get("switch") for labels in now.values_of("passes")
    )
    rows = _Rows(now, before, switch, has_switch_column, width)
    controllers = [rows.controllers()] if now.values_of("p4runtime_primaries") else []
    first, *further = [rows.ports(), rows.drops(), rows.tables(), *controllers, rows.threads()]
    for table in further:
        table.title = f"\n{table.title}"
    return [first, *further]


class _Rows:
    def __init__(
        self, now: Metrics, before: Metrics | None, switch: str | None, has_switch_column: bool, width: int
    ) -> None:
        self._now, self._before, self._switch = now, before, switch
        self._has_switch_column = has_switch_column
        self._is_narrow, self._is_very_narrow = width < WIDE, width < _MEDIUM_WIDTH

    def _rates_of_switch(self, name: str) -> dict[Labels, float]:
        return self._values_of_switch(self._now.rates(name, self._before))

    def _rate_or_dash(self, shown: str) -> str:
        return _UNKNOWN if self._before is None else shown

    def _total_values(self, name: str) -> dict[Labels, float]:
        return self._values_of_switch(self._now.values_of(name))

    def _values_of_switch(self, values: dict[Labels, float]) -> dict[Labels, float]:
        return {
            key: value for key, value in values.items() if self._switch in (None, dict(key).get("switch"))
        }

    def _table(self, title: str, names: Iterable[str], numbers: Iterable[str]) -> Table:
        table = _plain_table(title)
        for name in [*(["switch"] if self._has_switch_column else []), *names]:
            # Where there is little room, numbers become shorter before names disappear.
            table.add_column(name, overflow="fold", min_width=min(len(name), 6))
        for number in numbers:
            table.add_column(number, justify="right", no_wrap=True)
        return table

    def _label_cells(self, labels: Labels, *names: str) -> list[str]:
        values = dict(labels)
        return [
            visible_line(values.get(name, ""))
            for name in (["switch", *names] if self._has_switch_column else names)
        ]

    def _number(self, value: float) -> str:
        """Formats a number of packets or entries; with a unit prefix if there is little room."""
        if self._is_narrow and value >= 100_000:
            value, prefix = next((value / size, name) for size, name in _PREFIXES if value >= size)
            return f"{value:.4g}{prefix}"
        return _number_cell(value)

    def ports(self) -> Table:
        """Builds the table of ports, with a row for each port."""
        numbers = ["in packets/s", "in", "out packets/s", "out", "dropped/s", "dropped"]
        if self._is_narrow:
            numbers = ["packets\nin/s", "bits\nin/s", "packets\nout/s", "bits\nout/s", "drops\n/s"]
        columns: list[tuple[str, Callable[[float], str]]] = [
            ("port_received_packets", self._number),
            ("port_received_bytes", _bit_rate_cell),
            ("port_sent_packets", self._number),
            ("port_sent_bytes", _bit_rate_cell),
        ]
        if self._is_very_narrow:
            numbers, columns = [numbers[1], numbers[3], numbers[4]], columns[1::2]
        table = self._table("Ports", ["port"], numbers)
        rates = [(self._rates_of_switch(name), rate_of) for name, rate_of in columns]
        per_second = _drops_by_port(self._rates_of_switch("port_dropped_frames"))
        in_all = _drops_by_port(self._total_values("port_dropped_frames"))
        for key in sorted(self._total_values("port_received_packets"), key=_label_order):
            values = [self._rate_or_dash(rate_of(rate.get(key, 0.0))) for rate, rate_of in rates]
            drops = [
                self._rate_or_dash(self._number(per_second.get(key, 0.0))),
                self._number(in_all.get(key, 0.0)),
            ]
            table.add_row(*self._label_cells(key, "port"), *values, *drops[: 1 if self._is_narrow else 2])
        return table

    def drops(self) -> Table:
        """Builds the table of drops, with a row for each place and reason."""
        table = self._table("Drops", ["where", "reason"], ["per second", "in all"])
        for name in ("dropped_packets", "port_dropped_frames"):
            rates = self._rates_of_switch(name)
            for key, total in sorted(
                self._total_values(name).items(), key=lambda item: _label_order(item[0])
            ):
                if not total:
                    continue
                values = dict(key)
                place = values.get("place") or f"port {values.get('port')}, {values.get('direction')}"
                switch = self._label_cells(key)
                table.add_row(
                    *switch,
                    visible_line(place),
                    visible_line(values.get("reason", "")),
                    self._rate_or_dash(_number_cell(rates[key])),
                    _number_cell(total),
                )
        if not table.row_count:
            table.add_row(
                *([""] if self._has_switch_column else []), "nowhere", "", self._rate_or_dash("0"), "0"
            )
        return table

    def tables(self) -> Table:
        """Builds the table of P4 tables, with a row for each P4 table."""
        numbers = ["entries", "hits/s", "misses/s", "hits", "misses"]
        number_count = 3 if self._is_narrow else 5
        table = self._table("Tables", ["table"], numbers[:number_count])
        hits, misses = self._rates_of_switch("table_hits"), self._rates_of_switch("table_misses")
        all_hits, all_misses = self._total_values("table_hits"), self._total_values("table_misses")
        for key, entries in sorted(
            self._total_values("table_entries").items(), key=lambda item: _label_order(item[0])
        ):
            rates = [self._rate_or_dash(self._number(counts.get(key, 0.0))) for counts in (hits, misses)]
            in_all = [self._number(counts.get(key, 0.0)) for counts in (all_hits, all_misses)]
            cells = [self._number(entries), *rates, *in_all]
            table.add_row(*self._label_cells(key, "table"), *cells[:number_count])
        return table

    def controllers(self) -> Table:
        """Builds the table of controllers, with a row for each P4Runtime role that has a
        primary."""
        table = self._table("Controllers", ["role", "primary", "election id"], ["streams"])
        primaries = self._total_values("p4runtime_primaries")
        for key, streams in sorted(primaries.items(), key=lambda item: _label_order(item[0])):
            *switch, role, certificate, address, election_id = self._label_cells(
                key, "role", "certificate", "address", "election_id"
            )
            # Controllers choose the names of roles, so names may be long.
            role = role if len(role) <= _LONGEST_ROLE else f"{role[: _LONGEST_ROLE - 1]}…"
            primary = f"{certificate} {address}".strip()
            table.add_row(*switch, role or "(default)", primary, election_id, _number_cell(streams))
        return table

    def threads(self) -> Table:
        """Builds the table of threads, with a row for each forwarding thread."""
        table = _plain_table("CPU")
        table.add_column("worker")
        table.add_column("share of a processor", justify="right")
        table.add_column("seconds in all", justify="right")
        shares = self._now.rates("worker_cpu_seconds", self._before)
        for key, seconds in sorted(
            self._now.values_of("worker_cpu_seconds").items(), key=lambda item: _label_order(item[0])
        ):
            share = self._rate_or_dash(f"{shares[key]:.1%}")
            table.add_row(visible_line(dict(key).get("worker", "")), share, f"{seconds:.2f}")
        return table


def _plain_table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)


def _drops_by_port(drops: dict[Labels, float]) -> dict[Labels, float]:
    """Adds up the drops of each port over directions and reasons."""
    sums: dict[Labels, float] = {}
    for key, count in drops.items():
        port = tuple(label for label in key if label[0] in ("switch", "port"))
        sums[port] = sums.get(port, 0.0) + count
    return sums


def _label_order(labels: Labels) -> list[tuple[int, str]]:
    """Returns a sort key for labels that compares numeric values as numbers."""
    return [(whole_number(value) or 0, value) for _, value in labels]


def _number_cell(value: float) -> str:
    return f"{round(value):,}" if value >= 10 or value == round(value) else f"{value:.1f}"


def _bit_rate_cell(bytes_per_second: float) -> str:
    bits = bytes_per_second * 8
    return str(format_rate(round(round(bits, min(0, 3 - floor(log10(bits))) if bits > 1 else 0))))
