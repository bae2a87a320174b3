"""Random programs as a whole."""

from __future__ import annotations

import random as chance
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from generator import headers as header_maker
from generator.controls import Control, Controls
from generator.expressions import Expressions
from generator.externs import checksum
from generator.packets import PORTS, Packets
from generator.parsers import Parsers
from generator.statements import Callee, Statements
from generator.tables import Commands
from generator.types import Place, Random, Scope, Type

_STANDARD = (
    Place("s.ingress_port", Type(9)),
    Place("s.instance_type", Type(32)),
    Place("s.packet_length", Type(32)),
)
_EGRESS = (*_STANDARD[:2], Place("s.egress_port", Type(9)), Place("s.egress_rid", Type(16)))


@dataclass
class Case:
    """A program with the commands and packets of a run.

    Attributes:
        seed: the seed from which it was made.
        program: the text of the program.
        commands: the runtime commands that fill its tables.
        later: runtime commands between packets: the number of the next packet, and the command.
        packets: the ingress port and the bytes of each packet.
        counters: the name, the number of cells and the unit of each counter.
        direct: the name and the table of each direct counter.
        registers: the name and the width of each register.
        features: the names of its language features, for statistics and for the rules of known
            differences.
    """

    seed: int
    program: str = ""
    commands: list[str] = field(default_factory=list)
    later: list[tuple[int, str]] = field(default_factory=list)
    packets: list[tuple[int, bytes]] = field(default_factory=list)
    counters: list[tuple[str, int, str]] = field(default_factory=list)
    direct: list[tuple[str, str]] = field(default_factory=list)
    registers: list[tuple[str, int]] = field(default_factory=list)
    features: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """All runtime commands in their order."""
        return [*self.commands, *(line for _, line in self.later)]

    def before(self, packet: int) -> list[str]:
        """The commands between that packet and the one before it."""
        return [line for number, line in self.later if number == packet]

    def part(self, first: int, end: int) -> Case:
        """The packets before the position ``end``, with the commands that come before them."""
        return replace(
            self,
            commands=[*self.commands, *(line for number, line in self.later if number <= first)],
            later=[(number - first, line) for number, line in self.later if first < number < end],
            packets=self.packets[first:end],
        )


class _Maker:
    def __init__(self, seed: int) -> None:
        self.case = Case(seed)
        self.random = Random(chance.Random(f"weir {seed}"))
        self.rng = self.random.rng
        self.expressions = Expressions(self.random)
        self.headers = header_maker.make(self.random)
        self.statements = Statements(self.random, self.expressions, self.headers)
        self.functions: list[Callee] = []
        self.controls = Controls(self.random, self.expressions, self.statements, self.functions)
        self.copies = self.random.chance(0.4)
        self.paths = {
            name for name, share in (("resubmit", 0.2), ("recirculate", 0.2)) if self.random.chance(share)
        }
        if self.copies:
            self.paths |= {name for name in ("multicast", "clone", "clone_egress") if self.random.chance(0.6)}
        if not self.paths & {"multicast", "recirculate"} and self.random.chance(0.15):
            self.paths.add("truncate")
        self.case.features += sorted(self.paths)
        self.small = self.random.chance(0.65)
        self.changes: list[Callable[[], str]] = []

    def make(self, packets: int) -> Case:
        """Makes the case, with this number of packets."""
        case, headers = self.case, self.headers
        functions = "".join(self.controls.function() for _ in range(self.rng.randrange(0, 3)))
        parser = Parsers(self.random, self.expressions, self.statements, headers).make(
            headers.metadata, "clone" not in self.paths
        )
        instances = tuple(one for one in headers.instances if one not in ("h.a", "h.r"))
        places = (*headers.fields("h.a"), *headers.fields("h.r"), *headers.metadata)
        sub = self._sub_control() if self.random.chance(0.25 if self.small else 0.35) else None
        types = {one: type.name for one, type in headers.instances.items() if not type.varbit}
        scope = Scope((), places, instances, instances, types=types)
        ingress = self._ingress(replace(scope, readable=(*places, *_STANDARD), at="ingress"), sub)
        egress = self._egress(replace(scope, readable=(*places, *_EGRESS), at="egress"))
        a = headers.fields("h.a")
        verify = checksum(self.random, self.expressions, a, True) if self.random.chance(0.3) else ""
        update = checksum(self.random, self.expressions, a, False) if self.random.chance(0.4) else ""
        if "truncate" in self.paths:
            update = update.replace("_with_payload", "")
        emits = (
            "p.emit(h);"
            if self.random.chance(0.6)
            else " ".join(f"p.emit(h.{one.split()[1]}".replace(";", "") + ");" for one in headers.members)
        )
        union = "header_union u_t { b_t x; c_t y; }\n" if headers.union else ""
        members = "".join(f"    {one}\n" for one in headers.members)
        case.program = (
            "#include <core.p4>\n#include <v1model.p4>\nerror { First, Second }\n"
            + "".join(one.declaration() for one in headers.types)
            + union
            + f"struct headers {{\n{members}}}\n"
            + self._metadata()
            + functions
            + parser.text
            + f"control V(inout headers h, inout meta m) {{\n    apply {{\n{verify}    }}\n}}\n"
            + (sub[0] if sub else "")
            + ingress
            + egress
            + f"control U(inout headers h, inout meta m) {{\n    apply {{\n{update}    }}\n}}\n"
            + f"control D(packet_out p, in headers h) {{\n    apply {{ {emits} }}\n}}\n"
            + "V1Switch(P(), V(), I(), E(), U(), D()) main;\n"
        )
        case.features += [name for name, there in (
            ("stack", headers.stack), ("union", headers.union), ("varbit", "h.v" in headers.instances),
            ("verify", verify), ("update", update), ("sub_control", sub), ("open_select", parser.open),
            ("value_set", parser.value_sets), ("sub_parser", "Sub()" in parser.text),
        ) if there]  # fmt: skip
        for name, width in parser.value_sets:
            case.commands += [
                f"pvs_add {name} {hex(value)}" for value in {self.random.number(width) for _ in range(2)}
            ]
        self._sessions()
        maker = Packets(self.random, parser)
        case.packets = [maker.make() for _ in range(packets)]
        if self.changes and self.random.chance(0.5):
            case.features.append("changes")
            numbers = sorted(self.rng.randrange(1, packets + 1) for _ in range(min(40, packets // 5)))
            case.later = [(number, self.rng.choice(self.changes)()) for number in numbers]
        return case

    def _metadata(self) -> str:
        lists = {1: 0.4, 2: 0.4, 3: 0.4}
        text = ""
        for place in self.headers.metadata[:-1]:
            name = place.text.split(".")[1]
            chosen = [
                number for number, share in lists.items() if name == "again" or self.random.chance(share)
            ]
            text += f"    @field_list({', '.join(map(str, chosen))})\n" if chosen else ""
            text += f"    {place.type} {name};\n"
        return f"struct inner_t {{\n    bit<16> x;\n}}\nstruct meta {{\n{text}    inner_t inner;\n}}\n"

    def _sub_control(self) -> tuple[str, Control]:
        a = self.headers.by_name("a_t")
        places = (*a.places("a"), *self.headers.metadata)
        scope = _without_calls(Scope((*places, Place("arg", Type(8))), places, at="ingress"), "m.again")
        tables = self.rng.randrange(0, 2 if self.small else 3)
        control = self.controls.make(scope, not self.copies, [], tables, False)
        # log_msg and assertions name h.a, which this control does not see.
        control.env.extras = [one for one in control.env.extras if getattr(one, "__name__", "") != "other"]
        body = self.statements.block(scope, control.env, "        ", 2, self.rng.randrange(1, 4))
        body += self._apply_remaining(scope, control)
        head = "control Sub2(inout a_t a, inout meta m, in bit<8> arg)"
        return f"{head} {{\n{control.declarations}    apply {{\n{body}    }}\n}}\n", control

    def _apply_remaining(self, scope: Scope, control: Control) -> str:
        """Applies the tables that were not applied yet."""
        text = ""
        while control.env.applies:
            text += control.env.applies.pop(0)(scope, "        ", 2)
        return text

    def _forward(self, scope: Scope, pad: str) -> str | None:
        if not any(one.text == "h.a.k0" for one in scope.readable):
            return None
        draw = self.rng.random()
        make = self.expressions.make
        if draw < 0.15:
            return f"{pad}mark_to_drop(s);\n"
        if draw < 0.35 and "multicast" in self.paths:
            return f"{pad}s.mcast_grp = (bit<16>) {make(Type(2), scope, 1)};\n"
        return f"{pad}s.egress_spec = (bit<9>) {make(Type(2), scope, 2)};\n"

    def _another_pass(self, name: str, call: str, least: int) -> Callable[[Scope, str], str | None]:
        """Returns a function that makes a call which sends a packet through another pass, bounded
        by ``m.again``."""

        def make(scope: Scope, pad: str) -> str | None:
            if name not in self.paths or not any(one.text == "m.again" for one in scope.readable):
                return None
            number = self.expressions.literal(Type(32), self.rng.randrange(1, 4)) if "SESSION" in call else ""
            line = call.replace("SESSION", number)
            return f"{pad}if (m.again < {least} && {self.expressions.boolean(scope, 1)}) {{ m.again = m.again + 1; {line}; }}\n"

        return make

    def _prepared_actions(self, pad: str) -> str:
        return f"{pad}h.r.setValid();\n" + "".join(
            f"{pad}{one.text} = 0;\n" for one in self.headers.fields("h.r")
        )

    def _ingress(self, scope: Scope, sub: tuple[str, Control] | None) -> str:
        again = [
            self._another_pass("resubmit", "resubmit_preserving_field_list(1)", 2),
            self._another_pass("clone", "clone_preserving_field_list(CloneType.I2E, SESSION, 3)", 3),
            self._another_pass("clone", "clone(CloneType.I2E, SESSION)", 3),
            self._forward,
            self._forward,
        ]
        metered = not self.copies and self.random.chance(0.25)
        # Statements that m.again bounds must not change by chance.
        scope = _without_calls(scope, "m.again")
        control = self.controls.make(
            scope,
            not self.copies,
            again,
            self.rng.randrange(1 if metered else 0, 3 if self.small else 4),
            metered,
        )
        text = control.declarations
        if sub:
            names = ["sub1", "sub2"][: self.rng.randrange(1, 3)]
            for name in names:
                text += f"    Sub2() {name};\n"
                argument = self.expressions.make(Type(8), _without_calls(scope, "h.a."), 1)
                control.env.applies.append(
                    lambda scope, pad, depth, name=name, argument=argument: (
                        f"{pad}{name}.apply(h.a, m, {argument});\n"
                    )
                )
                self._fill(f"I.{name}", sub[1])
            self.rng.shuffle(control.env.applies)
        self._fill("I", control)
        body = self._prepared_actions("        ")
        errors = (
            "PacketTooShort",
            "NoMatch",
            "StackOutOfBounds",
            "HeaderTooShort",
            "ParserInvalidArgument",
            "First",
            "Second",
        )
        body += "        if (s.parser_error != error.NoError) {\n            s.egress_spec = 4;\n"
        for number, name in enumerate(errors):
            body += f"            if (s.parser_error == error.{name}) {{ h.r.code = {number + 1}; }}\n"
        leave = self.rng.choice(("return", "exit"))
        guard = "!h.a.isValid()" if self.random.chance(0.6) else "true"
        body += f"            if ({guard}) {{ {leave}; }}\n        }}\n        if (!h.a.isValid()) {{ return; }}\n"
        body += "        h.r.left = s.packet_length;\n        s.egress_spec = (bit<9>) h.a.k0[1:0];\n"
        body += "        h.r.code[7:7] = s.checksum_error;\n"
        for _ in range(self.rng.randrange(2, 5) if self.small else self.rng.randrange(3, 8)):
            made, scope = self.statements.statement(scope, control.env, "        ", 2 if self.small else 3)
            body += made
        body += self._apply_remaining(scope, control)
        if metered:
            body += "        h.r.code[1:0] = m.color;\n"
        return f"control I(inout headers h, inout meta m, inout standard_metadata_t s) {{\n{text}    apply {{\n{body}    }}\n}}\n"

    def _egress(self, scope: Scope) -> str:
        again = [
            self._another_pass("recirculate", "recirculate_preserving_field_list(2)", 2),
            self._another_pass("clone_egress", "clone_preserving_field_list(CloneType.E2E, SESSION, 3)", 3),
            self._truncate,
            self._drop,
        ]
        scope = _without_calls(scope, "m.again")
        control = self.controls.make(scope, not self.copies, again, self.rng.randrange(0, 2), False)
        self._fill("E", control)
        body = "        if (!h.r.isValid()) {\n" + self._prepared_actions("            ") + "        }\n"
        body += "        if (!h.a.isValid()) { return; }\n"
        body += "        h.r.small = (bit<16>) s.instance_type;\n"
        for _ in range(self.rng.randrange(1, 3 if self.small else 4)):
            made, scope = self.statements.statement(scope, control.env, "        ", 1 if self.small else 2)
            body += made
        body += self._apply_remaining(scope, control)
        numbers = [one for one in self.headers.metadata if one.type.width]
        body += f"        h.r.wide = h.r.wide ^ {self.expressions.cast(Type(64), *_pair(self.rng.choice(numbers)))};\n"
        return (
            "control E(inout headers h, inout meta m, inout standard_metadata_t s) {\n"
            f"{control.declarations}    apply {{\n{body}    }}\n}}\n"
        )

    def _truncate(self, scope: Scope, pad: str) -> str | None:
        if "truncate" not in self.paths:
            return None
        return f"{pad}truncate(32w{self.rng.randrange(0, 60)});\n"

    def _drop(self, scope: Scope, pad: str) -> str | None:
        return f"{pad}mark_to_drop(s);\n" if self.random.chance(0.3) else None

    def _fill(self, prefix: str, control: Control) -> None:
        case, maker = self.case, Commands(self.random)
        for table in control.tables:
            case.commands += maker.fill(prefix, table)
            self.changes += maker.changes(prefix, table)
            if table.counter:
                case.direct.append((f"{prefix}.{table.counter}", f"{prefix}.{table.name}"))
        case.counters += [(f"{prefix}.{name}", size, kind) for name, size, kind in control.externs.counters]
        case.registers += [(f"{prefix}.{name}", width) for name, width, _ in control.externs.registers]
        for name, *_ in control.externs.counters:
            self.changes.append(lambda name=name: f"counter_reset {prefix}.{name}")
        for name, width, size in control.externs.registers:
            self.changes.append(
                lambda name=name, width=width, size=size: (
                    f"register_write {prefix}.{name} {self.rng.randrange(size)} {self.random.number(min(width, 31))}"
                )
            )
        for name, size in control.externs.meters:
            for index in range(size):
                burst = self.rng.choice((1, 3, 100000))
                case.commands.append(
                    f"meter_set_rates {prefix}.{name} {index} 0.000000001:{burst} 0.000000001:{burst * 2}"
                )

    def _sessions(self) -> None:
        case = self.case
        if self.paths & {"multicast", "clone", "clone_egress"}:
            for group in range(1, 3):
                case.commands.append(f"mc_mgrp_create {group}")
            for handle in range(3):
                ports = sorted(self.rng.sample(PORTS, self.rng.randrange(1, 4)))
                case.commands.append(
                    f"mc_node_create {self.rng.randrange(1, 200)} {' '.join(map(str, ports))}"
                )
                case.commands.append(f"mc_node_associate {self.rng.randrange(1, 3)} {handle}")
            case.commands.append(f"mirroring_add 1 {self.rng.choice(PORTS)}")
            case.commands.append("mirroring_add_mc 2 1")
            self.changes += [
                lambda: f"mc_node_update {self.rng.randrange(3)} {self.rng.choice(PORTS)}",
                lambda: f"mirroring_add {self.rng.randrange(1, 3)} {self.rng.choice(PORTS)}",
                lambda: f"mirroring_delete {self.rng.randrange(1, 4)}",
            ]


def _without_calls(scope: Scope, text: str) -> Scope:
    return replace(scope, writable=tuple(one for one in scope.writable if not one.text.startswith(text)))


def _pair(place: Place) -> tuple[str, Type]:
    return place.text, place.type


def make(seed: int, packets: int) -> Case:
    """Makes the case of a seed."""
    return _Maker(seed).make(packets)
