"""Includes that form loops, and includes of devices, pipes and secret files."""

from __future__ import annotations

import os
import random
from pathlib import Path

from torture.case import Case, Failed
from torture.programs.run import check_program
from torture.programs.template import count, program

_SECRETS = 20


def includes(chance: random.Random) -> Case:
    """A program that includes hostile files."""
    salt = f"{chance.getrandbits(60):x}"
    # As in /etc/passwd: not P4.
    secret = "".join(f"user{i}{salt}:x:{i}:{i}::/home/user{i}:/bin/sh\n" for i in range(_SECRETS))
    depth = count(chance, 2000)
    name = chance.choice(
        [
            *("self.p4", "a.p4", "chain0.p4", "secret", "../secret", "fifo", "folder", "missing.p4", "loop.p4", "deep"),
            *("/dev/zero", "/dev/null", "/dev/urandom", "/dev/stdin", "/dev/tty", "/proc/self/mem", "/proc/self/environ", "/"),
            *("", " ", ".", "..", "x" * 5000, "a/" * 3000, "\x01", "<b>x</b>.p4", "é", "file:///etc/hostname", "~/x"),
        ]
    )  # fmt: skip
    line = chance.choice(
        [f'#include "{name}"', f"#include <{name}>", f'#define X "{name}"\n#include X', f'#include "{name}']
    )
    text = chance.choice([f"{line}\n{program()}", program(top=f"{line}\n"), program(apply=f"\n{line}\n")])
    times = chance.choice([1, 1, 1, 50])
    text = text.replace(line, "\n".join([line] * times))

    def run(folder: Path) -> str:
        work = folder / "work"
        work.mkdir()
        (work / "self.p4").write_text('#include "self.p4"\n')
        (work / "a.p4").write_text('#include "b.p4"\n#include "b.p4"\n')
        (work / "b.p4").write_text('#include "a.p4"\n#include "a.p4"\n')
        if name == "chain0.p4":
            for i in range(depth):
                (work / f"chain{i}.p4").write_text(f'#include "chain{i + 1}.p4"\n')
            (work / f"chain{depth}.p4").write_text("const bit<8> k = 1;\n")
        if name == "deep":
            (work / "deep").write_text('#include "wide"\n' * 500)
            (work / "wide").write_text('#include "leaf"\n' * 500)
            (work / "leaf").write_text("//\n" * 100)
        for place in (folder, work):
            (place / "secret").write_text(secret)
        os.mkfifo(work / "fifo")
        (work / "folder").mkdir()
        (work / "loop.p4").symlink_to("loop.p4")
        path = work / "main.p4"
        path.write_text(text)
        outcome, diagnostics = check_program(path)
        rendered = "\n".join(diagnostic.rendered for diagnostic in diagnostics)
        # A diagnostic shows the line that it is about, and no other.
        about = {line for d in diagnostics for label in d.labels for line in label.place[1::2]}
        for number in range(_SECRETS):
            if f"user{number}{salt}" in rendered and number + 1 not in about:
                raise Failed(f"line {number + 1} of the secret is shown:\n{rendered}")
        return outcome

    return Case("includes", run, {"main.p4": text})
