"""Stand-ins for other software, between interfaces of the kernel."""

import importlib.util
import sys
from pathlib import Path

import pytest

from needed import need, skip


def test_scripts_for_bmv2_run(play):
    assert play("bmv2.py") == "done\n"


def test_hosts_of_mininet_reach_each_other(play):
    need("mnexec", required="WEIR_REQUIRE_MININET")
    if not Path("/usr/lib/python3/dist-packages/mininet").is_dir():
        skip("Mininet is not Debian's: its switch is not checked", "WEIR_REQUIRE_MININET")
    assert play("mininet_network.py") == "HELLO\n"


@pytest.mark.skipif(importlib.util.find_spec("mininet") is not None, reason="Mininet is installed")
def test_without_mininet_it_says_what_to_install():
    sys.modules.pop("weir.mininet", None)
    from weir.errors import NetworkError

    with pytest.raises(NetworkError, match="apt install mininet"):
        importlib.import_module("weir.mininet")
