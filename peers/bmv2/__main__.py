"""Runs random programs on Weir and on p4lang's ``simple_switch``, and compares the outcomes."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import record
import simple_switch
import tools as found_tools
import weir_sides
from command_list import listed
from generator.packets import PORTS
from generator.program import Case, make
from outcome import Difference, Outcome, commands_of_both, compare, on_reference, on_weir, without_unused
from reduce import reduce
from rules import RULES, Rule, changed_case

import weir
from weir.errors import WeirError
from weir.program import EXECUTORS


class Comparison:
    """Runs cases on both switches, and counts the results.

    Args:
        tools: p4lang's programs.
        out: the folder for differences.
        cache: the folder in which p4c's results are kept.
        recorded: the folder for programs without unexplained differences; None to write none.
    """

    def __init__(
        self, tools: found_tools.Tools, out: Path, cache: Path, recorded: Path | None = None
    ) -> None:
        self.tools = tools
        self.out = out
        self.cache = cache
        self.recorded = recorded
        self.total: Counter[str] = Counter()
        cache.mkdir(parents=True, exist_ok=True)

    def compile(self, text: str) -> tuple[Path | None, str]:
        """p4c's result: its JSON, or its messages."""
        name = hashlib.sha256(text.encode()).hexdigest()[:24]
        source, made, refused = (self.cache / f"{name}.{end}" for end in ("p4", "json", "refused"))
        if made.exists():
            return made, ""
        if not refused.exists():
            source.write_text(text)
            partial = self.cache / f"{name}.part"
            messages = self.tools.compile(source, partial)
            if messages is None:
                partial.rename(made)
                return made, ""
            refused.write_text(messages)
        return None, refused.read_text()

    def compare_case(self, case: Case) -> str:
        """Compares the outcomes of a case; returns a line about it."""
        made, messages = self.compile(case.program)
        programs, refused = {}, ""
        for executor in EXECUTORS:
            try:
                programs[executor] = _compile(case.program, executor)
            except WeirError as error:
                refused = str(error)
        if made is None or refused:
            return self._refusal_line(case, made, messages, refused)
        self.total["programs"] += 1
        case = without_unused(case, simple_switch.names(made))
        try:
            theirs, _ = on_reference(self.tools, made, case)
        except simple_switch.SwitchEnded as error:
            self.total["not run"] += 1
            return f"simple_switch does not run: {error}"
        ours = on_weir(programs[EXECUTORS[0]], case)
        one_sided = [one for one in compare(theirs, ours, case) if one.kind == "command"]
        if one_sided:
            self._write(case, programs, made, one_sided[0], "commands")
            case = commands_of_both(case, theirs, ours)
            theirs, _ = on_reference(self.tools, made, case)
            ours = on_weir(programs[EXECUTORS[0]], case)
        self.total["commands"] += len(theirs.taken)
        self.total["commands that one side takes"] += len(one_sided)
        differences = compare(theirs, ours, case)
        for executor in EXECUTORS:
            other = on_weir(programs[executor], case, weir_sides.BenchSide)
            inside = compare(ours, other, case)
            if inside:
                self.total["executors differ"] += 1
                self._write(case, programs, made, inside[0], "executors")
        outputs = [one for one in differences if one.kind == "output"]
        self.total["packets"] += len(theirs.sent)
        self.total["outputs"] += sum(map(len, theirs.sent))
        self.total["cells"] += len(theirs.state)
        line = f"{len(theirs.sent) - len(outputs)} of {len(theirs.sent)} packets agree"
        if not differences and not one_sided:
            self.total["programs that agree"] += 1
            if self.recorded:
                record.write(self.recorded, case, theirs)
            return line
        kinds = Counter(one.kind for one in differences)
        best = self._explain(case, made, theirs, ours, differences)
        left = best.left
        if best.rules and not left:
            rows = [rule.row for rule in best.rules]
            self.total["explained differences"] += len(differences)
            self.total.update({f"explained: {row}": 1 for row in rows})
            if self.recorded:
                self._record(self.recorded, case, made, programs[EXECUTORS[0]], differences[0], best)
            return f"{line}; explained: {', '.join(rows)} {dict(kinds)}"
        self.total.update(
            {f"unexplained: {kind}": count for kind, count in Counter(one.kind for one in left).items()}
        )
        if left:
            compiled = {executor: _compile(best.case.program, executor) for executor in EXECUTORS}
            self._write(best.case, compiled, best.made, left[0], "difference")
        first = left[0] if left else one_sided[0]
        return f"{line}; UNEXPLAINED {len(left)} of {dict(kinds)}, {len(one_sided)} commands; first: {first}"[
            :700
        ]

    def _explain(
        self, case: Case, p4c_json: Path, theirs: Outcome, ours: Outcome, differences: list[Difference]
    ) -> _Explanation:
        """The rules that explain the most differences, and the differences that remain."""
        best = _Explanation([], differences, case, p4c_json)
        # The rules for which p4c must run again come last.
        fit = sorted((rule for rule in RULES if rule.change(case) != case), key=lambda rule: rule.on_both)
        for size in range(1, len(fit) + 1):
            for rules in itertools.combinations(fit, size):
                equal = changed_case(case, rules, on_both=True)
                their_made, reference = p4c_json, theirs
                if equal != case:
                    compiled = self._equal(equal, ours)
                    if compiled is None:
                        continue
                    their_made, reference = compiled
                alike = changed_case(equal, rules, on_both=False)
                left = compare(reference, on_weir(_compile(alike.program, EXECUTORS[0]), alike), case)
                if len(left) < len(best.left):
                    best = _Explanation(list(rules), left, alike, their_made)
                if not left:
                    return best
        return best

    def _equal(self, case: Case, ours: Outcome) -> tuple[Path, Outcome] | None:
        """p4c's JSON and the reference's outcome for a program with the original's meaning.

        None if Weir's outcome of the program differs from ``ours``, or p4c refuses the program.
        """
        if compare(ours, on_weir(_compile(case.program, EXECUTORS[0]), case), case):
            return None
        made, _ = self.compile(case.program)
        return (made, on_reference(self.tools, made, case)[0]) if made else None

    def _refusal_line(self, case: Case, p4c_json: Path | None, p4c_messages: str, refused: str) -> str:
        if p4c_json is None and refused:
            self.total["refused by both"] += 1
            return "both compilers refuse it"
        side, words = ("Weir", refused) if refused else ("p4c", p4c_messages)
        self.total[f"refused by {side} alone"] += 1
        folder = self.out / f"{case.seed}-refused"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.p4").write_text(case.program)
        (folder / "messages.txt").write_text(words)
        errors = [line for line in words.splitlines() if "error" in line] or words.splitlines()[:1]
        return f"{side} alone refuses it: {errors[0][:200]}"

    def _write(
        self, case: Case, programs: dict[str, weir.Program], p4c_json: Path, first: Difference, name: str
    ) -> None:
        folder = self.out / f"{case.seed}-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        program = programs[EXECUTORS[0]]
        if name == "difference" and first.kind in ("output", "counter", "register"):
            case = self._reduced_case(case, p4c_json, program, first)
        (folder / "program.p4").write_text(case.program)
        lines = [*case.commands, *(f"{line}  # before packet {number}" for number, line in case.later)]
        (folder / "commands.txt").write_text("".join(f"{line}\n" for line in lines))
        (folder / "packets.txt").write_text("".join(f"{port} {data.hex()}\n" for port, data in case.packets))
        case = case.part(max(0, len(case.packets) - 20), len(case.packets))
        theirs, log = on_reference(self.tools, p4c_json, case, log=True)
        ours = on_weir(program, case)
        shown = [
            f"{number}\n  theirs {_packets_text(a)}\n  ours   {_packets_text(b)}\n"
            for number, (a, b) in enumerate(zip(theirs.sent, ours.sent, strict=False))
        ]
        (folder / "difference.txt").write_text(f"{first}\n\nThe last packets once more:\n{''.join(shown)}")
        journeys = weir_sides.explain(program, PORTS, case)
        (folder / "weir.txt").write_text(f"{journeys}\n")
        (folder / "simple_switch.txt").write_text(log)

    def _reduced_case(self, case: Case, p4c_json: Path, program: weir.Program, first: Difference) -> Case:
        """A smaller case with a difference of the same kind, with commands that both switches
        accept."""

        # All packets contribute to a cell that differs; mostly one packet causes an output that
        # differs.
        def differs(small: Case) -> bool:
            left, _ = on_reference(self.tools, p4c_json, small)
            kinds = [one.kind for one in compare(left, on_weir(program, small), small)]
            return first.kind in kinds and "command" not in kinds

        return reduce(case, first.at if isinstance(first.at, int) else None, differs)

    def _record(
        self,
        folder: Path,
        case: Case,
        p4c_json: Path,
        program: weir.Program,
        first: Difference,
        best: _Explanation,
    ) -> None:
        """Writes an explained case with few packets, if the same rules explain the differences of
        these packets."""
        small = self._reduced_case(case, p4c_json, program, first)
        equal = changed_case(small, best.rules, on_both=True)
        theirs, _ = on_reference(self.tools, best.made, equal)
        alike = changed_case(equal, best.rules, on_both=False)
        if not compare(theirs, on_weir(_compile(alike.program, EXECUTORS[0]), alike), small):
            record.write(folder, small, theirs, [rule.row for rule in best.rules])


@dataclass(frozen=True)
class _Explanation:
    """An explanation of differences by rules.

    Attributes:
        rules: the rules that explain the most differences.
        left: the differences that remain.
        case: the case after the changes of the rules.
        made: p4c's JSON of the program that the reference ran.
    """

    rules: list[Rule]
    left: list[Difference]
    case: Case
    made: Path


def _packets_text(sent: list[tuple[int, bytes]]) -> list[str]:
    return [f"{port}: {data.hex()}" for port, data in sent]


def _compile(text: str, executor: str) -> weir.Program:
    with tempfile.TemporaryDirectory(prefix="bmv2-") as folder:
        path = Path(folder) / "program.p4"
        path.write_text(text)
        return weir.compile(path, executor=executor)


def _check_commands(tools: found_tools.Tools) -> list[str]:
    """The runtime commands that a switch executes differently from the list."""
    commands = listed.read()
    with tempfile.TemporaryDirectory(prefix="bmv2-") as folder:
        made = Path(folder) / "program.json"
        messages = tools.compile(listed.PROGRAM, made)
        if messages is not None:
            return [f"p4c refuses {listed.PROGRAM.name}: {messages}"]
        theirs = simple_switch.SimpleSwitch(tools, made, PORTS, Path(folder))
        try:
            mistakes = [
                f"simple_switch: {one}" for one in listed.wrong_commands(commands, "theirs", theirs.run)
            ]
        finally:
            theirs.close()
    ours = weir_sides.BenchSide(weir.compile(listed.PROGRAM), PORTS)
    mistakes += [
        f"Weir: {one}" for one in listed.wrong_commands(commands, "ours", partial(weir_sides.run, ours))
    ]
    alone = sum(one.takes in ("theirs", "ours") for one in commands)
    print(f"{len(commands)} commands, {alone} of which one side alone takes; {len(mistakes)} unexplained")
    return mistakes


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="peers/bmv2", description=__doc__)
    parser.add_argument("--programs", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--packets", type=int, default=500, help="packets of each program (default 500)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument(
        "--out", type=Path, default=Path("out/bmv2"), help="where differences go (default out/bmv2)"
    )
    parser.add_argument("--cache", type=Path, help="where p4c's results are kept (default OUT/cache)")
    parser.add_argument(
        "--record",
        type=Path,
        help="write each program without unexplained differences, with its outcome, to this folder",
    )
    parser.add_argument(
        "--commands",
        action="store_true",
        help="give both the list of runtime commands (command_list/list.txt) instead of random programs",
    )
    found_tools.add_options(parser)
    options = parser.parse_args()
    try:
        tools = found_tools.find(options)
    except found_tools.MissingTool as error:
        print(error, file=sys.stderr)
        return 2
    if options.commands:
        mistakes = _check_commands(tools)
        print("\n".join(mistakes), end="\n" if mistakes else "")
        return 1 if mistakes else 0
    comparison = Comparison(tools, options.out, options.cache or options.out / "cache", options.record)
    with contextlib.suppress(KeyboardInterrupt):  # The counts until the interrupt are printed.
        for seed in range(options.first, options.first + options.programs):
            begin = time.monotonic()
            case = make(seed, options.packets)
            line = comparison.compare_case(case)
            print(f"{seed}: {line} [{' '.join(case.features)}] {time.monotonic() - begin:.1f} s", flush=True)
    print(json.dumps(comparison.total, indent=1))
    bad = [
        name
        for name in comparison.total
        if name.startswith(("unexplained", "executors", "refused by Weir", "commands that one"))
    ]
    return 1 if any(comparison.total[name] for name in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
