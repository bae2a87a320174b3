"""Stand-ins for other software, between interfaces of the kernel."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest


def test_scripts_for_bmv2_run(play):
    assert play("bmv2.py") == "done\n"


def test_hosts_of_mininet_reach_each_other(play):
    if shutil.which("mnexec") is None or not Path("/usr/lib/python3/dist-packages/mininet").is_dir():
        if os.environ.get("WEIR_REQUIRE_MININET"):
            pytest.fail("Mininet is not installed, but WEIR_REQUIRE_MININET is set")
        pytest.skip("Mininet is not installed: its switch is not checked (Debian: apt install mininet)")
    assert play("mininet_network.py") == "HELLO\n"


@pytest.mark.skipif(importlib.util.find_spec("mininet") is not None, reason="Mininet is installed")
def test_without_mininet_it_says_what_to_install():
    sys.modules.pop("weir.mininet", None)
    from weir.errors import NetworkError

    with pytest.raises(NetworkError, match="apt install mininet"):
        importlib.import_module("weir.mininet")
