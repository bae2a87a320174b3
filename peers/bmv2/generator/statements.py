"""Random statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from generator.expressions import Expressions
from generator.headers import Headers
from generator.types import BOOL, Place, Random, Scope, Type


@dataclass(frozen=True)
class Callee:
    """A function or action that statements can call.

    Attributes:
        name: the name in calls.
        params: the direction and the type of each parameter.
        result: the type it returns; None for actions.
    """

    name: str
    params: tuple[tuple[str, Type], ...]
    result: Type | None = None


@dataclass
class Environment:
    """The functions, actions and objects that the statements of a control can use.

    Attributes:
        functions: the functions of the program.
        actions: the actions of the control without parameters of the control plane.
        applies: for each table or instance, a function that makes the statements with its
            ``apply``; each is used once.
        extras: functions that make statements with externs; each returns None where its statement
            does not fit.
        exits: whether ``exit`` and ``return`` are allowed.
    """

    functions: list[Callee] = field(default_factory=list)
    actions: list[Callee] = field(default_factory=list)
    applies: list[Callable[[Scope, str, int], str]] = field(default_factory=list)
    extras: list[Callable[[Scope, str], str | None]] = field(default_factory=list)
    exits: bool = True


class Statements:
    """Makes statements for a scope."""

    def __init__(self, random: Random, expressions: Expressions, headers: Headers) -> None:
        self.random = random
        self.rng = random.rng
        self.expressions = expressions
        self.headers = headers

    def block(self, scope: Scope, env: Environment, pad: str, depth: int, count: int | None = None) -> str:
        """Makes a few statements; later ones can use the variables of earlier ones."""
        text = ""
        for _ in range(count or self.rng.randrange(1, 3)):
            made, scope = self.statement(scope, env, pad, depth)
            text += made
        return text

    def statement(self, scope: Scope, env: Environment, pad: str, depth: int) -> tuple[str, Scope]:
        """Makes a statement; returns it with the scope after it."""
        if self.random.chance(0.1):
            return self._variable(scope, pad)
        choices = [(5, self._assign), (2, self._call), (3, self._extra), (2, self._header)]
        if depth > 0:
            choices += [(4, self._if), (1.5, self._switch), (3, self._apply), (3, self._guard)]
        if env.exits and depth < 3:
            choices += [(0.3, self._leave)]
        makers = [maker for _, maker in choices]
        while True:
            [maker] = self.rng.choices(makers, [weight for weight, _ in choices])
            text = maker(scope, env, pad, depth)
            if text:
                return text, scope

    def _variable(self, scope: Scope, pad: str) -> tuple[str, Scope]:
        type = BOOL if self.random.chance(0.1) else self.random.type()
        name = self.random.name("v")
        text = f"{pad}{type} {name} = {self.expressions.make(type, scope, 2)};\n"
        return text, scope.with_places(Place(name, type))

    def _assign(self, scope: Scope, env: Environment, pad: str, depth: int) -> str:
        if not scope.writable:
            return ""
        place = self.rng.choice(scope.writable)
        type = place.type
        if type.width > 2 and not type.signed and self.random.chance(0.2):
            high = self.rng.randrange(type.width)
            low = self.rng.randrange(high + 1)
            return f"{pad}{place.text}[{high}:{low}] = {self.expressions.make(Type(high - low + 1), scope, 2)};\n"
        return f"{pad}{place.text} = {self.expressions.make(type, scope, 2)};\n"

    def arguments(self, params: tuple[tuple[str, Type], ...], scope: Scope) -> list[str] | None:
        """Chooses arguments for parameters, no place twice; None if no arguments fit."""
        used: list[str] = []
        calls: list[str] = []
        for direction, type in params:
            if direction in ("in", ""):
                calls.append(self.expressions.make(type, scope, 2))
                continue
            fit = [one.text for one in scope.writable if one.type == type and one.text not in used]
            if not fit:
                return None
            used.append(self.rng.choice(fit))
            calls.append(used[-1])
        return calls

    def _call(self, scope: Scope, env: Environment, pad: str, depth: int) -> str:
        callees = env.functions + (env.actions if scope.at in ("ingress", "egress") else [])
        if not callees:
            return ""
        callee = self.rng.choice(callees)
        arguments = self.arguments(callee.params, scope)
        if arguments is None:
            return ""
        call = f"{callee.name}({', '.join(arguments)})"
        if callee.result is None:
            return f"{pad}{call};\n"
        to = [one for one in scope.writable if one.type == callee.result and one.text not in arguments]
        if to:
            return f"{pad}{self.rng.choice(to).text} = {call};\n"
        place = self.rng.choice(scope.writable)
        if place.text in arguments:
            return ""
        return f"{pad}{place.text} = {self.expressions.cast(place.type, call, callee.result)};\n"

    def _extra(self, scope: Scope, env: Environment, pad: str, depth: int) -> str:
        return (self.rng.choice(env.extras)(scope, pad) or "") if env.extras else ""

    def _if(self, scope: Scope, env: Environment, pad: str, depth: int) -> str:
        text = f"{pad}if ({self.expressions.boolean(scope)}) {{\n{self.block(scope, env, pad + '    ', depth - 1)}{pad}}}"
        if self.random.chance(0.4):
            text += f" else {{\n{self.block(scope, env, pad + '    ', depth - 1)}{pad}}}"
        return text + "\n"

    def _guard(self, scope: Scope, env: Environment, pad: str, depth: int) -> str:
        """Makes a statement with a branch in which a header is valid."""
        seen = {place.text.rsplit(".", 1)[0] for place in scope.readable}
        some = [one for one in scope.tests if one not in seen]
        if not some:
            return ""
        instance = self.rng.choice(some)
        inner = scope.with_instance(instance, self.headers.fields(instance))
        test = f"{instance}.isValid()"
        if self.random.chance(0.3):
            test += f" && {self.expressions.boolean(inner, 1)}"
        return f"{pad}if ({test}) {{\n{self.block(inner, env, pad + '    ', depth - 1)}{pad}}}\n"

    def _switch(self, scope: Scope, env: Environment, pad: str, depth: int) -> str:
        if scope.at not in ("ingress", "egress"):
            return ""
        type = Type(self.rng.choice((2, 3, 4, 8, 9, 16)))
        labels = sorted({self.random.number(type.width) for _ in range(self.rng.randrange(1, 4))})
        text = f"{pad}switch ({self.expressions.make(type, scope, 2)}) {{\n"
        for label in labels:
            text += f"{pad}    {self.expressions.literal(type, label)}:"
            if self.random.chance(0.15) and label != labels[-1]:
                text += "\n"
                continue
            text += f" {{\n{self.block(scope, env, pad + '        ', depth - 1)}{pad}    }}\n"
        if self.random.chance(0.7):
            text += (
                f"{pad}    default: {{\n{self.block(scope, env, pad + '        ', depth - 1)}{pad}    }}\n"
            )
        return text + f"{pad}}}\n"

    def _apply(self, scope: Scope, env: Environment, pad: str, depth: int) -> str:
        return env.applies.pop(0)(scope, pad, depth) if env.applies else ""

    def _leave(self, scope: Scope, env: Environment, pad: str, depth: int) -> str:
        if scope.at not in ("ingress", "egress", "action"):
            return ""
        return f"{pad}if ({self.expressions.boolean(scope)}) {{ {self.rng.choice(('exit', 'return'))}; }}\n"

    def made_valid(self, instance: str, scope: Scope, pad: str) -> str:
        """Makes ``setValid`` with values for all fields, or an assignment of a list of values."""
        if self.random.chance(0.25):
            values = [self.expressions.make(place.type, scope, 1) for place in self.headers.fields(instance)]
            return f"{pad}{instance} = {{ {', '.join(values)} }};\n"
        text = f"{pad}{instance}.setValid();\n"
        for place in self.headers.fields(instance):
            text += f"{pad}{place.text} = {self.expressions.make(place.type, scope, 1)};\n"
        return text

    def _header(self, scope: Scope, env: Environment, pad: str, depth: int) -> str:
        if not scope.headers:
            return ""
        instance = self.rng.choice(scope.headers)
        type = self.headers.instances[instance]
        draw = self.rng.random()
        if draw < 0.3 and not type.varbit:
            return self.made_valid(instance, scope, pad)
        if draw < 0.5 and instance.startswith("h.s["):
            return f"{pad}h.s.{self.rng.choice(('push_front', 'pop_front'))}({self.rng.randrange(1, self.headers.stack + 1)});\n"
        same = [one for one in scope.tests if one != instance and self.headers.instances[one] == type]
        if draw < 0.75 and same:
            other = self.rng.choice(same)
            return f"{pad}if ({other}.isValid()) {{ {instance} = {other}; }}\n"
        return f"{pad}{instance}.setInvalid();\n"
