"""Short programs that grow, and programs that run for long."""

from __future__ import annotations

import random

from torture.case import Case
from torture.programs.run import text_case
from torture.programs.template import count, number, program


def inlining(chance: random.Random) -> Case:
    """Chains of calls, each of which calls the next one several times."""
    length, times = count(chance, 1500), chance.choice([1, 1, 2, 2, 3, 10])
    form = chance.choice(["function", "action", "control", "parser", "generic", "type", "constant", "tuple"])

    def chain(first: str, line: str, part: str, sep: str) -> str:
        lines = [first]
        for n in range(1, length):
            parts = sep.join(part.replace("%i", str(i)).replace("%m", str(n - 1)) for i in range(times))
            lines.append(line.replace("%n", str(n)).replace("%m", str(n - 1)).replace("%p", parts))
        return "\n".join(lines)

    last = length - 1
    if form == "function":
        body = "bit<32> f%n(in bit<32> x) { return %p; }"
        top = chain("bit<32> f0(in bit<32> x) { return x + 1; }", body, "f%m(x)", " + ")
        return text_case("inlining", program(top=top, apply=f"meta.b = f{last}(hdr.h.value);"))
    if form == "generic":
        body = "bit<32> f%n<T>(in T t, in bit<32> x) { return %p; }"
        part = chance.choice(["f%m<T>(t, x)", "f%m<tuple<T>>({ t }, x)", "f%m({ t, t }, x)"])
        top = chain("bit<32> f0<T>(in T t, in bit<32> x) { return x; }", body, part, " + ")
        return text_case("inlining", program(top=top, apply=f"meta.b = f{last}<bit<8>>(1, hdr.h.value);"))
    if form == "action":
        locals = chain("action a0() { meta.b = meta.b + 1; }", "action a%n() { %p }", "a%m();", " ")
        return text_case("inlining", program(locals=locals, apply=f"a{last}();"))
    if form == "control":
        one = chance.random() < 0.5
        line = "control c%n(inout bit<32> x) { c%m() c; apply { %p } }" if one else (
            "control c%n(inout bit<32> x) { " + " ".join(f"c%m() c{i};" for i in range(times)) + " apply { %p } }"
        )  # fmt: skip
        top = chain(
            "control c0(inout bit<32> x) { register<bit<32>>(4) r; apply { r.read(x, 1); x = x + 1; r.write(1, x); } }",
            line, "c.apply(x);" if one else "c%i.apply(x);", " ",
        )  # fmt: skip
        return text_case("inlining", program(top=top, locals=f"c{last}() c;", apply="c.apply(meta.b);"))
    if form == "parser":
        state = "state start { %p transition accept; }"
        line = "parser p%n(packet_in k, inout bit<32> x) { p%m() p; " + state + " }"
        first = "parser p0(packet_in k, inout bit<32> x) { state start { x = x + 1; transition accept; } }"
        top = chain(first, line, "p.apply(k, x);", " ")
        states = f"p{last}() p; state begin {{ p.apply(pkt, meta.b); transition accept; }}"
        return text_case("inlining", program(top=top, states=states))
    if form == "type":
        top = chain("struct s0 { bit<8> x; }", "struct s%n { %p }", "s%m f%i;", " ")
        return text_case("inlining", program(top=top, metadata=f"s{last} s;", apply="meta.s = meta.s;"))
    if form == "tuple":
        top = chain("typedef bit<8> t0;", "typedef tuple<%p> t%n;", "t%m", ", ")
        return text_case("inlining", program(top=top, metadata=f"t{last} t;"))
    top = chain("const int k0 = 3;", "const int k%n = %p;", "k%m", chance.choice([" * ", " + ", " - "]))
    return text_case("inlining", program(top=top, apply=f"meta.b = (bit<32>) k{last};"))


def loops(chance: random.Random) -> Case:
    """Loops with huge bounds, nested or with long bodies, and parsers that loop."""
    n = number(chance)
    depth, long = chance.randrange(1, 6), count(chance, 3000)
    body = chance.choice(
        [
            "meta.b = meta.b + 1;",
            "meta.b = meta.b + i;",
            "meta.b = meta.b * 3 + hdr.h.value;" * long,
            "w = w * w + 1;" * chance.randrange(1, 100),
            "r.read(meta.b, meta.b); r.write(meta.b, hdr.h.value);" * chance.randrange(1, 200),
            "hash(meta.b, HashAlgorithm.crc32, 32w0, { hdr.h, meta.b, w }, 32w65536);"
            * chance.randrange(1, 50),
            "hdr.s.push_front(1); hdr.s[meta.b].setValid();" * chance.randrange(1, 30),
            "if (meta.b == 7) { break; } else { meta.a = meta.a + 1; continue; }",
            "f(meta.b);" * chance.randrange(1, 100),
        ]
    )
    for level in range(depth):
        name = "i" if level == 0 else f"i{level}"
        head = chance.choice(
            [
                f"for (bit<32> {name} in 32w0 .. (bit<32>) {n})",
                f"for (bit<32> {name} = 0; {name} < hdr.h.value; {name} = {name} + 1)",
                f"for (bit<32> {name} = 0; {name} >= 0; {name} = {name} {chance.choice('+-')} 1)",
                f"for (bit<32> {name} in {{ 32w1, 32w2, 32w3 }})",
            ]
        )
        body = f"{head} {{ {body} }}"
    locals = "bit<2048> w = 3; register<bit<32>>(16) r;"
    top = "void f(inout bit<32> x) { for (bit<32> j in 32w0 .. 32w1000) { x = x + j; } }"
    if chance.random() < 0.6:
        return text_case("loops", program(top=top, fields="h_t[8] s;", locals=locals, apply=body))
    state = chance.choice(
        [
            "transition begin;",
            "meta.b = meta.b + 1; transition begin;",
            "pkt.advance(0); transition begin;",
            "pkt.advance(8); transition begin;",
            "pkt.extract(hdr.h); transition select(hdr.h.kind) { 0 .. 250: begin; default: accept; }",
            "pkt.extract(hdr.s.next); transition begin;",
            "meta.b = meta.b * 5 + 1;" * long + "transition begin;",
            "transition select(meta.b) { 0: other; default: begin; } } state other { transition begin;",
            "for (bit<32> i in 32w0 .. 32w60000) { meta.b = meta.b + i; } transition begin;",
        ]
    )
    return text_case("loops", program(fields="h_t[8] s;", states=f"state begin {{ {state} }}"))
