"""Expected against got, field by field in the program's own header names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weir.control.values import Value
from weir.program import Program
from weir.stf.bench import Bench
from weir.stf.pattern import Pattern, grouped
from weir.trace.journey import Header, Output

_LAST_DIGIT = 9
_MAX_DECIMAL = 65_535
_WIDE = 128
"""Wider fields, and the payload, are shown in the bytes that differ only."""


@dataclass(frozen=True)
class Difference:
    """A field that is not as expected.

    Attributes:
        field: such as ``hdr.ipv4.ttl``, or ``payload``.
        bit: its first bit in the packet that came, or in the expected one if it is only there.
        width: its bits.
        expected: what was expected; empty if nothing was.
        got: what came; empty if nothing did.
    """

    field: str
    bit: int
    width: int
    expected: str
    got: str

    def __str__(self) -> str:
        place = f"byte {self.bit // 8}" + (f" bit {self.bit % 8}" if self.bit % 8 else "")
        return f"{self.field} ({place}): expected {self.expected or 'nothing'}, got {self.got or 'nothing'}"


@dataclass(frozen=True)
class Comparison:
    """What is other than expected.

    Attributes:
        lines: the packets as digits, their lengths and headers where those differ.
        differences: the fields.
    """

    lines: Sequence[str]
    differences: Sequence[Difference]


class Headers:
    """Names the headers of packets by the program's own parser, on a switch of its own that has no entries."""

    def __init__(self, program: Program) -> None:
        self._bench = Bench(program, [0])

    def parse(self, packet: bytes) -> tuple[list[Header], bool]:
        """The headers that the parser extracts, up to where it ends or gives up; whether it gave up."""
        journey = self._bench.send(0, packet)
        self._bench.forget()
        self._bench.take_outputs()
        found = []
        blocks = 0
        for step in journey.root.steps:
            blocks += step.kind == "block"
            if blocks > 1:
                break
            if step.kind == "extracted":
                found.append(Header(step.what["header"], step.what["fields"]))
            elif step.kind == "parser_error":
                return found, True
        return found, False


def compare(headers: Headers, pattern: Pattern, output: Output) -> Comparison:
    """What is other than expected.

    The packet that came has the headers that were emitted. The expected one is laid over them; but
    if the program's parser reads the packet that came as it was emitted, and other headers from the
    expected one, each packet is read with headers of its own.
    """
    digits = pattern.digits or ""
    got = output.packet.hex()
    lines = [f"expected {pattern}", f"got      {grouped(got)}"]
    if len(got) < len(digits) or (pattern.exact and len(got) != len(digits)):
        more = "" if pattern.exact else " or more"
        lines.append(f"length: expected {_bytes(len(digits))}{more}, got {_bytes(len(got))}")
    came = list(output.headers)
    wanted = _expected_headers(headers, pattern, output)
    if [header.name for header in wanted] == [header.name for header in came]:
        wanted = came
    else:
        lines.append(f"headers: expected {_names(wanted)}; got {_names(came)}")
    return Comparison(lines, _differences(digits, wanted, got, came))


def _expected_headers(headers: Headers, pattern: Pattern, output: Output) -> list[Header]:
    came = list(output.headers)
    names = [header.name for header in came]
    if [header.name for header in headers.parse(output.packet)[0]] != names:
        return came
    digits = pattern.digits or ""
    got = output.packet.hex()
    # What may be anything is as it came.
    filled = "".join(
        (got[n] if n < len(got) else "0") if digit == "*" else digit for n, digit in enumerate(digits)
    )
    wanted, gave_up = headers.parse(bytes.fromhex(filled + "0" * (len(filled) % 2)))
    # An expected packet that ends early says nothing of the headers behind its end.
    ends_early = gave_up and [header.name for header in wanted] == names[: len(wanted)]
    return came if ends_early or not wanted else wanted


def _names(headers: Sequence[Header]) -> str:
    return ", ".join(header.name for header in headers) or "none"


_Spans = Mapping[str, tuple[int, int]]


def _spans(headers: Sequence[Header], digits: str) -> _Spans:
    """Each field's first bit and width; what follows the headers is the payload."""
    found = {}
    start = 0
    for header in headers:
        for field in header.fields:
            if field.width:
                found[f"{header.name}.{field.name}"] = (start, field.width)
            start += field.width
    if start < 4 * len(digits):
        found["payload"] = (start, 4 * len(digits) - start)
    return found


def _differences(digits: str, wanted: Sequence[Header], got: str, came: Sequence[Header]) -> list[Difference]:
    expected_spans, got_spans = _spans(wanted, digits), _spans(came, got)
    found = []
    for name in dict.fromkeys([*expected_spans, *got_spans]):
        if name not in expected_spans or name not in got_spans:
            # Their headers or lengths differ, which has been said.
            continue
        (start, width), (at, has) = expected_spans[name], got_spans[name]
        if name == "payload":
            found += _payload(digits[start // 4 :], got[at // 4 :], at)
        elif start < 4 * len(digits) and _differs(digits, start, got, at, min(width, has)):
            found.append(
                Difference(name, at, has, _value(name, digits, start, width), _value(name, got, at, has))
            )
    return found


def _payload(want: str, have: str, at: int) -> list[Difference]:
    bad = [n for n, (a, b) in enumerate(zip(want, have, strict=False)) if a not in ("*", b)]
    if not bad:
        return []
    first, last = bad[0] // 2 * 2, bad[-1] // 2 * 2 + 2
    return [Difference("payload", at + 4 * first, 4 * (last - first), want[first:last], have[first:last])]


def _bit(digits: str, bit: int) -> int | None:
    """A bit; None if it may be anything or is not there."""
    if bit >= 4 * len(digits) or digits[bit // 4] == "*":
        return None
    return int(digits[bit // 4], 16) >> (3 - bit % 4) & 1


def _differs(digits: str, start: int, got: str, at: int, width: int) -> bool:
    for bit in range(width):
        wanted = _bit(digits, start + bit)
        if wanted is not None and wanted != _bit(got, at + bit):
            return True
    return False


def _value(name: str, digits: str, start: int, width: int) -> str:
    """A field's value; as digits where it is not known in full."""
    first, last = start // 4, (start + width - 1) // 4
    text = digits[first : last + 1]
    if "*" in text or len(text) < last - first + 1 or width > _WIDE:
        return f"0x{text}" if text else ""
    number = int(text, 16) >> (4 * (last + 1) - start - width) & ((1 << width) - 1)
    shown = Value(name, width, number).text
    is_address = any(separator in shown for separator in ".:")
    if is_address:
        return f"{shown} ({number:#x})"
    return f"{number:#x} ({number})" if _LAST_DIGIT < number <= _MAX_DECIMAL else f"{number:#x}"


def _bytes(digits: int) -> str:
    whole = digits / 2
    return f"{whole:g} byte{'' if whole == 1 else 's'}"
