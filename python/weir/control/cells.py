"""Counters, registers and meters of a running switch, cell by cell and as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from decimal import Decimal
from typing import Any

from weir import _core
from weir.control.switch_object import SwitchObject
from weir.errors import ControlError, shown
from weir.program import ObjectInfo
from weir.program.values import bounded_number, text_of

_MAX_UINT64 = (1 << 64) - 1
_BILLION = 10**9


@dataclass(frozen=True)
class Count:
    """The packets and bytes of a counter's cell.

    In a counter of packets, ``bytes`` is 0; in a counter of bytes, ``packets`` is 0.

    Attributes:
        packets: the number of counted packets.
        bytes: the total bytes of these packets.
    """

    packets: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class MeterCounts:
    """The packets and bytes that a meter's cell marked with each colour.

    Packets and bytes are both counted, regardless of the meter's unit.

    Attributes:
        green: packets within the committed rate.
        yellow: packets above the committed rate and within the peak rate or the excess burst.
        red: all other packets.
    """

    green: Count = Count()
    yellow: Count = Count()
    red: Count = Count()


@dataclass(frozen=True)
class Rates:
    """The rates of a three-colour meter, in the meter's unit: packets or bytes.

    A meter has two rates (RFC 2698), or one rate and an excess burst (RFC 2697).

    Attributes:
        committed_rate: units per second up to which packets are green; rates are exact to a
            billionth of a unit per second.
        committed_burst: the units that can arrive at once and are green.
        peak_rate: units per second up to which packets are yellow, not below the committed rate.
        peak_burst: the units that can arrive at once and are at most yellow.
        excess_burst: for a meter with one rate, the units beyond the committed burst that can
            arrive at once and are yellow; the peak rate and burst are then equal to the committed
            ones.
    """

    committed_rate: float
    committed_burst: int
    peak_rate: float
    peak_burst: int
    excess_burst: int = 0


def rates_in(rates: Rates | None) -> _core.Rates | None:
    """Converts rates to the form that the core takes."""
    if rates is None:
        return None
    if not isinstance(rates, Rates):
        raise ControlError(f"expected Rates or None, found {shown(rates)}")
    committed, committed_burst, peak, peak_burst, excess_burst = astuple(rates)
    return (
        _billionths(committed),
        bounded_number(committed_burst, "a burst", 0, _MAX_UINT64),
        _billionths(peak),
        bounded_number(peak_burst, "a burst", 0, _MAX_UINT64),
        bounded_number(excess_burst, "a burst", 0, _MAX_UINT64),
    )


def _billionths(rate: Any) -> int:
    """Converts a rate from units per second to billionths of a unit per second."""
    if isinstance(rate, bool) or not isinstance(rate, (int, float)):
        raise ControlError(f"expected a rate in units per second, found {shown(rate)}")
    if not 0 <= rate <= _MAX_UINT64:
        raise ControlError(f"a rate {shown(rate)} is out of range: expected 0 to {_MAX_UINT64}")
    # `repr` has the digits that were written: 0.1 is a tenth.
    exact = rate if isinstance(rate, int) else Decimal(repr(rate))
    billionths = round(exact * _BILLION)
    if rate > 0 and billionths == 0:
        raise ControlError(f"{shown(rate)} is too small: expected at least a billionth per second")
    return billionths


def rates_out(rates: _core.Rates | None) -> Rates | None:
    """Converts rates from the form that the core returns."""
    if rates is None:
        return None
    committed, committed_burst, peak, peak_burst, excess_burst = rates
    return Rates(_units(committed), committed_burst, _units(peak), peak_burst, excess_burst)


def _units(billionths: int) -> float:
    """Converts a rate from billionths to units per second, as an ``int`` if it is a whole
    number."""
    whole, rest = divmod(billionths, _BILLION)
    return float(Decimal(billionths) / _BILLION) if rest else whole


class _Array(SwitchObject[ObjectInfo]):
    """The common base of counters, registers and meters.

    The cells of a table's direct counter or meter belong to the table's entries, and their indices
    are the entries' handles.

    Attributes:
        info: the object as its program declares it.
    """

    __slots__ = ()

    def __len__(self) -> int:
        """Returns the number of cells."""
        if self.info.table is not None:
            return self._switch._core.table_state(self.info.table)[0]
        return self.info.size

    def _index(self, index: int) -> int:
        if self.info.table is not None:
            return bounded_number(index, "an entry's handle", 0, _MAX_UINT64)
        if isinstance(index, bool) or not isinstance(index, int):
            raise ControlError(f"expected an index of {self.name}, found {shown(index)}")
        if not 0 <= index < self.info.size:
            raise ControlError(
                f"{self.name} has {self.info.size} cells: index {shown(index)} is out of range"
            )
        return index

    def __repr__(self) -> str:
        return f"<weir.control.{type(self).__name__} {self.name} of {self._switch.name}>"


class Counter(_Array):
    """A counter of packets, bytes or both.

    Returned by :meth:`Switch.counter`. The indices of a table's direct counter are the entries'
    handles.
    """

    __slots__ = ()

    def read(self, index: int) -> Count:
        """Reads a cell.

        Raises:
            ControlError: there is no such cell.
        """
        return Count(*self._switch._core.counter(self.name, self._index(index)))

    def __getitem__(self, index: int) -> Count:
        return self.read(index)

    def cells(self) -> list[Count]:
        """Reads all cells at the same time. The cells of a direct counter are in the order of the
        table's entries."""
        return [Count(*value) for value in self._switch._core.counters(self.name)]

    def write(self, index: int, packets: int = 0, bytes: int = 0) -> None:
        """Sets both numbers of a cell: a number that is not given becomes 0.

        ``packets`` must be 0 if the counter counts only bytes, and ``bytes`` if it counts only
        packets.

        Raises:
            ControlError: there is no such cell, or a number is negative or has more than 64 bits,
                or the counter does not count these packets or bytes.
        """
        packets, octets = (
            bounded_number(packets, "packets", 0, _MAX_UINT64),
            bounded_number(bytes, "bytes", 0, _MAX_UINT64),
        )
        self._switch._core.write_counter(self.name, self._index(index), packets, octets)

    def reset(self) -> None:
        """Sets all cells to 0."""
        self._switch._core.reset_counter(self.name)


class Meter(_Array):
    """A meter. Returned by :meth:`Switch.meter`. A cell without rates marks all packets green.

    The indices of a table's direct meter are the entries' handles.
    """

    __slots__ = ()

    def read(self, index: int) -> Rates | None:
        """Reads the rates of a cell; ``None`` if it has no rates.

        Raises:
            ControlError: there is no such cell.
        """
        return rates_out(self._switch._core.meter(self.name, self._index(index)))

    def __getitem__(self, index: int) -> Rates | None:
        return self.read(index)

    def cells(self) -> list[Rates | None]:
        """Reads the rates of all cells; for a direct meter, in the order of the table's entries."""
        return [rates_out(rates) for rates in self._switch._core.meters(self.name)]

    def write(self, index: int, rates: Rates | None) -> None:
        """Sets a cell's rates and fills its buckets; ``None`` removes its rates.

        Raises:
            ControlError: there is no such cell, or the committed rate is above the peak rate.
        """
        self._switch._core.write_meter(self.name, self._index(index), rates_in(rates))

    def write_all(self, rates: Rates | None) -> None:
        """Sets the same rates for all cells; ``None`` removes the rates of all cells.

        In a direct meter, this sets the rates of all current entries; later entries have no rates.
        """
        self._switch._core.write_all_meters(self.name, rates_in(rates))

    def counts(self, index: int) -> MeterCounts:
        """Returns the packets and bytes that a cell has marked so far, including those before the
        last change of rates.

        Raises:
            ControlError: there is no such cell.
        """
        counts = self._switch._core.meter_counts(self.name, self._index(index))
        return MeterCounts(*(Count(*count) for count in counts))

    def reset_counts(self, index: int) -> None:
        """Sets a cell's counts to 0.

        Raises:
            ControlError: there is no such cell.
        """
        self._switch._core.write_meter_counts(self.name, self._index(index), [(0, 0)] * 3)


def _signed(number: int, width: int) -> int:
    """Interprets the bits of a number in two's complement."""
    return number - (1 << width) if width and number >> (width - 1) else number


class Register(_Array):
    """A register of the program.

    Returned by :meth:`Switch.register`. The cells are numbers: signed if the program declares
    ``register<int<W>>``, otherwise unsigned. The first field of a struct is in the upper bits. For
    a P4Runtime client, values of a type that is translated to ``string`` are strings.
    """

    __slots__ = ()

    @property
    def width(self) -> int:
        """The width of a cell in bits."""
        return self.info.width

    @property
    def fields(self) -> Sequence[tuple[str, int]]:
        """The fields of a cell that is a struct or a header, with their widths in bits.

        A cell with a single value has one field without a name.
        """
        return self._switch.program.register_fields(self.name)

    def _value(self, cell: bytes) -> Any:
        program = self._switch.program
        number = int.from_bytes(cell, "big")
        if program.register_texts(self.name) == [True]:
            return text_of(number)
        return _signed(number, self.width) if program.register_signs(self.name) == [True] else number

    def read(self, index: int) -> Any:
        """Reads a cell.

        Raises:
            ControlError: there is no such cell.
        """
        return self._value(self._switch._core.register(self.name, self._index(index)))

    def __getitem__(self, index: int) -> Any:
        return self.read(index)

    def read_fields(self, index: int) -> dict[str, Any]:
        """Reads a cell that is a struct or a header, as a dictionary of its fields.

        For a header, the field ``$valid$`` says whether the header is valid.
        """
        cell = int.from_bytes(self._switch._core.register(self.name, self._index(index)), "big")
        above, fields = self.width, {}
        program = self._switch.program
        forms = zip(program.register_signs(self.name), program.register_texts(self.name), strict=True)
        for (name, width), (is_signed, is_text) in zip(self.fields, forms, strict=True):
            above -= width
            field = cell >> above & ((1 << width) - 1)
            fields[name] = text_of(field) if is_text else _signed(field, width) if is_signed else field
        return fields

    def cells(self) -> list[Any]:
        """Reads all cells at the same time."""
        return [self._value(cell) for cell in self._switch._core.registers(self.name)]

    def write(self, index: int, value: Any) -> None:
        """Sets a cell.

        Args:
            index: the cell's index.
            value: a number, or an address as a string; for a cell with a struct also all of its
                fields by name.

        Raises:
            ControlError: there is no such cell or field, a field is missing, or the value does not
                fit.
        """
        self._switch._core.write_register(self.name, self._index(index), value)

    def reset(self) -> None:
        """Sets all cells to their initial value, which is 0 if the program gives none."""
        self._switch._core.reset_register(self.name)
