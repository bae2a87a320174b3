"""Random tables with their actions, and the commands that fill them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from generator.expressions import Expressions
from generator.types import BOOL, Random, Scope, Type

_KINDS = ("exact", "exact", "ternary", "ternary", "lpm", "range", "optional")


@dataclass(frozen=True)
class TableAction:
    """An action of a table.

    Attributes:
        name: its name in the declaration.
        params: the parameters that entries set.
        bound: arguments that the table's declaration sets.
        default_only: whether entries must not use it.
    """

    name: str
    params: tuple[Type, ...]
    bound: str = ""
    default_only: bool = False


@dataclass
class Table:
    """A table.

    Attributes:
        name: its name in the declaration.
        keys: the type and the match kind of each key.
        actions: the actions that entries can have.
        profile: the name of its action profile or selector.
        selects: whether the profile is a selector.
        filled: whether the program declares its entries.
        counter: the name of its direct counter.
        meter: the name of its direct meter.
        fixed: whether the default action is constant.
    """

    name: str
    keys: list[tuple[Type, str]]
    actions: list[TableAction]
    profile: str | None = None
    selects: bool = False
    filled: bool = False
    counter: str | None = None
    meter: str | None = None
    fixed: bool = False

    @property
    def prioritized(self) -> bool:
        """Whether entries need a priority."""
        return any(kind in ("ternary", "range", "optional") for _, kind in self.keys)


@dataclass
class Tables:
    """Makes tables; ``made`` contains the tables of the current control."""

    random: Random
    expressions: Expressions
    made: list[Table] = field(default_factory=list)

    def declare(
        self, scope: Scope, actions: Sequence[TableAction], metered: Sequence[TableAction], profiles: bool
    ) -> str:
        """Makes a table as P4, with its objects."""
        random, rng = self.random, self.random.rng
        table = Table(random.name("t"), [], [])
        pad = "    "
        objects = ""
        keys = ""
        kinds = [rng.choice(_KINDS) for _ in range(rng.randrange(0 if random.chance(0.1) else 1, 4))]
        if kinds.count("lpm") > 1:
            kinds = [kind if kind != "lpm" else "exact" for kind in kinds]
        if (
            "lpm" in kinds
            and any(kind in ("ternary", "range", "optional") for kind in kinds)
            and random.chance(0.7)
        ):
            kinds = [kind if kind == "lpm" else "exact" for kind in kinds]
        for number, kind in enumerate(kinds):
            text, type = self._key(scope, kind)
            table.keys.append((type, kind))
            keys += f'{pad}        {text}: {kind} @name("k{number}");\n'
        use_meter = bool(metered)
        choice = list(metered if use_meter else actions)
        table.actions = [one for one in choice if random.chance(0.75)] or [rng.choice(choice)]
        table.fixed = random.chance(0.15)
        default = rng.choice(table.actions)
        if random.chance(0.1) and len(table.actions) > 1:
            only = rng.randrange(len(table.actions))
            default = table.actions[only] = replace(table.actions[only], default_only=True)
        listed = "".join(
            f"{pad}        {'@defaultonly ' if one.default_only else ''}{one.name}{f'({one.bound})' if one.bound else ''};\n"
            for one in table.actions
        )
        nothing = any(one.name == "NoAction" for one in table.actions)
        text = f"{pad}table {table.name} {{\n"
        if keys:
            text += f"{pad}    key = {{\n{keys}{pad}    }}\n"
        if not nothing and random.chance(0.5):
            listed += f"{pad}        @defaultonly NoAction;\n"
        text += f"{pad}    actions = {{\n{listed}{pad}    }}\n"
        if keys and random.chance(0.25):
            text += self._entries(table, pad)
        kind = rng.random()
        if profiles and keys and not table.filled and not use_meter and kind < 0.3:
            table.profile = random.name("p")
            table.selects = kind < 0.15 and not any(one in ("range",) for _, one in table.keys)
            if table.selects:
                algorithm = rng.choice(("crc16", "crc32", "csum16", "identity", "xor16"))
                objects = f"{pad}action_selector(HashAlgorithm.{algorithm}, 32w64, 32w{rng.choice((8, 14, 16))}) {table.profile};\n"
                selectors = "".join(
                    f'{pad}        {self._key(scope, "selector")[0]}: selector @name("s{number}");\n'
                    for number in range(rng.randrange(1, 3))
                )
                text = text.replace(keys, keys + selectors, 1)
            else:
                objects = f"{pad}action_profile(64) {table.profile};\n"
            text += f"{pad}    implementation = {table.profile};\n"
        else:
            arguments = ", ".join(
                filter(None, [default.bound, *(self._argument(type) for type in default.params)])
            )
            text += (
                f"{pad}    {'const ' if table.fixed else ''}default_action = {default.name}({arguments});\n"
            )
        if use_meter:
            text += f"{pad}    meters = dm;\n"
            table.meter = "dm"
        elif keys and random.chance(0.3) and not table.profile:
            table.counter = random.name("dc")
            objects += f"{pad}direct_counter(CounterType.packets_and_bytes) {table.counter};\n"
            text += f"{pad}    counters = {table.counter};\n"
        if random.chance(0.5):
            text += f"{pad}    size = {rng.choice((64, 128, 1024))};\n"
        self.made.append(table)
        return objects + text + f"{pad}}}\n"

    def _argument(self, type: Type) -> str:
        """A constant argument.

        It is not negative, because simple_switch ends when it logs a negative one.
        """
        value = self.random.number(type.width)
        return self.expressions.literal(type, value & ((1 << (type.width - 1)) - 1) if type.signed else value)

    def _key(self, scope: Scope, kind: str) -> tuple[str, Type]:
        rng = self.random.rng
        if scope.tests and kind in ("exact", "ternary") and self.random.chance(0.15):
            return f"{rng.choice(scope.tests)}.isValid()", BOOL
        fit = [
            one
            for one in scope.readable
            if one.type.width and (not one.type.signed or kind in ("exact", "ternary"))
        ]
        if self.random.chance(0.15) or not fit:
            type = Type(rng.choice((4, 8, 12)))
            return self.expressions.make(type, scope, 2), type
        if kind == "exact" and self.random.chance(0.8):
            fit = [one for one in fit if one.type.width <= 16] or fit
        place = rng.choice(fit)
        return place.text, place.type

    def _entries(self, table: Table, pad: str) -> str:
        """The entries that the program declares."""
        rng = self.random.rng
        usable = [one for one in table.actions if not one.default_only]
        # simple_switch counts prefixes from whole bytes.
        if not usable or any(
            type.signed or type == BOOL or (kind == "lpm" and type.width % 8) for type, kind in table.keys
        ):
            return ""
        table.filled = True
        seen: set[tuple[int, ...]] = set()
        text = ""
        constant = self.random.chance(0.6) or not table.prioritized
        for number in range(rng.randrange(1, 6)):
            sets: list[str] = []
            numbers: list[int] = []
            for type, kind in table.keys:
                value = self.random.number(type.width)
                literal = self.expressions.literal
                numbers.append(value)
                if kind == "exact":
                    sets.append(literal(type, value))
                elif kind == "lpm":
                    length = rng.randrange(type.width + 1)
                    mask = ((1 << length) - 1) << (type.width - length)
                    numbers[-1] = value & mask
                    sets.append(f"{literal(type, value & mask)} &&& {literal(type, mask)}")
                elif kind == "ternary":
                    mask = self.random.number(type.width)
                    sets.append(
                        f"{literal(type, value & mask)} &&& {literal(type, mask)}"
                        if self.random.chance(0.8)
                        else "_"
                    )
                elif kind == "range":
                    high = max(value, self.random.number(type.width))
                    sets.append(f"{literal(type, value)} .. {literal(type, high)}")
                else:
                    sets.append(literal(type, value) if self.random.chance(0.7) else "_")
            if tuple(numbers) in seen:
                continue
            seen.add(tuple(numbers))
            action = rng.choice(usable)
            arguments = ", ".join(
                filter(None, [action.bound, *(self._argument(type) for type in action.params)])
            )
            keyset = sets[0] if len(sets) == 1 else f"({', '.join(sets)})"
            front = f"priority={rng.randrange(1, 50) * 8 + number}: " if not constant else ""
            text += f"{pad}        {front}{keyset}: {action.name}({arguments});\n"
        return f"{pad}    {'const ' if constant else ''}entries = {{\n{text}{pad}    }}\n"


class Commands:
    """Runtime commands that fill tables."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.rng = random.rng

    def fill(self, prefix: str, table: Table) -> list[str]:
        """Makes commands for one instance of a table; ``prefix`` is the name prefix of its
        control."""
        lines: list[str] = []
        name = f"{prefix}.{table.name}"
        usable = [one for one in table.actions if not one.default_only]

        def action(one: TableAction) -> str:
            return one.name if one.name == "NoAction" else f"{prefix}.{one.name}"

        def params(one: TableAction) -> str:
            return " ".join(self._value(type) for type in one.params)

        if table.profile:
            profile = f"{prefix}.{table.profile}"
            if not usable:
                return []
            members = self.rng.randrange(1, 7)
            for _ in range(members):
                one = self.rng.choice(usable)
                lines.append(f"act_prof_create_member {profile} {action(one)} {params(one)}".strip())
            made = members
            groups = self.rng.randrange(1, 3) if table.selects else 0
            for group in range(groups):
                # The switches choose members differently, so all members of a group are the same.
                lines.append(f"act_prof_create_group {profile}")
                one = self.rng.choice(usable)
                same = f"act_prof_create_member {profile} {action(one)} {params(one)}".strip()
                for member in range(self.rng.randrange(1, 4)):
                    lines.append(same)
                    lines.append(f"act_prof_add_member_to_group {profile} {made + member} {group}")
                made += member + 1
            for number in range(self.rng.randrange(2, 10)):
                keys = self._keys(table)
                priority = f" {self._priority(number)}" if table.prioritized else ""
                if groups and self.random.chance(0.7):
                    lines.append(
                        f"table_indirect_add_with_group {name} {keys} => {self.rng.randrange(groups)}{priority}"
                    )
                else:
                    lines.append(
                        f"table_indirect_add {name} {keys} => {self.rng.randrange(members)}{priority}"
                    )
            return lines
        if not table.fixed and self.random.chance(0.3):
            one = self.rng.choice(table.actions)
            lines.append(f"table_set_default {name} {action(one)} {params(one)}".strip())
        if table.keys and not table.filled and usable:
            for number in range(self.rng.randrange(1, 14)):
                one = self.rng.choice(usable)
                priority = f" {self._priority(number)}" if table.prioritized else ""
                lines.append(f"table_add {name} {action(one)} {self._keys(table)} => {params(one)}{priority}")
        return lines

    def changes(self, prefix: str, table: Table) -> list[Callable[[], str]]:
        """Functions that make commands which change a table between packets; ``@3`` is its fourth
        entry."""
        name = f"{prefix}.{table.name}"
        usable = [one for one in table.actions if not one.default_only]
        if table.filled or not table.keys or not usable:
            return []

        def action(one: TableAction) -> str:
            return one.name if one.name == "NoAction" else f"{prefix}.{one.name}"

        def params(one: TableAction) -> str:
            return "".join(f" {self._value(type)}" for type in one.params)

        def priority() -> str:
            return f" {self.rng.randrange(700, 100000)}" if table.prioritized else ""

        def add() -> str:
            one = self.rng.choice(usable)
            return f"table_add {name} {action(one)} {self._keys(table)} =>{params(one)}{priority()}"

        def modify() -> str:
            one = self.rng.choice(usable)
            return f"table_modify {name} {action(one)} @{self.rng.randrange(8)} =>{params(one)}"

        def delete() -> str:
            return f"table_delete {name} @{self.rng.randrange(8)}"

        def default() -> str:
            one = self.rng.choice(table.actions)
            return f"table_set_default {name} {action(one)}{params(one)}"

        if not table.profile:
            kinds = [add, modify]
            # The counter of a deleted entry cannot be read at the end.
            kinds += [delete] if not table.counter else []
            return kinds if table.fixed else [*kinds, default]
        profile = f"{prefix}.{table.profile}"

        def member() -> str:
            one = self.rng.choice(usable)
            return f"act_prof_modify_member {profile} {action(one)} 0 =>{params(one)}"

        def indirect() -> str:
            return f"table_indirect_add {name} {self._keys(table)} => {self.rng.randrange(4)}{priority()}"

        def indirect_delete() -> str:
            return f"table_indirect_delete {name} @{self.rng.randrange(8)}"

        return [member, indirect, indirect_delete]

    def _priority(self, number: int) -> int:
        return self.rng.randrange(1, 40) * 16 + number

    def _value(self, type: Type) -> str:
        if not type.width:
            return str(self.rng.randrange(2))
        # simple_switch takes negative action data as large numbers.
        return hex(self.random.number(type.width) & (1 << (type.width - type.signed)) - 1)

    def _keys(self, table: Table) -> str:
        words = []
        for type, kind in table.keys:
            width = type.width or 1
            value = self.random.number(width)
            if kind == "exact":
                words.append(hex(value))
            elif kind == "lpm" and width % 8:  # simple_switch counts prefixes from whole bytes
                words.append(f"{hex(value)}/0")
            elif kind == "lpm":
                length = self.rng.choice(
                    (0, width, self.rng.randrange(width + 1), self.rng.randrange(width + 1))
                )
                words.append(f"{hex(value)}/{length}")
            elif kind == "ternary":
                words.append(f"{hex(value)}&&&{hex(self.random.number(width))}")
            elif kind == "range":
                words.append(f"{hex(value)}->{hex(max(value, self.random.number(width)))}")
            else:
                mask = (1 << width) - 1 if self.random.chance(0.7) else 0
                words.append(f"{hex(value & mask)}&&&{hex(mask)}")
        return " ".join(words)
