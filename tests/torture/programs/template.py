"""A small v1model program with places for hostile text."""

from __future__ import annotations

import random
from typing import Final

HUGE: Final = [
    *(-1, 0, 1, 2, 7, 8, 9, 63, 64, 65, 2047, 2048, 2049, 131_072, 131_073),
    *(10**6, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, 10**400),
]
"""Numbers around limits of widths and sizes."""


def program(
    *,
    top: str = "",
    fields: str = "",
    metadata: str = "",
    states: str = "",
    locals: str = "",
    apply: str = "",
) -> str:
    """The program.

    Args:
        top: declarations before everything.
        fields: the fields of the struct of headers.
        metadata: the fields of the struct of metadata.
        states: the states of the parser, from ``begin`` on; by default it accepts.
        locals: the declarations of ingress.
        apply: the statements of ingress.
    """
    begin = states or "state begin { transition accept; }"
    return f"""#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> kind; bit<8> n; bit<16> length; bit<32> value; }}
{top}
struct headers {{ h_t h; {fields} }}
struct meta_t {{ bit<8> a; bit<32> b; {metadata} }}
parser P(packet_in pkt, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    state start {{ pkt.extract(hdr.h); transition begin; }}
    {begin}
}}
control V(inout headers hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    {locals}
    apply {{
        {apply}
        sm.egress_spec = 2;
    }}
}}
control E(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {{ apply {{ }} }}
control C(inout headers hdr, inout meta_t meta) {{ apply {{ }} }}
control D(packet_out pkt, in headers hdr) {{ apply {{ pkt.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def number(chance: random.Random) -> str:
    """A number, huge more often than not, in any base."""
    value = chance.choice(HUGE) if chance.random() < 0.7 else chance.randrange(1 << chance.randrange(1, 80))
    digits = chance.choice(["{}", "{:#x}", "{:#b}", "{:#o}"]).format(value)
    return f"({digits})" if value < 0 else digits


def count(chance: random.Random, most: int) -> int:
    """A number from 1 to ``most``; all magnitudes are equally likely."""
    return max(1, min(most, round(most ** chance.random())))
