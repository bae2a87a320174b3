"""The public names are those of a committed list, documented, and the only attributes."""

import dataclasses
import inspect
import os
import re
from pathlib import Path

import pytest

import weir

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
    shown = "".join(
        f"{cls.__name__}:\n" + "".join(f"    {name}\n" for name in public_names(cls)) for cls in CLASSES
    )
    if os.environ.get("BLESS"):
        LIST.write_text(shown, encoding="utf-8")
    assert shown == LIST.read_text(encoding="utf-8"), (
        "BLESS=1 pytest tests/test_public_names.py rewrites the list"
    )


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_public_name_is_documented(cls: type):
    fields = {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
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
