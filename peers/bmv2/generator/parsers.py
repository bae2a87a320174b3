"""Random parsers, and the values that they look for in packets."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.expressions import Expressions
from generator.headers import Headers, HeaderType
from generator.statements import Environment, Statements
from generator.types import Place, Random, Scope, Type


@dataclass
class Branch:
    """A case of a state's ``select``.

    Attributes:
        wants: values that fields of the state's header must have; others are free.
        next: the next state; ``accept`` or ``reject`` at the end.
    """

    wants: dict[str, int]
    next: str


@dataclass
class State:
    """A state of a parser, as the packet generator needs it.

    Attributes:
        header: the header type that it extracts.
        branches: the transitions to other states.
        stretch: the mask of the number of bytes in its varbit field.
        skipped: bytes after it that the parser skips.
    """

    header: HeaderType | None
    branches: list[Branch] = field(default_factory=list)
    stretch: int = 0
    skipped: int = 0


@dataclass
class ParserModel:
    """A program's parser.

    Attributes:
        text: the declarations, sub-parsers first.
        states: the states, by name.
        value_sets: the control-plane name and the width of each value set.
        open: whether a ``select`` can fail to match.
    """

    text: str = ""
    states: dict[str, State] = field(default_factory=dict)
    value_sets: list[tuple[str, int]] = field(default_factory=list)
    open: bool = False


def _label(name: str) -> str:
    return name if name in ("start", "accept", "reject") else f"at_{name}"


class Parsers:
    """Makes the parser of a program."""

    def __init__(
        self, random: Random, expressions: Expressions, statements: Statements, headers: Headers
    ) -> None:
        self.random = random
        self.rng = random.rng
        self.expressions = expressions
        self.statements = statements
        self.headers = headers
        self.model = ParserModel(open=random.chance(0.05))
        self._objects = ""

    def make(self, metadata: list[Place], known: bool) -> ParserModel:
        """The parser ``P``; it reads metadata if their values at its start are ``known``."""
        later = [one for one in ("b", "c", "s", "v", "u") if one != "s" or self.headers.stack]
        later = [
            one
            for one in later
            if (one != "v" or "h.v" in self.headers.instances) and (one != "u" or self.headers.union)
        ]
        self.rng.shuffle(later)
        names = ["start", *later]
        sub = self.random.chance(0.4)
        # Statements that m.again bounds must not change by chance. Each place is assigned in one
        # state only: p4c removes an assignment that a later state repeats, although an error may
        # occur in between.
        kept = ("m.again", "m.inner.x") if sub else ("m.again",)
        owner = {one.text: self.rng.choice(names) for one in metadata if one.text not in kept}
        count = "m.inner.x + 1" if known else "(bit<16>) c.kind"
        texts = []
        for number, name in enumerate(names):
            writable = tuple(one for one in metadata if owner.get(one.text) == name)
            scope = Scope(tuple(metadata) if known else (), writable, at="parser")
            texts.append(self._state(name, names[number + 1 :], scope, sub))
        if sub:
            self.model.text += (
                "parser Sub(packet_in p, out c_t c, inout meta m) {\n    state start {\n        p.extract(c);\n"
                f"        m.inner.x = {count};\n        transition select(c.kind) {{ 0: more; default: accept; }}\n    }}\n"
                "    state more { m.inner.x[7:0] = c.kind + 7; transition accept; }\n}\n"
            )
            self._objects += "    Sub() sub;\n"
        self.model.text += (
            "parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {\n"
            f"{self._objects}{''.join(texts)}}}\n"
        )
        return self.model

    def _state(self, name: str, later: list[str], scope: Scope, sub: bool) -> str:
        if name == "u":
            return self._union(later)
        instance = {"start": "h.a", "s": "h.s.last"}.get(name, f"h.{name}")
        type = self.headers.by_name({"start": "a_t"}.get(name, f"{name}_t"))
        state = self.model.states[name] = State(type)
        pad = "        "
        if name == "s":
            text = f"{pad}p.extract(h.s.next);\n"
        elif name == "v":
            state.stretch = self.rng.choice((7, 15, 31))
            bits = "8w3" if self.random.chance(0.5) else None
            size = f"(bit<32>) (p.lookahead<bit<8>>() & 8w{state.stretch})"
            text = f"{pad}p.extract(h.v, {size} << 3);\n" if bits else f"{pad}p.extract(h.v, {size} * 8);\n"
        elif name == "c" and sub:
            text = f"{pad}sub.apply(p, h.c, m);\n"
        else:
            text = f"{pad}p.extract({instance});\n"
        if name != "v" and self.random.chance(0.06):
            state.skipped = self.rng.randrange(1, 4)
            text += f"{pad}p.advance({state.skipped * 8});\n"
        seen = scope.with_places(*type.places(instance), write=name != "s")
        if name != "s" and self.random.chance(0.5):
            text += self.statements.block(seen, Environment(exits=False), pad, 0, self.rng.randrange(1, 3))
        if self.random.chance(0.12):
            test = self.expressions.boolean(seen, 1)
            text += f"{pad}verify({test} || {instance}.{type.fields[0][0]} != 1, error.{self.rng.choice(('First', 'Second'))});\n"
        targets = [*later[:3], "accept"]
        keys = [field for field, one in type.fields if not one.signed and one.width <= 16 and field != "pad"]
        if name == "s":
            targets = ["s", "s", *targets]
            keys = ["kind"]
        if not keys or (len(targets) == 1 and name != "start"):
            to = self.rng.choice(targets)
            state.branches.append(Branch({}, to))
            return f"    state {_label(name)} {{\n{text}{pad}transition {_label(to)};\n    }}\n"
        text += self._select(state, instance, type, keys, targets, seen, pad)
        return f"    state {_label(name)} {{\n{text}    }}\n"

    def _select(
        self,
        state: State,
        instance: str,
        type: HeaderType,
        keys: list[str],
        targets: list[str],
        scope: Scope,
        pad: str,
    ) -> str:
        chosen = self.rng.sample(keys, min(len(keys), self.rng.choice((1, 1, 2))))
        types = dict(type.fields)
        # A state that only leads to itself ends in an error, which p4c does not consider either.
        leaving = [one for one in targets if one != "s" or instance != "h.s.last"]
        words = [f"{instance}.{key}" for key in chosen]
        ahead = state.header is not None and not state.header.varbit and self.random.chance(0.15)
        if ahead:  # The following bytes decide, too; short packets fail here.
            words.append("p.lookahead<bit<4>>()")
        cases = ""
        for _ in range(self.rng.randrange(1, 5)):
            wants: dict[str, int] = {}
            sets = [self._keyset(types[key], wants, key) for key in chosen] + (["_"] if ahead else [])
            to = self.rng.choice(targets if sets[0] != "_" else leaving)
            if self.random.chance(0.04):
                to = "reject"
            state.branches.append(Branch(wants, to))
            cases += f"{pad}    {sets[0] if len(sets) == 1 else '(' + ', '.join(sets) + ')'}: {_label(to)};\n"
        if not ahead and len(chosen) == 1 and self.random.chance(0.2):
            name = self.random.name("set")
            width = types[chosen[0]].width
            self._objects += f"    value_set<bit<{width}>>(4) {name};\n"
            self.model.value_sets.append((f"P.{name}", width))
            to = self.rng.choice(targets)
            state.branches.append(Branch({chosen[0]: self.random.number(width)}, to))
            cases = f"{pad}    {name}: {_label(to)};\n" + cases
        if not self.model.open or leaving != targets:
            to = self.rng.choice(leaving)
            state.branches.append(Branch({}, to))
            cases += f"{pad}    default: {_label(to)};\n"
        return f"{pad}transition select({', '.join(words)}) {{\n{cases}{pad}}}\n"

    def _keyset(self, type: Type, wants: dict[str, int], key: str) -> str:
        value = self.random.number(type.width)
        draw = self.rng.random()
        if draw < 0.15:
            return "_"
        wants[key] = value
        if draw < 0.6:
            return self.expressions.literal(type, value)
        if draw < 0.8:
            return f"{self.expressions.literal(type, value)} &&& {self.expressions.literal(type, self.random.number(type.width))}"
        high = max(value, self.random.number(type.width))
        return f"{self.expressions.literal(type, value)} .. {self.expressions.literal(type, high)}"

    def _union(self, later: list[str]) -> str:
        to = self.rng.choice([*later[:2], "accept"])
        for name, type in (("x", "b_t"), ("y", "c_t")):
            self.model.states[f"u{name}"] = State(self.headers.by_name(type), [Branch({}, to)])
        self.model.states["u"] = State(None, [Branch({}, "ux"), Branch({}, "uy")])
        return (
            "    state at_u { transition select(p.lookahead<bit<1>>()) { 0: at_ux; default: at_uy; } }\n"
            + f"    state at_ux {{ p.extract(h.u.x); transition {_label(to)}; }}\n"
            + f"    state at_uy {{ p.extract(h.u.y); transition {_label(to)}; }}\n"
        )
