"""Prepares docstrings for the site: roles of Sphinx, and methods of hosts that are functions."""

from __future__ import annotations

import inspect
import re
from typing import Any

import griffe

from weir import _core

_ROLE = re.compile(r":(?:class|meth|func|attr|data|mod):`([^`]+)`")
_DIRECTIVE = re.compile(r" *# doctest: \+\w+$", re.MULTILINE)
# An interactive session, up to the next empty line.
_SESSION = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
_TRAFFIC = re.compile(r"(blocking\()?traffic\.(\w+)\)?")


class Docstrings(griffe.Extension):
    """Rewrites the parts of docstrings that the documentation's handler does not understand."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Shows names in roles of Sphinx as code, and interactive sessions as sessions."""
        if obj.docstring is not None:
            text = _ROLE.sub(lambda role: f"`{role[1]}`", obj.docstring.value)
            text = _DIRECTIVE.sub("", text)
            obj.docstring.value = _SESSION.sub(lambda found: f"```pycon\n{found[0]}\n```", text)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Hides the constructors of classes of which only the package makes objects, such as hosts.

        A class of the compiled core gets the documentation that the core has; stubs have none.
        """
        if cls.path.startswith("weir._core_"):
            _describe(cls, getattr(_core, cls.name, None))
        init = cls.members.get("__init__")
        if isinstance(init, griffe.Function) and any(p.name in ("core", "_core") for p in init.parameters):
            cls.del_member("__init__")

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Documents the functions that :class:`weir.Host` has as attributes as methods.

        ``ping = blocking(traffic.start_ping)`` has the documentation and the parameters of
        ``start_ping``, as :func:`weir.host.blocking.describe` gives it.
        """
        host = pkg["host.host.Host"]
        starts = {
            name: function
            for module in pkg["host.traffic"].modules.values()
            for name, function in module.functions.items()
            if not function.is_alias
        }
        results = {
            flow.name: base.slice
            for module in pkg["flows"].modules.values()
            for flow in module.classes.values()
            if not flow.is_alias
            for base in flow.bases
            if isinstance(base, griffe.ExprSubscript)
        }
        for name, member in list(host.members.items()):
            found = _TRAFFIC.fullmatch(str(getattr(member, "value", "")))
            if found is not None:
                host.set_member(name, _method(name, starts[found[2]], results if found[1] else None))


def _describe(cls: griffe.Class, compiled: type | None) -> None:
    """Documents a class of the stubs, and its attributes, as the compiled class does.

    Args:
        cls: the class of the stubs.
        compiled: the class of that name; None if there is only a stub.
    """
    attributes = [name for name, member in cls.members.items() if member.is_attribute]
    found = {name: inspect.getdoc(getattr(compiled, name, None)) for name in attributes}
    lines = [f"    {name}: {' '.join(text.split())}\n" for name, text in found.items() if text]
    text = f"{inspect.getdoc(compiled) or ''}\n\n{'Attributes:' if lines else ''}\n{''.join(lines)}"
    cls.docstring = griffe.Docstring(text.strip(), parent=cls, parser="google")


def _method(name: str, start: griffe.Function, results: dict[str, Any] | None) -> griffe.Function:
    """A method with the parameters of a function.

    Args:
        name: the method's name.
        start: the function that starts traffic.
        results: the type of each flow's result, for a method that waits; None for other methods.
    """
    text = start.docstring.value if start.docstring else ""
    returns = start.returns
    if results is not None:
        summary, _, rest = text.partition("\n")
        waits = "Runs the network until the traffic has finished;"
        text = f"{summary} {waits} `{start.name}` only starts it.\n{rest}"
        flow = getattr(returns, "slice", None)
        returns = flow or " | ".join(str(results[kind]) for kind in str(returns).split(" | "))
    method = griffe.Function(name, parameters=start.parameters, returns=returns)
    method.docstring = griffe.Docstring(text, parent=method, parser="google")
    return method
