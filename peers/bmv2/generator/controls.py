"""Random controls: actions, tables, and the statements that apply them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from generator.expressions import Expressions
from generator.externs import Externs
from generator.statements import Callee, Environment, Statements
from generator.tables import Table, TableAction, Tables
from generator.types import Place, Random, Scope, Type


@dataclass
class Control:
    """The parts of a control.

    Attributes:
        declarations: the declarations of objects, actions and tables, as P4.
        tables: its tables.
        externs: its counters, registers and meters.
        env: the functions, actions and objects that its statements can use.
    """

    declarations: str
    tables: list[Table]
    externs: Externs
    env: Environment
    metered: bool = False
    instances: list[tuple[str, Control]] = field(default_factory=list)


class Controls:
    """Makes the declarations of controls."""

    def __init__(
        self, random: Random, expressions: Expressions, statements: Statements, functions: list[Callee]
    ) -> None:
        self.random = random
        self.rng = random.rng
        self.expressions = expressions
        self.statements = statements
        self.functions = functions

    def function(self) -> str:
        """Makes a function of the program."""
        params = tuple(
            (self.rng.choice(("in", "in", "inout", "out")), self.random.type())
            for _ in range(self.rng.randrange(1, 4))
        )
        places = [Place(f"p{number}", type) for number, (_, type) in enumerate(params)]
        text = ""
        for place, (direction, type) in zip(places, params, strict=True):
            if direction == "out":
                text += f"    {place.text} = {self.expressions.literal(type)};\n"
        writable = tuple(
            place for place, (direction, _) in zip(places, params, strict=True) if direction != "in"
        )
        scope = Scope(tuple(places), writable, at="function")
        result = self.random.type()
        env = Environment(exits=False)
        if writable:
            text += self.statements.block(scope, env, "    ", 1)
        if self.random.chance(0.4):
            text += f"    if ({self.expressions.boolean(scope)}) {{ return {self.expressions.make(result, scope, 2)}; }}\n"
        text += f"    return {self.expressions.make(result, scope, 3)};\n"
        callee = Callee(self.random.name("fun"), params, result)
        head = ", ".join(f"{direction} {type} p{number}" for number, (direction, type) in enumerate(params))
        self.functions.append(callee)
        return f"{result} {callee.name}({head}) {{\n{text}}}\n"

    def make(
        self,
        scope: Scope,
        stateful: bool,
        extras: list[Callable[[Scope, str], str | None]],
        tables: int,
        metered: bool,
    ) -> Control:
        """Makes the declarations of a control whose statements see ``scope``; ``extras`` makes
        statements for this control only."""
        externs = Externs(self.random, self.expressions)
        externs.declare(stateful)
        within = [externs.count, externs.register, externs.hash, externs.meter]
        inner = Environment(list(self.functions), [], [], [*within, *extras], exits=True)
        called: list[Callee] = []
        listed = [TableAction("NoAction", ())]
        text = externs.declarations
        at_action = replace(scope.with_fixed_headers(), at="action")
        for _ in range(self.rng.randrange(1, 4)):
            name = self.random.name("act")
            directed = tuple(
                (self.rng.choice(("in", "inout", "out")), self.random.type())
                for _ in range(self.rng.choice((0, 0, 1, 2)))
            )
            data = tuple(self.random.type() for _ in range(self.rng.choice((0, 1, 1, 2))))
            declared, body = self._action(name, directed, data, at_action, inner)
            text += declared + body
            if not data:
                called.append(Callee(name, directed))
            fit = self.statements.arguments(directed, scope)
            if fit is not None:
                listed.append(TableAction(name, data, ", ".join(fit)))
        own: list[TableAction] = []
        if metered:
            text += f"    direct_meter<bit<2>>(MeterType.{self.rng.choice(('packets', 'bytes'))}) dm;\n"
            for _ in range(self.rng.randrange(1, 3)):
                name = self.random.name("act")
                data = (self.random.type(),)
                declared, body = self._action(name, (), data, at_action, inner, "        dm.read(m.color);\n")
                text += declared + body
                own.append(TableAction(name, data))
        maker = Tables(self.random, self.expressions)
        for number in range(tables):
            text += maker.declare(scope, listed, own if number == 0 else [], profiles=True)
        env = Environment(list(self.functions), called, [], [*within, externs.other, *extras], exits=True)
        env.applies = [self._apply(table, env) for table in maker.made]
        return Control(text, maker.made, externs, env, metered and bool(maker.made))

    def _action(
        self,
        name: str,
        directed: tuple[tuple[str, Type], ...],
        data: tuple[Type, ...],
        scope: Scope,
        env: Environment,
        first: str = "",
    ) -> tuple[str, str]:
        head = [f"{direction} {type} d{number}" for number, (direction, type) in enumerate(directed)]
        head += [f"{type} x{number}" for number, type in enumerate(data)]
        text = first
        for number, (direction, type) in enumerate(directed):
            if direction == "out":
                text += f"        d{number} = {self.expressions.literal(type)};\n"
            scope = scope.with_places(Place(f"d{number}", type), write=direction != "in")
        for number, type in enumerate(data):
            scope = scope.with_places(Place(f"x{number}", type), write=False)
        body = self.statements.block(scope, env, "        ", 1, self.rng.randrange(1, 4))
        return f"    action {name}({', '.join(head)}) {{\n", f"{text}{body}    }}\n"

    def _apply(self, table: Table, env: Environment) -> Callable[[Scope, str, int], str]:
        def apply(scope: Scope, pad: str, depth: int) -> str:
            draw = self.rng.random()
            if draw < 0.5 or depth < 1:
                return f"{pad}{table.name}.apply();\n"
            inner = pad + "    "
            # In simple_switch, a miss in a table with a profile runs no case of a switch.
            if draw < 0.75 or table.profile:
                word = self.rng.choice(("hit", "miss"))
                text = f"{pad}if ({'!' if self.random.chance(0.2) else ''}{table.name}.apply().{word}) {{\n"
                text += f"{self.statements.block(scope, env, inner, depth - 1)}{pad}}}"
                if self.random.chance(0.4):
                    text += f" else {{\n{self.statements.block(scope, env, inner, depth - 1)}{pad}}}"
                return text + "\n"
            text = f"{pad}switch ({table.name}.apply().action_run) {{\n"
            for action in table.actions:
                if self.random.chance(0.6):
                    text += f"{inner}{action.name}: {{\n{self.statements.block(scope, env, inner + '    ', depth - 1)}{inner}}}\n"
            text += f"{inner}default: {{\n{self.statements.block(scope, env, inner + '    ', depth - 1)}{inner}}}\n"
            return text + f"{pad}}}\n"

        return apply
