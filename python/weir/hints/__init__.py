"""Adds the nearest right name to Python's own errors about wrong names.

As everywhere in Python, a wrong keyword raises a ``TypeError`` and a wrong attribute an
``AttributeError``. Before such an error is printed, :func:`add_hint` adds a note with the name that
was probably meant; see docs/decisions/0023-suggestions-where-errors-surface.md.
"""

from __future__ import annotations

import sys

# For type checkers only: importing `typing` would slow down `import weir`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any


def install() -> None:
    """Adds hints to errors that end a Python program or that Jupyter or IPython shows."""
    print_error = sys.excepthook

    def print_with_hint(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        add_hint(error)
        if _is_own_mistake(error):
            from weir.errors.traceback import lines

            print("\n".join(lines(error, trace)), file=sys.stderr)
            return
        print_error(kind, error, trace)

    sys.excepthook = print_with_hint
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        # IPython has only one such handler; a handler that other code installed is not replaced.
        if shell is not None and not shell.custom_exceptions:
            shell.set_custom_exc((TypeError, AttributeError), _show_in_ipython)


def _is_own_mistake(error: BaseException) -> bool:
    """Returns whether an error is one of Weir's own, which needs no hint."""
    errors = sys.modules.get("weir.errors")
    return errors is not None and isinstance(error, errors.WeirError)


def _show_in_ipython(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    add_hint(error)
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def add_hint(error: BaseException) -> None:
    """Adds a note with the nearest right name to an error about a wrong name in Weir's API.

    The function never raises an error.
    """
    if not isinstance(error, (TypeError, AttributeError)):
        return
    try:
        note = _hint(error)
    except Exception:
        # An error in this function must not hide the user's error.
        return
    if note is not None and note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def in_line(error: BaseException) -> str:
    """Returns an error's kind, message and hints in one line, for output that Weir writes
    itself."""
    add_hint(error)
    return "; ".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])


def _hint(error: TypeError | AttributeError) -> str | None:
    import re

    message = str(error)
    if "Did you mean" in message:
        # Python 3.13 and later know the nearest keyword themselves.
        return None
    if match := re.match(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'", message):
        from weir.hints.habits import WITHOUT_KEYWORD

        if instead := WITHOUT_KEYWORD.get(match[1].rpartition(".")[2], {}).get(match[2]):
            return f"Use {instead}"
        function = _weir_object(match[1])
        keywords = [] if function is None else _keywords(function)
        return _nearest_hint(match[2], keywords, f"{match[1].removesuffix('.__init__')}() takes")
    if match := re.fullmatch(r"'(\w+)' object has no attribute '(\w+)'", message):
        # If the error has a name, it comes from reading an attribute, and Python itself suggests a
        # # similar name.
        reading = isinstance(error, AttributeError) and error.name is not None
        owner, name = match[1], match[2]
    elif match := re.fullmatch(r"property '(\w+)' of '(\w+)' object has no setter", message):
        reading, owner, name = False, match[2], match[1]
    elif match := re.fullmatch(r"module 'weir' has no attribute '(\w+)'", message):
        return _replacement("weir", match[1], error)
    else:
        return None
    cls = _weir_object(owner)
    if reading and isinstance(cls, type):
        return _replacement(owner, name, error)
    if reading or not isinstance(cls, type):
        return None
    settable = [
        attribute for attribute in dir(cls) if getattr(getattr(cls, attribute), "fset", None) is not None
    ]
    return _nearest_hint(name, settable, f"What can be set on {owner}")


def _replacement(owner: str, name: str, error: Any) -> str | None:
    """Returns what to write instead of an attribute that other tools have."""
    from weir.hints.habits import ATTRIBUTES

    if (instead := ATTRIBUTES.get(owner, {}).get(name)) is not None:
        return f"Use {instead}"
    nodes = getattr(error.obj, "_nodes", None)
    if owner == "Network" and nodes is not None and (name in nodes.hosts or name in nodes.switches):
        return f'Use net["{name}"]'
    if owner == "NamedList" and name in error.obj:
        return f'Use ["{name}"]'
    return None


def _nearest_hint(name: str, known: list[str], introduction: str) -> str | None:
    from weir.text.suggest import listing, nearest

    if not known:
        return None
    from weir.hints.habits import KEYWORDS

    meant = KEYWORDS.get(name, ())
    suggestion = next(
        (candidate for candidate in ((meant,) if isinstance(meant, str) else meant) if candidate in known),
        None,
    )
    if suggestion is None and len(name) > 1:
        suggestion = nearest(name, known)
    return f'Did you mean "{suggestion}"?' if suggestion else f"{introduction}: {listing(known, 24)}"


def _weir_object(name: str) -> Any:
    """Finds the class, method or function of this package that has this qualified name; returns
    ``None`` if there is none."""
    first, *rest = name.split(".")
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] != "weir" or module_name == "weir._core":
            continue
        obj = vars(module).get(first)
        # A protocol may have the name of the class that implements it.
        if not str(getattr(obj, "__module__", "")).startswith("weir.") or vars(obj).get("_is_protocol"):
            continue
        for part in rest:
            obj = getattr(obj, part, None)
        if obj is not None:
            return obj
    return None


def _keywords(function: Any) -> list[str]:
    """Lists the parameters that a function accepts by name, in the order of its signature."""
    import inspect

    parameters = inspect.signature(function).parameters.values()
    return [
        parameter.name
        for parameter in parameters
        if parameter.name != "self"
        and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
