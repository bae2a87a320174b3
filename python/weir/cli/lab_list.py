"""The output of ``weir lab list``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from weir.lab import Part


def list_experiments(name: str, as_json: bool) -> None:
    """Prints the experiments of a lab with their parameters."""
    from weir.cli import text
    from weir.experiments.parameters import as_text
    from weir.lab import load_lab

    lab = load_lab(name)
    if as_json:

        def part_values(part: Part, world: str) -> dict[str, Any]:
            space = part.experiment.space
            return {
                "name": part.name,
                "world": world,
                "points": len(part.experiment.points()),
                "seeds": part.experiment.seeds,
                "parameters": {key: [as_text(value) for value in space.values(key)] for key in space.names},
            }

        parts = [(lab.parts, "virtual"), (lab.linux, "linux")]
        experiments = [part_values(part, world) for some, world in parts for part in some]
        click.echo(json.dumps({"version": 1, "lab": name, "experiments": experiments}, indent=2))
        return

    def row(part: Part) -> list[str]:
        experiment = part.experiment
        values = [
            f"{key}={','.join(as_text(value) for value in experiment.space.values(key))}"
            for key in experiment.space.names
        ]
        return [part.name, f"{len(experiment.points())}", f"{experiment.seeds}", " ".join(values)]

    text.table(["experiment", "points", "seeds", "parameters"], [row(part) for part in lab.parts])
    if lab.linux:
        click.echo()
        head = ["experiment of --world linux", "points", "seeds", "parameters"]
        text.table(head, [row(part) for part in lab.linux])


def list_labs(as_json: bool) -> None:
    """Prints the title of each lab, and a warning for each lab that cannot be loaded."""
    from weir.cli import text
    from weir.errors import CommandError, WeirError
    from weir.lab import lab_title
    from weir.lab.installed import MISSING, offers

    offered = offers()
    if not (offered.has_weir_labs or offered.labs or offered.unusable):
        raise CommandError(MISSING)
    rows, wrong = [], [*offered.unusable.values(), *([] if offered.has_weir_labs else [MISSING])]
    for name, lab in offered.labs.items():
        try:
            rows.append([name, lab_title(lab.folder)])
        except WeirError as error:
            wrong.append(str(error))
    if as_json:
        labs = [{"name": lab, "title": title} for lab, title in rows]
        click.echo(json.dumps({"version": 1, "labs": labs}, indent=2))
    else:
        text.table(["lab", "what it shows"], rows)
    for line in wrong:
        text.warning(line)
