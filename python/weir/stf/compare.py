"""Expected against got, field by field in the program's own header names."""

from __future__ import annotations

from collections.abc import Iterator

from weir.program import Program
from weir.stf.bench import Output
from weir.stf.pattern import Pattern, grouped

Field = tuple[str, int, int]
"""A field's name, its first bit from the packet's start, its bits."""


def fields(program: Program, output: Output) -> Iterator[Field]:
    """The packet's fields along the headers that were emitted; what follows them is the payload.

    A header with a varbit ends the fields that can be told: its length is not in the packet.
    """
    start = 0
    total = 8 * len(output.packet)
    for header in output.headers:
        for name, width, is_varbit in program.headers.get(header, ()):
            if is_varbit:
                yield f"{header}.{name} and what follows", start, total - start
                return
            yield f"{header}.{name}", start, width
            start += width
    if start < total:
        yield "payload", start, total - start


def difference(program: Program, pattern: Pattern, output: Output) -> list[str]:
    """What is other than expected, a line a field."""
    digits = pattern.digits or ""
    got = output.packet.hex()
    lines = [f"expected {pattern}", f"got      {grouped(got)}"]
    if len(got) < len(digits) or (pattern.exact and len(got) != len(digits)):
        more = "" if pattern.exact else " or more"
        lines.append(f"length: expected {_bytes(len(digits))}{more}, got {_bytes(len(got))}")
    wrong = set(pattern.differing(output.packet))
    for name, start, width in fields(program, output):
        first, last = start // 4, (start + width - 1) // 4
        # A digit may belong to two fields: only the bits of this one count.
        bad = [
            n for n in range(first, last + 1) if n in wrong and _differs(digits[n], got[n], n, start, width)
        ]
        if not bad:
            continue
        if name == "payload" or width > 128:
            first, last = bad[0] // 2 * 2, bad[-1] // 2 * 2 + 1
        place = f"byte {start // 8}" + (f" bit {start % 8}" if start % 8 else "")
        if name == "payload" or width > 128:
            place = f"byte {first // 2}"
            want, have = digits[first : last + 1], got[first : last + 1]
        else:
            want, have = _value(digits, start, width), _value(got, start, width)
        lines.append(f"  {name} ({place}): expected {want}, got {have}")
    return lines


def _bytes(digits: int) -> str:
    whole = digits / 2
    return f"{whole:g} byte{'' if whole == 1 else 's'}"


def _differs(want: str, got: str, digit: int, start: int, width: int) -> bool:
    changed = int(want, 16) ^ int(got, 16)
    return any(changed >> (3 - bit) & 1 for bit in range(4) if start <= 4 * digit + bit < start + width)


def _value(digits: str, start: int, width: int) -> str:
    """A field's value; as digits where it is not known in full."""
    first, last = start // 4, (start + width - 1) // 4
    text = digits[first : last + 1]
    if "*" in text or len(text) < last - first + 1:
        return f"0x{text}" if text else "nothing"
    number = int(text, 16) >> (4 * (last + 1) - start - width)
    return f"{number & ((1 << width) - 1):#x}"
