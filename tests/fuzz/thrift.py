"""Any bytes as calls of BMv2's Thrift services: they are answered, or they are not calls."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

from torture.switch import fresh
from torture.thrift.clients import encoded
from torture.thrift.values import call
from weir.dropin.thrift.calls import CallReader, NotACallError
from weir.dropin.thrift.server import answer_call, processor
from weir.dropin.thrift.standard import Ports

_LOOP = asyncio.new_event_loop()
_SERVED = processor(fresh()._core, Ports({1: "lo", 2: "no-such"}, 7, 0))
_RESET = encoded("standard", "bm_reset_state", {})


def run(data: bytes) -> None:
    """Answers the calls of a client that sends these bytes and no more."""
    reader = asyncio.StreamReader(loop=_LOOP)
    reader.feed_data(data)
    reader.feed_eof()
    _LOOP.run_until_complete(_answer_all(CallReader(reader)))


async def _answer_all(calls: CallReader) -> None:
    answer_call(_SERVED, _RESET)
    try:
        while (one := await calls.next()) is not None:
            answer = answer_call(_SERVED, one)
            if answer is None:
                return
            assert b"a bug in Weir" not in answer, answer
    except NotACallError:
        pass


def seeds() -> Iterator[bytes]:
    """Yields calls with arguments of the right types."""
    chance = random.Random(1)
    for _ in range(300):
        yield b"".join(encoded(*call(chance)) for _ in range(chance.choice([1, 1, 1, 3])))
