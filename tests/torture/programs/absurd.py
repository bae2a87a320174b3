"""Programs with absurd widths and sizes."""

from __future__ import annotations

import random

from torture.case import Case
from torture.programs.run import text_case
from torture.programs.template import count, number, program


def widths(chance: random.Random) -> Case:
    """Types, constants, shifts, slices and casts of absurd widths."""
    n, m, k = (number(chance) for _ in range(3))
    kind = chance.choice(["bit", "int", "varbit"])
    return text_case(
        "widths",
        chance.choice(
            [
                lambda: program(top=f"header wide_t {{ {kind}<{n}> x; }}", fields="wide_t w;", apply="hdr.w.setValid();"),
                lambda: program(top=f"typedef {kind}<{n}> t; struct s_t {{ t x; t y; }}", metadata="s_t s;"),
                lambda: program(top=f"const bit<{n}> K = {m};", apply="meta.b = (bit<32>) K;"),
                lambda: program(top=f"const int K = {n} {chance.choice('*+-/%&|^')} {m};", apply="meta.b = (bit<32>) K;"),
                lambda: program(apply=f"meta.b = hdr.h.value {chance.choice(['<<', '>>'])} {n};"),
                lambda: program(apply=f"meta.b = {n} {chance.choice(['<<', '>>'])} {m};"),
                lambda: program(apply=f"meta.b = (bit<32>) ((bit<{n}>) hdr.h.value {chance.choice('*+-')} {m});"),
                lambda: program(apply=f"meta.b = hdr.h.value[{n}:{m}];"),
                lambda: program(apply=f"meta.b[{n}:{m}] = {k};"),
                lambda: program(apply=f"bit<{n}> x = {n}w{m}; meta.a = (bit<8>) (x ++ x ++ x);".replace("(", "").replace(")", "")),
                lambda: program(apply=f"bit<2048> x = (bit<2048>) hdr.h.value; x = x * x {chance.choice('/%*')} (x + {m}); meta.b = (bit<32>) x;"),
                lambda: program(
                    top=f"header v_t {{ varbit<{n}> v; }}",
                    fields="v_t v;",
                    states=f"state begin {{ pkt.extract(hdr.v, {m}); transition accept; }}",
                ),
                lambda: program(states=f"state begin {{ pkt.advance({n}); transition accept; }}"),
                lambda: program(states=f"state begin {{ meta.b = (bit<32>) pkt.lookahead<bit<{n}>>(); transition accept; }}"),
                lambda: program(top=f"enum bit<{n}> E_t {{ a = {m}, b = {k} }}", apply=f"E_t e = (E_t) {k}; if (e == E_t.a) {{ meta.a = 1; }}"),
                lambda: program(top=f"type bit<{n}> n_t; const n_t x = (n_t) {m};"),
                lambda: program(apply=f"random(meta.b, {n}, {m});"),
                lambda: program(apply=f"hash(meta.b, HashAlgorithm.crc32, {n}, {{ hdr.h.value, {k} }}, {m});"),
            ]
        )(),
    )  # fmt: skip


def sizes(chance: random.Random) -> Case:
    """Stacks, registers, tables, counters, meters, value sets and profiles of absurd sizes."""
    n, m, few = number(chance), number(chance), count(chance, 2000)
    table = (
        "action a(bit<32> x) { meta.b = x; } table t { key = { hdr.h.value: KIND; } "
        "actions = { a; NoAction; } SIZE default_action = NoAction(); }"
    ).replace("KIND", chance.choice(["exact", "lpm", "ternary", "range", "optional"]))
    return text_case(
        "sizes",
        chance.choice(
            [
                lambda: program(fields=f"h_t[{n}] s;", apply="hdr.s.push_front(1); meta.b = hdr.s[0].value;"),
                lambda: program(fields=f"h_t[{n}] s;", states=f"state begin {{ pkt.extract(hdr.s.next); transition select(hdr.s.last.kind) {{ {m}: begin; default: accept; }} }}"),
                lambda: program(fields="h_t[4] s;", apply=f"hdr.s.push_front({n}); hdr.s.pop_front({m}); hdr.s[{n}].setValid();"),
                lambda: program(fields="h_t[8] s;", apply=f"hdr.s[hdr.h.value].value = {n}; meta.b = hdr.s[hdr.h.value + {m}].value;"),
                lambda: program(metadata=f"bit<8>[{n}] a2;", apply=f"meta.a2[{m}] = 1;"),
                lambda: program(top=f"header a_t {{ bit<2048>[{count(chance, 100_000)}] x; }}", fields="a_t a;"),
                lambda: program(top="header w_t { bit<2048> a; bit<2048> b; bit<2048> c; }", fields=f"w_t[{count(chance, 200_000)}] s;", apply="hdr.s.push_front(1);"),
                lambda: program(locals=f"register<bit<{m}>>({n}) r;", apply=f"r.write({m}, 1); r.read(meta.b, {n});"),
                lambda: program(locals=f"register<bit<32>>({n}) r;", apply="r.write(hdr.h.value, 1); r.read(meta.b, hdr.h.value);"),
                lambda: program(locals=f"counter({n}, CounterType.{chance.choice(['packets', 'bytes', 'packets_and_bytes'])}) c;", apply=f"c.count({m});"),
                lambda: program(locals=f"meter({n}, MeterType.bytes) c;", apply="c.execute_meter<bit<32>>(hdr.h.value, meta.b);"),
                lambda: program(locals=table.replace("SIZE", f"size = {n};"), apply="t.apply();"),
                lambda: program(locals=table.replace("SIZE", f"implementation = action_profile({n});"), apply="t.apply();"),
                lambda: program(locals=table.replace("SIZE", f"const entries = {{ {n}: a({m}); {m} &&& {n}: a(1); {n} .. {m}: a(2); }}"), apply="t.apply();"),
                lambda: program(locals=table.replace("SIZE", "const entries = {" + " ".join(f"{i}: a({i});" for i in range(count(chance, 20_000))) + "}"), apply="t.apply();"),
                lambda: program(top=f"enum big_t {{ {', '.join(f'm{i}' for i in range(count(chance, 20_000)))} }}", apply="big_t e = big_t.m0; if (e == big_t.m0) { meta.a = 1; }"),
                lambda: program(metadata=" ".join(f"bit<{1 + i % 64}> f{i};" for i in range(count(chance, 20_000))), apply="meta.f0 = 1;"),
                lambda: program(states=f"value_set<bit<8>>({n}) v; state begin {{ transition select(hdr.h.kind) {{ v: accept; default: reject; }} }}"),
                lambda: program(states="state begin { transition select(hdr.h.value) {" + " ".join(f"{i}: accept;" for i in range(count(chance, 20_000))) + "} }"),
                lambda: program(apply="switch (hdr.h.value) {" + " ".join(f"{i}: {{ meta.a = {i % 256}; }}" for i in range(count(chance, 10_000))) + "}"),
                lambda: program(locals="".join(f"action a{i}(bit<32> x) {{ meta.b = x + {i}; }}\n" for i in range(few)) + "table t { key = { hdr.h.value: exact; } actions = {" + "".join(f"a{i};" for i in range(few)) + "} }", apply="t.apply();"),
                lambda: program(locals="".join(f"table t{i} {{ key = {{ hdr.h.value: exact; }} actions = {{ NoAction; }} }}\n" for i in range(few)), apply="".join(f"t{i}.apply();" for i in range(few))),
                lambda: program(locals="action a() {} table t { key = {" + " ".join(f"hdr.h.value + {i}: exact @name(\"k{i}\");" for i in range(count(chance, 2000))) + "} actions = { a; } }", apply="t.apply();"),
                lambda: program(locals=f"action a({', '.join(f'bit<32> p{i}' for i in range(count(chance, 3000)))}) {{ }} table t {{ key = {{ hdr.h.value: exact; }} actions = {{ a; NoAction; }} }}", apply="t.apply();"),
            ]
        )(),
    )  # fmt: skip
