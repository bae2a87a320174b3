"""The run next to the numbers that the thesis published, and the thesis cited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weir.labs.delay import thesis
from weir.labs.delay.analysis import CellResult, Fit
from weir.labs.delay.plots import rate_name
from weir.labs.delay.thesis import Machine
from weir.report import Figure, Plot, Section, Table


def section(results: Sequence[CellResult], fits: Sequence[Fit], model: Machine | None, plot: Plot) -> Section:
    """Measured and published round trips of the same cells.

    Args:
        results: each cell of the run.
        fits: the line of each rate.
        model: the machine that the profile models; None if it models another.
        plot: the same over unlimited links.
    """
    machines = (thesis.VIRTUAL_MACHINE, thesis.SERVER) if model is None else (model,)
    return Section(
        "Next to the published numbers",
        paragraphs=(
            "The thesis gives minimum round trips in its text for some cells; its other values are curves in figures and not repeated "
            "here. It measured BMv2 in Mininet, on a virtual machine and on a Linux server, so its times contain those computers.",
        ),
        tables=(_lines(fits, machines), _cells(results, machines)),
        figures=(
            Figure(
                plot,
                "Minimum round trip over unlimited links: this run and the thesis' two machines, with the lines a + b·X that each gives.",
                wide=True,
            ),
        ),
        notes=(_what_agrees(model), thesis.CITATION),
    )


def _lines(fits: Sequence[Fit], machines: Sequence[Machine]) -> Table:
    fit = next((fit for fit in fits if fit.rate_bps is None), None)
    rows = (
        []
        if fit is None
        else [["this run", f"{fit.a_ms:.6g}", f"{fit.b_ms:.6g}", f"{fit.b_ms / fit.a_ms:.2f}"]]
    )
    rows += [
        [
            f"thesis, {machine.name}, published",
            f"{machine.a_ms}",
            f"{machine.b_ms}",
            f"{machine.b_ms / machine.a_ms:.2f}",
        ]
        for machine in machines
    ]
    caption = "RTT = a + b·X over unlimited links, measured and published. b/a compares the shape, whatever the machine's speed."
    return Table(["", "a (ms)", "b (ms)", "b/a"], rows, caption, words=(0,), marked=(1, 2))


def _cells(results: Sequence[CellResult], machines: Sequence[Machine]) -> Table:
    head = ["link rate", "X", "measured (ms)"]
    for machine in machines:
        head += [f"{machine.name}, published (ms)", "measured − published"]
    rows = []
    for result in results:
        known = [published(machine.rtt_min_ms, result) for machine in machines]
        if result.rtt_min_ms is None or all(value is None for value in known):
            continue
        row = [rate_name(result.rate_bps), f"{result.recirculations}", f"{result.rtt_min_ms:.3f}"]
        for value in known:
            row += ["–", "–"] if value is None else [f"{value:g}", _difference(result.rtt_min_ms, value)]
        rows.append(row)
    return Table(
        head,
        rows,
        "Minimum round trips of the cells that the thesis gives in numbers.",
        words=(0,),
        marked=(2,),
    )


def published(known: Mapping[tuple[int | None, int], float], result: CellResult) -> float | None:
    """The published round trip of a cell in milliseconds, if its number is in the text."""
    return known.get((result.rate_bps, result.recirculations))


def _difference(measured: float, value: float) -> str:
    text = f"{measured - value:+.3f} ms ({100 * (measured / value - 1):+.1f}\u00a0%)"
    return text.replace("-", "\u2212")


def _what_agrees(model: Machine | None) -> str:
    if model is None:
        return (
            "With this profile the switch is faster than either machine, so over unlimited links only the shape can agree: a line in X. "
            "On slow links, transmissions dominate and the times come close. Run the lab with --profile bmv2-vm or bmv2-server for the "
            "machines' own pass times."
        )
    return (
        f"Over unlimited links a and b are those of the {model.name} by construction, as the profile takes its times from them. The "
        "published points themselves are not all on the published line: at X = 7 they are 5 to 7 % below it. Here every point is on it."
    )
