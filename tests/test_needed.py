"""The last line of a test run lists skipped tests and the packages that they need."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import needed

TESTS = Path(__file__).parent


def test_causes_are_counted_and_packages_named():
    namespaces = "network namespaces with veth: "
    reasons = [
        *["Skipped: needs tshark, which is not installed"] * 3,
        "Skipped: needs thriftpy2, which is not installed",
        'a Linux world: the Linux world needs the program "ip": install iproute2, or use world="virtual"',
        f"{namespaces}unshare: failed to execute ip: No such file or directory",
        f"{namespaces}[Errno 2] No such file or directory: 'unshare'",
        f"{namespaces}unshare: unshare failed: Operation not permitted",
        "root may write everywhere",
    ]
    assert needed.line(reasons) == (
        "9 skipped: tshark (3), ip (2), thriftpy2 (1), unshare (1), network namespaces with veth (1), "
        "root may write everywhere (1); to run them: apt-get install iproute2 tshark util-linux "
        "&& pip install p4weir[bmv2]"
    )
    assert needed.line(["root may write everywhere"]) == "1 skipped: root may write everywhere (1)"
    assert needed.line([]) is None


def test_a_program_that_must_be_there_fails_the_test(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("WEIR_REQUIRE_NOTHING", raising=False)
    with pytest.raises(pytest.skip.Exception, match="needs no-such-program, which is not installed"):
        needed.need("no-such-program", required="WEIR_REQUIRE_NOTHING")
    monkeypatch.setenv("WEIR_REQUIRE_NOTHING", "1")
    with pytest.raises(pytest.fail.Exception, match=r"needs no-such-program, .* WEIR_REQUIRE_NOTHING is set"):
        needed.need("no-such-program", required="WEIR_REQUIRE_NOTHING")
    needed.need("sh", required="WEIR_REQUIRE_NOTHING")


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_ends_with_the_line(workers: str, tmp_path: Path):
    # No program is in this path.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "PYTEST_"))
    }
    environment["PATH"] = str(tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "-p", "no:cacheprovider"]
    ended = subprocess.run(
        [*command, TESTS / "test_network.py", "-k", "tshark_reads"],
        cwd=TESTS.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1] == "2 skipped: tshark (2); to run them: apt-get install tshark"
