"""Labs with parameters that they do not have, and values that make no sense."""

from __future__ import annotations

import random

from torture.arguments.run import command_case
from torture.arguments.words import ODD
from torture.case import Case
from weir.cli import main
from weir.lab import lab_folders, load_lab


def labs(chance: random.Random) -> Case:
    """``weir lab run`` with other values of a parameter, interrupted if it runs for long."""
    name = chance.choice(sorted(lab_folders()))
    part = chance.choice(load_lab(name).parts)
    parameters = [*part.experiment.space.names, "nothing", ""]
    words = ["lab", "run", name, "--quick", "--only", part.name, "--out", "new", "--workers", "1", "--quiet"]
    for _ in range(chance.choice([1, 1, 2])):
        values = ",".join(chance.choice(ODD) for _ in range(chance.choice([1, 1, 2])))
        words += ["--set", f"{chance.choice(parameters)}={values}"]
    if chance.random() < 0.3:
        words += [chance.choice(["--seed", "--seeds", "--switch", "--only"]), chance.choice(ODD)]
    return command_case("labs", "weir", main, words)
