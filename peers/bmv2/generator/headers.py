"""Random header types, the instances of a program, and its metadata."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.types import BOOL, Place, Random, Type


@dataclass(frozen=True)
class HeaderType:
    """A header type; its varbit field, if it has one, is the last field.

    Attributes:
        name: its name in the declaration.
        fields: its fields in order.
        varbit: the maximum width of the varbit field ``rest``; 0 for none.
    """

    name: str
    fields: tuple[tuple[str, Type], ...]
    varbit: int = 0

    def declaration(self) -> str:
        """The declaration of the type, as P4."""
        lines = [f"    {type} {name};" for name, type in self.fields]
        lines += [f"    varbit<{self.varbit}> rest;"] if self.varbit else []
        return f"header {self.name} {{\n" + "\n".join(lines) + "\n}\n"

    def places(self, instance: str) -> tuple[Place, ...]:
        """The fields of an instance, without varbits."""
        return tuple(Place(f"{instance}.{name}", type) for name, type in self.fields)


@dataclass
class Headers:
    """The headers of a program's packets, and its metadata.

    Attributes:
        types: all header types.
        instances: instances by name, such as ``h.b`` or ``h.s[1]``; ``h.a`` is always there.
        members: the declarations in the struct of headers.
        stack: the number of elements of the stack ``h.s``; 0 for no stack.
        union: whether there is a header union ``h.u``, of the types of ``h.b`` and ``h.c``.
        metadata: the members of the struct of metadata.
    """

    types: list[HeaderType] = field(default_factory=list)
    instances: dict[str, HeaderType] = field(default_factory=dict)
    members: list[str] = field(default_factory=list)
    stack: int = 0
    union: bool = False
    metadata: list[Place] = field(default_factory=list)

    def by_name(self, name: str) -> HeaderType:
        """The type of that name."""
        return next(type for type in self.types if type.name == name)

    def fields(self, instance: str) -> tuple[Place, ...]:
        """The fields of an instance."""
        return self.instances[instance].places(instance)


def _header(
    random: Random, name: str, fields: int, front: tuple[tuple[str, Type], ...] = (), varbit: int = 0
) -> HeaderType:
    fields_of_type = list(front)
    fields_of_type += [(f"f{number}", random.type(signed=0.25)) for number in range(fields)]
    bits = sum(type.width for _, type in fields_of_type)
    if bits % 8:
        fields_of_type.append(("pad", Type(8 - bits % 8)))
    return HeaderType(name, tuple(fields_of_type), varbit)


def make(random: Random) -> Headers:
    """Header types, instances and metadata of a new program."""
    rng = random.rng
    headers = Headers()
    front = tuple((f"k{number}", Type(width)) for number, width in enumerate(rng.sample((3, 4, 6, 8, 16), 3)))
    headers.types = [
        _header(random, "a_t", rng.randrange(3, 9), front),
        _header(random, "b_t", rng.randrange(1, 5)),
        _header(random, "c_t", rng.randrange(1, 4), (("kind", Type(8)),)),
        HeaderType(
            "r_t",
            (
                ("code", Type(8)),
                ("left", Type(32)),
                ("right", Type(32)),
                ("small", Type(16)),
                ("wide", Type(64)),
            ),
        ),
    ]
    a, b, c, r = headers.types
    headers.instances = {"h.a": a, "h.b": b, "h.c": c, "h.d": b, "h.r": r}
    headers.members = ["r_t r;", "a_t a;", "b_t b;", "c_t c;", "b_t d;"]
    if random.chance(0.6):
        headers.stack = rng.randrange(2, 5)
        s = _header(random, "s_t", rng.randrange(1, 4), (("kind", Type(8)),))
        headers.types.append(s)
        headers.instances |= {f"h.s[{index}]": s for index in range(headers.stack)}
        headers.members.append(f"s_t[{headers.stack}] s;")
    if random.chance(0.35):
        v = _header(random, "v_t", rng.randrange(0, 2), (("size", Type(8)),), rng.choice((64, 128, 256)))
        headers.types.append(v)
        headers.instances["h.v"] = v
        headers.members.append("v_t v;")
    if random.chance(0.25):
        headers.union = True
        headers.members.append("u_t u;")
        headers.instances |= {"h.u.x": b, "h.u.y": c}
    for number in range(rng.randrange(3, 8)):
        headers.metadata.append(Place(f"m.m{number}", BOOL if random.chance(0.2) else random.type()))
    headers.metadata += [Place("m.again", Type(8)), Place("m.color", Type(2)), Place("m.inner.x", Type(16))]
    return headers
