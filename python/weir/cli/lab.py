"""``weir lab``: runs and copies experiments from publications."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from weir.cli.assignments import read_assignments
from weir.cli.files import Input, Output, OutputFile
from weir.cli.group import LazyGroup, complete_from
from weir.cli.numbers import AnyWhole, Whole
from weir.cli.text import shell_path
from weir.text.visible import visible

if TYPE_CHECKING:
    pass


def _names() -> Mapping[str, Path]:
    from weir.lab import lab_folders

    return lab_folders()


def _names_and_all() -> list[str]:
    from weir.lab.installed import ALL

    return [*_names(), ALL]


def _complete_parts(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Completes the last of several names of experiments of the lab that the command line names.

    The code of a lab in a folder must not run before the user starts the command.
    """
    from weir.errors import WeirError
    from weir.lab import load_lab

    # While the value of an option is missing, click has not assigned the arguments.
    name = context.params.get("name") or next(iter(context.args), "")
    if name not in _names():
        return []
    try:
        lab = load_lab(name)
    except WeirError:
        return []
    complete, comma, begun = incomplete.rpartition(",")
    names = dict.fromkeys(part.name for part in (*lab.parts, *lab.linux))
    return [f"{complete}{comma}{name}" for name in names if name.startswith(begun)]


@click.group(
    "lab",
    cls=LazyGroup,
    short_help="Run experiments from papers, or copy them.",
    no_args_is_help=True,
    epilog="""\b
Examples:
  weir lab list
  weir lab run delay --quick
  weir lab run all --quick
  weir lab copy delay my-delay
  weir lab run my-delay
  weir lab new my-switch --template p4""",
)
def command() -> None:
    """Run experiments from papers.

    All commands accept the folder of a copied lab in place of a lab's name.
    """


@command.command("list", epilog="\b\nExamples:\n  weir lab list\n  weir lab list delay")
@click.argument("name", metavar="[LAB]", required=False, shell_complete=complete_from(_names))
@click.option("--json", "as_json", is_flag=True, help="Print JSON for tools (docs/labs/index.md).")
def list_command(name: str | None, as_json: bool) -> None:
    """List the labs, or the experiments of one lab."""
    from weir.cli.lab_list import list_experiments, list_labs

    if name is None:
        list_labs(as_json)
    else:
        list_experiments(name, as_json)


@command.command(
    "run",
    short_help="Run a lab, or all.",
    epilog="""\b
Examples:
  weir lab run delay
  weir lab run delay --quick --only rtt --out results/delay
  weir lab run delay --only rtt --set x=0,5,10 --set profile=modern
  weir lab run delay --world linux --quick
  weir lab run load-balance --computer bmv2-two-processors --quick
  weir lab run all --quick --out results
  weir lab run switch-comparison --switch weir,bridge""",
)
@click.argument("name", metavar="LAB|all", shell_complete=complete_from(_names_and_all))
@click.option(
    "--world",
    type=click.Choice(["virtual", "linux"]),
    help="linux: also run on real Linux hosts, in labs that have such experiments.  [default: virtual]",
)
@click.option(
    "--as-root",
    is_flag=True,
    help="With --world linux, if root runs the command: run host programs with root's rights on this machine, not in a user namespace.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="PART[,PART…]",
    shell_complete=_complete_parts,
    help="Run only these experiments of the lab.",
)
@click.option("--quick", is_flag=True, help="Use small sizes, so that each experiment takes seconds.")
@click.option(
    "--set",
    "values",
    multiple=True,
    metavar="NAME=VALUE[,VALUE…]",
    help="Values of a parameter, instead of the declared ones. May be repeated.",
)
@click.option(
    "--switch",
    "switches",
    multiple=True,
    metavar="NAME[,NAME…]",
    help="In a lab that compares switches, run only these switches, like --set switch=NAME.",
)
@click.option(
    "--computer",
    metavar="NAME|FILE.json",
    type=Input(),
    help="In the virtual world: model a computer whose processors all switches and hosts of a network share.",
)
@click.option("--out", metavar="DIR", type=Output(), help="The folder of the results.  [default: out/LAB]")
@click.option("--seed", type=AnyWhole(), default=1, show_default=True, metavar="N", help="The master seed.")
@click.option(
    "--seeds", type=AnyWhole(), metavar="N", help="Repetitions of each point, instead of the declared number."
)
@click.option(
    "--workers", type=AnyWhole(), metavar="N", help="Worker processes.  [default: one for each processor]"
)
@click.option("--fresh", is_flag=True, help="Remove earlier results first, instead of continuing with them.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def run(
    name: str,
    world: Literal["virtual", "linux"] | None,
    as_root: bool,
    only: tuple[str, ...],
    quick: bool,
    values: tuple[str, ...],
    switches: tuple[str, ...],
    computer: str | None,
    out: str | None,
    seed: int,
    seeds: int | None,
    workers: int | None,
    fresh: bool,
    quiet: bool,
) -> int:
    """Run a lab, print its findings, and write tables, plots and a report to a folder.

    `weir lab list` shows the labs; `weir lab list LAB` shows a lab's experiments and their
    parameters. An interrupted run continues where it stopped. Earlier results that were produced
    with other options are refused, unless --fresh removes them; --fresh with --only removes the
    named experiments. The exit code is 1 if a run failed.

    `all` runs all labs of the virtual world, and writes a page with links to their reports. It
    skips labs that benchmark this machine.
    """
    from weir.cli import text
    from weir.lab import run_lab
    from weir.lab.installed import ALL

    if as_root:
        from weir.network.world import AS_ROOT

        if world != "linux":
            raise click.UsageError("--as-root is for --world linux: the virtual world runs no programs")
        # Experiments make their networks in processes of their own.
        os.environ[AS_ROOT] = "1"
    if name == ALL:
        _refuse_with_all(
            **{
                "--world": world == "linux",
                "--only": only,
                "--set": values,
                "--switch": switches,
                "--computer": computer,
            }
        )
        return _run_all(out, quick, seed, seeds, workers, fresh, quiet)
    outcome = run_lab(
        name,
        out,
        only=_read_parts(only),
        quick=quick,
        values=read_assignments((*values, *(f"switch={names}" for names in switches)), "--set", "x=0,5,10"),
        seed=seed,
        seeds=seeds,
        workers=workers,
        fresh=fresh,
        progress=not quiet,
        world=world,
        computer=computer,
    )
    for part, findings in outcome.findings.items():
        text.coloured_line(f"{text.bold(part)}: {visible(findings.answer)}\n")
    if outcome.published:
        from weir.lab.published_report import counts_line

        click.echo(f"{counts_line(outcome.published)}\n")
    for line in outcome.failures:
        text.error(line)
    click.echo(f"report: {outcome.report}")
    return 1 if outcome.failures else 0


def _read_parts(only: tuple[str, ...]) -> list[str]:
    """Reads the names of experiments."""
    names = [part for words in only for part in words.split(",")]
    if "" in names:
        problem = "has an empty name" if any(names) else "names no experiment"
        raise click.UsageError(f"--only {problem}: leave it out to run all")
    return names


def _refuse_with_all(**given: object) -> None:
    """Refuses options that are for a single lab."""
    for option, value in given.items():
        if value:
            raise click.UsageError(f"{option} is for one lab: leave it out, or name a lab instead of all.")


def _run_all(
    out: str | None,
    quick: bool,
    seed: int,
    seeds: int | None,
    workers: int | None,
    fresh: bool,
    quiet: bool,
) -> int:
    from weir.cli import text
    from weir.lab import LabRun, run_all_labs

    def begins(name: str, number: int, count: int) -> None:
        if not quiet:
            click.echo(f"lab {number} of {count}: {name}", err=True)

    def ends(run: LabRun) -> None:
        title = text.bold(run.name)
        if run.skipped:
            text.coloured_line(f"{title}: skipped, because {visible(run.skipped)}\n")
        elif run.outcome is not None:
            answer = next((findings.answer for findings in run.outcome.findings.values()), "no results")
            text.coloured_line(f"{title}: {visible(answer)}\n")
            if not quiet:
                click.echo(f"{run.name} took {run.seconds:.0f} s", err=True)

    site = run_all_labs(
        out,
        quick=quick,
        seed=seed,
        seeds=seeds,
        workers=workers,
        fresh=fresh,
        progress=not quiet,
        begins=begins,
        ends=ends,
    )
    for run in site.runs:
        for failure in run.failures:
            text.error(f"{run.name}: {failure}")
    click.echo(f"report: {site.page}")
    return 1 if any(run.failures for run in site.runs) else 0


@command.command(
    "copy", short_help="Copy a lab, to modify it.", epilog="\b\nExample:\n  weir lab copy delay my-delay"
)
@click.argument("name", metavar="LAB", shell_complete=complete_from(_names))
@click.argument("folder", metavar="DIR", type=Output())
def copy(name: str, folder: str) -> None:
    """Copy a lab's programs, experiments and report into a new folder.

    `weir lab run DIR` runs the copy.
    """
    from weir.lab import copy_lab

    files = list(copy_lab(name, folder))
    click.echo(f"{visible(folder)}: {len(files)} files; run the copy: weir lab run {shell_path(folder)}")


def _templates() -> list[str]:
    from weir.lab.new import TEMPLATES

    return list(TEMPLATES)


@command.command(
    "new",
    short_help="Start your own experiment.",
    epilog="""\b
Templates:
  hello       a P4 program of 22 lines and a ping, which takes a minute to read
  experiment  an experiment over parameters and seeds, with a program and a topology of Weir
  p4          your own P4 program, a topology and an experiment
  controller  a P4 program, its controller in Python and an experiment
  psa         a PSA program with classes of service, a topology and an experiment
  pna         a PNA program whose packets add table entries, a topology and an experiment

\b
Examples:
  weir lab new my-first --template hello
  weir lab new my-experiment
  weir lab new my-switch --template p4""",
)
@click.argument("folder", metavar="DIR", type=Output())
@click.option(
    "--template",
    metavar="NAME",
    default="experiment",
    show_default=True,
    shell_complete=complete_from(_templates),
    help="The template to start from.",
)
def new(folder: str, template: str) -> None:
    """Create a folder with an experiment that is ready to run, and a README that explains it."""
    from weir.lab.new import new_lab

    files = new_lab(template, folder)
    for file in files:
        click.echo(str(file))
    script = next(file.name for file in files if file.suffix == ".py")
    click.echo(f"Run it: cd {shell_path(folder)} && weir experiment run {script}")


@command.command(
    "fit",
    short_help="Derive the timing of a switch from measurements.",
    epilog="\b\nExamples:\n  weir lab fit measured.csv --out mine.json\n  weir lab run delay --set profile=mine.json\n"
    "  weir lab fit chains.csv --predict 5 --out mine.json\n  weir run topology.json --computer mine.json",
)
@click.argument("file", metavar="FILE.csv", type=Input())
@click.option("--out", metavar="FILE.json", type=OutputFile(), help="Write the result to this file.")
@click.option(
    "--predict",
    metavar="N",
    multiple=True,
    type=Whole(1),
    help="Leave this row out of the fit, and compare it with the fitted values. May be repeated.",
)
def fit(file: str, out: str | None, predict: tuple[int, ...]) -> None:
    """Derive the profile of a switch, or of a shared computer, from pings and iperf runs.

    For a profile, FILE.csv has a row for each number of recirculations, with the columns
    recirculations, rtt_min_ms, rtt_avg_ms, tcp_mbps, udp_sent_mbps, udp_received_mbps. Cells may be
    empty.

    For a computer, FILE.csv has a row for each number of switches in a chain, with the columns
    switches, processors, rtt_min_ms, rtt_avg_ms, tcp_mbps, udp_mbps.
    """
    from weir.errors.extras import lab_extra
    from weir.files.textfile import read_text
    from weir.lab.known import lab_module

    header = read_text(Path(file)).partition("\n")[0]
    with lab_extra("fits"):
        if "switches" in (name.strip() for name in header.split(",")):
            _show_computer(lab_module("shared-computer", "fit").fit(Path(file), predict), out)
        elif predict:
            raise click.UsageError("--predict is for chains of switches: the file has no column switches")
        else:
            _show_machine(lab_module("delay", "fit").fit(Path(file)), out)


def _show_machine(fit_result: Any, out: str | None) -> None:
    from weir.cli import text

    machine = fit_result.machine
    click.echo(
        f"a pass takes {machine.pass_ns / 1000:g} us; {machine.capacity} passes per second; "
        f"a host takes {machine.host_ns / 1000:g} us and up to {machine.host_jitter_ns / 1000:g} us more"
    )
    quality = "" if fit_result.r2 is None else f", R2 = {fit_result.r2:.6f}"
    click.echo(f"RTT = {machine.a_ms:.4g} + {machine.b_ms:.4g}*X ms{quality}\n")
    rows = [
        [f"{x}", f"{measured:.4g}", f"{fitted:.4g}", f"{100 * (measured / fitted - 1):+.1f} %"]
        for x, measured, fitted in fit_result.residuals
    ]
    text.table(["X", "measured (ms)", "fitted (ms)", "differs"], rows)
    click.echo()
    differences = [
        [name, f"{value:.0f}", f"{100 * (value / machine.capacity - 1):+.1f} %"]
        for name, value in fit_result.capacities
    ]
    text.table(["capacity from", "passes/s", "differs"], differences)
    if out is not None:
        machine.save(Path(out))
        command = shlex.join(["weir", "lab", "run", "delay", "--set", f"profile={out}"])
        click.echo(f"\nwrote {out}: {command}")


def _show_computer(fit_result: Any, out: str | None) -> None:
    from weir.cli import text

    computer = fit_result.computer
    click.echo(
        f"{computer.processors} processors; a switch takes {computer.switch_ns / 1000:g} us for a packet, "
        f"a host {(computer.stack.packet_ns + computer.app.packet_ns) / 1000:g} us; a wake-up takes "
        f"{computer.wake_up_ns / 1000:g} us, and {computer.wake_up_jitter_ns / 1000:g} us more on average; a wake-up "
        f"on a processor without work for {computer.deep_sleep_after_ns / 1000:g} us takes "
        f"{computer.deep_wake_up_jitter_ns / 1000:g} us more on average\n"
    )
    rows = []
    for switches, measured in fit_result.measured.items():
        for name, value in measured.items():
            simulated = getattr(fit_result.simulated[switches], name)
            how = "predicted" if switches in fit_result.predicted else "fitted"
            how = "predicted" if name == "udp_mbps" else how
            differs = f"{100 * (simulated / value - 1):+.1f} %"
            rows.append([str(switches), name, f"{value:.4g}", f"{simulated:.4g}", differs, how])
    text.table(["switches", "figure", "measured", "simulated", "differs", ""], rows)
    if out is not None:
        computer.save(out)
        command = shlex.join(["weir", "run", "topology.json", "--computer", str(out)])
        click.echo(f"\nwrote {out}: {command}")
