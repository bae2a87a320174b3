"""Numbers that people type: ASCII digits everywhere, and neither nan nor inf."""

import click
import pytest

import weir
from all_commands import COMMANDS
from command import weir as run
from weir.cli.numbers import AnyWhole, Number, Whole
from weir.telemetry.questions.selection import Selection
from weir.text.digits import any_whole_number, finite_number
from weir.topology import shapes

NUMBERS = [
    pytest.param(parameter, id=f"{words} {max(parameter.opts, key=len)}")
    for words, command in COMMANDS.items()
    for parameter in command.params
    if isinstance(parameter.type, (click.types.IntParamType, click.types.FloatParamType))
]


@pytest.mark.parametrize("parameter", NUMBERS)
@pytest.mark.parametrize(
    "text", ["nan", "inf", "-inf", "1e999", "1_0", "\u0663", "\uff13", " 3", "", "0x10", "3 s"]
)
def test_options_take_only_numbers(parameter: click.Parameter, text: str):
    assert isinstance(parameter.type, (AnyWhole, Whole, Number)), "expected a type of weir.cli.numbers"
    with pytest.raises(click.BadParameter):
        parameter.type.convert(text, parameter, None)


def test_numbers_are_read():
    assert [any_whole_number(text) for text in ("0", "-5", "007")] == [0, -5, 7]
    assert [finite_number(text) for text in ("0.5", "-2", "1e3", ".5", "5.")] == [0.5, -2, 1000, 0.5, 5]
    assert any_whole_number("9" * 5000) is finite_number("9" * 5000) is None


@pytest.mark.parametrize("text", ["\u0663", "1_0", "+3", "0x3", "3.0", "nan"])
@pytest.mark.parametrize("shape", ["dumbbell:{}", "leaf_spine:2,2,hosts={}", "star:2,layer={}"])
def test_sizes_of_shapes(text: str, shape: str):
    with pytest.raises(weir.TopologyError, match="expected a whole number"):
        shapes.from_text(shape.format(text))


@pytest.mark.parametrize(
    ("shape", "name"),
    [
        ("dumbbell:4,rate=1Mbit,rate=2Mbit", "rate"),
        ("dumbbell:4,n=3", "n"),
        ("star:2,queue-rate=auto,queue_rate=auto", "queue_rate"),
    ],
)
def test_arguments_of_shapes_are_given_once(shape: str, name: str):
    with pytest.raises(weir.TopologyError, match=f"{name} is set twice"):
        shapes.from_text(shape)


@pytest.mark.parametrize("port", ["\u0663", "1_0", "-1", "65536", "+3", ""])
def test_ports_of_flows(port: str):
    with pytest.raises(weir.WeirError, match="expected a port from 0 to 65535"):
        Selection(flow=f"10.0.1.1:{port}").reports(0)


def test_no_rate_is_no_limit_in_tcp():
    flow = ["iperf", "star:2,rate=1Mbit", "h1", "h2", "-t", "0.2"]
    unlimited, none = run(*flow), run(*flow, "-b", "0")
    assert none == unlimited and none[0] == 0
    code, out, err = run(*flow, "-u", "-b", "0")
    assert (code, out) == (1, "") and "-b 0 (no limit) is only for TCP" in err and "None" not in err
    assert run(*flow, "-i", "0.0") == run(*flow, "-i", "0")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lab", "run", "delay", "--set", "=5"], "expected NAME=VALUE"),
        (["lab", "run", "delay", "--set", "x=1,,2"], "there is an empty value"),
        (["lab", "run", "delay", "--only", "rtt,"], "--only has an empty name"),
        (["experiment", "run", "a.py", "--only", "=1"], "expected NAME=VALUE"),
    ],
)
def test_values_have_names(words: list[str], message: str):
    code, out, err = run(*words)
    assert code in (1, 2) and out == "" and message in err
