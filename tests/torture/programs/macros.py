"""Macros that grow, and directives that make no sense."""

from __future__ import annotations

import random

from torture.case import Case
from torture.programs.run import text_case
from torture.programs.template import count, number, program


def macros(chance: random.Random) -> Case:
    """Macro bombs, recursion, huge arguments, conditions and line numbers."""
    length = count(chance, 300)
    n = number(chance)
    bomb = "#define A0 x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, length))
    called = "#define F0(x) x\n" + "".join(
        f"#define F{i}(x) F{i - 1}(x) F{i - 1}(F{i - 1}(x))\n" for i in range(1, length)
    )
    deep = count(chance, 50_000)
    top = chance.choice(
        [
            f"{bomb}A{length - 1}",
            f"{called}F{length - 1}(y)",
            "#define A B\n#define B A\nconst bit<8> k = A;",
            "#define F(x) x(x)\nF(F)(F)",
            "#define P(a, b) a##b\nconst bit<8> k = " + "P(1, " * deep + "2" + ")" * deep + ";",
            "#define S(x) #x\n" + "S(" * deep + ")" * deep,
            "#define F(...) __VA_ARGS__ __VA_OPT__(F(__VA_ARGS__))\nF(" + "a," * deep + ")",
            "#define F(x) x\nconst bit<8> k = F(" * min(deep, 300),
            "#if " + "(" * deep + "1" + ")" * deep + "\n#endif",
            "#if " + "!" * deep + "1\n#endif",
            "#if " + "1 + " * deep + "1\n#endif",
            f"#if {n} / {number(chance)} == {n} << {number(chance)}\n#endif",
            "#if 1\n" * deep,
            "#endif\n" * count(chance, 1000),
            "#else\n#elif\n#elif 1\n#if\n#ifdef\n#ifndef 3\n#undef\n#define\n#define 3\n#define F(\n#define F(x,x) 1",
            f'#line {n}\n#line {n} "{"x" * deep}"\nerror here',
            f'# {n} "<b>../../etc/passwd</b>" 1 2 3\nerror here',
            "#error " + "<script>" * deep,
            "#pragma " + "x " * deep,
            "#define " + "x" * deep + " 1",
            "const bit<8> k = " + "\\\n" * deep + "1;",
            "__COUNTER__ __LINE__ __FILE__ defined __has_include",
            "#if __has_include(" + "<" * deep + ")\n#endif",
            "@pragma" + " x" * deep + "\n",
            "".join(f"#define M{i} M{i + 1}\n" for i in range(deep)) + "const bit<8> k = M0;",
        ]
    )
    return text_case("macros", program(top=top + "\n"))
