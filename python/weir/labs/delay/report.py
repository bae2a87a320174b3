"""The lab's report, and its tables for the terminal and the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.labs.delay import cells as plan, published, thesis
from weir.labs.delay.analysis import CellResult, Fit
from weir.labs.delay.cells import Cell
from weir.labs.delay.plots import Plots, rate_name
from weir.labs.delay.theory import Theory
from weir.report import Figure, Page, Section, Table
from weir.topology import Topology


@dataclass(frozen=True)
class Run:
    """A finished run: its settings and results.

    Attributes:
        profile: the timing profile.
        machine: the thesis' machine that this profile models; None if it models another.
        theory: the predicted times.
        topology: the network, to draw it.
        seed: the lab's seed.
        quick: whether it was a quick run.
        version: the version of Weir.
        cells: the settings of each cell.
        results: the result of each cell, in the same order.
        fits: a line for each rate.
    """

    profile: str
    machine: thesis.Machine | None
    theory: Theory
    topology: Topology
    seed: int
    quick: bool
    version: str
    cells: Sequence[Cell]
    results: Sequence[CellResult]
    fits: Sequence[Fit]


def fits_table(run: Run, *, full: bool = False) -> Table:
    """The fitted and the predicted lines; ``full`` adds those of the thesis, for the report."""
    head = ["link rate", "a (ms)", "a predicted", "b (ms)", "b predicted", "R²"]
    rows = [
        [
            rate_name(fit.rate_bps),
            _fixed(fit.a_ms),
            _fixed(run.theory.a_ms(fit.rate_bps)),
            _fixed(fit.b_ms),
            _fixed(run.theory.b_ms),
            f"{fit.r2:.8f}",
        ]
        for fit in run.fits
    ]
    if full:
        machines = (thesis.VIRTUAL_MACHINE, thesis.SERVER) if run.machine is None else (run.machine,)
        for machine in machines:
            rows.append(
                [f"thesis, {machine.name}, unlimited", f"{machine.a_ms}", "–", f"{machine.b_ms}", "–", "–"]
            )
    return Table(head, rows, "RTT = a + b·X, fitted to all pings of a rate.", words=(0,), marked=(1, 3))


def cells_table(run: Run, *, full: bool = False) -> Table:
    """A row for each cell; ``full`` adds its interval and the thesis' count of bytes."""
    head = ["X", "link rate", "sent", "received", "min (ms)", "avg (ms)", "max (ms)", "theory (ms)"]
    if full:
        head += ["min − theory", f"theory with {thesis.COUNTED_BYTES} B", "interval (s)"]
    rows = []
    for cell, result in zip(run.cells, run.results, strict=True):
        expected = run.theory.rtt_ms(cell.recirculations, cell.rate_bps)
        row = [
            f"{cell.recirculations}",
            rate_name(cell.rate_bps),
            f"{result.sent}",
            f"{result.received}",
            _fixed(result.rtt_min_ms),
            _fixed(result.rtt_avg_ms),
            _fixed(result.rtt_max_ms),
            _fixed(expected),
        ]
        if full:
            difference = "–" if result.rtt_min_ms is None else _percent(result.rtt_min_ms / expected - 1)
            counted = run.theory.thesis_rtt_ms(cell.recirculations, cell.rate_bps)
            row += [difference, _fixed(counted), f"{cell.interval_ms / 1000:g}"]
        rows.append(row)
    return Table(head, rows, words=(1,), marked=(4,))


def write_report(run: Run, plots: Plots, path: Path) -> None:
    """Writes the page."""
    Page(
        title="How much does a packet wait when the switch recirculates it?",
        answer=_answer(run),
        facts=_facts(run),
        sections=(
            _model(run, plots),
            published.section(run.results, run.fits, run.machine, plots.published),
            _rates(run, plots),
            _each_rate(plots),
            _all_cells(run),
            _method(run),
        ),
        network=run.topology,
        footer=f"Created by Weir {run.version} with {command(run)}. The same command gives the same results, byte for byte.",
    ).write(path)


def command(run: Run) -> str:
    """The command that repeats this run."""
    quick = " --quick" if run.quick else ""
    profile = "" if run.profile == "default" else f" --profile {run.profile}"
    return f"weir lab run delay{quick} --seed {run.seed}{profile}"


def _answer(run: Run) -> str:
    fit = next((fit for fit in run.fits if fit.rate_bps is None), None)
    if fit is None:
        return "No ping came back over unlimited links, so no line could be fitted."
    a, b = run.theory.a_ms(None), run.theory.b_ms
    return (
        f"Over unlimited links the round trip takes {fit.a_ms:.6g} ms + {fit.b_ms:.6g} ms · X after X recirculations "
        f"(R² = {fit.r2:.6f}). The configured times predict {a:.6g} ms + {b:.6g} ms · X: each recirculation adds two "
        f"passes through the switch, one on the way there and one on the way back. {_published(run)}"
    )


def _published(run: Run) -> str:
    machines = (thesis.VIRTUAL_MACHINE, thesis.SERVER) if run.machine is None else (run.machine,)
    lines = [f"{one.a_ms} ms + {one.b_ms} ms · X on its {one.name}" for one in machines]
    return f"The thesis published {' and '.join(lines)}."


def _facts(run: Run) -> list[tuple[str, str]]:
    sent, received = sum(r.sent for r in run.results), sum(r.received for r in run.results)
    return [
        ("network", "h1 – s1 – h2, in virtual time"),
        ("pings in each cell", f"{run.cells[0].pings}" + (" (quick form)" if run.quick else "")),
        ("a ping's size", f"{plan.DATA_BYTES} B data, {run.theory.wire_bytes} B on the wire"),
        ("cells", f"{len(run.cells)}: {len(plan.RECIRCULATIONS)} X × {len(plan.RATES_BPS)} rates"),
        ("answered", f"{received:,} of {sent:,}"),
        ("switch profile", run.profile),
        ("one pass", _microseconds(run.theory.pass_ns)),
        ("hosts, each round trip", _microseconds(run.theory.processing_ns)),
        ("seed", f"{run.seed} (nothing in this lab is random: each seed gives the same result)"),
    ]


def _model(run: Run, plots: Plots) -> Section:
    return Section(
        "The model: RTT = a + b·X",
        paragraphs=(
            "A packet passes the switch X + 1 times on each way. So b should be two passes at every rate, and a "
            "all the rest: four transmissions over links, two passes, and the hosts' processing.",
        ),
        tables=(fits_table(run, full=True),),
        figures=(
            Figure(
                plots.overview,
                "Minimum and average round trip against transmissions, by link rate. On slow links the time to send the packet hides "
                "the passes; each rate has its own scale below.",
                wide=True,
            ),
        ),
        notes=_machine_notes(run),
    )


def _machine_notes(run: Run) -> tuple[str, ...]:
    if run.machine is None:
        return (
            "The profile models a modern switch; the thesis' machines ran BMv2 in software. Profiles bmv2-vm and bmv2-server "
            "take their pass time.",
        )
    return (
        f"The profile takes its pass time from the thesis' {run.machine.name}: half of its b, as a recirculation adds a pass in each "
        "direction. The part of its a that exceeds two passes is the processing time of the hosts. So a and b over unlimited links agree "
        "with the thesis by construction; the model predicts the other points.",
    )


def _rates(run: Run, plots: Plots) -> Section:
    low, high = run.theory.wire_bytes, thesis.COUNTED_BYTES
    return Section(
        "Slow links add four transmissions",
        paragraphs=(
            f"Theory counts the {low} bytes that are on the wire: {plan.DATA_BYTES} of data, 8 of ICMP, 20 of IPv4, 14 of Ethernet. "
            f"The thesis counts {high} and leaves Ethernet's out, which makes its theory {100 * (1 - high / low):.1f}\u00a0% less "
            "wherever transmission dominates.",
        ),
        tables=(
            Table(
                ["link rate", f"theory, {low} B (ms)", f"theory, {high} B (ms)", "min (ms)", "min − theory"],
                [
                    [
                        rate_name(result.rate_bps),
                        _fixed(run.theory.rtt_ms(0, result.rate_bps)),
                        _fixed(run.theory.thesis_rtt_ms(0, result.rate_bps)),
                        _fixed(result.rtt_min_ms),
                        "–"
                        if result.rtt_min_ms is None
                        else _percent(result.rtt_min_ms / run.theory.rtt_ms(0, result.rate_bps) - 1),
                    ]
                    for result in run.results
                    if result.recirculations == 0
                ],
                "Without recirculation.",
                words=(0,),
                marked=(3,),
            ),
        ),
        figures=(
            Figure(
                plots.by_rate,
                "Theory, minimum and average without recirculation (thesis, figures 5.5 to 5.7).",
                wide=True,
            ),
        ),
    )


def _each_rate(plots: Plots) -> Section:
    return Section(
        "Each rate on its own scale",
        paragraphs=(
            "As in the thesis' figures 5.8 to 5.17, with theory's line and the fitted one's numbers.",
        ),
        figures=tuple(
            Figure(
                plot,
                f"Round trip against transmissions, links {'' if rate is None else 'at '}{rate_name(rate)}.",
            )
            for rate, plot in plots.each_rate.items()
        ),
    )


def _all_cells(run: Run) -> Section:
    return Section("All cells", tables=(cells_table(run, full=True),))


def _method(run: Run) -> Section:
    longer = [cell for cell in run.cells if cell.interval_ms > plan.INTERVAL_MS]
    names = " and ".join(dict.fromkeys(rate_name(cell.rate_bps) for cell in longer))
    exceptions = f" Here that is so at {names}; the table of cells has every interval." if longer else ""
    return Section(
        "How it was measured",
        notes=(
            "The hosts run a real IP and ICMP stack; every frame that they send is parsed, matched, changed and deparsed by the compiled "
            "P4 program. Time is virtual: nothing here depends on the computer that ran it.",
            plan.INTERVAL_RULE + exceptions,
            _variation(run.results),
            "Theory takes pass time, hosts' processing, bytes and rates as configured; nothing in it is fitted to these measurements.",
            "A round trip counts from the moment the request leaves the application until the reply is back at it.",
        ),
    )


def _variation(results: Sequence[CellResult]) -> str:
    varying = sum(result.rtt_min_ms != result.rtt_max_ms for result in results)
    if varying:
        return f"Round trips vary from ping to ping in {varying} of {len(results)} cells."
    return (
        "Nothing in this network varies from ping to ping, neither processing nor links nor other traffic, so minimum, "
        "average and maximum are one. On the thesis' machines they are not."
    )


def _fixed(value: float | None) -> str:
    """Milliseconds to the nanosecond."""
    return "–" if value is None else f"{value:.6f}"


def _percent(share: float) -> str:
    text = f"{100 * share:+.4f} %"
    return "0 %" if float(text[:-2]) == 0 else text


def _microseconds(nanoseconds: int) -> str:
    return f"{nanoseconds / 1000:g} µs"
