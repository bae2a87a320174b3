"""Large texts, and bytes that are not text."""

from __future__ import annotations

import random

from torture.case import Case
from torture.programs.run import text_case
from torture.programs.template import program

_WORDS = [
    *[
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        "<<",
        ">>",
        ";",
        ":",
        ",",
        ".",
        "=",
        "==",
        "!=",
        "+",
        "-",
        "*",
        "/",
        "%",
        "&",
        "|",
        "^",
        "~",
        "!",
        "?",
        "@",
        "#",
        "##",
        "\\",
        "'",
        '"',
        "`",
        "..",
        "...",
        "&&&",
        "++",
        "|+|",
        "|-|",
    ],
    *[
        "bit",
        "int",
        "varbit",
        "bool",
        "if",
        "else",
        "for",
        "switch",
        "struct",
        "header",
        "header_union",
        "enum",
        "typedef",
        "type",
        "const",
        "parser",
        "control",
    ],
    *[
        "table",
        "key",
        "actions",
        "state",
        "transition",
        "select",
        "apply",
        "package",
        "extern",
        "error",
        "match_kind",
        "return",
        "exit",
        "in",
        "out",
        "inout",
    ],
    *[
        "this",
        "x",
        "y",
        "hdr",
        "meta",
        "0",
        "1",
        "8w1",
        "4s7",
        "0xff",
        "99999999999999999999",
        "/*",
        "*/",
        "//",
        "\n",
        "\t",
        "é",
        "中",
        "\u202e",
        "\ufeff",
        "\x00",
        "\x7f",
    ],
    *['"text"', '"unterminated', '@name("x")', "#include", "#define"],
]


def text(chance: random.Random) -> Case:
    """One word very often, random words, or random bytes; up to ten megabytes."""
    size = chance.choice([1_000, 20_000, 20_000, 200_000, 200_000, 1_000_000, 10_000_000])
    form = chance.randrange(12)
    body: str | bytes
    if form < 4:
        unit = chance.choice(
            [
                *("(", "{", "[", "<", "bit<", "tuple<", "-", "~", "!", "x.", "x + ", "x ? ", "a = ", "if (x) ", "{}", ";"),
                *("/*", "*/", "//", "/", '"', '"x', "'", "\\", "\n", "\r", " ", "\t", "\x00", "é", "😀", "9", "x", "@x ", "@x("),
                *("const bit<8> k = 1;\n", "struct s { bit<8> x; }\n", "header h { }\n", "error { e }\n", "x::", "0x", "1w", "#\n"),
                *("control c() { apply {", "parser p() { state s {", "switch (x) {", "else ", "for (;;) ", "return ", "(bit<8>)"),
            ]
        )  # fmt: skip
        body = (unit * (size // len(unit.encode())))[:size]
        body = chance.choice([body, program(top=body), program(apply=body), program(states=body)])
    elif form < 6:
        words = [chance.choice(_WORDS) for _ in range(min(size, 200_000) // 4)]
        body = chance.choice([" ", "", "\n"]).join(words)
        body = chance.choice([body, program(apply=body), program(locals=body)])
    elif form < 8:
        body = chance.randbytes(min(size, 1_000_000))
    elif form == 8:
        encoded = program(apply="meta.a = 1;").encode(
            chance.choice(["utf-16", "utf-32", "utf-8-sig", "cp037"])
        )
        body = encoded
    elif form == 9:
        line = "meta.b = meta.b + 1;" + chance.choice([" ", "\n"])
        body = program(apply=line * (min(size, 1_000_000) // len(line)))
    elif form == 10:
        name = chance.choice(["x", "é", "_"]) * size
        body = program(top=f"const bit<8> {name} = 1; const bit<8> k = {name}y;")
    else:
        some = program(apply="meta.a = 1;").encode()
        cut = chance.randrange(len(some))
        body = some[:cut] + chance.randbytes(chance.randrange(1, 20)) + some[cut:]
    return text_case("text", body)
