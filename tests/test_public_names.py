"""The public names are listed in a file, have documentation, and are the only attributes."""

import dataclasses
import importlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
import weir.control
import weir.telemetry
import weir.topology
import weir.trace

LIST = Path(__file__).parent / "public_names.txt"
CLASSES = sorted(
    (found for name in weir.__all__ if inspect.isclass(found := getattr(weir, name))),
    key=lambda cls: cls.__name__,
)
SLOTTED = [weir.Host, weir.Interface, weir.Link, weir.Network, weir.Switch]


def public_names(cls: type) -> list[str]:
    """Methods, properties and fields whose names do not begin with an underscore."""
    fields = [field.name for field in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    inherited = dir(BaseException) if issubclass(cls, BaseException) else []
    return sorted({name for name in [*dir(cls), *fields] if not name.startswith("_")} - set(inherited))


def test_the_public_names_are_those_of_the_list():
    text = "".join(
        f"{cls.__name__}:\n" + "".join(f"    {name}\n" for name in public_names(cls)) for cls in CLASSES
    )
    if os.environ.get("BLESS"):
        LIST.write_text(text, encoding="utf-8")
    assert text == LIST.read_text(encoding="utf-8"), (
        "BLESS=1 pytest tests/test_public_names.py rewrites the list"
    )


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_public_name_is_documented(cls: type):
    # Classes of the core document each attribute; those of Python list them.
    has_fields = dataclasses.is_dataclass(cls) and cls.__module__ != "weir._core"
    fields = {field.name for field in dataclasses.fields(cls)} if has_fields else set()
    attributes = "\n".join(inspect.getdoc(base) or "" for base in cls.__mro__)
    undocumented = [
        name
        for name in public_names(cls)
        if not re.search(rf"^ *{name}: ", attributes, re.MULTILINE)
        and (name in fields or not inspect.getdoc(inspect.getattr_static(cls, name)))
    ]
    assert not undocumented


@pytest.mark.parametrize("cls", SLOTTED, ids=lambda cls: cls.__name__)
def test_no_other_attributes(cls: type):
    with pytest.raises(AttributeError):
        cls.__new__(cls).no_such_attribute = 1


def test_completion_shows_public_names(network: weir.Network):
    for part in (network, network.host("h1"), network.link("h1", "s1"), network.interface("h1")):
        assert sorted(name for name in dir(part) if not name.startswith("_")) == public_names(type(part))


def test_the_reference_has_every_public_name():
    folder = Path(__file__).parent.parent / "docs" / "reference" / "python"
    pages = "".join(page.read_text(encoding="utf-8") for page in folder.glob("*.md"))
    names = set(re.findall(r"^::: ([\w.]+)$", pages, re.MULTILINE))
    modules = (weir.control, weir.measure, weir.qdisc, weir.telemetry, weir.topology, weir.trace)
    values = [getattr(module, name) for module in modules for name in module.__all__]
    values += [getattr(weir, name) for name in weir.__all__ if name != "__version__"]
    # Classes that hold what others share, and what only other modules of the package use.
    internal = [weir.qdisc.Qdisc, weir.qdisc.core]
    internal += [weir.topology.Mac, weir.topology.GATEWAY_MAC]
    documented = [resolved(name) for name in names]
    missing = [
        thing for thing in values if not inspect.ismodule(thing) and thing not in documented + internal
    ]
    assert not missing, f"docs/reference/python does not show {missing}"


def resolved(name: str) -> object:
    """The object that a dotted name stands for."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


INTERNAL = {
    "Clock", "Column", "Conditional", "Copy", "Label", "LossMark", "Named", "NetworkOptions", "ObjectInfo", "Output", "PortQueue",
    "Process", "ProfileInfo", "Runtime", "Value", "ValueSetInfo",
    "Space", "Step", "Suggestion", "SwitchObjects", "TableInfo", "TcpInfo", "Zipped",
    # Kinds of weir.Flow; results of experiments and of packet tests have the same name.
    "ExchangeFlow", "PingFlow", "ReplayFlow", "TcpFlow", "UdpFlow", "Result", "RunningProgram", "Server",
}  # fmt: skip
"""Classes that users do not make: they are given them, or reach them by attributes."""

OPTIONS = {"FlowOptions", "TcpOptions"}
"""Keywords, which users write with a call."""


def annotations(cls: type) -> Iterator[str]:
    """The types in the signatures of a class's public methods and attributes, as written."""
    for name, value in inspect.getmembers(cls):
        if name.startswith("_") and name != "__init__":
            continue
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        yield from map(str, getattr(inspect.unwrap(function), "__annotations__", {}).values())
    yield from (str(kind) for name, kind in getattr(cls, "__annotations__", {}).items() if name[0] != "_")


def test_classes_that_users_make_or_annotate_with_are_at_the_top():
    # Other tests have loaded modules that define classes.
    code = "import sys, weir; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {
        name: kind
        for module in ran.stdout.split()
        if module.startswith("weir.")
        for name, kind in vars(sys.modules[module]).items()
        if inspect.isclass(kind) and kind.__module__.startswith("weir.")
    }
    named = {word for cls in CLASSES for text in annotations(cls) for word in re.findall(r"\w+", text)}
    assert {"Rates", "Host", "Replica"} <= named
    reached = {*dir(weir), *dir(weir.measure), *dir(weir.qdisc), *dir(weir.impairments), *dir(weir.topology)}
    hidden = (named & set(ours)) - reached - INTERNAL - OPTIONS
    assert not hidden, ", ".join(sorted(hidden))
    # Every class of the control interface, which users make and are given.
    assert set(weir.control.__all__) <= reached


def test_a_wrong_name_of_the_module_has_a_suggestion():
    code = "import weir; weir.Rate"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "module 'weir' has no attribute 'Rate'. Did you mean: 'Rates'?" in ran.stderr
