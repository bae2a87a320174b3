"""Calls whose arguments are missing or no text are refused by name, or take defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

import weir
from weir.stf.bench import Bench

pytest.importorskip("thriftpy2")

from thriftpy2.protocol import TBinaryProtocol, TMultiplexedProtocol
from thriftpy2.thrift import TClient, TType
from thriftpy2.transport import TMemoryBuffer

from weir.bmv2.idl import services
from weir.dropin.thrift.server import answer_call, processor
from weir.dropin.thrift.standard import Ports

PROGRAM = Path(__file__).parents[2] / "testdata" / "switch" / "control.p4"
SERVICES = {
    "standard": "Standard",
    "simple_switch": "SimpleSwitch",
    "simple_pre_lag": "Multicast",
    "weir": "Commands",
}
VALUES = {TType.BOOL: True, TType.DOUBLE: 1.0, TType.STRING: "x", TType.BINARY: b"\1", TType.LIST: []}
"""A value of each type that is not a number."""


def call(name: str, method: str, given: dict[str, object]) -> bytes:
    """The bytes of a call with these arguments alone."""
    buffer = TMemoryBuffer()
    client = TClient(getattr(services(), SERVICES[name]), TMultiplexedProtocol(TBinaryProtocol(buffer), name))
    client._send(method, **given)
    return bytes(buffer.getvalue())


def test_missing_arguments_are_no_bug():
    switch = Bench(weir.compile(PROGRAM), [1, 2, 3]).switch
    served = processor(switch._core, Ports({1: "lo"}, 0, 0))
    calls = 0
    for name, kind in SERVICES.items():
        service = getattr(services(), kind)
        for method in service.thrift_services:
            arguments = getattr(service, f"{method}_args").thrift_spec.values()
            others = {one[1]: VALUES.get(one[0], 1) for one in arguments if one[0] != TType.STRUCT}
            # No fields; all except structures; all except one of the others.
            for given in (
                {},
                others,
                *({key: others[key] for key in others if key != left} for left in others),
            ):
                answer = answer_call(served, call(name, method, given))
                assert answer is not None and b"a bug in Weir" not in answer, (method, given, answer)
                calls += 1
    assert calls > 200


def test_a_missing_structure_has_no_values():
    switch = Bench(weir.compile(PROGRAM), [1, 2, 3]).switch
    served = processor(switch._core, Ports({1: "lo"}, 0, 0))
    answers = [
        answer_call(served, call("simple_switch", "mirroring_session_add", {"session": 3, **given}))
        for given in ({}, {"config": services().CloneSession()})
    ]
    assert answers[0] == answers[1] and b"a session needs a port or a multicast group" in answers[0]


def test_texts_that_are_not_utf_8_are_refused_by_name():
    """The library passes such a text on as bytes."""
    switch = Bench(weir.compile(PROGRAM), [1, 2, 3]).switch
    served = processor(switch._core, Ports({1: "lo"}, 0, 0))
    calls = 0
    for name, kind in SERVICES.items():
        service = getattr(services(), kind)
        for method in service.thrift_services:
            arguments = list(getattr(service, f"{method}_args").thrift_spec.values())
            given = {one[1]: VALUES.get(one[0], 1) for one in arguments if one[0] != TType.STRUCT}
            for text in (one[1] for one in arguments if one[0] == TType.STRING):
                content = call(name, method, given | {text: "no-text"}).replace(b"no-text", b"no\xfftext")
                answer = answer_call(served, content)
                assert answer is not None and f"{text} is not UTF-8 text".encode() in answer, (method, answer)
                calls += 1
    assert calls > 40
