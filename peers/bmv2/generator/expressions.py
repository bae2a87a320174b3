"""Random expressions."""

from __future__ import annotations

from generator.types import BOOL, Random, Scope, Type

_COMPARE = ("==", "!=", "<", "<=", ">", ">=")
_NUMBER = ("+", "-", "*", "&", "|", "^", "|+|", "|-|")


class Expressions:
    """Makes expressions of a given type from the places that a scope can read."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.rng = random.rng

    def literal(self, type: Type, value: int | None = None) -> str:
        """A constant; ``value`` is its bits."""
        if value is None:
            value = self.random.number(type.width) if type.width else self.rng.randrange(2)
        if type == BOOL:
            return "true" if value else "false"
        if type.signed:
            top = 1 << (type.width - 1)
            if value < top:
                return f"{type.width}s{value}"
            # No literal has the most negative value.
            return f"-{type.width}s{2 * top - value}" if value > top else f"(({type}) {type.width}w{value})"
        form = self.rng.choice(
            ("{}w{}", "{}w0x{:x}", "{}w0b{:b}") if type.width < 20 else ("{}w{}", "{}w0x{:x}")
        )
        return form.format(type.width, value)

    def leaf(self, type: Type, scope: Scope) -> str:
        """A place or a constant."""
        places = [place for place in scope.readable if place.type == type]
        if places and self.random.chance(0.75):
            return self.rng.choice(places).text
        if scope.readable and self.random.chance(0.6):
            place = self.rng.choice(scope.readable)
            return self.cast(type, place.text, place.type)
        return self.literal(type)

    def cast(self, type: Type, text: str, source_type: Type) -> str:
        """An expression of one type as another, by one or two casts."""
        if type == source_type:
            return text
        if type == BOOL:
            return f"({text} {self.rng.choice(_COMPARE[:2])} {self.literal(source_type)})"
        if source_type == BOOL:
            return self.cast(type, f"((bit<1>) {text})", Type(1))
        if type.signed == source_type.signed or type.width == source_type.width:
            return f"(({type}) {text})"
        between = (
            Type(type.width, source_type.signed)
            if self.random.chance(0.5)
            else Type(source_type.width, type.signed)
        )
        if between.signed and between.width < 2:
            between = (
                Type(type.width, source_type.signed)
                if between.width != type.width
                else Type(source_type.width, type.signed)
            )
        if between.signed and between.width < 2:
            return self.literal(type)
        return f"(({type}) ({between}) {text})"

    def make(self, type: Type, scope: Scope, depth: int = 3) -> str:
        """An expression of that type."""
        if type == BOOL:
            return self.boolean(scope, depth)
        if depth <= 0 or self.random.chance(0.15):
            return self.leaf(type, scope)
        one = self.rng.choice((self._binary, self._binary, self._shift, self._unary, self._mux, self._joined,
                               self._slice, self._cast))  # fmt: skip
        return one(type, scope, depth - 1)

    def _binary(self, type: Type, scope: Scope, depth: int) -> str:
        operator = self.rng.choice(_NUMBER)
        return f"({self.make(type, scope, depth)} {operator} {self.make(type, scope, depth)})"

    def _shift(self, type: Type, scope: Scope, depth: int) -> str:
        amount = self.rng.choice((
            str(self.rng.randrange(type.width + 1)),
            f"8w{self.rng.randrange(min(255, type.width + 9))}",
            self.make(Type(self.rng.choice((1, 2, 3, 5, 7, 8))), scope, depth - 1),
        ))  # fmt: skip
        return f"({self.make(type, scope, depth)} {self.rng.choice(('<<', '>>'))} {amount})"

    def _unary(self, type: Type, scope: Scope, depth: int) -> str:
        return f"({self.rng.choice('~-')}{self.make(type, scope, depth)})"

    def _mux(self, type: Type, scope: Scope, depth: int) -> str:
        condition = self.boolean(scope, depth)
        return f"({condition} ? {self.make(type, scope, depth)} : {self.make(type, scope, depth)})"

    def _joined(self, type: Type, scope: Scope, depth: int) -> str:
        if type.width < 2 or type.signed:  # p4c fails for signed operands that it moves
            return self._unary(type, scope, depth)
        left = self.rng.randrange(1, type.width)
        high = self.make(Type(left), scope, depth)
        return f"({high} ++ {self.make(Type(type.width - left), scope, depth)})"

    def _slice(self, type: Type, scope: Scope, depth: int) -> str:
        if type.signed:
            return self._cast(type, scope, depth)
        wide = self.random.type(
            signed=0, widths=[one for one in (8, 16, 32, 48, 64, 128) if one >= type.width]
        )
        low = self.rng.randrange(wide.width - type.width + 1)
        return f"({self.make(wide, scope, depth)})[{low + type.width - 1}:{low}]"

    def _cast(self, type: Type, scope: Scope, depth: int) -> str:
        of = self.random.type()
        return self.cast(type, self.make(of, scope, depth), of)

    def boolean(self, scope: Scope, depth: int = 2) -> str:
        """A condition."""
        draw = self.rng.random()
        if draw < 0.12 and scope.tests:
            one = self.rng.choice(scope.tests)
            type = scope.types.get(one, "none")
            same = [other for other in scope.tests if other != one and scope.types.get(other) == type]
            if same and self.random.chance(0.4):
                return f"({one} {self.rng.choice(_COMPARE[:2])} {self.rng.choice(same)})"
            return f"{one}.isValid()"
        if draw < 0.25 and depth > 0:
            return f"(!{self.boolean(scope, depth - 1)})"
        if draw < 0.45 and depth > 0:
            operator = self.rng.choice(("&&", "||"))
            return f"({self.boolean(scope, depth - 1)} {operator} {self.boolean(scope, depth - 1)})"
        if draw < 0.5:
            return self.leaf(BOOL, scope)
        numbers = [place for place in scope.readable if place.type.width]
        if numbers and self.random.chance(0.7):
            place = self.rng.choice(numbers)
            return f"({place.text} {self.rng.choice(_COMPARE)} {self.make(place.type, scope, depth - 1)})"
        type = self.random.type()
        operator = self.rng.choice(_COMPARE)
        return f"({self.make(type, scope, depth - 1)} {operator} {self.make(type, scope, depth - 1)})"
