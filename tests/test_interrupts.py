"""Ctrl-C during runs: none is lost."""

from __future__ import annotations

import os
import signal

import pytest

import weir
from weir.topology import shapes


def test_an_interrupt_before_another_exception_is_not_lost():
    with weir.Network(shapes.star(2)) as network:

        def action() -> None:
            os.kill(os.getpid(), signal.SIGINT)
            raise ZeroDivisionError

        network.at("1ms", action)
        with pytest.raises(KeyboardInterrupt) as raised:
            network.run_for("1s")
        assert isinstance(raised.value.__context__, ZeroDivisionError)
        network.run_for("1s")
