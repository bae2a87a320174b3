"""The names that tables share: ``bfrt.router``, ``bfrt.router.pipe`` and so on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from weir.bfrt.contracts import Leaf, ListedTable
from weir.bfrt.names import identifier
from weir.text.suggest import nearest

# The types of tables that compute an answer from the key of each read.
_COMPUTED = ("SELECTOR_GET_MEMBER", "DYN_HASH_COMPUTE")


class Node:
    """A part of the names of tables, whose attributes are the next parts."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._children: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        child = self.__dict__.get("_children", {}).get(name)
        if child is None:
            suggestion = nearest(name, dir(self))
            hint = f'; did you mean "{suggestion}"?' if suggestion else ""
            raise AttributeError(f"{self.__dict__.get('_name', 'bfrt')} has no {name}{hint}")
        return child

    def __dir__(self) -> list[str]:
        return [*self._children, "dump", "info"]

    def __repr__(self) -> str:
        return f"<{self._name}: {', '.join(self._children)}>"

    def add(self, name: str, leaf: Leaf) -> None:
        """Adds a table or a digest with its full name."""
        first, _, remainder = name.partition(".")
        first = identifier(first)
        if not remainder:
            child = self._children.get(first)
            if isinstance(child, Node):
                leaf.__dict__.update(child._children)
            self._children[first] = leaf
            return
        inner = self._children.setdefault(first, Node(first))
        if isinstance(inner, Node):
            inner.add(remainder, leaf)
        else:
            setattr(inner, identifier(remainder), leaf)

    def tables(self) -> Iterator[ListedTable]:
        """Yields the tables below this node."""
        for child in self._children.values():
            if isinstance(child, Node):
                yield from child.tables()
            elif isinstance(child, ListedTable):
                yield child

    def dump(self, **options: Any) -> None:
        """Prints the entries of all tables below this node.

        Tables that compute an answer from a key have no entries, and are left out.
        """
        for table in self.tables():
            if table.type not in _COMPUTED:
                table.dump(**options)

    def info(self, return_info: bool = False, print_info: bool = True) -> list[dict[str, Any]] | None:
        """Prints the tables below this node, or returns them with their uses."""
        rows: list[dict[str, Any]] = [
            {
                "full_name": table.full_name,
                "type": table.type,
                "usage": table.usage(),
                "capacity": table.capacity,
                "node": table,
            }
            for table in self.tables()
        ]
        if print_info:
            widest = max((len(row["full_name"]) for row in rows), default=0)
            print("Tables under this node:")
            for row in rows:
                print(f"{row['full_name']:<{widest}}  {row['type']:<24} {row['usage']}  {row['capacity']}")
        return rows if return_info else None
